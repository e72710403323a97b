package eval

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/gloveboxhq/glovebox"
)

// sampleReport is a run with a bit of everything: every row and figure that
// the page can show.
func sampleReport(tasks, samples int) *Report {
	random := rand.New(rand.NewPCG(1, 2))
	p := 0.0213
	r := &Report{
		Title:   "HumanEval.jsonl",
		Created: time.Date(2026, 11, 20, 13, 5, 0, 0, time.UTC),
		Header: Header{
			Version: 1, Hash: "5b1f0c9e7d3a48266a0c4f2e9b8d7153", Problems: "HumanEval.jsonl", Samples: "samples.jsonl",
			Options: Options{RequireProof: glovebox.ProofOutOfProcess, Limits: glovebox.Limits{Wall: 3 * time.Second}},
		},
		Provenance: &Provenance{
			Command:   []string{"glovebox", "eval", "--problems", "HumanEval.jsonl", "--samples", "my samples.jsonl", "--k", "1,10", "--html", "report.html"},
			Versions:  map[string]string{"glovebox": "0.3.0", "go": "1.26.3", "python": "3.11.2"},
			Isolation: []glovebox.Control{{Name: "network", Enforced: true}, {Name: "read-only root", Enforced: true}, {Name: "memory cgroup", Enforced: false}},
		},
		Comparison: &Comparison{
			A: ComparisonSide{Name: "monday.jsonl", PassAt1: 0.7804}, B: ComparisonSide{Name: "samples.jsonl", PassAt1: 0.8231},
			Common: tasks, Difference: 0.0427, SamePassing: max(0, tasks-7-25), SameFailing: 25, P: &p,
			NewlyPassing: []string{"HumanEval/3", "HumanEval/17", "HumanEval/32", "HumanEval/91"}, NewlyFailing: []string{"HumanEval/50"},
			Better: []string{"HumanEval/8", "HumanEval/9"},
		},
		Generation: &Generation{
			Model: "gpt-oss-120b", Tasks: tasks, First: 0.741, FirstInterval: Interval{0.668, 0.803, 164}, Repaired: 0.878, RepairedInterval: Interval{0.819, 0.922, 164},
			Turns: map[int]int{1: 121, 2: 14, 3: 6, 4: 3}, Tokens: 312_480, TokensPerSolved: 2170, Acceptance: 0.86, PatchLines: 14,
		},
		Summary: Summary{
			PassAtK:     map[string]Ratio{"1": 0.8231, "10": 0.9512},
			Intervals:   map[string]Interval{"1": {0.7702, 0.8689, 164}, "10": {0.9080, 0.9776, 164}},
			Unavailable: map[string]string{"100": "needs 100 samples of each task: the fewest are 10"},
			Counts:      map[glovebox.Status]int{}, Proofs: map[glovebox.Proof]int{},
			Missing:  4,
			Duration: Duration{WallMS: 151_000, RunsPerSecond: 10.9},
			Usage:    Usage{CPUMS: 212_000, MemoryPeakBytes: 41 << 20},
		},
	}
	s := &r.Summary
	bad := []glovebox.Status{glovebox.StatusTestFailed, glovebox.StatusTestFailed, glovebox.StatusTestFailed, glovebox.StatusTestFailed,
		glovebox.StatusRuntimeError, glovebox.StatusRuntimeError, glovebox.StatusSyntaxError, glovebox.StatusTimeout, glovebox.StatusMemoryLimit, glovebox.StatusNoCode}
	for i := range tasks {
		language := []string{"python", "python", "javascript", "go", "php"}[i%5]
		t := Task{Task: fmt.Sprintf("HumanEval/%d", i), Language: language, Statuses: map[glovebox.Status]int{}}
		hard := random.Float64()
		for n := range samples {
			row := Row{Task: t.Task, N: n, Language: language, Status: glovebox.StatusPass, Tests: &Tests{Proof: glovebox.ProofOutOfProcess, Total: 7, Passed: 7}}
			row.Measured = Measured{DurationMS: 45 * math.Exp(random.NormFloat64()*0.5), Tier: "gvisor", SandboxAttempts: 1}
			if random.Float64() < math.Pow(hard, 6) {
				row.Status = bad[random.IntN(len(bad))]
				row.Measured.Message = map[glovebox.Status]string{
					glovebox.StatusTestFailed:   "1 of 7 tests failed: check_4 expected [1, 2, 3]",
					glovebox.StatusRuntimeError: "The program ended with IndexError: list index out of range (main.py:12)",
					glovebox.StatusSyntaxError:  "main.py:7:15: invalid syntax",
					glovebox.StatusTimeout:      "The program was stopped after 3 s of wall clock time.",
					glovebox.StatusMemoryLimit:  "The program used more than 512 MiB of memory.",
					glovebox.StatusNoCode:       "The reply holds no code.",
				}[row.Status]
				row.Tests = nil
				if row.Status == glovebox.StatusTestFailed {
					row.Measured.Failures = []glovebox.TestCase{{Name: "check_4", Status: "failed", Message: "AssertionError", Expected: "[1, 2, 3]", Actual: "[1, 2, 2]\n"}}
				}
				if row.Status == glovebox.StatusTimeout {
					row.Measured.DurationMS = 3010 + random.Float64()*40
				}
			}
			t.N++
			if row.Status == glovebox.StatusPass {
				t.Passed++
				s.Proofs[glovebox.ProofOutOfProcess]++
			}
			t.Statuses[row.Status]++
			s.Counts[row.Status]++
			s.Samples++
			r.Rows = append(r.Rows, row)
		}
		s.Tasks = append(s.Tasks, t)
	}
	for _, l := range []string{"python", "javascript", "go", "php"} {
		g := Group{Language: l, PassAtK: map[string]Ratio{}}
		for _, t := range s.Tasks {
			if t.Language == l {
				g.Tasks, g.Samples, g.Passed = g.Tasks+1, g.Samples+t.N, g.Passed+t.Passed
			}
		}
		g.PassAtK["1"] = Ratio(float64(g.Passed) / float64(max(g.Samples, 1)))
		s.Languages = append(s.Languages, g)
	}
	return r
}

