package agent

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox"
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
	// find before, with the settings from before.
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

// testSignal is what a run of tests says. A pass without a test that passed is
// none.
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
