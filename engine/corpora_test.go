package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/corpus"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

// The tests of this file run real data through everything. They take a sample
// of the rows; GLOVEBOX_SAMPLE=all takes all, which is minutes, and -short none.
// GLOVEBOX_TIER picks a tier (process, for its speed), GLOVEBOX_ROWS limits them
// to the rows whose names match.

// corpusTier is the tier that the corpora run in.
func corpusTier() glovebox.TierName {
	if name := os.Getenv("GLOVEBOX_TIER"); name != "" {
		return glovebox.TierName(name)
	}
	return glovebox.TierProcess
}

var rowsOnly = regexp.MustCompile(os.Getenv("GLOVEBOX_ROWS"))

// atOnce is how many rows run at a time.
const atOnce = 4

// patient are limits for a busy machine.
var patient = glovebox.Limits{Wall: 30 * time.Second, CPU: 30 * time.Second}

func long(t *testing.T) *engine.Engine {
	t.Helper()
	if testing.Short() {
		t.Skip("takes minutes; -short leaves it out")
	}
	e := open(t)
	o := do(t, e, glovebox.Job{Tier: corpusTier(), Program: python("")})
	if o.Status == glovebox.StatusSandboxError {
		t.Skip(o.Message)
	}
	return e
}

// each calls f for the rows, or a sample of them, a few at a time.
func each[T any](rows []T, f func(T)) {
	rows = sample.Some(rows, 24)
	limit := make(chan bool, atOnce)
	var all sync.WaitGroup
	for _, r := range rows {
		all.Go(func() {
			limit <- true
			defer func() { <-limit }()
			f(r)
		})
	}
	all.Wait()
}

// reply is a row of the corpus of real replies. Python's rows have other names
// for the same things.
type reply struct {
	Name, TaskID string
	Tests, Test  string
	Entry        string
	Text         string
}

func (r *reply) UnmarshalJSON(b []byte) error {
	var row struct {
		Name   string `json:"name"`
		TaskID string `json:"task_id"`
		Tests  string `json:"tests"`
		Test   string `json:"test"`
		Entry  string `json:"entry_point"`
		Text   string `json:"gpt_solution"`
	}
	if err := json.Unmarshal(b, &row); err != nil {
		return err
	}
	*r = reply{Name: cmp.Or(row.Name, row.TaskID), Tests: row.Tests + row.Test, Entry: row.Entry, Text: row.Text}
	return nil
}

var fence = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\\z)")

// code is the reply's code, found in the plainest way.
func (r reply) code() string {
	if m := fence.FindStringSubmatch(r.Text); m != nil {
		return m[1]
	}
	return r.Text
}

var ownTest = regexp.MustCompile(`(?m)^func (Test\w*)\(`)