func render(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReport(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parsed is what an HTML parser makes of a page: its elements with their
// attributes in order, and its text.
type parsed struct {
	skeleton []string
	text     string
}

func parse(t *testing.T, page string) parsed {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var p parsed
	var text strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			line := n.Data
			for _, a := range n.Attr {
				line += fmt.Sprintf(" %s=%q", a.Key, a.Val)
			}
			p.skeleton = append(p.skeleton, line)
		case html.TextNode:
			text.WriteString(n.Data)
		case html.CommentNode:
			p.skeleton = append(p.skeleton, "comment")
		}
	}
	p.text = text.String()
	return p
}

func TestReportSaysWhatTheRunSays(t *testing.T) {
	page := parse(t, render(t, sampleReport(164, 10)))
	for _, want := range []string{
		"pass@1", "82.3 %", "77.0 – 86.9", "pass@10", "95.1 %", // the estimates
		"pass@100 is not available: needs 100 samples of each task",
		"4 samples without a verdict yet",
		"164 tasks · 1,640 samples · gvisor · 2 min 31 s · 10.9 runs a second",
		"median", "95th percentile", // durations
		"javascript", "not passed ", // languages, legend
		"Newly failing", "HumanEval/50", "+4.3 points", "p = 0.021", // the baseline
		"2,170", "3 turns", "86.0 %", // generation
		"check_4", "[1, 2, 2]", // evidence
		"glovebox eval --problems HumanEval.jsonl --samples 'my samples.jsonl' --k 1,10",
		"5b1f0c9e7d3a48266a0c4f2e9b8d7153", "glovebox 0.3.0, go 1.26.3, python 3.11.2",
		"3s wall clock", "512 MiB of memory", "memory cgroup (not enforced)", "20 November 2026, 13:05 UTC",
		"This page is one file of ",
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	failing, passing := strings.Index(page.text, "Not solved"), strings.Index(page.text, "Solved by every sample")
	if failing < 0 || passing < failing {
		t.Errorf("failing tasks are not first: at %d, solved ones at %d", failing, passing)
	}
}

func TestComparisonReport(t *testing.T) {
	c := sampleReport(164, 1).Comparison
	write := func(c *Comparison) parsed {
		var b bytes.Buffer
		if err := WriteComparison(&b, c, time.Time{}); err != nil {
			t.Fatal(err)
		}
		return parse(t, b.String())
	}
	page := write(c)
	for _, want := range []string{"monday.jsonl → samples.jsonl", "+4.3 points", "p = 0.021", "164 tasks in common", "newly failing", "HumanEval/50", "78.0 %"} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, no := range []string{"Verdicts", "Durations", "How it was made", "Filter by name"} {
		if strings.Count(page.text, no) > strings.Count(reportStyle+reportScript, no) {
			t.Errorf("the page has %q, which is about a run", no)
		}
	}
	var harmless, hostile Comparison
	fill(reflect.ValueOf(&harmless).Elem(), "harmless")
	fill(reflect.ValueOf(&hostile).Elem(), `</title><script>alert(1)</script>" onload="x`)
	if !slices.Equal(write(&harmless).skeleton, write(&hostile).skeleton) {
		t.Error("names change the elements of the page")
	}
	if text := write(&Comparison{PReason: "the runs have no task in common"}).text; !strings.Contains(text, "no task in common") {
		t.Error("the page does not say why there is no p value")
	}
}

// An empty run has no figures; it still has a page.
func TestReportOfNothing(t *testing.T) {
	for _, r := range []*Report{{}, {Summary: Summary{Tasks: []Task{{Task: "a"}}}}, {Rows: []Row{{Task: "unlisted", Measured: Measured{DurationMS: math.NaN()}}}}} {
		page := parse(t, render(t, r))
		if !strings.Contains(page.text, "No durations were recorded.") {
			t.Errorf("%+v: %s", r, page.text)
		}
	}
}

// fill sets every text that v holds, keys of maps too.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text)
		fill(value, text)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	}
}

