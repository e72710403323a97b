package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/observe"
)

// Colours of a terminal, as SGR parameters.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// painter colours text where the output is a terminal.
type painter bool

func newPainter(w io.Writer) painter {
	f, ok := w.(*os.File)
	return painter(ok && isTerminal(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p painter) paint(sgr, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// Bounds of a report for people, in bytes.
const (
	shownStream = 8 << 10
	shownValue  = 600
	shownCases  = 10
	shownFiles  = 8
)

// report writes an observation for people.
func report(w io.Writer, o *glovebox.Observation) error {
	p := newPainter(w)
	var b strings.Builder
	colour, sign := red, "✗"
	switch exitOf(o.Status) {
	case exitPass:
		colour, sign = green, "✓"
	case exitLimit, exitPolicy, exitCancelled:
		colour, sign = yellow, "!"
	}
	if o.Status == glovebox.StatusUnproven || o.Status == glovebox.StatusTestsUnrunnable {
		colour, sign = yellow, "?"
	}
	fmt.Fprintf(&b, "%s  %s\n", p.paint(bold+";"+colour, sign+" "+string(o.Status)), indent(o.Message))
	if f := o.Failure; f != nil && o.Status == glovebox.StatusRuntimeError {
		at := ""
		if f.Line > 0 {
			at = fmt.Sprintf(" (%s:%d)", f.File, f.Line)
		}
		fmt.Fprintf(&b, "   %s%s\n", indent(strings.TrimPrefix(strings.TrimSuffix(f.Type+": "+f.Message, ": "), ": ")), at)
	}
	reportDenials(&b, p, o)
	if t := o.Tests; t != nil && t.Reason != "" && o.Status == glovebox.StatusPass {
		fmt.Fprintf(&b, "   %s\n", p.paint(dim, "proof "+string(t.Proof)+": "+indent(t.Reason)))
	}
	reportTests(&b, p, o.Tests)
	if x := o.Extraction; x != nil {
		for _, n := range x.Notes {
			fmt.Fprintf(&b, "%s %s\n", p.paint(dim, "reply:"), indent(n))
		}
	}
	for _, s := range []struct{ name, text string }{{"stdout", o.Stdout}, {"stderr", o.Stderr}} {
		if s.text == "" {
			continue
		}
		fmt.Fprintf(&b, "%s\n%s\n", p.paint(dim, streamHead(s.name)), strings.TrimRight(observe.Middle(s.text, shownStream), "\n"))
	}
	if o.Partial && o.Stdout+o.Stderr != "" {
		fmt.Fprintf(&b, "%s\n", p.paint(dim, "(the run was stopped; this is what came until then)"))
	}
	for _, r := range o.Redactions {
		fmt.Fprintf(&b, "%s %d × %s in %s\n", p.paint(dim, "redacted:"), r.Count, r.Rule, r.Stream)
	}
	for i, a := range o.Artifacts {
		if i == shownFiles {
			fmt.Fprintf(&b, "%s and %d more\n", p.paint(dim, "artifact:"), len(o.Artifacts)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s  %s, %s%s\n", p.paint(dim, "artifact:"), a.Name, a.MIME, classify.Bytes(a.Size), unredacted(a))
	}
	for i, r := range o.Refused {
		if i == shownFiles {
			break
		}
		fmt.Fprintf(&b, "%s %s: %s\n", p.paint(dim, "left out:"), r.Name, r.Reason)
	}
	shown := o.Evidence
	if len(shown) > 0 && (o.Status == glovebox.StatusPass || o.Phase == glovebox.PhaseAdmit) {
		shown = shown[1:] // the first says what the message says
	}
	for _, e := range shown {
		fmt.Fprintf(&b, "%s %s: %s\n", p.paint(dim, "evidence:"), e.Source, indent(observe.Middle(e.Fact, shownValue)))
	}
	if o.Tier != "" {
		foot := fmt.Sprintf("in %s, %.0f ms (boot %.0f, run %.0f)", o.Tier, o.Timings.Total, o.Timings.Boot, o.Timings.Execute)
		if o.Language != "" {
			foot = o.Language + " " + foot
		}
		if o.Usage.MemoryPeak > 0 { // it is not known of every box that was killed
			foot += fmt.Sprintf(", %s peak", classify.Bytes(o.Usage.MemoryPeak))
		}
		fmt.Fprintf(&b, "%s\n", p.paint(dim, foot))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reportDenials lists what the policy refused or asks about, and what would allow it.
func reportDenials(b *strings.Builder, p painter, o *glovebox.Observation) {
	for i, d := range o.Denials {
		if i == shownCases {
			fmt.Fprintf(b, "   … and %d more\n", len(o.Denials)-i)
			break
		}
		sign := p.paint(red, "✗")
		if d.Ask {
			sign = p.paint(yellow, "?")
		}
		fmt.Fprintf(b, "   %s %s: %s\n", sign, d.Rule, indent(d.Message))
		if d.Where != "" {
			fmt.Fprintf(b, "     %s %s\n", p.paint(dim, "rule:"), indent(d.Where))
		}
		if d.AllowWith != "" {
			fmt.Fprintf(b, "     %s\n       %s\n", p.paint(dim, "a policy with this would allow it:"), strings.ReplaceAll(strings.TrimRight(d.AllowWith, "\n"), "\n", "\n       "))
		}
	}
}

// streamHead is the line above a stream.
func streamHead(name string) string { return "── " + name + " " + strings.Repeat("─", 40) }

// reportTests lists the tests that did not pass.
func reportTests(b *strings.Builder, p painter, t *glovebox.TestReport) {
	if t == nil {
		return
	}
	if t.Framework != "" {
		fmt.Fprintf(b, "   %s\n", p.paint(dim, "run by "+indent(t.Framework)))
	}
	shown := 0
	for _, c := range t.Cases {
		if c.Status == "passed" {
			continue
		}
		if shown++; shown > shownCases {
			break
		}
		at := ""
		if c.Line > 0 {
			at = fmt.Sprintf(" (line %d)", c.Line)
		}
		sign := p.paint(red, "✗")
		if c.Status == "skipped" {
			sign = p.paint(dim, "– skipped")
		}
		fmt.Fprintf(b, "   %s %s%s: %s\n", sign, c.Name, at, indent(observe.Middle(c.Message, shownValue)))
		if c.Expected != "" || c.Actual != "" {
			fmt.Fprintf(b, "       expected %s\n       got      %s\n", indent(observe.Middle(c.Expected, shownValue)), indent(observe.Middle(c.Actual, shownValue)))
		}
	}
	if more := t.Failed - shownCases; more > 0 {
		fmt.Fprintf(b, "   … and %d more\n", more)
	}
}

// indent keeps the further lines of a value under its first: no text of a
// program's begins a line of ours.
func indent(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n                ")
}

// progress shows activity on a terminal until the returned function is called.
func progress(w io.Writer, what string) (stop func()) {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		begin := time.Now()
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-tick.C:
				fmt.Fprintf(w, "\r\x1b[K%s… %.0f s", what, time.Since(begin).Seconds())
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// printJSON prints what a program is to read.
func printJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// unredacted says what an artifact holds that could not be redacted.
func unredacted(a glovebox.Artifact) string {
	switch {
	case len(a.Secrets) > 0:
		return "; holds secrets that cannot be redacted in it: " + strings.Join(a.Secrets, ", ")
	case a.Unscanned:
		return "; a part of it could not be looked at for secrets"
	}
	return ""
}
