package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/redact"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// SignalName names one thing that a disposition rests on.
type SignalName string

// The signals. Each is independent of the others.
const (
	// SignalTask: the tests of the task pass.
	SignalTask SignalName = "task_tests"
	// SignalRegression: what passed before passes still.
	SignalRegression SignalName = "regression_tests"
	// SignalPolicy: the change is small enough, only where it may be, and has
	// no secret and nothing binary in it.
	SignalPolicy SignalName = "policy"
	// SignalLint: the language's own checks find nothing that they did not
	// find before.
	SignalLint SignalName = "lint"
)

// Signal is what one independent check says of a candidate.
type Signal struct {
	Name SignalName `json:"name"`
	OK   bool       `json:"ok"`
	// Skipped: there was nothing to check, or nothing to check it with. It
	// neither speaks for the candidate nor blocks it.
	Skipped bool `json:"skipped,omitempty"`
	// Detail says what was found, or why it was skipped.
	Detail string `json:"detail,omitempty"`
	// Reasons block the candidate.
	Reasons []string `json:"reasons,omitempty"`
}

// PatchLimits bound what a candidate may change. Zero fields mean the fields of
// [DefaultPatchLimits].
type PatchLimits struct {
	Files int
	// Lines is the most lines added and removed together.
	Lines int
	// Bytes is the largest new content of a file.
	Bytes int
}

// DefaultPatchLimits are what a person can review.
var DefaultPatchLimits = PatchLimits{Files: 40, Lines: 3000, Bytes: 1 << 20}

func (l PatchLimits) withDefaults() PatchLimits {
	if l.Files <= 0 {
		l.Files = DefaultPatchLimits.Files
	}
	if l.Lines <= 0 {
		l.Lines = DefaultPatchLimits.Lines
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultPatchLimits.Bytes
	}
	return l
}

// reasons are those of all signals.
func reasons(signals []Signal) []string {
	var all []string
	for _, s := range signals {
		if !s.OK && !s.Skipped {
			for _, r := range s.Reasons {
				all = append(all, string(s.Name)+": "+r)
			}
		}
	}
	return all
}

// testSignal is what a run of tests says.
func testSignal(name SignalName, o *glovebox.Observation) Signal {
	s := Signal{Name: name, OK: o.Status == glovebox.StatusPass, Detail: o.Message}
	if !s.OK {
		s.Reasons = []string{fmt.Sprintf("%s: %s", o.Status, o.Message)}
	}
	return s
}

// gate adds what else there is to say of a candidate whose tests pass.
func (s *solver) gate(ctx context.Context, a *attempt, files *workcopy.Copy) error {
	result, err := s.subject.result(files)
	if err != nil {
		return halt{StopTests, err.Error()}
	}
	changes := result.Changes()
	a.signals = append(a.signals, s.policy(changes, a.observation))
	lint, err := s.lint(ctx, a, files, changes)
	if err != nil {
		return err
	}
	a.signals = append(a.signals, lint)
	return nil
}

// policy reads the change without running it.
func (s *solver) policy(changes []workcopy.Change, o *glovebox.Observation) Signal {
	out := Signal{Name: SignalPolicy}
	block := func(format string, args ...any) { out.Reasons = append(out.Reasons, fmt.Sprintf(format, args...)) }
	limits := s.c.Patch
	if len(changes) == 0 {
		block("nothing is changed")
	}
	if len(changes) > limits.Files {
		block("%d files are changed: at most %d", len(changes), limits.Files)
	}
	lines := 0
	for _, c := range changes {
		name := observe.Line(c.Path)
		added, removed := c.Lines()
		lines += added + removed
		switch {
		case len(s.task.Allow) > 0 && !under(c.Path, s.task.Allow):
			block("%s may not change: only %s may", name, strings.Join(s.task.Allow, ", "))
		case len(c.New) > limits.Bytes:
			block("%s has %d bytes: at most %d", name, len(c.New), limits.Bytes)
		case c.Kind != workcopy.Deleted && workcopy.IsBinary(c.New):
			block("%s is binary", name)
		case c.Executable && !c.OldExecutable:
			block("%s becomes executable", name)
		}
		for _, rule := range newSecrets(c) {
			block("%s has a secret that was not there before (%s)", name, rule)
		}
	}
	if lines > limits.Lines {
		block("%d lines are added and removed: at most %d", lines, limits.Lines)
	}
	for _, f := range o.Findings {
		block("%s:%d: %s (%s)", observe.Line(f.File), f.Line, observe.Line(f.Message), f.Rule)
	}
	out.OK = len(out.Reasons) == 0
	out.Detail = fmt.Sprintf("files changed: %d, lines: %d", len(changes), lines)
	return out
}