// TestReportTakesNoMarkupFromData puts a hostile text into every string of a
// report, names of statuses and keys of maps among them. The page must have
// exactly the elements and attributes that it has with a harmless text.
func TestReportTakesNoMarkupFromData(t *testing.T) {
	with := func(text string) string {
		var r Report
		fill(reflect.ValueOf(&r).Elem(), text)
		return render(t, &r)
	}
	harmless := parse(t, with("harmless"))
	if n := strings.Count(harmless.text, "harmless"); n < 40 {
		t.Fatalf("only %d texts of the report are on the page", n)
	}
	for _, text := range []string{
		`<script>alert(1)</script>`,
		`</script><script>alert(1)</script>`,
		`</title></style></pre><img src=x onerror=alert(1)>`,
		`" onmouseover="alert(1)" x="`,
		`' onfocus='alert(1)' autofocus='`,
		`"><svg onload=alert(1)>`,
		`<!-- comment --><!doctype html></body></html>`,
		`<![CDATA[<b>]]>`,
		`javascript:alert(1)`,
		`{{.CSP}} {{template "page"}} ${alert(1)} %3Cscript%3E &lt;b&gt; &#60;b&#62;`,
		`+ADw-script+AD4-alert(1)+ADw-/script+AD4-`,
		`<plaintext>`, `<textarea>`, `<template><noscript>`, `<meta http-equiv=refresh content=0>`, `<base href=//x>`,
	} {
		got := parse(t, with(text))
		if !slices.Equal(got.skeleton, harmless.skeleton) {
			for i := range min(len(got.skeleton), len(harmless.skeleton)) {
				if got.skeleton[i] != harmless.skeleton[i] {
					t.Errorf("%q changed the page: %s in place of %s", text, got.skeleton[i], harmless.skeleton[i])
					break
				}
			}
			t.Errorf("%q: %d elements in place of %d", text, len(got.skeleton), len(harmless.skeleton))
		}
		if !strings.Contains(got.text, text) {
			t.Errorf("%q is not on the page as it is", text)
		}
	}
}

// TestReportShowsWhatIsNotSeen: no character of the data steers the reader's
// eye; each is named instead.
func TestReportShowsWhatIsNotSeen(t *testing.T) {
	var r Report
	fill(reflect.ValueOf(&r).Elem(), "a\u202eb\u2066c\x00d\x1b[31me\u200bf\xffg\ufeffh\U000e0041i\u00adj\ue000k\r\nl\u2028m\ufe0fn\u3164o")
	raw := render(t, &r)
	if !utf8.ValidString(raw) {
		t.Error("the page is not valid UTF-8")
	}
	page := parse(t, raw)
	for _, c := range page.text {
		if unseen(c, "\n\t") {
			t.Errorf("U+%04X is on the page", c)
		}
	}
	for _, want := range []string{"U+202E", "U+2066", "U+0000", "U+001B", "U+200B", "0xFF", "U+FEFF", "U+E0041", "U+00AD", "U+E000", "U+000D", "U+2028", "U+FE0F", "U+3164"} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page does not name %s", want)
		}
	}
}