// replyCorpora says, for each language, how its rows are tested with Glovebox
// and how the same program and tests run by themselves.
var replyCorpora = []struct {
	lang   *language.Language
	suffix string
	test   string // the name of the test file
	// adapt makes a test file of the corpus's tests, which are the end of a
	// program.
	adapt func(tests string) string
	// alone is the whole program, and argv runs it.
	alone func(r reply) string
	file  string
	argv  []string
	// wants are modules that the tests need.
	wants []string
	// differ are rows that cannot agree, and why.
	differ map[string]string
}{
	{lang: language.Python, suffix: "python", test: "test_humaneval.py", file: "main.py", argv: []string{"python3", "main.py"},
		alone:  func(r reply) string { return r.code() + "\n" + r.Tests + "\ncheck(" + r.Entry + ")\n" },
		differ: map[string]string{"HumanEval/51": "its main block runs doctest.testmod on a docstring that doctest refuses; the tests import the program, so they do not run its main block"}},
	{lang: language.JavaScript, suffix: "js", test: "tests.js", file: "main.js", argv: []string{"node", "main.js"}, alone: plain},
	{lang: language.TypeScript, suffix: "ts", test: "tests.ts", file: "main.js", argv: []string{"node", "main.js"}, alone: func(r reply) string {
		out := api.Transform(plain(r), api.TransformOptions{Loader: api.LoaderTS})
		if len(out.Errors) > 0 {
			return "throw new Error('it does not parse')"
		}
		return string(out.Code)
	}, differ: map[string]string{"HumanEval_162_string_to_md5": "it uses import and its tests use require, which node refuses in one file"}},
	{lang: language.PHP, suffix: "php", test: "tests.php", file: "main.php", argv: []string{"php", "main.php"}, alone: func(r reply) string {
		return strings.TrimSuffix(strings.TrimSpace(r.code()), "?>") + "\n" + r.Tests
	}},
	{lang: language.Bash, suffix: "sh", test: "tests.sh", file: "main.sh", argv: []string{"bash", "main.sh"}, adapt: noBrace,
		alone: func(r reply) string { return r.code() + "\n" + noBrace(r.Tests) }},
	{lang: language.Go, suffix: "go", test: "main_test.go", file: "main_test.go", argv: []string{"go", "test", "./..."},
		// Many replies bring tests of their own, of the same names, which go
		// test would run in place of the corpus's, or refuse.
		alone: func(r reply) string {
			code := r.code()
			for _, name := range ownTest.FindAllStringSubmatch(code, -1) {
				code = regexp.MustCompile(`\b`+name[1]+`\b`).ReplaceAllString(code, "own"+name[1])
			}
			return code + "\n" + r.Tests
		}, differ: map[string]string{"HumanEval_85_add": "its tests use fmt, which the reply does not import; tests without imports have those that they use"}},
	{lang: language.Ruby, suffix: "rb", test: "main_test.rb", file: "main.rb", argv: []string{"ruby", "main.rb"}, alone: plain,
		wants: []string{"ruby", "-e", "require 'test/unit'; exit! 0"}},
	{lang: language.Perl, suffix: "pl", test: "main_test.t", file: "main.pl", argv: []string{"perl", "main.pl"}, alone: plain,
		wants: []string{"perl", "-MTest::Deep", "-e", "1"}},
	{lang: language.Lua, suffix: "lua", test: "main_test.lua", file: "main.lua", argv: []string{"lua5.4", "main.lua"}, alone: plain,
		wants: []string{"lua5.4", "-e", "require('luaunit')"}},
}

func tail(s string) string { return s[max(0, len(s)-500):] }

func plain(r reply) string { return r.code() + "\n" + r.Tests }

// noBrace drops the brace that ends the completion of a function.
func noBrace(tests string) string { return strings.TrimPrefix(strings.TrimSpace(tests), "}") }

// TestReplies runs every real reply through extraction, check and tests, and
// beside that the same program with the same tests by itself, in plain
// bubblewrap with nothing of ours. Whether it passes must agree.
func TestReplies(t *testing.T) {
	e := long(t)
	for _, c := range replyCorpora {
		t.Run(c.lang.Name, func(t *testing.T) {
			need(t, e, c.lang)
			bare := newBubble(t, c.wants)
			rows := corpus.Rows[reply](t, "replies/humaneval-"+c.suffix+".jsonl.gz")
			var mu sync.Mutex
			statuses, proofs := map[glovebox.Status]int{}, map[glovebox.Proof]int{}
			var total, agree int
			each(rows, func(r reply) {
				if !rowsOnly.MatchString(r.Name) {
					return
				}
				tests := r.Tests
				if c.adapt != nil {
					tests = c.adapt(tests)
				}
				o := do(t, e, glovebox.Job{
					Reply: glovebox.Reply(r.Text), Language: c.lang.Name, Entry: r.Entry, Tier: corpusTier(), Limits: patient,
					Tests: []glovebox.File{{Path: c.test, Data: []byte(tests)}},
				})
				alone, said := bare.run(t, c.file, c.alone(r), c.argv)
				mu.Lock()
				defer mu.Unlock()
				total++
				statuses[o.Status]++
				if o.Status == glovebox.StatusPass {
					proofs[o.Tests.Proof]++
				}
				if (o.Status == glovebox.StatusPass) == alone {
					agree++
				} else if why, known := c.differ[r.Name]; known {
					t.Logf("%s differs: %s", r.Name, why)
				} else {
					t.Errorf("%s: %s (%s), by itself %t\nsaid: %s\nfeedback: %.800s", r.Name, o.Status, o.Message, alone, tail(said), o.Feedback)
				}
			})
			t.Logf("| %s | %d | %d | %d | %v | %v |", c.lang.Title, total, statuses[glovebox.StatusPass], agree, counts(statuses), counts(proofs))
		})
	}
}

