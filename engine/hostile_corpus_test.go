//go:build linux

package engine_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// snippet is a row of the corpus. What it calls expected is what the project
// wants that it is from, which knows policies that we do not have (such as no
// import of os): snippetVerdicts has the right verdict of a box without a
// network and with nothing but the interpreter.
type snippet struct{ ID, Lang, Code string }

// fragments are rows that are no program: the lifting cut a program at a
// quote, or took a word of an assertion for one.
const fragments = `27-30 32-34 41-43 45 48 49 52 59 86-89 92 96 106 108 109 112 122 123 128 130-134 136 138 139 144
	146-148 150-152 154-158 160 161 164 165 169 170 174 176 177 192 193 195 196 206 213-215 218`

// snippetVerdicts are the rows whose verdict is not a pass, with the reason.
var snippetVerdicts = []struct{ rows, want, why string }{
	{"1 3 47 91 95 103 199 200 202", "runtime_error", "they start a program that is not in the box"},
	{"18 57 60 80 81 104 105 175 194 197", "runtime_error", "they read files that only their own sandbox has"},
	{"6", "runtime_error", "it removes a file of the read-only root"},
	{"7 12 20 24 39 40 74 75 207 208", "runtime_error", "they need a network, or a library for it"},
	{"10 22 23 35-37 53 82 162 163 171-173 185 190", "runtime_error", "they need names, modules or an input that their test gives"},
	{"149 153", "runtime_error pass", "they need a caller and a class that an interpreter has only where it waited for its program"},
	{"117 119 121 183 189 212 221", "runtime_error", "they raise on purpose"},
	{"17 38 79", "memory_limit", "they fill the memory"},
	{"19 90 93 94", "timeout", "they do not end"},
	{"66", "timeout runtime_error", "it counts to 2³¹, with a library that need not be there"},
	{"72", "pass runtime_error", "it needs a library that need not be there"},
	{"21", "output_limit", "it prints without end"},
	{"44", "process_limit", "it forks without end"},
	{"101 102", "pass process_limit timeout", "a hundred processes, which the shell waits for room for"},
}

var snippetLanguages = map[string]string{"shell": "bash", "nodejs": "javascript"}

// rowNumbers reads "1 3 5-7".
func rowNumbers(t *testing.T, text string) []int {
	t.Helper()
	var all []int
	for _, f := range strings.Fields(text) {
		from, to, ok := strings.Cut(f, "-")
		if !ok {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			t.Fatalf("rows %q", f)
		}
		for i := first; i <= last; i++ {
			all = append(all, i)
		}
	}
	return all
}

// dedent takes away the indentation of a string in the source of a test.
func dedent(code string) string {
	lines := strings.Split(code, "\n")
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	margin := -1
	for _, l := range lines {
		if n := indent(l); n < len(l) && (margin < 0 || n < margin) {
			margin = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(margin, 0), indent(l)):]
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n")
}

// TestHostileCorpus runs what other projects' tests throw at their sandboxes.
func TestHostileCorpus(t *testing.T) {
	rows := corpus.Rows[snippet](t, "hostile/snippets.jsonl.gz")
	skip := rowNumbers(t, fragments)
	want, why := map[int]string{}, map[int]string{}
	for _, v := range snippetVerdicts {
		for _, n := range rowNumbers(t, v.rows) {
			want[n], why[n] = v.want, v.why
		}
	}
	var chosen []int
	for i := range rows {
		if !slices.Contains(skip, i) {
			chosen = append(chosen, i)
		}
	}
	t.Logf("%d of %d rows are programs", len(chosen), len(rows))
	eachHostile(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName, b *bait) {
		t.Run("rows", func(t *testing.T) {
			for _, i := range short(chosen) {
				t.Run(fmt.Sprintf("%d_%s", i, rows[i].ID), func(t *testing.T) {
					t.Parallel()
					w := want[i]
					if w == "" {
						w = "pass"
					}
					o := runSnippet(t, e, name, rows[i], w)
					b.check(t, o)
					if !slices.Contains(strings.Fields(w), string(o.Status)) {
						t.Errorf("got %s (%s), want %s: %s; stderr %.1000q", o.Status, o.Message, w, why[i], o.Stderr)
					}
				})
			}
		})
	})
}

func runSnippet(t *testing.T, e *engine.Engine, name glovebox.TierName, row snippet, want string) *glovebox.Observation {
	lang := row.Lang
	if l := snippetLanguages[lang]; l != "" {
		lang = l
	}
	main := glovebox.File{Path: "main", Data: []byte(dedent(row.Code))}
	for _, l := range e.Languages() {
		if l.Name == lang {
			need(t, e, l)
			main.Path += l.Extensions[0]
		}
	}
	limits := glovebox.Limits{Wall: 40 * time.Second, CPU: 20 * time.Second, Memory: 192 * glovebox.MiB, Processes: 40}
	if strings.Contains(want, "timeout") {
		limits.CPU = 2 * time.Second // it is used up whatever it is
	}
	if strings.Contains(row.Code, "sleep") || strings.Contains(row.Code, "fork") {
		limits.Wall = 4 * time.Second
	}
	if strings.Contains(row.Code, "fork") {
		limits.Memory = 512 * glovebox.MiB // in gVisor a child has all that its parent has written
	}
	return do(t, e, glovebox.Job{Tier: name, Limits: limits,
		Program: &glovebox.Program{Language: lang, Main: main.Path, Files: []glovebox.File{main}}})
}
