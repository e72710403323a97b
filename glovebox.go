// Package glovebox holds the words of Glovebox: the types that every part of
// it uses and that its users see.
//
// A [Reply] is the raw text of a language model. A [Program] is the code found
// in it. A [Job] is a Program (or the Reply it is still hidden in) with tests,
// inputs and [Limits]. A tier runs it in a box and says what physically
// happened: an [Outcome]. The Outcome, classified by evidence, redacted and
// bounded, is the [Observation], whose [Status] is one of a closed set.
//
// The package imports nothing of ours. To run a Job, see package engine.
package glovebox

import (
	"fmt"
	"slices"
	"time"
)

// Reply is the raw text that a model returned: prose, Markdown, code, or all
// of them. It is hostile input. It need not be valid UTF-8.
type Reply string

// Program is code to run: files, the language they are in, and where to start.
type Program struct {
	// Language is the name of a language of package language, such as
	// "python".
	Language string `json:"language"`
	// Files are the program's files. Paths are relative, slash-separated and
	// never leave the workspace; see [CleanPath].
	Files []File `json:"files"`
	// Main is the path of the file that is started, one of Files. It may be
	// empty where there is one file, and where a Job has Tests and no Cases:
	// then nothing is started, and the tests import what they need of the tree.
	Main string `json:"main"`
}

// File is a file of a Program, a test, or an input.
type File struct {
	// Path is relative to the workspace and slash-separated.
	Path string `json:"path"`
	// Data is the content.
	Data []byte `json:"data"`
	// Executable asks for mode 0755 in place of 0644.
	Executable bool `json:"executable,omitempty"`
	// ReadOnly asks for a file that the program cannot write or replace.
	ReadOnly bool `json:"read_only,omitempty"`
}

// Case is one input/output case: the program is started with Stdin and what it
// prints on stdout is compared with Stdout outside the box.
type Case struct {
	Name   string `json:"name,omitempty"`
	Stdin  string `json:"stdin"`
	Stdout string `json:"stdout"`
	// Args are command-line arguments of the program.
	Args []string `json:"args,omitempty"`
	// Match says how the outputs are compared; empty means [MatchTrimmed].
	Match Match `json:"match,omitempty"`
	// Tolerance is the largest absolute or relative difference of two numbers
	// under [MatchTolerant]; 0 means 1e-6.
	Tolerance float64 `json:"tolerance,omitempty"`
}

// Match is a way to compare an output with the expected one.
type Match string

// The ways to compare outputs.
const (
	// MatchExact compares byte for byte.
	MatchExact Match = "exact"
	// MatchTrimmed ignores white space at line ends and blank lines at the end.
	MatchTrimmed Match = "trimmed"
	// MatchTolerant compares field by field, numbers within the tolerance.
	MatchTolerant Match = "tolerant"
)

// Job is one request: what to run, what to check it with, and under what.
// The zero value of each field is a safe default.
type Job struct {
	// Reply is the model's text. It is ignored when Program is set.
	Reply Reply `json:"reply,omitempty"`
	// Program is code that needs no extraction.
	Program *Program `json:"program,omitempty"`
	// Command is an argument vector to run in place of a program, such as
	// {"ls", "-l"}: Reply and Program are ignored then. A name without a slash
	// is looked up in the PATH of the Image; without one it must be the
	// interpreter of a language.
	Command []string `json:"command,omitempty"`
	// Language is the language of the reply's code where the reply does not
	// say it, or where the caller insists.
	Language string `json:"language,omitempty"`
	// Tests are test files. With tests, a pass needs proof; see [Proof].
	Tests []File `json:"tests,omitempty"`
	// Cases are input/output cases.
	Cases []Case `json:"cases,omitempty"`
	// Entry is the name of the function that the tests call (HumanEval's
	// entry point), where the tests take it as an argument.
	Entry string `json:"entry,omitempty"`
	// Stdin is what the program reads.
	Stdin []byte `json:"stdin,omitempty"`
	// Args are command-line arguments of the program.
	Args []string `json:"args,omitempty"`
	// Inputs are further files in the workspace; they are always read-only.
	Inputs []File `json:"inputs,omitempty"`
	// Env holds environment variables beside PATH, HOME and LANG.
	Env map[string]string `json:"env,omitempty"`
	// Secrets are values by name that must not leave in any output. They are
	// not given to the program; name them in Env for that.
	Secrets map[string]string `json:"-"`
	// Limits bound the run. A zero field means the default.
	Limits Limits `json:"limits,omitzero"`
	// Tier is the wished way to isolate; empty means [TierAuto].
	Tier TierName `json:"tier,omitempty"`
	// Image names the OCI image whose file system the program runs in, such as
	// "python:3.12" or a digest; empty means the host's own toolchain.
	Image string `json:"image,omitempty"`
	// Needs are what the tier must give, whichever it is; a tier that does not
	// is passed over, or refused where Tier names it.
	Needs []Need `json:"needs,omitempty"`
	// RequireProof is the weakest proof that makes a pass; weaker ones are
	// [StatusUnproven]. Empty means any.
	RequireProof Proof `json:"require_proof,omitempty"`
	// Withhold leaves out artifacts that hold a secret which cannot be redacted
	// in them, or a part that cannot be looked at: binary files and archives.
	// Without it they are taken, and the Observation says what is in them.
	Withhold bool `json:"withhold,omitempty"`
	// Tenant is on whose behalf this runs.
	Tenant string `json:"tenant,omitempty"`
	// Batch, if not empty, is the caller's name for many jobs of one tenant whose
	// programs may share what lies under their boxes, one after the other, where the
	// tier gains by it: in gVisor a kernel in user space, but no namespace, file or
	// process. The processes of their tests share one too, never a program's. A
	// program that breaks into such a kernel can forge what becomes of later ones of
	// its batch. The observation's isolation says so. Empty: nothing is shared.
	Batch string `json:"batch,omitempty"`
	// Key is the idempotency key.
	Key string `json:"key,omitempty"`
}