func TestSegments(t *testing.T) {
	text := func(s string) segment { return segment{Text: s} }
	mark := func(s string) segment { return segment{Mark: s} }
	for _, c := range []struct {
		in   string
		want []segment
	}{
		{"", []segment{text("")}},
		{"plain ünïcode 日本 👍", []segment{text("plain ünïcode 日本 👍")}},
		{"a\u202eb", []segment{text("a"), mark("U+202E"), text("b")}},
		{"\u202e\u2066", []segment{mark("U+202E U+2066")}},
		{"\x00end", []segment{mark("U+0000"), text("end")}},
		{"end\xff", []segment{text("end"), mark("0xFF")}},
		{"literal \ufffd stays", []segment{text("literal \ufffd stays")}},
		{"two\nlines", []segment{text("two"), mark("U+000A"), text("lines")}},
	} {
		if got := oneline(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	if got := multiline("two\n\tlines"); !slices.Equal(got, []segment{text("two\n\tlines")}) {
		t.Errorf("%q", got)
	}
}

// TestSegmentsLoseNothing: a text can be told from what the page shows of it,
// and nothing that is shown is unseen.
func TestSegmentsLoseNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"plain", "\n\t", "\u202e", "\x00", "\xff\xfe", "\ufffd", "\U000e0041", "\u3164", "🏳️‍🌈", "é", "\xe2\x80"}
	for range 2000 {
		var s string
		for range random.IntN(8) {
			s += pieces[random.IntN(len(pieces))]
		}
		var back strings.Builder
		for _, p := range multiline(s) {
			if strings.ContainsFunc(p.Text, func(r rune) bool { return unseen(r, "\n\t") }) || !utf8.ValidString(p.Text) {
				t.Fatalf("%q is shown as text", p.Text)
			}
			back.WriteString(p.Text)
			for _, m := range strings.Fields(p.Mark) {
				var code int32
				if _, err := fmt.Sscanf(m, "U+%X", &code); err == nil {
					back.WriteRune(code)
				} else if _, err := fmt.Sscanf(m, "0x%X", &code); err == nil {
					back.WriteByte(byte(code))
				} else {
					t.Fatalf("mark %q", m)
				}
			}
		}
		if back.String() != s {
			t.Fatalf("%q is shown as %q", s, back.String())
		}
	}
}

// TestReportStaysUsable: neither many tasks nor long texts make a page that a
// browser cannot open.
func TestReportStaysUsable(t *testing.T) {
	r := sampleReport(10_000, 1)
	long := strings.Repeat("<long \u202e&\n", 1<<20/12)
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Status = glovebox.StatusTestFailed
		row.Measured.Message = long
		row.Measured.Failures = []glovebox.TestCase{{Name: long, Message: long, Expected: long, Actual: long}, {}, {Name: long}, {}, {Name: long}}
		task := &r.Summary.Tasks[i]
		task.Passed, task.Statuses = 0, map[glovebox.Status]int{row.Status: 1}
		if i%1000 == 0 {
			task.Task, row.Task = fmt.Sprint(i, long), fmt.Sprint(i, long)
		}
	}
	r.Comparison.NewlyPassing = slices.Repeat([]string{long}, 2000)
	r.Title = long
	page := render(t, r)
	if most := 16 << 20; len(page) > most {
		t.Errorf("the page has %d bytes", len(page))
	}
	got := parse(t, page)
	for _, want := range []string{"are in the results file only", "1,000 more are in the results file", "HumanEval/9999"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	t.Logf("%d bytes for 10,000 tasks that failed with long texts", len(page))
}

// TestReportPolicy: the page's own style and script are the ones that its
// policy lets work, and nothing on it could load anything.
func TestReportPolicy(t *testing.T) {
	page := render(t, sampleReport(5, 2))
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var policy string
	inline := map[string]string{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "src", "href", "srcset", "action", "style", "background", "data", "poster", "xlink:href":
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case "content":
				policy = cmp.Or(policy, a.Val)
			}
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has %s", n.Data, a.Key)
			}
		}
		if n.Type == html.ElementNode && (n.Data == "style" || n.Data == "script") {
			inline[n.Data] += n.FirstChild.Data
		}
	}
	for _, want := range []string{
		"default-src 'none'", "base-uri 'none'", "form-action 'none'",
		"style-src '" + sourceHash(inline["style"]) + "'", "script-src '" + sourceHash(inline["script"]) + "'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if inline["script"] != reportScript || inline["style"] != reportStyle {
		t.Error("the style or the script on the page is not the file's")
	}
}

