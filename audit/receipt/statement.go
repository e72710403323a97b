// Package receipt makes and checks signed statements of runs.
//
// A receipt says which program ran, under which limits, policy and isolation, and with
// which result. A receipt is an in-toto Statement v1 in a DSSE envelope, signed with
// Ed25519. [New] makes the statement of a run, [Sign] the envelope. [Verify] checks an
// envelope offline, with public keys alone. [Compare] and [Replay] say whether a second
// run came out the same.
//
// A receipt holds names, digests, counts and words of closed sets. Program text, output
// and the values of environment variables are never in a receipt. A digest of a short or
// guessable value can be guessed: do not publish receipts of runs with weak secrets.
package receipt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Types of the statement and its predicate.
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://gloveboxhq.github.io/receipt/v1"
)

// programName is the name of the subject that is the whole program.
const programName = "glovebox:program"

// Statement is an in-toto Statement v1 about one run. The first subject is the whole
// program; the others are the program's files, by the SHA-256 of their content.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject names something by its digest: {"sha256": 64 hexadecimal digits}.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate holds the inputs, the conditions and the result of a run. All digests are SHA-256 in
// hexadecimal; all sizes are bytes.
type Predicate struct {
	// Issued is when the receipt was signed, in UTC, to the second. [Sign] sets Issued.
	Issued  time.Time `json:"issued"`
	Inputs  Inputs    `json:"inputs"`
	Under   Under     `json:"under"`
	Result  Result    `json:"result"`
	Context Context   `json:"context"`
}

// Inputs is what was asked for.
type Inputs struct {
	Job      string            `json:"job"` // Job.Digest
	Language string            `json:"language,omitempty"`
	Program  string            `json:"program"`
	Files    []File            `json:"files,omitempty"`
	Tests    []File            `json:"tests,omitempty"`
	Inputs   []File            `json:"inputs,omitempty"`
	Cases    string            `json:"cases"`
	Stdin    string            `json:"stdin"`
	Args     string            `json:"args"`
	Env      map[string]string `json:"env,omitempty"` // digests by name
}

// File is a file by digest.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Under is what governed and isolated the run.
type Under struct {
	Policy    *glovebox.Policy  `json:"policy,omitempty"`
	Limits    glovebox.Limits   `json:"limits"`
	Tier      glovebox.TierName `json:"tier,omitempty"`
	Controls  []Control         `json:"controls,omitempty"`
	Image     string            `json:"image,omitempty"`     // as the observation names the image
	Toolchain map[string]string `json:"toolchain,omitempty"` // versions by name
}

// Control is one thing that the box did or did not enforce.
type Control struct {
	Name     string `json:"name"`
	Enforced bool   `json:"enforced"`
}

// Result is the verdict and the digests of what came out.
type Result struct {
	Status    glovebox.Status    `json:"status"`
	Phase     glovebox.Phase     `json:"phase"`
	ExitCode  *int               `json:"exit_code"`
	Signal    string             `json:"signal,omitempty"`
	Limit     glovebox.LimitName `json:"limit,omitempty"`
	Partial   bool               `json:"partial,omitempty"`
	Tests     *Tests             `json:"tests,omitempty"`
	Stdout    File               `json:"stdout"` // as in the observation: redacted and bounded
	Stderr    File               `json:"stderr"`
	Artifacts []File             `json:"artifacts,omitempty"`
}

// Tests counts the tests by outcome.
type Tests struct {
	Proof    glovebox.Proof `json:"proof,omitempty"`
	Total    int            `json:"total"`
	Passed   int            `json:"passed"`
	Failed   int            `json:"failed"`
	Complete bool           `json:"complete"`
}

// Context is what an auditor wants to know and a second run need not repeat.
type Context struct {
	Started    time.Time            `json:"started,omitzero"`
	Finished   time.Time            `json:"finished,omitzero"`
	DurationMS int64                `json:"duration_ms"`
	CPUMS      int64                `json:"cpu_ms"`
	MemoryPeak int64                `json:"memory_peak_bytes"`
	Redactions int                  `json:"redactions,omitempty"`
	Run        string               `json:"run,omitempty"` // the observation's ID
	Audit      *glovebox.AuditEntry `json:"audit,omitempty"`
	Glovebox   string               `json:"glovebox,omitempty"`
	Commit     string               `json:"commit,omitempty"`
	Kernel     string               `json:"kernel,omitempty"`
}

