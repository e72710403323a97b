package agent

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// SignalName names one of the grounds of a disposition.
type SignalName string

// The signals. Each is independent of the others.
const (
	// SignalTask: the tests of the task pass.
	SignalTask SignalName = "task_tests"
	// SignalRegression: what passed before passes still.
	SignalRegression SignalName = "regression_tests"
	// SignalPolicy: the change is small enough, in permitted paths only, and
	// contains no secret and nothing binary.
	SignalPolicy SignalName = "policy"
	// SignalLint: the language's own checks find nothing new, with the settings
	// from before.
	SignalLint SignalName = "lint"
)

// Signal is the result of one independent check of a candidate.
type Signal struct {
	Name SignalName `json:"name"`
	OK   bool       `json:"ok"`
	// Skipped: nothing to check, or no means to check it. The signal neither
	// supports the candidate nor blocks it.
	Skipped bool `json:"skipped,omitempty"`
	// Detail describes the finding, or the reason for skipping.
	Detail string `json:"detail,omitempty"`
	// Reasons block the candidate.
	Reasons []string `json:"reasons,omitempty"`
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

// block takes further reasons.
func (s *Signal) block(reasons []string) {
	s.Reasons = append(s.Reasons, reasons...)
	s.OK = s.OK && len(reasons) == 0
}

// testSignal is the result of a run of tests. A pass without a passing test
// does not count.
func testSignal(name SignalName, o *glovebox.Observation) Signal {
	s := Signal{Name: name, OK: true, Detail: o.Message}
	switch {
	case o.Status != glovebox.StatusPass:
		s.block([]string{fmt.Sprintf("%s: %s", o.Status, o.Message)})
	case o.Tests == nil || !o.Tests.Complete || o.Tests.Passed == 0:
		s.block([]string{"no test passed"})
	}
	return s
}

// gate adds the remaining signals about a candidate whose tests pass.
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
