package eval

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// write makes a file of the test and returns its name.
func write(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Rows of each shape, made up.
const (
	humanEvalRow = `{"task_id": "Own/0", "prompt": "def inc(x):\n    \"\"\"Adds one.\"\"\"\n", "entry_point": "inc", "canonical_solution": "    return x + 1\n", "test": "def check(candidate):\n    assert candidate(1) == 2\n"}`
	packRow      = `{"task_id": "Python/0", "prompt": "def inc(x):\n    \"\"\"Adds one.\"\"\"\n", "declaration": "def inc(x):\n", "entry_point": "inc", "canonical_solution": "    return x + 1\n", "buggy_solution": "    return x - 1\n", "test": "def check(inc):\n    assert inc(1) == 2\n", "text": "Adds one."}`
	mbppRow      = `{"task_id": 11, "text": "Write a function to add one.", "code": "def inc(x):\r\n  return x + ONE", "test_list": ["assert inc(1) == 2", "assert inc(2) == 3"], "test_setup_code": "ONE = 1", "challenge_test_list": ["assert inc(0) == 7"]}`
	sanitizedRow = `{"task_id": 12, "prompt": "Write a function to take a root.", "code": "def root(x):\n  return x ** 0.5", "test_imports": ["import math"], "test_list": ["assert math.isclose(root(4), 2)"], "source_file": "x"}`
	multiRow     = `{"name": "Own_0_inc", "language": "js", "prompt": "function inc(x){\n", "tests": "assert(inc(1) === 2);", "stop_tokens": ["\nfunction "]}`
	multiBash    = `{"name": "Own_0_inc", "language": "sh", "prompt": "inc() {\n", "tests": "}\n\n[[ $(inc 1) = 2 ]]\n"}`
	multiGo      = `{"name": "Own_0_inc", "language": "go_test.go", "prompt": "package inc_test\n", "tests": "func TestInc(t *testing.T) {}\n"}`
	casesRow     = `{"id": "double", "language": "python", "cases": [{"input": "1\n", "output": 2}, {"name": "two", "stdin": ["2", "3"], "stdout": ["4"], "match": "exact", "args": ["-v"]}]}`
	callsRow     = `{"name": "inc", "buggy": "def inc(x):\n    return x", "correct": "def inc(x):\n    return x + 1", "cases": [{"input": [1], "output": 2}, {"input": ["é\"\n𝄞"], "output": null}]}`
)

func TestJobs(t *testing.T) {
	inc := "def inc(x):\n    \"\"\"Adds one.\"\"\"\n"
	tests := []struct {
		name, problem, sample, field string
		lang, code, reply, test      string
		entry, has                   string
	}{
		{name: "HumanEval", problem: humanEvalRow, sample: `{"task_id": "Own/0", "completion": "    return x"}`,
			lang: "python", code: inc + "    return x\n", test: "test_humaneval.py", entry: "inc", has: "candidate(1) == 2"},
		{name: "HumanEval, whole program", problem: humanEvalRow, sample: `{"task_id": "Own/0", "solution": "def inc(x): return x"}`,
			lang: "python", code: "def inc(x): return x", test: "test_humaneval.py", entry: "inc"},
		{name: "HumanEval, reply", problem: humanEvalRow, sample: `{"task_id": "Own/0", "response": "Sure."}`,
			lang: "python", reply: "Sure.", test: "test_humaneval.py", entry: "inc"},
		{name: "HumanEval, canonical", problem: humanEvalRow, field: "canonical_solution",
			lang: "python", code: inc + "    return x + 1\n\n", test: "test_humaneval.py", entry: "inc"},
		{name: "HumanEvalPack, buggy", problem: packRow, field: "buggy_solution",
			lang: "python", code: "def inc(x):\n    return x - 1\n\n", test: "test_humaneval.py", entry: "inc", has: "def check(inc)"},
		{name: "MBPP", problem: mbppRow, sample: `{"task_id": "11", "completion": "def inc(x): return x"}`,
			lang: "python", code: "def inc(x): return x", test: "test_mbpp.py", has: "ONE = 1\nassert inc(1) == 2\nassert inc(2) == 3\n"},
		{name: "MBPP, its own solution", problem: mbppRow, field: "code",
			lang: "python", code: "def inc(x):\r\n  return x + ONE", test: "test_mbpp.py"},
		{name: "MBPP, sanitized", problem: sanitizedRow, sample: `{"task_id": 12, "completion": "root = abs"}`,
			lang: "python", code: "root = abs", test: "test_mbpp.py", has: "import math\n\nassert math.isclose"},
		{name: "MultiPL-E", problem: multiRow, sample: `{"name": "Own_0_inc", "completions": ["  return x + 1;\n}"]}`,
			lang: "javascript", code: "function inc(x){\n  return x + 1;\n}", test: "tests.js"},
		{name: "MultiPL-E, Bash closes the function", problem: multiBash, sample: `{"name": "Own_0_inc", "completion": "echo 2"}`,
			lang: "bash", code: "inc() {\necho 2\n}", test: "tests.sh", has: "\n\n[[ $(inc 1) = 2 ]]"},
		{name: "MultiPL-E, Go", problem: multiGo, sample: `{"name": "Own_0_inc", "reply": "no"}`,
			lang: "go", reply: "no", test: "main_test.go"},
		{name: "both in one row", problem: strings.Replace(multiRow, `"stop_tokens"`, `"gpt_solution": "text", "x"`, 1),
			lang: "javascript", reply: "text", test: "tests.js"},
		{name: "function cases", problem: callsRow, field: "buggy",
			lang: "python", code: "def inc(x):\n    return x", test: "test_cases.py", has: `json.loads("[\"é\\\"\\n𝄞\"]")`},
		{name: "cases", problem: casesRow, sample: `{"id": "double", "program": "print(2 * int(input()))"}`,
			lang: "python", code: "print(2 * int(input()))"},
		{name: "cases without a language", problem: strings.Replace(casesRow, `"language": "python", `, "", 1), sample: `{"id": "double", "program": "<?php echo 1;"}`,
			lang: "php", code: "<?php echo 1;"},
		{name: "field with a form", problem: humanEvalRow, sample: `{"task_id": "Own/0", "output": "text"}`, field: "output:reply",
			lang: "python", reply: "text", test: "test_humaneval.py", entry: "inc"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			src := Source{Problems: write(t, "problems.jsonl", c.problem), Field: c.field}
			if c.sample != "" {
				src.Samples = write(t, "samples.jsonl", c.sample)
			}
			set, err := Load(src)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Tier: "process", RequireProof: "in_process", Limits: glovebox.Limits{Memory: 7}}
			job, err := set.Problems[0].Job(set.Samples[0], o)
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			if job.Program != nil {
				code = string(job.Program.Files[0].Data)
			}
			if job.Language != c.lang || code != c.code || string(job.Reply) != c.reply || job.Entry != c.entry {
				t.Errorf("language %q, code %q, reply %q, entry %q", job.Language, code, job.Reply, job.Entry)
			}
			if job.Tier != o.Tier || job.RequireProof != o.RequireProof || job.Limits.Memory != 7 {
				t.Errorf("the options are not the job's: %+v", job)
			}
			name, text := "", ""
			if len(job.Tests) == 1 {
				name, text = job.Tests[0].Path, string(job.Tests[0].Data)
			}
			if name != c.test || !strings.Contains(text, c.has) {
				t.Errorf("the tests are %q: %q", name, text)
			}
		})
	}
}

