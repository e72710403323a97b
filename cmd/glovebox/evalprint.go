package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/eval"
	"github.com/gloveboxhq/glovebox/observe"
)

// shownTasks bounds a list of tasks for people.
const shownTasks = 12

// printEval writes a summary for people.
func printEval(w io.Writer, ks []int, r *eval.Report) error {
	p, sum := newPainter(w), &r.Summary
	var b strings.Builder
	if r.Generation != nil {
		printGeneration(&b, p, r.Generation)
	}
	for _, k := range ks {
		name := fmt.Sprint(k)
		if v, ok := sum.PassAtK[name]; ok {
			i := sum.Intervals[name]
			fmt.Fprintf(&b, "%s %s\n", p.paint(bold, fmt.Sprintf("pass@%-4d %.3f", k, float64(v))),
				p.paint(dim, fmt.Sprintf(" 95 %% interval %.3f to %.3f", float64(i.Low), float64(i.High))))
		} else {
			fmt.Fprintf(&b, "%s not available: %s\n", p.paint(bold, fmt.Sprintf("pass@%-4d", k)), sum.Unavailable[name])
		}
	}
	fmt.Fprintf(&b, "%s, %s", count(len(sum.Tasks), "task"), count(sum.Samples, "sample"))
	if sum.Missing > 0 {
		fmt.Fprintf(&b, ", and %d without a result", sum.Missing)
	}
	if tiers := r.Tiers(); len(tiers) > 0 {
		fmt.Fprintf(&b, ", in %s", oneLine(observe.Middle(strings.Join(tiers, ", "), 100)))
	}
	b.WriteString("\n\n")
	printStatuses(&b, sum)
	if len(sum.Languages) > 1 {
		printLanguages(&b, ks[0], sum)
	}
	var unsolved []string
	for _, t := range sum.Tasks {
		if t.Passed == 0 && (t.N > 0 || t.Unrunnable == 0) {
			unsolved = append(unsolved, t.Task)
		}
	}
	printTasks(&b, "not solved", unsolved)
	printUnrunnable(&b, p, r)
	if n := sum.Counts[glovebox.StatusSandboxError]; n > 0 {
		fmt.Fprintf(&b, "%s Glovebox failed on %s, not counted; run the command again to try again\n", p.paint(yellow, "!"), count(n, "sample"))
		i := slices.IndexFunc(r.Rows, func(row eval.Row) bool { return row.Status == glovebox.StatusSandboxError })
		if i >= 0 && r.Rows[i].Measured.Message != "" {
			fmt.Fprintf(&b, "  %s: %s\n", oneLine(r.Rows[i].Task), indent(printable(observe.Middle(r.Rows[i].Measured.Message, 1000))))
		}
	}
	d := sum.Duration
	line := fmt.Sprintf("a sample took %.0f ms (p50), %.0f ms (p95); the programs took %.1f s of processor time, %s at most",
		d.P50MS, d.P95MS, sum.Usage.CPUMS/1000, classify.Bytes(sum.Usage.MemoryPeakBytes))
	if d.RunsPerSecond > 0 {
		line = fmt.Sprintf("%.1f samples a second, %.1f s; ", d.RunsPerSecond, d.WallMS/1000) + line
	}
	fmt.Fprintln(&b, p.paint(dim, line))
	if r.Comparison != nil {
		b.WriteString("\n")
		printComparison(&b, p, r.Comparison)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printUnrunnable says how many samples are not counted since their tests
// cannot run here, and the first reasons.
func printUnrunnable(b *strings.Builder, p painter, r *eval.Report) {
	if r.Summary.Unrunnable == 0 {
		return
	}
	fmt.Fprintf(b, "%s the tests of %s cannot run here: not counted in pass@k\n", p.paint(yellow, "!"), count(r.Summary.Unrunnable, "sample"))
	const most = 3
	said := map[string]bool{}
	for _, row := range r.Rows {
		if row.Status != glovebox.StatusTestsUnrunnable || row.Measured.Message == "" || said[row.Measured.Message] {
			continue
		}
		if len(said) == most {
			b.WriteString("  …\n")
			break
		}
		said[row.Measured.Message] = true
		fmt.Fprintf(b, "  %s: %s\n", oneLine(row.Task), indent(printable(observe.Middle(row.Measured.Message, 300))))
	}
}

// count is a number of things, such as 1 task or 2 tasks.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// printStatuses counts the statuses, in their order.
func printStatuses(b *strings.Builder, sum *eval.Summary) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, status := range glovebox.Statuses {
		if n := sum.Counts[status]; n > 0 {
			fmt.Fprintf(t, "%s\t%d\t%.1f %%\n", status, n, 100*float64(n)/float64(max(1, sum.Samples)))
		}
	}
	t.Flush()
	b.WriteString("\n")
}

func printLanguages(b *strings.Builder, k int, sum *eval.Summary) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "language\ttasks\tsamples\tpass\tpass@%d\n", k)
	for _, g := range sum.Languages {
		rate := "–"
		if v, ok := g.PassAtK[fmt.Sprint(k)]; ok {
			rate = fmt.Sprintf("%.3f", float64(v))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\n", g.Language, g.Tasks, g.Samples, g.Passed, rate)
	}
	t.Flush()
	b.WriteString("\n")
}

