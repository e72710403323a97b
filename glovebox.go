// Package glovebox holds the words of Glovebox: the types shared by all parts
// and seen by users.
//
// A [Reply] is the raw text of a language model. A [Program] is the code found
// in a Reply. A [Job] is a Program, or a Reply with a Program inside, with tests,
// inputs and [Limits]. A tier runs the Job in a box and reports the physical
// facts: an [Outcome]. The Outcome, classified by evidence, redacted and
// bounded, is the [Observation]. An Observation's [Status] is one of a closed set.
//
// The package imports no other package of Glovebox. To run a Job, see package engine.
package glovebox

import (
	"fmt"
	"slices"
	"time"
)

// Reply is a model's raw text: prose, Markdown, code, or all three. A Reply is
// hostile input, and need not be valid UTF-8.
type Reply string

// Program is code to run: files, their language, and the file to start.
type Program struct {
	// Language is a name of package language, such as "python".
	Language string `json:"language"`
	// Files are the program's files. Paths are relative, slash-separated and
	// never leave the workspace; see [CleanPath].
	Files []File `json:"files"`
	// Main is the path of the started file, one of Files. Main may be empty for
	// a single file, and for a Job with Tests and no Cases: then no file is
	// started, and the tests import from the tree.
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
	// ReadOnly keeps the program from writing or replacing the file.
	ReadOnly bool `json:"read_only,omitempty"`
}

// Case is one input/output case: the program is started with Stdin, and the
// program's standard output is compared with Stdout outside the box.
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

// Job is one request: a program, the checks, and the conditions of the run. The
// zero value of each field is a safe default.
type Job struct {
	// Reply is the model's text, ignored where Program is set.
	Reply Reply `json:"reply,omitempty"`
	// Program is code that needs no extraction.
	Program *Program `json:"program,omitempty"`
	// Command is an argument vector to run in place of a program, such as
	// {"ls", "-l"}; Reply and Program are ignored then. A name without a slash
	// is looked up in the PATH of the Image. Without an Image, the name must be
	// an interpreter or a usual tool of the host.
	Command []string `json:"command,omitempty"`
	// Language is the language of the reply's code, for a reply without a
	// language or a caller who insists.
	Language string `json:"language,omitempty"`
	// Tests are test files. With tests, a pass needs proof; see [Proof].
	Tests []File `json:"tests,omitempty"`
	// Cases are input/output cases.
	Cases []Case `json:"cases,omitempty"`
	// Entry is the name of the function that the tests call (HumanEval's
	// entry point), where the tests take it as an argument.
	Entry string `json:"entry,omitempty"`
	// Stdin is the program's standard input.
	Stdin []byte `json:"stdin,omitempty"`
	// Args are command-line arguments of the program.
	Args []string `json:"args,omitempty"`
	// Inputs are further files in the workspace, always read-only.
	Inputs []File `json:"inputs,omitempty"`
	// Env holds environment variables beside PATH, HOME and LANG.
	Env map[string]string `json:"env,omitempty"`
	// Secrets are values by name, to be redacted from all output. A secret is
	// given to the program only through Env.
	Secrets map[string]string `json:"-"`
	// Limits bound the run. A zero field means the default.
	Limits Limits `json:"limits,omitzero"`
	// Tier is the wished way to isolate; empty means [TierAuto].
	Tier TierName `json:"tier,omitempty"`
	// Image names the OCI image with the program's file system, such as
	// "python:3.12" or a digest. Empty means the host's own toolchain.
	Image string `json:"image,omitempty"`
	// Needs are demands on any tier. A tier that lacks a need is passed over, or
	// refused where Tier names the tier.
	Needs []Need `json:"needs,omitempty"`
	// RequireProof is the weakest proof for a pass. A pass with a weaker proof is
	// [StatusUnproven]. Empty means any.
	RequireProof Proof `json:"require_proof,omitempty"`
	// Withhold leaves out binary files and archives with a secret, or with a part
	// closed to inspection. Without Withhold such artifacts are taken, and the
	// Observation names the secrets.
	Withhold bool `json:"withhold,omitempty"`
	// Tenant is the party on whose behalf the Job runs.
	Tenant string `json:"tenant,omitempty"`
	// Batch is the caller's name for many jobs of one tenant. Programs of a batch may
	// share the base of their boxes, one after the other, where the tier gains by
	// sharing: in gVisor a kernel in user space, but no namespace, file or process.
	// The processes of their tests share another kernel, never a program's. A program
	// that breaks into the shared kernel can forge the results of later programs of the
	// batch. The observation's isolation says so. Empty: nothing is shared.
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

// Limits bound a run, alike in every tier. A zero field means the field of
// [DefaultLimits]. All sizes are bytes.
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

// DefaultLimits are the limits of a Job without its own.
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

// Proof says where the tests ran, and so the worth of a pass. The tests alone decide
// the proof; no act of the candidate changes the proof.
type Proof string

// The proofs, strongest first.
const (
	// ProofOutOfProcess: the tests ran in a process in a box of its own, out of the
	// candidate's reach. Every outcome was decided there, from plain values handed
	// over before the candidate could know the expected values.
	ProofOutOfProcess Proof = "out_of_process"
	// ProofComparedOutside: the program's output was compared outside the box.
	ProofComparedOutside Proof = "compared_outside"
	// ProofCandidateJudged: as ProofOutOfProcess, but the tests rest on the
	// equality, order or operators of the candidate's own classes. A class that
	// is equal to all values passes such a comparison.
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