// Facts are what a Job and its Observation do not say.
type Facts struct {
	// Started and Finished bound the run.
	Started, Finished time.Time
	// Limits are those of the run, where a policy gave others than the Job's.
	Limits *glovebox.Limits
	// Toolchain holds versions by name, such as {"python": "3.12.4"}.
	Toolchain map[string]string
	// Glovebox is the version, Commit the revision, Kernel the host's kernel release.
	Glovebox, Commit, Kernel string
}

// New returns the statement of a run. The program is the one that ran: what was extracted
// where job has a Reply. A nil program means job.Program. A job without a program must
// have a Command.
func New(job glovebox.Job, program *glovebox.Program, obs *glovebox.Observation, facts Facts) (Statement, error) {
	if obs == nil {
		return Statement{}, errors.New("receipt: there is no observation")
	}
	inputs, err := inputsOf(job, program)
	if err != nil {
		return Statement{}, err
	}
	subjects := []Subject{{programName, map[string]string{"sha256": inputs.Program}}}
	for _, f := range inputs.Files {
		subjects = append(subjects, Subject{f.Name, map[string]string{"sha256": f.SHA256}})
	}
	under := Under{
		Policy: obs.Policy, Limits: cmp.Or(facts.Limits, &job.Limits).WithDefaults(), Tier: obs.Tier,
		Image: obs.Image, Toolchain: facts.Toolchain,
	}
	for _, c := range obs.Isolation {
		under.Controls = append(under.Controls, Control{c.Name, c.Enforced})
	}
	result := Result{
		Status: obs.Status, Phase: obs.Phase, ExitCode: obs.ExitCode, Signal: obs.Signal,
		Limit: obs.Limit, Partial: obs.Partial,
		Stdout: digestFile("stdout", []byte(obs.Stdout)), Stderr: digestFile("stderr", []byte(obs.Stderr)),
	}
	if t := obs.Tests; t != nil {
		result.Tests = &Tests{t.Proof, t.Total, t.Passed, t.Failed, t.Complete}
	}
	for _, a := range obs.Artifacts {
		result.Artifacts = append(result.Artifacts, File{a.Name, a.SHA256, a.Size})
	}
	context := Context{
		Started: facts.Started.UTC(), Finished: facts.Finished.UTC(),
		DurationMS: int64(obs.Usage.DurationMS), CPUMS: int64(obs.Usage.CPUMS), MemoryPeak: obs.Usage.MemoryPeak,
		Run: obs.ID, Glovebox: facts.Glovebox, Commit: facts.Commit, Kernel: facts.Kernel,
	}
	if a := obs.Audit; a != nil {
		context.Audit = &glovebox.AuditEntry{ID: a.ID, Index: a.Index}
	}
	for _, r := range obs.Redactions {
		context.Redactions += r.Count
	}
	return Statement{StatementType, subjects, PredicateType, Predicate{Inputs: inputs, Under: under, Result: result, Context: context}}, nil
}

// inputsOf digests what a job asks for. Values without a plain form of their own, such as
// a list, are digested as a Job that holds the value alone.
func inputsOf(job glovebox.Job, program *glovebox.Program) (Inputs, error) {
	if program == nil {
		program = job.Program
	}
	alone := glovebox.Job{Program: program}
	if len(job.Command) > 0 {
		alone = glovebox.Job{Command: job.Command}
	} else if program == nil && job.Reply == "" {
		return Inputs{}, errors.New("receipt: the job has no program, reply or command")
	} else if program == nil {
		alone = glovebox.Job{Reply: job.Reply} // the reply held no code
	}
	in := Inputs{
		Job: job.Digest(), Language: job.Language, Program: alone.Digest(),
		Tests: digestFiles(job.Tests), Inputs: digestFiles(job.Inputs),
		Cases: (&glovebox.Job{Cases: job.Cases}).Digest(),
		Stdin: digestFile("", job.Stdin).SHA256,
		Args:  (&glovebox.Job{Args: job.Args}).Digest(),
	}
	if alone.Program != nil {
		in.Language, in.Files = program.Language, digestFiles(program.Files)
	}
	for _, name := range slices.Sorted(maps.Keys(job.Env)) {
		if in.Env == nil {
			in.Env = make(map[string]string, len(job.Env))
		}
		in.Env[name] = (&glovebox.Job{Env: map[string]string{name: job.Env[name]}}).Digest()
	}
	return in, nil
}

func digestFiles(files []glovebox.File) []File {
	var all []File
	for _, f := range files {
		all = append(all, digestFile(f.Path, f.Data))
	}
	return all
}

func digestFile(name string, data []byte) File {
	sum := sha256.Sum256(data)
	return File{name, hex.EncodeToString(sum[:]), int64(len(data))}
}