func TestCases(t *testing.T) {
	set, err := Load(Source{Problems: write(t, "p.jsonl", casesRow[:len(casesRow)-1]+`, "timeout": 30, "program": "x"}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := []glovebox.Case{{Name: "case 1", Stdin: "1\n", Stdout: "2"}, {Name: "two", Stdin: "2\n3\n", Stdout: "4\n", Match: "exact", Args: []string{"-v"}}}
	job, err := set.Problems[0].Job(set.Samples[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(job.Cases) != 2 || job.Cases[0].Stdin != want[0].Stdin || job.Cases[0].Stdout != want[0].Stdout || job.Cases[0].Name != want[0].Name ||
		job.Cases[1].Stdin != want[1].Stdin || job.Cases[1].Stdout != want[1].Stdout || job.Cases[1].Match != want[1].Match || job.Cases[1].Args[0] != "-v" {
		t.Errorf("the cases are %+v", job.Cases)
	}
	if job.Limits.Wall.Seconds() != 30 || job.Limits.CPU.Seconds() != 30 {
		t.Errorf("the problem's own time is not its limit: %+v", job.Limits)
	}
}

// TestForms reads the same rows in all the ways that files come in.
func TestFileForms(t *testing.T) {
	zip := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	second := strings.Replace(humanEvalRow, "Own/0", "Own/1", 1)
	for name, text := range map[string]string{
		"lines":                humanEvalRow + "\n" + second + "\n",
		"no end of line":       humanEvalRow + "\n" + second,
		"blank lines":          "\n\n" + humanEvalRow + "\n\n\n" + second + "\n\n",
		"CRLF":                 humanEvalRow + "\r\n" + second + "\r\n",
		"BOM":                  "\xef\xbb\xbf" + humanEvalRow + "\n" + second,
		"list":                 "[" + humanEvalRow + ",\n" + second + "]\n",
		"BOM and list":         "\xef\xbb\xbf \n[" + humanEvalRow + "," + second + "]",
		"over several lines":   strings.ReplaceAll(humanEvalRow, `", "`, "\",\n\"") + second,
		"compressed":           zip(humanEvalRow + "\n" + second),
		"compressed list, BOM": zip("\xef\xbb\xbf[" + humanEvalRow + "," + second + "]"),
	} {
		set, err := Load(Source{Problems: write(t, "p", text), Field: "canonical_solution"})
		if err != nil || len(set.Problems) != 2 || set.Problems[1].ID != "Own/1" || len(set.Samples) != 2 {
			t.Errorf("%s: %v, %+v", name, err, set)
		}
	}
}

func TestSampleNumbers(t *testing.T) {
	problems := write(t, "p", humanEvalRow+"\n"+strings.Replace(humanEvalRow, "Own/0", "Own/1", 1))
	samples := write(t, "s", `{"task_id":"Own/1","completion":"a"}
{"task_id":"Own/0","completion":"b"}
{"task_id":"Own/1","completions":["c","d"]}
{"task_id":"Own/0","completion":null}`)
	set, err := Load(Source{Problems: problems, Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range set.Samples {
		got = append(got, s.Problem+"#"+string(rune('0'+s.N))+s.Text)
	}
	if s := strings.Join(got, " "); s != "Own/0#0b Own/0#1 Own/1#0a Own/1#1c Own/1#2d" {
		t.Errorf("the samples are %s", s)
	}
	// Several rows of one problem, each with a sample.
	row := humanEvalRow[:len(humanEvalRow)-1]
	set, err = Load(Source{Problems: write(t, "p", row+`,"reply":"a"}`+"\n"+row+`,"reply":"b"}`)})
	if err != nil || len(set.Problems) != 1 || len(set.Samples) != 2 || set.Samples[1].Text != "b" {
		t.Errorf("%v, %+v", err, set)
	}
}

func TestLoadErrors(t *testing.T) {
	ok := `{"task_id":"Own/0","completion":""}`
	tests := []struct{ name, problems, samples, field, want string }{
		{"unknown shape", `{"x": 1, "y\n": 2}`, ok, "", `p.jsonl:1: the row is no problem of a known shape. It has the fields x, y\n. Known are: `},
		{"known shapes are listed", `{"x": 1}`, ok, "", "MultiPL-E (language, tests); HumanEval (test, entry_point)"},
		{"not JSON", humanEvalRow + "\nhello\n", ok, "", "p.jsonl:2: the JSON is broken"},
		{"broken in the middle", humanEvalRow + "\n{\"a\":\n\n!}\n", ok, "", "p.jsonl:4: the JSON is broken"},
		{"cut off", humanEvalRow + "\n\n{\"task_id\": \"a", ok, "", "p.jsonl:3: the row does not end"},
		{"a list that does not end", "[" + humanEvalRow, ok, "", "p.jsonl: the list does not end"},
		{"no object", "3", ok, "", "p.jsonl:1: it is a number"},
		{"null", "null", ok, "", "p.jsonl:1: it is null"},
		{"after the list", "[" + humanEvalRow + "]\n\nx", ok, "", "p.jsonl:3: \"x\" is no JSON object"},
		{"empty", "\n", ok, "", "p.jsonl: it has no rows"},
		{"no name", strings.Replace(humanEvalRow, "task_id", "other", 1), ok, "", "p.jsonl:1: the row has no name"},
		{"wrong type", strings.Replace(humanEvalRow, `"inc"`, `7`, 1), ok, "", `p.jsonl:1: field "entry_point" is not a string`},
		{"twice", humanEvalRow + "\n" + humanEvalRow, ok, "", `p.jsonl:2: there is another problem named "Own/0" at p.jsonl:1`},
		{"two that differ", humanEvalRow + "\n" + strings.Replace(humanEvalRow, "== 2", "== 3", 1), "", "canonical_solution", `p.jsonl:2: there is another problem`},
		{"no tests", strings.Replace(mbppRow, `["assert inc(1) == 2", "assert inc(2) == 3"]`, `[]`, 1), ok, "", `"test_list" is empty`},
		{"no cases", `{"id":"a","cases":[]}`, ok, "", `"cases" is empty`},
		{"no output", `{"id":"a","cases":[{"input":""}]}`, ok, "", `case 1 has no output`},
		{"match", `{"id":"a","cases":[{"input":"","output":"","match":"nearly"}]}`, ok, "", `"nearly" is not one of`},
		{"input is a structure", `{"id":"a","cases":[{"input":[1],"output":""}]}`, ok, "", `name it in entry_point`},
		{"arguments are no list", `{"id":"a","entry_point":"f","cases":[{"input":1,"output":""}]}`, ok, "", `is not the list of the arguments of f`},
		{"no function's name", `{"id":"a","entry_point":"f;g","cases":[{"input":[],"output":""}]}`, ok, "", `is not the name of a function`},
		{"calls in another language", `{"id":"a","entry_point":"f","language":"lua","cases":[{"input":[],"output":""}]}`, ok, "", `Python only, not in lua`},
		{"language", strings.Replace(multiRow, `"js"`, `"rs"`, 1), ok, "", `language "rs" is not known; there are python`},
		{"pack in another language", strings.Replace(packRow, "Python/0", "Rust/0", 1), ok, "", "HumanEvalPack in Rust is not known"},
		{"time", strings.Replace(humanEvalRow, `"test"`, `"timeout": -1, "test"`, 1), ok, "", `field "timeout" is not a number of seconds`},
		{"unknown task", humanEvalRow, "\n" + `{"task_id":"Own/7","completion":""}`, "", `s.jsonl:2: there is no problem named "Own/7" in p.jsonl`},
		{"no task", humanEvalRow, `{"completion":""}`, "", "s.jsonl:1: the row does not name its problem"},
		{"no sample", humanEvalRow, `{"task_id":"Own/0","output":""}`, "", "s.jsonl:1: the row holds no sample. It has output, task_id"},
		{"sample's type", humanEvalRow, `{"task_id":"Own/0","completion":{}}`, "", `s.jsonl:1: field "completion" is not a string`},
		{"list's type", humanEvalRow, `{"task_id":"Own/0","completions":[1]}`, "", `s.jsonl:1: field "completions" is not a list of strings`},
		{"no samples", humanEvalRow, " ", "", "1 of 1 problems have no sample, such as Own/0"},
		{"none of their own", humanEvalRow, "", "", "p.jsonl:1: there is no samples file, and the rows hold no samples of their own"},
		{"field that is not there", humanEvalRow, "", "gpt_solution", `p.jsonl:1: the row has no field "gpt_solution"; it has canonical_solution`},
		{"field of unknown form", humanEvalRow, ok, "output", `write it as output:completion`},
		{"form", humanEvalRow, ok, "output:prose", `"prose" is none of`},
		{"a task without a sample", humanEvalRow + "\n" + strings.Replace(humanEvalRow, "Own/0", "Own/1", 1), ok, "", "1 of 2 problems have no sample, such as Own/1; --partial"},
		{"long name", strings.Replace(humanEvalRow, "Own/0", strings.Repeat("x", 600), 1), ok, "", "600 bytes"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			src := Source{Problems: write(t, "p.jsonl", c.problems), Field: c.field}
			if c.samples != "" {
				src.Samples = write(t, "s.jsonl", c.samples)
			}
			set, err := Load(src)
			if err == nil {
				_, err = set.Problems[0].Job(set.Samples[0], Options{})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestPartial(t *testing.T) {
	problems := write(t, "p", humanEvalRow+"\n"+strings.Replace(humanEvalRow, "Own/0", "Own/1", 1))
	set, err := Load(Source{Problems: problems, Samples: write(t, "s", `{"task_id":"Own/1","completion":""}`), Partial: true})
	if err != nil || len(set.Problems) != 1 || set.Problems[0].ID != "Own/1" {
		t.Errorf("%v, %+v", err, set)
	}
}

func TestWrongForm(t *testing.T) {
	p := Problem{ID: "a", Kind: KindHumanEval, Language: "python"}
	if _, err := p.Job(&Sample{Form: FormPatch, Where: "s:1"}, Options{}); err == nil || !strings.Contains(err.Error(), "s:1: a patch is no sample of a humaneval problem") {
		t.Error(err)
	}
}

// FuzzLoad reads files of anything: no row may break the reader, and what it
// takes becomes a job or an error.
func FuzzLoad(f *testing.F) {
	for _, row := range []string{humanEvalRow, packRow, mbppRow, sanitizedRow, multiRow, multiBash, multiGo, casesRow, callsRow} {
		f.Add(row, row)
		f.Add("["+row+"]", `{"task_id": "Own/0", "completions": ["a", "b"]}`)
	}
	f.Add("\xef\xbb\xbf", "\x1f\x8b")
	f.Fuzz(func(t *testing.T, problems, samples string) {
		l := newLoader(Source{Samples: "s"})
		if readRows("p", strings.NewReader(problems), l.problem) != nil {
			return
		}
		if readRows("s", strings.NewReader(samples), l.sample) != nil {
			return
		}
		set, err := l.finish()
		if err != nil {
			return
		}
		for _, w := range set.Work(Options{}) {
			job, err := w.Problem.Job(w.Sample, Options{})
			if err == nil && job.Program == nil && job.Reply == "" && w.Sample.Text != "" {
				t.Errorf("%s, a %s, became nothing", w.Problem.ID, w.Sample.Form)
			}
		}
	})
}
