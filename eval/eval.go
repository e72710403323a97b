// Package eval runs samples of problem sets through the engine and says how
// many passed, so that the figure can be believed.
//
// A [Problem] is one task with its tests; a [Sample] is what a model wrote for
// it. [Load] reads both in the formats that people have. [Problem.Job] makes a
// job of the two, which runs in a box and nowhere else. A [Runner] does that for
// all of them and writes each [Row] to a [Results] file as it ends, so that it
// can be stopped anywhere and go on. [Summarize] counts: pass@k by the unbiased
// estimator with an interval, statuses, languages, durations. [Compare] puts two
// runs beside each other, task by task.
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
	// KindMultiPLE: a program in one of several languages; tests are the text
	// that is appended to it.
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
	// Language is a name of package language. Empty, which only cases may be,
	// means that the sample's text tells it.
	Language string `json:"language,omitempty"`
	// Prompt is what the model was asked.
	Prompt string `json:"prompt,omitempty"`
	// Before and After stand around a completion; what a program begins with
	// and how an open block is closed.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Entry is the function that the tests take as an argument.
	Entry string          `json:"entry,omitempty"`
	Tests []glovebox.File `json:"tests,omitempty"`
	Cases []glovebox.Case `json:"cases,omitempty"`
	Repo  *Repository     `json:"repository,omitempty"`
	// Wall is this problem's own wall clock limit in seconds; 0 means that of
	// the [Options].
	Wall float64 `json:"timeout,omitempty"`
	// Own are samples that the problem's row itself brings, by field name:
	// canonical_solution, gpt_solution and the like.
	Own map[string]string `json:"-"`
	// Where is the file and line that it was read from, for messages.
	Where string `json:"-"`
}

// Form says what the text of a sample is.
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

// Sample is what a model wrote for a problem.
type Sample struct {
	// Problem is the problem's ID.
	Problem string `json:"problem"`
	// N counts the samples of one problem, from 0, in the order of the file.
	N    int    `json:"n"`
	Form Form   `json:"form"`
	Text string `json:"text"`
	// Where is the file and line that it was read from, for messages.
	Where string `json:"-"`
}

// Options are under what samples run.
type Options struct {
	Tier glovebox.TierName `json:"tier,omitempty"`
	// Image is the image that programs run in; empty means the host's own
	// toolchains.
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