// TierName names a way to isolate.
type TierName string

// The tiers. [TierAuto] takes the strongest that the host can enforce and the
// language can run in.
const (
	TierAuto      TierName = "auto"
	TierProcess   TierName = "process"
	TierContainer TierName = "container"
	TierGVisor    TierName = "gvisor"
	TierMicroVM   TierName = "microvm"
	TierWasm      TierName = "wasm"
)

// Limits bound a run. They are the same in every tier. A zero field means the
// field of [DefaultLimits]. All sizes are bytes.
type Limits struct {
	// Wall is the longest time from start to end.
	Wall time.Duration `json:"wall,omitempty"`
	// CPU is the longest processor time of all processes together.
	CPU time.Duration `json:"cpu,omitempty"`
	// Memory is the most memory of all processes together, the files in the
	// box's own memory file systems included.
	Memory int64 `json:"memory,omitempty"`
	// Processes is the most processes and threads at once.
	Processes int64 `json:"processes,omitempty"`
	// OpenFiles is the most open descriptors of one process.
	OpenFiles int64 `json:"open_files,omitempty"`
	// FileSize is the largest size of one file.
	FileSize int64 `json:"file_size,omitempty"`
	// Disk is the most bytes in the workspace, and again in /tmp.
	Disk int64 `json:"disk,omitempty"`
	// Files is the most files in the workspace, and again in /tmp.
	Files int64 `json:"files,omitempty"`
	// Output is the most bytes of each of stdout and stderr.
	Output int64 `json:"output,omitempty"`
	// Reply is the longest reply, and the longest single input file.
	Reply int64 `json:"reply,omitempty"`
}

// Sizes in bytes.
const (
	KiB int64 = 1 << 10
	MiB int64 = 1 << 20
	GiB int64 = 1 << 30
)

// DefaultLimits are the limits of a Job that names none.
var DefaultLimits = Limits{
	Wall:      10 * time.Second,
	CPU:       10 * time.Second,
	Memory:    512 * MiB,
	Processes: 64,
	OpenFiles: 256,
	FileSize:  64 * MiB,
	Disk:      64 * MiB,
	Files:     4096,
	Output:    8 * MiB,
	Reply:     16 * MiB,
}

// MaxLimits are the largest limits that a Job may ask for.
var MaxLimits = Limits{
	Wall:      24 * time.Hour,
	CPU:       24 * time.Hour,
	Memory:    1 << 40,
	Processes: 32768,
	OpenFiles: 65536,
	FileSize:  1 << 40,
	Disk:      1 << 40,
	Files:     1 << 24,
	Output:    64 * GiB,
	Reply:     1 * GiB,
}

// Proof says where the tests ran, so how much a pass is worth. What the tests
// are decides the proof; nothing that the candidate does changes it.
type Proof string

// The proofs, strongest first.
const (
	// ProofOutOfProcess: the tests ran in a process, in a box of its own, that
	// the candidate cannot reach, and every outcome was decided there, from
	// plain values that the candidate had handed over before it could know
	// what they are compared with.
	ProofOutOfProcess Proof = "out_of_process"
	// ProofComparedOutside: the program's output was compared outside the box.
	ProofComparedOutside Proof = "compared_outside"
	// ProofCandidateJudged: as ProofOutOfProcess, but the tests rest on what
	// the candidate says of objects that the tests made from its classes: its
	// own equality, order or operators. A class that says yes to everything
	// passes such a comparison.
	ProofCandidateJudged Proof = "candidate_judged"
	// ProofInProcess: tests and candidate shared an interpreter; a nonce and
	// counted reports resist generic cheating, not an attack on the harness.
	ProofInProcess Proof = "in_process"
	// ProofNone: nothing was tested.
	ProofNone Proof = ""
)

// Proofs lists the proofs that a Job can require, strongest first.
var Proofs = []Proof{ProofOutOfProcess, ProofComparedOutside, ProofCandidateJudged, ProofInProcess}

// Validate reports whether a Job can require p. The error names the proofs.
func (p Proof) Validate() error {
	if p == ProofNone || slices.Contains(Proofs, p) {
		return nil
	}
	return fmt.Errorf("%q is none of %s, %s, %s, %s", p, ProofOutOfProcess, ProofComparedOutside, ProofCandidateJudged, ProofInProcess)
}

// Meets reports whether p is at least as strong as want. The two strongest
// proofs meet each other: in both, the candidate takes no part in the decision.
func (p Proof) Meets(want Proof) bool { return p.rank() >= want.rank() }

// Weaker returns the weaker of two proofs, and p where they are worth the same.
func (p Proof) Weaker(q Proof) Proof {
	if q.rank() < p.rank() {
		return q
	}
	return p
}

func (p Proof) rank() int {
	switch p {
	case ProofOutOfProcess, ProofComparedOutside:
		return 3
	case ProofCandidateJudged:
		return 2
	case ProofInProcess:
		return 1
	}
	return 0
}
