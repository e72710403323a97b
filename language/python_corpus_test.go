package language

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// pythonRow is a program of a corpus with its tests.
type pythonRow struct {
	name, src, tests, entry string
	pass                    bool
	// slow: even the right program may not end in time.
	slow bool
}

// sit runs the row's exam.
func (r pythonRow) sit(t testing.TB) rigVerdict {
	tests := pythonTests(r.tests)
	tests.Entry = r.entry
	return rigExam(t, Python, pythonProgram(r.src), tests)
}

// TestPythonCorpora runs programs that are known to be right or wrong.
func TestPythonCorpora(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	text := func(row map[string]any, key string) string { return row[key].(string) }
	for _, c := range []struct {
		name string
		rows func() []pythonRow
	}{
		{"HumanEval", func() (rows []pythonRow) {
			for _, r := range corpus(t, "humaneval/HumanEval.jsonl.gz") {
				rows = append(rows, pythonRow{name: text(r, "task_id"), src: text(r, "prompt") + text(r, "canonical_solution"),
					tests: text(r, "test"), entry: text(r, "entry_point"), pass: true})
			}
			return rows
		}},
		{"HumanEvalPack", func() (rows []pythonRow) {
			for _, r := range corpus(t, "repair/humanevalpack-python.jsonl.gz") {
				for _, kind := range []string{"canonical", "buggy"} {
					rows = append(rows, pythonRow{name: text(r, "task_id") + " " + kind, src: text(r, "prompt") + text(r, kind+"_solution"),
						tests: text(r, "test"), entry: text(r, "entry_point"), pass: kind == "canonical"})
				}
			}
			return rows
		}},
		{"QuixBugs", func() (rows []pythonRow) {
			for _, r := range corpus(t, "repair/quixbugs.jsonl.gz") {
				name := text(r, "name")
				// JSON knows no tuples and no generators.
				tests := "from solution import " + name + "\n\ndef plain(v):\n" +
					"    return [plain(x) for x in v] if isinstance(v, (list, tuple)) or hasattr(v, '__next__') else v\n"
				for _, k := range r["cases"].([]any) {
					k := k.(map[string]any)
					tests += fmt.Sprintf("assert plain(%s(*%s)) == %s\n", name, pythonLiteral(k["input"]), pythonLiteral(k["output"]))
				}
				slow := name == "knapsack" || name == "levenshtein"
				rows = append(rows, pythonRow{name: name, src: text(r, "correct"), tests: tests, pass: true, slow: slow},
					pythonRow{name: name + " buggy", src: text(r, "buggy"), tests: tests, slow: slow})
			}
			return rows
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			passed, total := 0, 0
			for _, r := range c.rows() {
				if r.slow || os.Getenv("GLOVEBOX_ROW") != "" && r.name != os.Getenv("GLOVEBOX_ROW") {
					continue
				}
				v := r.sit(t)
				total++
				if v.pass {
					passed++
				}
				if v.pass != r.pass || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("%s: pass %v, want %v, proof %s: %s\n%.2000s", r.name, v.pass, r.pass, v.proof, v.why, v.harness.stderr)
				}
			}
			t.Logf("%d of %d pass", passed, total)
		})
	}
}

// pythonLiteral writes a JSON value as Python does.
func pythonLiteral(v any) string {
	switch v := v.(type) {
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, pythonLiteral(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for k, x := range v {
			parts = append(parts, fmt.Sprintf("%q: %s", k, pythonLiteral(x)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case string:
		return fmt.Sprintf("%q", v)
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case nil:
		return "None"
	case float64:
		if v == float64(int64(v)) {
			return fmt.Sprint(int64(v))
		}
		return fmt.Sprint(v)
	}
	return fmt.Sprint(v)
}

// TestPythonReplies compares, for every real reply, the verdict with what
// running program and tests as one script comes to. The script runs as a module
// of another name than __main__, as HumanEval's own harness does.
func TestPythonReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	agree, passed, total := 0, 0, 0
	for _, row := range corpus(t, "replies/humaneval-python.jsonl.gz") {
		src := row["gpt_solution"].(string)
		if m := firstFence.FindStringSubmatch(src); m != nil {
			src = m[1]
		}
		r := pythonRow{src: src, tests: row["test"].(string), entry: row["entry_point"].(string)}
		script := pythonProgram("import runpy\nrunpy.run_path('row.py', run_name='row')\n")
		script.Files = append(script.Files, glovebox.File{Path: "row.py", Data: []byte(src + "\n" + r.tests + "\ncheck(" + r.entry + ")\n")})
		direct := rigPlan(t, Python, script, "")
		want := direct.exit == 0 && !direct.timedOut
		v := r.sit(t)
		total++
		if v.pass {
			passed++
		}
		if v.pass == want && v.proof == glovebox.ProofOutOfProcess {
			agree++
		} else {
			t.Errorf("%s: pass %v (%s, %s), directly %v: %.500s", row["task_id"], v.pass, v.proof, v.why, want, direct.stderr)
		}
	}
	t.Logf("%d of %d agree, %d pass", agree, total, passed)
}