func counts[K ~string](m map[K]int) string {
	b, _ := json.Marshal(m)
	return strings.NewReplacer("{", "", "}", "", `"`, "", ",", ", ", ":", " ").Replace(string(b))
}

// bubble runs programs in plain bubblewrap: a read-only root, nothing of ours.
type bubble struct{ args []string }

func newBubble(t *testing.T, wants []string) *bubble {
	t.Helper()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap, which runs the programs by themselves, is not installed")
	}
	b := &bubble{args: []string{bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"}}
	if out, err := exec.Command(b.args[0], append(b.args[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("bubblewrap does not work for this user: %v: %s", err, out)
	}
	if len(wants) > 0 {
		if out, err := exec.Command(wants[0], wants[1:]...).CombinedOutput(); err != nil {
			t.Skipf("what the tests need is not installed: %v: %s", wants, out)
		}
	}
	return b
}

// run writes a program to a folder that the box may write to, and tells whether
// it ended with exit code 0.
func (b *bubble) run(t *testing.T, file, code string, argv []string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string(nil), b.args...)
	args = append(args, "--bind", dir, dir, "--chdir", dir)
	if argv[0] == "go" {
		cache := goCache(t)
		args = append(args, "--bind", cache, cache, "--setenv", "GOCACHE", cache, "--setenv", "GOFLAGS", "-mod=mod", "--setenv", "GOPROXY", "off")
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module alone\n\ngo 1.22\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		argv = append(argv, "-vet=off")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], append(append(args[1:], "--"), argv...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{&out}, &bounded{&out}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return err == nil, out.String()
}

// goCache is a build cache that only the programs of the tests write to.
func goCache(t *testing.T) string {
	goCacheOnce.Do(func() {
		dir, err := os.MkdirTemp("", "glovebox-test-gocache-")
		if err != nil {
			t.Fatal(err)
		}
		goCacheDir = dir
	})
	return goCacheDir
}

var (
	goCacheOnce sync.Once
	goCacheDir  string
)

type bounded struct{ b *bytes.Buffer }

func (w *bounded) Write(p []byte) (int, error) {
	if room := 64<<10 - w.b.Len(); room > 0 {
		w.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func TestMain(m *testing.M) {
	os.Exit(statictest.Main(cleanUp{m}))
}

// cleanUp removes what the tests of this package share.
type cleanUp struct{ *testing.M }

func (c cleanUp) Run() int {
	code := c.M.Run()
	closeShared()
	if os.Getenv("GLOVEBOX_BATCH") != "" && shares.Load() == 0 {
		fmt.Fprintln(os.Stderr, "FAIL: no box shared a kernel with others of GLOVEBOX_BATCH")
		code = 1
	}
	if goCacheDir != "" {
		os.RemoveAll(goCacheDir)
	}
	return code
}

// TestHumanEval runs the canonical solutions: all pass, with proof.
func TestHumanEval(t *testing.T) {
	e := long(t)
	type row struct {
		TaskID   string `json:"task_id"`
		Prompt   string `json:"prompt"`
		Entry    string `json:"entry_point"`
		Solution string `json:"canonical_solution"`
		Test     string `json:"test"`
	}
	each(corpus.Rows[row](t, "humaneval/HumanEval.jsonl.gz"), func(r row) {
		o := do(t, e, glovebox.Job{
			Program: python(r.Prompt + r.Solution), Entry: r.Entry, Tier: corpusTier(), Limits: patient,
			Tests: []glovebox.File{{Path: "test_humaneval.py", Data: []byte(r.Test)}}, RequireProof: glovebox.ProofOutOfProcess,
		})
		if o.Status != glovebox.StatusPass || o.Tests.Proof != glovebox.ProofOutOfProcess {
			t.Errorf("%s: %s (%s)", r.TaskID, o.Status, o.Message)
		}
	})
}

// TestHumanEvalPack runs canonical and buggy solutions: all of the ones pass,
// none of the others.
func TestHumanEvalPack(t *testing.T) {
	e := long(t)
	type row struct {
		TaskID      string `json:"task_id"`
		Declaration string `json:"declaration"`
		Prompt      string `json:"prompt"`
		Entry       string `json:"entry_point"`
		Canonical   string `json:"canonical_solution"`
		Buggy       string `json:"buggy_solution"`
		Test        string `json:"test"`
	}
	each(corpus.Rows[row](t, "repair/humanevalpack-python.jsonl.gz"), func(r row) {
		for _, c := range []struct {
			name, body string
			pass       bool
		}{{"canonical", r.Canonical, true}, {"buggy", r.Buggy, false}} {
			o := do(t, e, glovebox.Job{
				Program: python(r.Declaration + c.body), Entry: r.Entry, Tier: corpusTier(), Limits: patient,
				Tests: []glovebox.File{{Path: "test_humaneval.py", Data: []byte(r.Test)}},
			})
			if (o.Status == glovebox.StatusPass) != c.pass || o.Status == glovebox.StatusSandboxError {
				t.Errorf("%s, %s: %s (%s)\n%.600s", r.TaskID, c.name, o.Status, o.Message, o.Feedback)
			} else if c.pass && o.Tests.Proof != glovebox.ProofOutOfProcess {
				t.Errorf("%s, %s: proof %s", r.TaskID, c.name, o.Tests.Proof)
			}
		}
	})
}

// slow are programs that take minutes even when they are right.
var slow = map[string]bool{"knapsack": true, "levenshtein": true}

// TestQuixBugs runs correct and buggy programs, each case an assertion.
func TestQuixBugs(t *testing.T) {
	e := long(t)
	type row struct {
		Name    string `json:"name"`
		Buggy   string `json:"buggy"`
		Correct string `json:"correct"`
		Cases   []struct {
			Input  json.RawMessage `json:"input"`
			Output json.RawMessage `json:"output"`
		} `json:"cases"`
	}
	each(corpus.Rows[row](t, "repair/quixbugs.jsonl.gz"), func(r row) {
		var tests strings.Builder
		fmt.Fprintf(&tests, "import json\nfrom solution import %s\ndef plain(v):\n    return json.loads(json.dumps(list(v) if hasattr(v, '__next__') else v))\n", r.Name)
		for i, c := range r.Cases {
			fmt.Fprintf(&tests, "def test_%d():\n    assert plain(%s(*json.loads(%q))) == json.loads(%q)\n", i, r.Name, c.Input, c.Output)
		}
		for _, c := range []struct {
			name, code string
			pass       bool
		}{{"correct", r.Correct, true}, {"buggy", r.Buggy, false}} {
			limits := patient
			if slow[r.Name] || !c.pass {
				limits.Wall = 5 * time.Second
			}
			o := do(t, e, glovebox.Job{
				Program: python(c.code), Tier: corpusTier(), Limits: limits,
				Tests: []glovebox.File{{Path: "test_quixbugs.py", Data: []byte(tests.String())}},
			})
			passed := o.Status == glovebox.StatusPass
			if slow[r.Name] && c.pass && o.Status == glovebox.StatusTimeout {
				continue
			}
			if passed != c.pass || o.Status == glovebox.StatusSandboxError {
				t.Errorf("%s, %s: %s (%s)\n%.600s", r.Name, c.name, o.Status, o.Message, o.Feedback)
			}
		}
	})
}
