package eval

import (
	"path/filepath"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/observe"
)

// Work is one piece of work: to judge a sample of a problem, or, where Sample
// is nil, to make one first.
type Work struct {
	Problem *Problem
	Sample  *Sample
	// N is the sample's number, from 0.
	N int
	// Options are under what the sample runs.
	Options Options
	// Hash is a hash of all inputs to the result.
	Hash string
}

// key names a piece of work in a results file.
type key struct {
	task string
	n    int
}

func (w *Work) key() key { return key{w.Problem.ID, w.N} }

func (r *Row) key() key { return key{r.Task, r.N} }

// Work lists the work under the options, in the order of the problems.
func (s *Set) Work(o Options) []*Work {
	problems := map[string]*Problem{}
	hashes := map[string]string{}
	for _, p := range s.Problems {
		problems[p.ID], hashes[p.ID] = p, Hash(p, o)
	}
	list := make([]*Work, 0, len(s.Samples))
	for _, x := range s.Samples {
		list = append(list, &Work{Problem: problems[x.Problem], Sample: x, N: x.N, Options: o, Hash: Hash(hashes[x.Problem], x)})
	}
	return list
}

// NewHeader makes the header of the results of the work.
func NewHeader(src Source, work []*Work, o Options) Header {
	h := Header{Version: version, Problems: filepath.Base(src.Problems), Options: o, Total: len(work)}
	if src.Samples != "" {
		h.Samples = filepath.Base(src.Samples)
	}
	hashes := make([]string, 0, len(work))
	last := ""
	for _, w := range work {
		hashes = append(hashes, w.Hash)
		if w.Problem.ID != last {
			h.Tasks++
			last = w.Problem.ID
		}
	}
	h.Hash = Hash(hashes)
	return h
}

// Bounds of a program's texts in a row.
const (
	maxFailures = 3
	maxWords    = 600 // bytes of each text
)

// RowOf is the row of an observation.
func RowOf(w *Work, o *glovebox.Observation) Row {
	r := Row{
		Task: w.Problem.ID, N: w.N, Hash: w.Hash, Language: o.Language,
		Status: o.Status, Phase: o.Phase, Limit: o.Limit,
		Measured: Measured{
			DurationMS: o.Timings.Total, CPUMS: o.Usage.CPUMS,
			MemoryPeakBytes: o.Usage.MemoryPeak, ProcessesPeak: o.Usage.ProcessesPeak,
			Tier: string(o.Tier), SandboxAttempts: 1, Message: words(o.Message),
		},
	}
	if r.Language == "" {
		r.Language = w.Problem.Language
	}
	r.count(o.Tests)
	if w.Problem.Repo != nil {
		w.Problem.Repo.judge(&r, o, w.Options.RequireProof)
	}
	return r
}

// count copies the results of the tests.
func (r *Row) count(t *glovebox.TestReport) {
	if t == nil {
		return
	}
	if t.Complete {
		r.Tests = &Tests{Proof: t.Proof, Total: t.Total, Passed: t.Passed, Failed: t.Failed}
	}
	for _, c := range t.Cases {
		if c.Status == "passed" || c.Status == "skipped" {
			continue
		}
		if len(r.Measured.Failures) == maxFailures {
			break
		}
		c.Name, c.Message, c.Expected, c.Actual = words(c.Name), words(c.Message), words(c.Expected), words(c.Actual)
		r.Measured.Failures = append(r.Measured.Failures, c)
	}
}

// words bounds a text of the program's.
func words(s string) string { return observe.Middle(s, maxWords) }
