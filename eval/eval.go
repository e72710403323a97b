// Package eval runs samples of problem sets through the engine and reports a
// credible figure of passes.
//
// A [Problem] is one task with its tests; a [Sample] is a model's answer.
// [Load] reads both in the common formats. [Problem.Job] makes a job of the
// two, for a box only. A [Runner] does the work for all samples and writes each
// [Row] to a [Results] file at once: a run can stop anywhere and resume.
// [Summarize] counts: pass@k by the unbiased estimator with an interval,
// statuses, languages, durations. [Compare] puts two runs beside each other,
// task by task.
package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gloveboxhq/glovebox"
)

// Kind is a format of problems: what a row's fields mean.
type Kind string

// The kinds.
const (
	// KindHumanEval: prompt + completion, then test with check(entry_point).
	KindHumanEval Kind = "humaneval"
	// KindMBPP: the sample is the whole program; test_list holds assertions.
	KindMBPP Kind = "mbpp"
	// KindMultiPLE: a program in one of several languages; tests are text to
	// append to the program.
	KindMultiPLE Kind = "multipl-e"
	// KindCases: the program reads stdin; what it prints is compared.
	KindCases Kind = "cases"
	// KindCalls: a function is called with each input; its result is compared.
	KindCalls Kind = "calls"
	// KindRepository: a patch to a folder of files, in SWE-bench's shape.
	KindRepository Kind = "repository"
)

// Problem is one task.
type Problem struct {
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Language is a name of package language. Empty, permitted for cases only,
	// means the language of the sample's text.
	Language string `json:"language,omitempty"`
	// Prompt is what the model was asked.
	Prompt string `json:"prompt,omitempty"`
	// Before and After surround a completion: the beginning of a program and
	// the end of an open block.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Entry is the function that the tests take as an argument.
	Entry string          `json:"entry,omitempty"`
	Tests []glovebox.File `json:"tests,omitempty"`
	Cases []glovebox.Case `json:"cases,omitempty"`
	Repo  *Repository     `json:"repository,omitempty"`
	// Wall is this problem's own wall clock limit in seconds; 0 means the limit
	// of the [Options].
	Wall float64 `json:"timeout,omitempty"`
	// Own are samples in the problem's own row, by field name:
	// canonical_solution, gpt_solution and the like.
	Own map[string]string `json:"-"`
	// Where is the file and line of the row, for messages.
	Where string `json:"-"`
}

// Form is the kind of a sample's text.
type Form string

// The forms.
const (
	// FormCompletion goes on where the prompt ends.
	FormCompletion Form = "completion"
	// FormProgram is a whole program.
	FormProgram Form = "program"
	// FormReply is a model's raw text, from which code is extracted.
	FormReply Form = "reply"
	// FormPatch is a unified diff.
	FormPatch Form = "patch"
)

// Sample is a model's answer to a problem.
type Sample struct {
	// Problem is the problem's ID.
	Problem string `json:"problem"`
	// N counts the samples of one problem, from 0, in the order of the file.
	N    int    `json:"n"`
	Form Form   `json:"form"`
	Text string `json:"text"`
	// Where is the file and line of the row, for messages.
	Where string `json:"-"`
}

// Options are under what samples run.
type Options struct {
	Tier glovebox.TierName `json:"tier,omitempty"`
	// Image is the image for programs; empty means the host's own toolchains.
	Image        string          `json:"image,omitempty"`
	RequireProof glovebox.Proof  `json:"require_proof,omitempty"`
	Limits       glovebox.Limits `json:"limits,omitzero"`
	// Apart is to share nothing between samples: they are of no batch.
	Apart bool `json:"apart,omitempty"`
}

// Hash names values by their content: equal values have equal hashes.
func Hash(values ...any) string {
	h := sha256.New()
	e := json.NewEncoder(h)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			panic(err) // the types of this package can all be encoded
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