// newSecrets are the rules that find more in the new content than in the old.
func newSecrets(c workcopy.Change) []string {
	if bytes.Equal(c.Old, c.New) || len(c.New) == 0 {
		return nil
	}
	count := func(b []byte) map[string]int {
		r := redact.New(redact.Config{})
		r.Bytes("file", b)
		found := map[string]int{}
		for _, n := range r.Counts() {
			found[n.Rule] += n.Count
		}
		return found
	}
	before := count(c.Old)
	var more []string
	for rule, n := range count(c.New) {
		if n > before[rule] {
			more = append(more, rule)
		}
	}
	return more
}

const (
	maxFindings = 20                // that are told
	maxTree     = 64 * glovebox.MiB // of files that are checked
)

// lint lets the language's own checks read the change, in the box, and counts
// what they did not find before it.
func (s *solver) lint(ctx context.Context, a *attempt, files *workcopy.Copy, changes []workcopy.Change) (Signal, error) {
	out := Signal{Name: SignalLint}
	l := language.ByName(a.observation.Language)
	var changed []string
	for _, c := range changes {
		if c.Kind != workcopy.Deleted {
			changed = append(changed, c.Path)
		}
	}
	if l == nil || len(changed) == 0 {
		out.Skipped, out.Detail = true, "no file is there to be checked"
		return out, nil
	}
	after, why, err := s.findings(ctx, a, l, files, changed)
	if err != nil {
		return out, err
	}
	if why != "" {
		out.Skipped, out.Detail = true, why
		return out, nil
	}
	known := map[string]int{}
	if len(after) > 0 {
		base := s.subject.start()
		var old []string
		for _, p := range changed {
			if _, ok := base.Stat(p); ok {
				old = append(old, p)
			}
		}
		if len(old) > 0 {
			before, _, err := s.findings(ctx, a, l, base, old)
			if err != nil {
				return out, err
			}
			for _, f := range before {
				known[f.File+"\x00"+f.Message]++
			}
		}
	}
	for _, f := range after {
		key := f.File + "\x00" + f.Message
		if known[key] > 0 {
			known[key]--
			continue
		}
		if len(out.Reasons) < maxFindings {
			out.Reasons = append(out.Reasons, fmt.Sprintf("%s:%d: %s", observe.Line(f.File), f.Line, observe.Line(f.Message)))
		}
	}
	out.OK = len(out.Reasons) == 0
	out.Detail = fmt.Sprintf("files checked: %d", len(changed))
	return out, nil
}

// findings runs the checks over some files; why says why there are none.
func (s *solver) findings(ctx context.Context, a *attempt, l *language.Language, files *workcopy.Copy, changed []string) (found []glovebox.Finding, why string, err error) {
	tree, err := files.Files(nil, maxTree)
	if err != nil {
		return nil, "the files are too large to be checked: " + err.Error(), nil
	}
	job, ok := l.LintJob(tree, changed)
	if !ok {
		return nil, "no changed file is of a language that can be checked", nil
	}
	job.Limits.Files, job.Limits.Disk = int64(len(tree))+1000, maxTree+glovebox.DefaultLimits.Disk
	o, err := s.run(a.Number, 0)(ctx, PurposeLint, job)
	if err != nil {
		return nil, "", err
	}
	switch {
	case o.ExitCode != nil && *o.ExitCode == language.LintFound:
		return language.ReadLint(o.Stdout), "", nil
	case o.Status == glovebox.StatusPass:
		return nil, "", nil
	case o.ExitCode != nil && *o.ExitCode == language.LintNothing:
		return nil, observe.Line(o.Stderr), nil
	}
	return nil, "the checks did not run to their end: " + o.Message, nil
}
