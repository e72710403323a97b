package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/classify"
)

// print prints the report for people.
func (r *benchReport) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %d processors, load %.1f at the start\ninterpreter: %s\n",
		r.Host.Version, r.Host.System, r.Host.Processors, r.Host.Load, r.Host.Interpreter)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	var mode bench.Mode
	clients := 0
	for _, f := range r.Figures {
		if f.Mode != mode || f.Clients != clients {
			w.Flush()
			mode, clients = f.Mode, f.Clients
			fmt.Fprintf(&b, "\n%s, clients: %d\n", mode, clients)
			fmt.Fprintln(w, "contestant\tmin ms\tp50 ms\tp95 ms\tp50 ÷ bare\truns/s\t÷ bare\tn\twarm\t")
		}
		warm := ""
		if f.Warm != nil {
			warm = fmt.Sprintf("%.0f %%", 100**f.Warm)
		}
		if f.Error != "" {
			fmt.Fprintf(w, "%s\tfailed\t\t\t\t\t\t%d\t%s\t\n", f.Name, f.Runs, warm)
			continue
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.2f\t%d\t%s\t\n", f.Name, f.Min, f.P50, f.P95, f.Ratio, f.Rate, f.RateRatio, f.Runs, warm)
	}
	w.Flush()
	if len(r.Boxes) > 0 {
		fmt.Fprint(&b, "\nboxes made, used and destroyed in a second\n")
		for _, name := range slices.Sorted(maps.Keys(r.Boxes)) {
			fmt.Fprintf(w, "%s\t%.1f\t\n", name, r.Boxes[name])
		}
		w.Flush()
	}
	if len(r.Memory) > 0 {
		fmt.Fprint(&b, "\nmemory of an idle box (warm: with an interpreter that waits)\n")
		for _, name := range slices.Sorted(maps.Keys(r.Memory)) {
			fmt.Fprintf(w, "%s\t%s\t\n", name, classify.Bytes(r.Memory[name]))
		}
		w.Flush()
	}
	fmt.Fprint(&b, "\nratios\n")
	for _, key := range slices.Sorted(maps.Keys(r.Ratios)) {
		fmt.Fprintf(w, "%s\t%.3f\t\n", key, r.Ratios[key])
	}
	w.Flush()
	fmt.Fprint(&b, "\nhow\n")
	for _, name := range slices.Sorted(maps.Keys(r.Contestants)) {
		fmt.Fprintf(&b, "  %s: %s\n", name, wrap(r.Contestants[name], "    "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Missing)) {
		fmt.Fprintf(&b, "  %s: left out: %s\n", name, wrap(r.Missing[name], "    "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
