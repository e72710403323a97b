package observe

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Bounds of a feedback, in bytes.
const (
	maxStream  = 3000
	maxValue   = 400
	maxCases   = 5
	maxMessage = 1200
	maxDenials = 20
)

// Feedback writes a model's view of an observation: the event, the next step,
// and the evidence, bounded, with all output of the program marked as data. A
// pass needs no words. The observation must be redacted already.
func Feedback(o *glovebox.Observation, limits glovebox.Limits) string {
	return feedback(o, limits, " Send the complete program again.")
}

// RepairFeedback is [Feedback] for a model that need not answer with a complete
// program: it leaves out the form of the next answer.
func RepairFeedback(o *glovebox.Observation, limits glovebox.Limits) string {
	return feedback(o, limits, "")
}

// feedback writes it; again asks for the next answer.
func feedback(o *glovebox.Observation, limits glovebox.Limits, again string) string {
	if o.Status == glovebox.StatusPass {
		return ""
	}
	var b strings.Builder
	message, reason := headline(o)
	fmt.Fprintf(&b, "Result: %s. %s\n", o.Status, defuse(oneLine(message, maxMessage)))
	quote(&b, "reason", Middle(reason, maxMessage))
	if s := o.Syntax; s != nil {
		at := word(s.File)
		if s.Line > 0 {
			at += fmt.Sprintf(", line %d", s.Line)
		}
		if s.Column > 0 {
			at += fmt.Sprintf(", column %d", s.Column)
		}
		fmt.Fprintf(&b, "Where: %s.\n", at)
	}
	if f := o.Failure; f != nil && o.Status != glovebox.StatusTestFailed {
		what := f.Message
		if f.Type != "" {
			what = strings.TrimSuffix(f.Type+": "+f.Message, ": ")
		}
		if f.File != "" && f.Line > 0 {
			what += fmt.Sprintf(" (%s, line %d)", f.File, f.Line)
		}
		quote(&b, "error", Middle(what, maxMessage))
	}
	denials(&b, o.Denials)
	failures(&b, o.Tests)
	if a := advice(o, limits); a != "" {
		b.WriteString(a)
		if asksForCode(o) {
			b.WriteString(again)
		}
		b.WriteString("\n")
	}
	for _, h := range o.Hints {
		b.WriteString(defuse(oneLine(h, maxMessage)) + "\n")
	}
	if x := o.Extraction; x != nil && x.Truncated {
		b.WriteString("The reply ended in the middle of the code block: send the whole code again, shorter if need be.\n")
	}
	if showsStreams(o.Status) {
		if o.Partial {
			b.WriteString("The program was stopped; this is what had come of its output until then.\n")
		}
		quote(&b, "stdout", Middle(o.Stdout, maxStream))
		quote(&b, "stderr", Middle(o.Stderr, maxStream))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// headline splits an observation's message into our own words and a stranger's,
// to be quoted. Our own failures are the operator's concern: details about the
// host are not for the model.
func headline(o *glovebox.Observation) (ours, theirs string) {
	switch t := o.Tests; {
	case o.Status == glovebox.StatusSandboxError:
		return "Glovebox failed, not the code.", ""
	case o.Status == glovebox.StatusSyntaxError && o.Syntax != nil:
		return "The code does not parse.", o.Syntax.Message
	case o.Status == glovebox.StatusTestFailed && t != nil && !t.Complete && t.Reason != "":
		return "The tests did not complete.", t.Reason
	case o.Status == glovebox.StatusTestsUnrunnable && t != nil && t.Reason != "":
		return "The tests cannot run here.", t.Reason
	}
	return o.Message, ""
}

func showsStreams(s glovebox.Status) bool {
	switch s {
	case glovebox.StatusNoCode, glovebox.StatusSyntaxError, glovebox.StatusDenied,
		glovebox.StatusApprovalRequired, glovebox.StatusSandboxError, glovebox.StatusUnproven,
		glovebox.StatusTestsUnrunnable:
		return false
	}
	return true
}

// failures lists the first tests that did not pass.
func failures(b *strings.Builder, t *glovebox.TestReport) {
	if t == nil {
		return
	}
	shown, more := 0, 0
	for _, c := range t.Cases {
		if c.Status == "passed" {
			continue
		}
		if shown == maxCases {
			more++
			continue
		}
		shown++
		fmt.Fprintf(b, "Test %s: %s.\n", word(c.Name), word(c.Status))
		if c.Message != "" {
			quote(b, "message", Middle(c.Message, maxMessage))
		}
		if c.Expected != "" || c.Actual != "" {
			quote(b, "expected", Middle(c.Expected, maxValue))
			quote(b, "got", Middle(c.Actual, maxValue))
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "%d more tests did not pass.\n", more)
	}
}

// advice recommends the next step for a status.
func advice(o *glovebox.Observation, l glovebox.Limits) string {
	if o.NextAction == glovebox.ActionAskHuman && o.Status != glovebox.StatusUnproven && o.Status != glovebox.StatusApprovalRequired {
		return "The code is not at fault: a person has to put this right."
	}
	switch o.Status {
	case glovebox.StatusUnproven:
		return "Nothing is wrong with the code that we know of; the tests need a stronger form, which compares plain values: attributes, and what methods return."
	case glovebox.StatusNoCode:
		return "Answer with the complete program in one fenced code block with the language's name."
	case glovebox.StatusSyntaxError:
		return "Fix the syntax."
	case glovebox.StatusTestFailed:
		if o.Tests != nil && !o.Tests.Complete {
			return "The code must not end the process (exit, quit, os._exit) or interfere with the tests; it only has to define what the tests call."
		}
		return "Fix the code so that each test passes."
	case glovebox.StatusRuntimeError:
		return "Fix the error."
	case glovebox.StatusTimeout:
		if o.Limit == glovebox.LimitCPU {
			return fmt.Sprintf("It may use %v of processor time. Check for endless loops and for an algorithm that is too slow for the input.", l.CPU)
		}
		return fmt.Sprintf("It has %v from start to end. Check for endless loops, waiting (sleep, input, network, locks), and slow algorithms.", l.Wall)
	case glovebox.StatusMemoryLimit:
		return fmt.Sprintf("It may use %d MiB in all. Check for collections that grow without end, and work on the data piece by piece.", l.Memory/glovebox.MiB)
	case glovebox.StatusProcessLimit:
		return fmt.Sprintf("It may have %d processes and threads at once. Start fewer, and wait for them.", l.Processes)
	case glovebox.StatusDiskLimit:
		return fmt.Sprintf("It may write %d MiB and %d files, and no file above %d MiB. Write less, or remove what is no longer needed.",
			l.Disk/glovebox.MiB, l.Files, l.FileSize/glovebox.MiB)
	case glovebox.StatusOutputLimit:
		return fmt.Sprintf("It may print %d bytes on each of stdout and stderr. Print less; look for a loop that prints.", l.Output)
	case glovebox.StatusDenied:
		return "Do it without what was denied."
	case glovebox.StatusApprovalRequired:
		return "A person has to approve this before it runs."
	case glovebox.StatusCancelled:
		return "Nothing needs to be changed."
	case glovebox.StatusSandboxError:
		return "The code was not at fault: send the same again."
	}
	return ""
}

// asksForCode reports whether the next answer has to be code again. The advice
// for a reply without code already says so.
func asksForCode(o *glovebox.Observation) bool {
	switch o.Status.Next() {
	case glovebox.ActionFixCode, glovebox.ActionReduceWork:
		return o.NextAction != glovebox.ActionAskHuman && o.Status != glovebox.StatusNoCode
	}
	return false
}

// Quote returns foreign text between unforgeable marks, the form of data for a
// model. Quote is empty for a blank text. The source may hold foreign names
// too.
func Quote(source, text string) string {
	var b strings.Builder
	quote(&b, attribute.Replace(Line(source)), text)
	return b.String()
}

// attribute keeps a source within its quotes.
var attribute = strings.NewReplacer(`"`, "'", "<", "‹", ">", "›", `\`, "/")

// Name makes a foreign name fit for a line of ours: bounded, without line ends
// or invisible characters. A name that could be more than a name stands between
// the marks of [Quote].
func Name(s string) string { return word(s) }

// Line returns a text on one line, bounded, with visible characters only and
// without forged marks of [Quote].
func Line(s string) string {
	return defuse(oneLine(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return '\uFFFD'
	}, s), 120))
}

// identifier matches typical names of files, tests and functions: no words that
// a reader could take for a sentence.
var identifier = lazyre.New(`^[\w.:/\[\],=+@#-]{1,100}$`)

// quote adds untrusted text between unforgeable marks.
func quote(b *strings.Builder, name, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	fmt.Fprintf(b, "<untrusted source=%q>\n%s\n</untrusted>\n", name, strings.TrimRight(defuse(text), "\n"))
}

// defuse disarms our marks in a foreign text, and look-alikes: in capitals,
// with spaces, with invisible characters.
func defuse(s string) string {
	return marks().ReplaceAllString(s, "[$1")
}

// gap matches invisible characters between the characters of a mark.
const gap = `[\s\p{Cf}\p{Mn}]*`

var marks = lazyre.New(`(?i)[<＜﹤‹〈⟨]` + gap + `([/／⁄∕]?` + gap + strings.Join(strings.Split("untrusted", ""), gap) + `)`)

// word is a foreign name in a line of ours.
func word(s string) string {
	if identifier().MatchString(s) {
		return defuse(s)
	}
	if s = Line(s); s == "" {
		return s
	}
	return `<untrusted source="name">` + s + `</untrusted>`
}

// oneLine makes a name fit for a line of ours.
func oneLine(s string, max int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > max {
		s = strings.ToValidUTF8(s[:max], "") + "…"
	}
	return s
}

// denials lists the policy's refusals, and marks the avoidable ones: the rest
// is for whoever runs the code.
func denials(b *strings.Builder, all []glovebox.Denial) {
	for i, d := range all {
		if i == maxDenials {
			fmt.Fprintf(b, "And %d more.\n", len(all)-i)
			break
		}
		refused := "Refused"
		if d.Ask {
			refused = "Needs a person's approval"
		}
		fmt.Fprintf(b, "%s: %s (rule %s): %s", refused, word(d.Asked), Line(d.Rule), Line(d.Message))
		if d.ByCode {
			b.WriteString(" Other code can avoid this.")
		} else {
			b.WriteString(" Other code does not change this.")
		}
		b.WriteByte('\n')
	}
}