func TestHistogram(t *testing.T) {
	for _, c := range []struct {
		name      string
		good, bad []float64
		bins, top int
		ticks     string
	}{
		{"one value", []float64{50}, nil, 1, 1, "10 ms,100 ms"},
		{"a power of ten", []float64{100}, nil, 1, 1, "100 ms,1 s"},
		{"both kinds in one bin", []float64{50, 51}, []float64{52}, 1, 3, "10 ms,100 ms"},
		{"two decades", []float64{20}, []float64{3000}, 2, 1, "10 ms,100 ms,1 s,10 s"},
		{"unknown ones are left out", []float64{0, -1, math.NaN(), math.Inf(1), 1e300, 50}, nil, 1, 1, "10 ms,100 ms"},
		{"a bounded axis", []float64{1e-300, 1e6}, nil, 2, 1, ""},
	} {
		h := newHistogram(c.good, c.bad)
		var ticks []string
		for _, tick := range h.Ticks {
			ticks = append(ticks, tick.Label)
		}
		if c.ticks != "" && strings.Join(ticks, ",") != c.ticks || len(h.Bins) != c.bins || h.Top != c.top {
			t.Errorf("%s: %d bins, highest %d, ticks %s", c.name, len(h.Bins), h.Top, ticks)
		}
		for _, b := range h.Bins {
			if b.X < 0 || b.X+b.W > 100 || b.GoodH+b.BadH <= 0 || b.GoodH+b.BadH > histogramBars {
				t.Errorf("%s: a bar outside of the plot: %+v", c.name, b)
			}
		}
		if len(h.Ticks) > maxDecades+1 {
			t.Errorf("%s: %d ticks", c.name, len(h.Ticks))
		}
	}
	if h := newHistogram(nil, []float64{0}); h != nil {
		t.Errorf("a histogram of nothing: %+v", h)
	}
}

func TestReportNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1640), "1,640"}, {number(-1234567), "-1,234,567"},
		{milliseconds(0), "–"}, {milliseconds(0.25), "0.25 ms"}, {milliseconds(43.21), "43.2 ms"}, {milliseconds(999.7), "1.00 s"}, {milliseconds(9.999), "10.0 ms"}, {milliseconds(2900), "2.90 s"}, {decade(-3), "0.001 ms"}, {decade(2), "100 ms"}, {decade(4), "10 s"},
		{milliseconds(59_940), "59.9 s"}, {milliseconds(59_990), "1 min 0 s"}, {milliseconds(1e308), "277777 h 46 min"}, {milliseconds(61_000), "1 min 1 s"}, {milliseconds(3_700_000), "1 h 1 min"}, {milliseconds(math.NaN()), "–"},
		{percent(-3).String(), "0.00%"}, {percent(250).String(), "100.00%"}, {percent(math.NaN()).String(), "0.00%"}, {percent(33.333).String(), "33.33%"},
		{share(1), "100.0 %"}, {share(math.NaN()), "–"},
		{plural(1, "task"), "1 task"}, {plural(2, "process"), "2 processes"},
		{bytesText(1), "1 KiB"}, {bytesText(41 << 20), "41 MiB"}, {bytesText(3 << 29), "1.5 GiB"},
		{clip("abcdef", 3), "abc…"}, {clip("aé", 2), "a…"}, {clip("abc", 3), "abc"},
		{commandLine([]string{"glovebox", "eval", "a b", "it's", "", "\u202e"}), `glovebox eval 'a b' 'it'\''s' '' '` + "\u202e'"},
		{commandLine([]string{"x", "--api-key", "k1", "--token=k2", "--max-tokens", "5", "--password"}), "x --api-key … --token=… --max-tokens 5 --password"},
		{pValue(0.00001), "p < 0.0001"}, {pValue(1), "p = 1"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// A writer that fails is not lost in the buffer.
func TestReportTellsAFailedWrite(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(fmt.Errorf("disk full"))
	if err := WriteReport(w, sampleReport(3, 1)); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
}