// printTasks lists tasks under a title, unless there are none.
func printTasks(b *strings.Builder, title string, tasks []string) {
	if len(tasks) == 0 {
		return
	}
	fmt.Fprintf(b, "%s (%d):", title, len(tasks))
	for i, t := range tasks {
		if i == shownTasks {
			fmt.Fprintf(b, " and %d more", len(tasks)-i)
			break
		}
		fmt.Fprintf(b, " %s", oneLine(t))
	}
	b.WriteString("\n")
}

// oneLine makes a name from a file safe to print.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func printComparison(b *strings.Builder, p painter, c *eval.Comparison) {
	fmt.Fprintf(b, "%s → %s: pass@1 %.3f → %.3f (%+.3f) on %s of both\n", oneLine(c.A.Name), oneLine(c.B.Name),
		float64(c.A.PassAt1), float64(c.B.PassAt1), c.Difference, count(c.Common, "task"))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "newly passing\t%d\nnewly failing\t%d\n", len(c.NewlyPassing), len(c.NewlyFailing))
	if len(c.Better)+len(c.Worse) > 0 {
		fmt.Fprintf(t, "solved, more often\t%d\nsolved, less often\t%d\n", len(c.Better), len(c.Worse))
	}
	fmt.Fprintf(t, "same, passing\t%d\nsame, failing\t%d\n", c.SamePassing, c.SameFailing)
	t.Flush()
	printTasks(b, p.paint(green, "newly passing"), c.NewlyPassing)
	printTasks(b, p.paint(red, "newly failing"), c.NewlyFailing)
	printTasks(b, "only in "+oneLine(c.A.Name), c.A.Only)
	printTasks(b, "only in "+oneLine(c.B.Name), c.B.Only)
	if c.P != nil {
		fmt.Fprintf(b, "McNemar's exact test: p = %.3g\n", *c.P)
	} else {
		fmt.Fprintf(b, "no p value: %s\n", c.PReason)
	}
}

// bar shows on a terminal how far a run is; elsewhere it shows nothing.
type bar struct {
	err   io.Writer
	out   *os.File // nil: no terminal
	begin time.Time
	mu    sync.Mutex
	shown time.Time
}

func newBar(w io.Writer) *bar {
	b := &bar{err: w, begin: time.Now(), shown: time.Now()}
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		b.out = f
	}
	return b
}

func (b *bar) show(p eval.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	every := 30 * time.Second // where a log is written
	if b.out != nil {
		every = 100 * time.Millisecond
	}
	if time.Since(b.shown) < every && (b.out == nil || p.Done < p.Total) {
		return
	}
	b.shown = time.Now()
	rate := float64(p.Done-p.Before) / time.Since(b.begin).Seconds()
	left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second)).Round(time.Second)
	line := fmt.Sprintf("%d/%d  %d passed  %.1f/s  %v left", p.Done, p.Total, p.Passed, rate, left)
	if b.out == nil {
		fmt.Fprintln(b.err, "glovebox:", line)
		return
	}
	const width = 30
	full := width * p.Done / p.Total
	fmt.Fprintf(b.out, "\r\x1b[K%s%s %s", strings.Repeat("█", full), strings.Repeat("░", width-full), line)
}

// say writes a line above the bar, on a terminal or not.
func (b *bar) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	fmt.Fprintln(b.err, "glovebox:", oneLine(text))
}

func (b *bar) clear() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
