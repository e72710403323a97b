package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// bigPolicy has 200 rules: 20 conditions, 80 findings rules and 100 entries of lists.
func bigPolicy() string {
	var b strings.Builder
	b.WriteString("version: 1\nlimits: {max: {wall: 60s}}\nimages:\n  allow:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "    - 'registry.example.com/team%d/*'\n", i)
	}
	b.WriteString("env:\n  allow:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "    - 'APP%d_*'\n", i)
	}
	b.WriteString("findings:\n")
	for i := range 80 {
		fmt.Fprintf(&b, "  - {rule: 'group%d.*', severity: high, action: deny}\n", i)
	}
	b.WriteString("conditions:\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  - {name: c%d, deny: \"job.tenant == 't%d' && job.files.exists(p, job.files[p] > %d)\"}\n", i, i, i)
	}
	return b.String()
}

// BenchmarkAdmit reports the p99 of a decision under a policy of 200 rules.
func BenchmarkAdmit(b *testing.B) {
	p := load(b, bigPolicy())
	var files []glovebox.File
	for i := range 10 {
		files = append(files, glovebox.File{Path: fmt.Sprintf("f%d.py", i), Data: make([]byte, 1000)})
	}
	for _, c := range []struct {
		name string
		req  Request
	}{
		{"admitted", Request{Job: &glovebox.Job{Tenant: "t", Image: "registry.example.com/team49/a:1", Env: map[string]string{"APP49_X": ""}, Program: &glovebox.Program{Language: "python", Files: files}}, Findings: []glovebox.Finding{{Rule: "other", Severity: "high"}}}},
		{"refused", Request{Job: &glovebox.Job{Tenant: "t5", Image: "evil", Env: map[string]string{"X": ""}, Program: &glovebox.Program{Language: "python", Files: files}}, Findings: []glovebox.Finding{{Rule: "group79.x", Severity: "high"}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			times := make([]time.Duration, 0, 1<<16)
			for b.Loop() {
				start := time.Now()
				p.Admit(c.req)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	text := []byte(bigPolicy())
	for b.Loop() {
		if _, err := Load(Source{"p", LayerOperator, text}); err != nil {
			b.Fatal(err)
		}
	}
}
