// Package classify turns the facts about a run into a verdict. It looks at
// facts only: from the kernel, the supervisor, the parser and the harness. A
// program's own statements explain a verdict and never decide one.
package classify

import (
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Facts are the facts about a run.
type Facts struct {
	Limits glovebox.Limits
	// Broken is our own failure; it is never blamed on the code.
	Broken error
	// Syntax is what the parser refused.
	Syntax *glovebox.SyntaxError
	// Program is the outcome of the program, or of the candidate in a test.
	Program glovebox.Outcome
	// Harness is the outcome of the tests, if run in a box of their own.
	Harness *glovebox.Outcome
	// Tests is what became of the tests; nil where there are none.
	Tests *glovebox.TestReport
	// Unrunnable: the tests cannot run here with any program, for Tests.Reason.
	Unrunnable bool
	// Required is the weakest proof of a pass.
	Required glovebox.Proof
}

// Verdict is a status with its reasons.
type Verdict struct {
	Status glovebox.Status
	Phase  glovebox.Phase
	Limit  glovebox.LimitName
	// Message is one sentence.
	Message  string
	Evidence []glovebox.Evidence
	// Partial: the run was ended from outside.
	Partial bool
}

// Classify returns the verdict that the facts support.
func Classify(f Facts) Verdict {
	v := verdict(f)
	v.Partial = f.Program.Cause != "" && f.Program.Cause != glovebox.CauseExit
	for _, h := range f.Program.Hits {
		v.Evidence = append(v.Evidence, h.Evidence)
	}
	if f.Harness != nil && v.Status != glovebox.StatusPass {
		for _, h := range f.Harness.Hits {
			v.Evidence = append(v.Evidence, glovebox.Evidence{Source: h.Evidence.Source, Fact: "the tests' box: " + h.Evidence.Fact})
		}
	}
	return v
}

func verdict(f Facts) Verdict {
	if f.Broken != nil {
		return broken(glovebox.PhaseStage, f.Broken)
	}
	if f.Syntax != nil {
		return Verdict{
			Status: glovebox.StatusSyntaxError, Phase: glovebox.PhaseCheck,
			Message:  "The code does not parse: " + Position(f.Syntax) + ".",
			Evidence: []glovebox.Evidence{{Source: "parser", Fact: Position(f.Syntax)}},
		}
	}
	phase := glovebox.PhaseExecute
	if f.Tests != nil {
		phase = glovebox.PhaseTest
	}
	if f.Unrunnable {
		return unrunnable(f.Tests)
	}
	if t := f.Tests; t != nil && t.Complete && t.Failed == 0 && t.Passed > 0 {
		return passed(f)
	}
	if v, ok := limited(f.Program, f.Limits, phase, ""); ok {
		return v
	}
	if f.Tests == nil {
		return ended(f, phase)
	}
	// The candidate is alive and well; so the tests decide, unless their own
	// box came to an end.
	if f.Harness != nil && !f.Tests.Complete {
		if v, ok := limited(*f.Harness, f.Limits, phase, " in the process of the tests"); ok {
			return v
		}
	}
	return failed(f.Tests, f.Program)
}

func passed(f Facts) Verdict {
	t := f.Tests
	v := Verdict{
		Status: glovebox.StatusPass, Phase: glovebox.PhaseTest,
		Message: fmt.Sprintf("%s passed (%s).", count(t.Passed, "test"), proofText(t.Proof)),
		Evidence: []glovebox.Evidence{{Source: "harness",
			Fact: fmt.Sprintf("%d of %d tests reported a pass and the harness ran to its end; proof: %s", t.Passed, t.Total, t.Proof)}},
	}
	if t.Proof == glovebox.ProofComparedOutside {
		v.Evidence[0] = glovebox.Evidence{Source: "supervisor",
			Fact: fmt.Sprintf("the output of %d of %d cases matched, compared outside of the box", t.Passed, t.Total)}
	}
	if !t.Proof.Meets(f.Required) {
		v.Status = glovebox.StatusUnproven
		v.Message = fmt.Sprintf("%s passed, but only with the proof %s where %s is required", count(t.Passed, "test"), t.Proof, f.Required)
		if t.Reason != "" {
			v.Message += ": " + t.Reason
		}
		v.Message += "."
	}
	return v
}

// Judged names the first cases in which the candidate's own comparisons took
// part, and the number of further ones. It is empty where there is none.
func Judged(t *glovebox.TestReport) string {
	const most = 3
	var names []string
	for _, c := range t.Cases {
		if c.Proof == glovebox.ProofCandidateJudged {
			names = append(names, c.Name)
		}
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	if len(names) == 0 {
		return ""
	}
	return "the candidate's own comparisons or operators took part in " + strings.Join(names, ", ") + more
}

func proofText(p glovebox.Proof) string {
	switch p {
	case glovebox.ProofOutOfProcess:
		return "proven out of the candidate's reach"
	case glovebox.ProofComparedOutside:
		return "compared outside of the box"
	case glovebox.ProofCandidateJudged:
		return "partly by the candidate's own comparisons"
	}
	return "in the candidate's own process"
}

func unrunnable(t *glovebox.TestReport) Verdict {
	v := Verdict{Status: glovebox.StatusTestsUnrunnable, Phase: glovebox.PhaseTest, Message: "The tests cannot run here"}
	if t.Reason != "" {
		v.Message += ": " + strings.TrimRight(t.Reason, ".")
	}
	v.Message += "."
	v.Evidence = []glovebox.Evidence{{Source: "harness", Fact: "these tests cannot run here, whatever the program is"}}
	return v
}

func failed(t *glovebox.TestReport, candidate glovebox.Outcome) Verdict {
	v := Verdict{Status: glovebox.StatusTestFailed, Phase: glovebox.PhaseTest}
	if !t.Complete {
		v.Message = "The tests did not complete"
		if t.Reason != "" {
			v.Message += ": " + t.Reason
		} else if candidate.Started && candidate.Cause == glovebox.CauseExit {
			v.Message += ": the program ended by itself with " + Exit(candidate)
		}
		v.Message += "."
		v.Evidence = []glovebox.Evidence{{Source: "harness", Fact: "no report of the end of the tests"}}
		return v
	}
	v.Message = fmt.Sprintf("%d of %s failed.", t.Failed, count(t.Total, "test"))
	if t.Failed == 0 {
		v.Message = "No test ran to a pass."
	}
	v.Evidence = []glovebox.Evidence{{Source: "harness", Fact: fmt.Sprintf("%d passed and %d failed of %d", t.Passed, t.Failed, t.Total)}}
	if t.Proof == glovebox.ProofComparedOutside {
		v.Evidence[0].Source = "supervisor"
	}
	return v
}

// limited reports whether a limit, the caller, or our own failure ended a command.
func limited(o glovebox.Outcome, l glovebox.Limits, phase glovebox.Phase, where string) (Verdict, bool) {
	v := Verdict{Phase: phase}
	switch o.Cause {
	case glovebox.CauseWall:
		v.Status, v.Limit = glovebox.StatusTimeout, glovebox.LimitWall
		v.Message = fmt.Sprintf("The wall clock limit of %v passed%s.", l.Wall, where)
	case glovebox.CauseCPU:
		v.Status, v.Limit = glovebox.StatusTimeout, glovebox.LimitCPU
		v.Message = fmt.Sprintf("The processor time of %v was used up%s.", l.CPU, where)
	case glovebox.CauseMemory:
		v.Status, v.Limit = glovebox.StatusMemoryLimit, glovebox.LimitMemory
		v.Message = fmt.Sprintf("The memory limit of %s was hit%s.", Bytes(l.Memory), where)
	case glovebox.CauseOutput:
		v.Status, v.Limit = glovebox.StatusOutputLimit, glovebox.LimitOutput
		v.Message = fmt.Sprintf("More than %s were printed on one stream%s.", Bytes(l.Output), where)
	case glovebox.CauseCancelled:
		v.Status = glovebox.StatusCancelled
		v.Message = "The caller cancelled the run."
		v.Evidence = []glovebox.Evidence{{Source: "supervisor", Fact: "the caller's context ended"}}
	case glovebox.CauseBox:
		return broken(phase, o.Err), true
	default:
		if o.ExitCode == 0 && o.Signal == "" {
			return v, false
		}
		return touched(o, l, phase, where)
	}
	return v, true
}

// touched looks for a limit that a failed command has touched.
func touched(o glovebox.Outcome, l glovebox.Limits, phase glovebox.Phase, where string) (Verdict, bool) {
	v := Verdict{Phase: phase}
	for _, h := range o.Hits {
		v.Limit = h.Limit
		switch h.Limit {
		case glovebox.LimitMemory:
			v.Status = glovebox.StatusMemoryLimit
			v.Message = fmt.Sprintf("The memory limit of %s was hit%s.", Bytes(l.Memory), where)
		case glovebox.LimitProcesses:
			v.Status = glovebox.StatusProcessLimit
			v.Message = fmt.Sprintf("The limit of %d processes and threads was hit%s.", l.Processes, where)
		case glovebox.LimitDisk:
			v.Status = glovebox.StatusDiskLimit
			v.Message = fmt.Sprintf("The disk limit of %s was hit%s.", Bytes(l.Disk), where)
		case glovebox.LimitFiles:
			v.Status = glovebox.StatusDiskLimit
			v.Message = fmt.Sprintf("The limit of %d files was hit%s.", l.Files, where)
		case glovebox.LimitFileSize:
			v.Status = glovebox.StatusDiskLimit
			v.Message = fmt.Sprintf("A file reached the limit of %s%s.", Bytes(l.FileSize), where)
		default:
			continue
		}
		return v, true
	}
	return v, false
}

func ended(f Facts, phase glovebox.Phase) Verdict {
	o := f.Program
	v := Verdict{
		Status: glovebox.StatusPass, Phase: phase,
		Message:  "The program ran to its end (no tests were given).",
		Evidence: []glovebox.Evidence{{Source: "kernel", Fact: "wait status: " + Exit(o)}},
	}
	switch {
	case o.ExitCode != 0 || o.Signal != "":
		v.Status = glovebox.StatusRuntimeError
		v.Message = "The program ended with " + Exit(o) + "."
	case !glovebox.ProofNone.Meets(f.Required):
		v.Status = glovebox.StatusUnproven
		v.Message = fmt.Sprintf("The program ran to its end, but nothing was tested where the proof %s is required.", f.Required)
	}
	return v
}

func broken(phase glovebox.Phase, err error) Verdict {
	if err == nil {
		err = fmt.Errorf("the box ended without a reason")
	}
	return Verdict{
		Status: glovebox.StatusSandboxError, Phase: phase,
		Message:  "Glovebox failed, not the code: " + strings.TrimRight(err.Error(), ".") + ".",
		Evidence: []glovebox.Evidence{{Source: "supervisor", Fact: err.Error()}},
	}
}

// Exit says how a command ended by itself.
func Exit(o glovebox.Outcome) string {
	if o.Signal != "" {
		return "signal " + o.Signal
	}
	return fmt.Sprintf("exit code %d", o.ExitCode)
}

// Position says where a parser stopped and why.
func Position(s *glovebox.SyntaxError) string {
	at := s.File
	if s.Line > 0 {
		at += fmt.Sprintf(":%d", s.Line)
		if s.Column > 0 {
			at += fmt.Sprintf(":%d", s.Column)
		}
	}
	return strings.TrimPrefix(at+": "+s.Message, ": ")
}

// Bytes writes a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= glovebox.GiB && n%glovebox.GiB == 0:
		return fmt.Sprintf("%d GiB", n/glovebox.GiB)
	case n >= glovebox.MiB:
		return trimZero(float64(n)/float64(glovebox.MiB)) + " MiB"
	case n >= glovebox.KiB:
		return trimZero(float64(n)/float64(glovebox.KiB)) + " KiB"
	}
	return count(int(n), "byte")
}

func trimZero(f float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
