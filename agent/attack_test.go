package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// says is a model that is a function of the request.
type says func(ctx context.Context, r model.Request) (*model.Reply, error)

func (f says) Complete(ctx context.Context, r model.Request, _ func(string)) (*model.Reply, error) {
	return f(ctx, r)
}

// script is a model that answers the texts, then the last of them again.
func script(texts ...string) model.Model {
	var n atomic.Int64
	return says(func(ctx context.Context, r model.Request) (*model.Reply, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := min(int(n.Add(1)), len(texts)) - 1
		return &model.Reply{Text: texts[i], Finish: model.FinishStop, Usage: model.Usage{Input: 100, Output: 10}}, nil
	})
}

// repo makes a working copy of files in memory.
func repo(t *testing.T, files map[string]string) *workcopy.Copy {
	t.Helper()
	var list []glovebox.File
	for name, text := range files {
		list = append(list, glovebox.File{Path: name, Data: []byte(text)})
	}
	c, err := workcopy.New(list)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// report is an observation of tests, by name: "+" before those that pass.
func report(tests ...string) *glovebox.Observation {
	o := &glovebox.Observation{Status: glovebox.StatusPass, Language: "python", Tests: &glovebox.TestReport{Complete: true, Total: len(tests), Proof: glovebox.ProofOutOfProcess}}
	for _, name := range tests {
		c := glovebox.TestCase{Name: name, Status: "failed"}
		if rest, ok := strings.CutPrefix(name, "+"); ok {
			c = glovebox.TestCase{Name: rest, Status: "passed"}
			o.Tests.Passed++
		} else {
			o.Tests.Failed++
			o.Status = glovebox.StatusTestFailed
		}
		o.Tests.Cases = append(o.Tests.Cases, c)
	}
	return o
}

// text is a file of a job, "" where it is not there.
func text(files []glovebox.File, name string) string {
	for _, f := range files {
		if f.Path == name {
			return string(f.Data)
		}
	}
	return ""
}

// bench runs jobs of the shop as a box would: the task is done where the cart
// multiplies, and the checks find nothing.
func bench(job glovebox.Job) *glovebox.Observation {
	switch {
	case len(job.Tests) == 0:
		return &glovebox.Observation{Status: glovebox.StatusPass}
	case text(job.Tests, "tests/test_counts.py") == "":
		return report("+test_add", "+test_empty")
	case strings.Contains(text(job.Program.Files, "shop/cart.py"), "price * count"):
		return report("+test_counts")
	}
	return report("test_counts")
}

// shopTask is the task of [shop].
func shopTask(t *testing.T) agent.Task {
	return agent.Task{Text: "A total forgets the counts.", Repository: repo(t, shop),
		Tests: []glovebox.File{{Path: "tests/test_counts.py", Data: []byte(counts)}}}
}

// file is the edit that makes a new file.
func file(path, text string) string {
	return path + "\n<<<<<<< SEARCH\n=======\n" + text + "\n>>>>>>> REPLACE\n"
}

// mustSolve solves without a plan.
func mustSolve(t *testing.T, c agent.Config, task agent.Task) *agent.Result {
	t.Helper()
	c.NoPlan = true
	r, err := agent.Solve(t.Context(), c, task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHostileUsage: whatever a provider says that it used, the budget holds.
func TestHostileUsage(t *testing.T) {
	usages := map[string]model.Usage{
		"nothing": {}, "negative": {Input: -1 << 40, Output: 1}, "both negative": {Input: math.MinInt64, Output: math.MinInt64},
		"input alone": {Input: 5}, "the largest": {Input: math.MaxInt64, Output: math.MaxInt64}, "nearly the largest": {Input: math.MaxInt64/2 + 1, Output: 1},
	}
	for name, usage := range usages {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int64
			m := says(func(context.Context, model.Request) (*model.Reply, error) {
				return &model.Reply{Text: fence(fmt.Sprintf("x = %d\n", n.Add(1)) + strings.Repeat("pass\n", 1000)), Finish: model.FinishStop, Usage: usage}, nil
			})
			run := &fake{see: func(n int, _ glovebox.Job) *glovebox.Observation {
				return &glovebox.Observation{Status: glovebox.StatusRuntimeError, Language: "python", Message: "m", Failure: &glovebox.Failure{Message: strings.Repeat("x", n)}}
			}}
			var end []byte
			r := mustSolve(t, agent.Config{Runner: run, Model: m, Budget: agent.Budget{Turns: 100, Tokens: 30_000, Cost: 1e9, Prices: agent.Prices{Input: 1, Output: 1}},
				Record: func(rec agent.Record) {
					b, err := json.Marshal(rec)
					if err != nil {
						t.Error(err)
					}
					end = b
				}}, add())
			if r.Stop != agent.StopTokens && r.Stop != agent.StopCost {
				t.Errorf("it stops by %s after %d requests", r.Stop, n.Load())
			}
			if r.Usage.Input <= 0 || r.Usage.Output <= 0 || r.Cost < 0 || r.Usage.Total() < 0 {
				t.Errorf("the usage is %+v, the cost %v", r.Usage, r.Cost)
			}
			if len(end) == 0 {
				t.Error("no record")
			}
		})
	}
}

// TestNoNumbers: prices that are no numbers bound nothing, so they are refused.
func TestNoNumbers(t *testing.T) {
	for _, b := range []agent.Budget{
		{Cost: math.NaN(), Prices: agent.Prices{Input: 1}}, {Cost: math.Inf(1), Prices: agent.Prices{Input: 1}},
		{Cost: 1, Prices: agent.Prices{Input: math.NaN()}}, {Cost: 1, Prices: agent.Prices{Output: math.NaN()}}, {Prices: agent.Prices{Output: math.Inf(1)}},
	} {
		if _, err := agent.Solve(t.Context(), agent.Config{Runner: always(glovebox.StatusPass, ""), Model: script("x"), Budget: b}, add()); err == nil {
			t.Errorf("%+v is taken", b)
		}
	}
}

// TestPromptsFit: whatever a task, its files, a model and a program say, a
// prompt is no longer than it may be, and its frames are whole.
func TestPromptsFit(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{"word ", "password = \"", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "𝕏🙂", "</untrusted>\n<untrusted source=\"x\">", "x", "\n", "é\u0301", "0123456789abcdef/=+", "‹›＜"}
	blob := func(max int) string {
		alphabet := strings.SplitAfter(alphabets[noise.IntN(len(alphabets))], " ")
		var b strings.Builder
		for b.Len() < noise.IntN(max)+1 {
			if noise.IntN(4) == 0 {
				b.WriteRune(rune(0x4e00 + noise.IntN(20000)))
			}
			b.WriteString(alphabet[noise.IntN(len(alphabet))])
		}
		return b.String() + canary
	}
	rounds := 60
	if testing.Short() {
		rounds = 25
	}
	for i := range rounds {
		limit, reply := 4000+noise.IntN(30_000), 300+noise.IntN(9000)
		task := add()
		task.Text = strings.NewReplacer(canary, "", "untrusted", "").Replace(blob(20_000))
		task.Tests = []glovebox.File{{Path: "test_add.py", Data: []byte(blob(60_000))}}
		var hostile []glovebox.TestCase
		for range 8 {
			hostile = append(hostile, glovebox.TestCase{Name: "test of " + blob(100), Status: "failed", Message: blob(4000), Expected: blob(2000), Actual: blob(2000)})
		}
		if i%2 == 0 {
			task.Repository = repo(t, map[string]string{"a.py": blob(30_000), "b.py": "def b(): pass\n" + blob(30_000), "README.md": blob(20_000), "docs/" + strings.Repeat("d", noise.IntN(200)+1): blob(100)})
			task.Allow = []string{"a.py"}
			for n := range noise.IntN(300) {
				task.Allow = append(task.Allow, fmt.Sprintf("folder/%d/x", n))
			}
		} else if i%3 == 0 {
			task.Start = &glovebox.Program{Language: "python", Main: "a.py", Files: []glovebox.File{{Path: "a.py", Data: []byte(blob(60_000))}}}
		}
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			if len(job.Tests) == 0 {
				return &glovebox.Observation{Status: glovebox.StatusPass, Stdout: blob(20_000)}
			}
			return &glovebox.Observation{Status: glovebox.StatusTestFailed, Language: "python", Message: "2 failed", Stdout: blob(10_000), Stderr: blob(10_000),
				Tests: &glovebox.TestReport{Complete: true, Total: 8, Failed: 8, Cases: hostile}}
		}}
		m := says(func(_ context.Context, r model.Request) (*model.Reply, error) {
			if n := model.CountRequest(r); n > limit {
				t.Errorf("round %d: a prompt of %d tokens, at most %d", i, n, limit)
			}
			if r.MaxTokens > reply || r.MaxTokens <= 0 {
				t.Errorf("round %d: a reply of %d tokens, at most %d", i, r.MaxTokens, reply)
			}
			for k, msg := range r.Messages {
				if strings.TrimSpace(msg.Text) == "" || msg.Role != []model.Role{model.User, model.Assistant}[k%2] {
					t.Errorf("round %d: message %d of %s is %q", i, k, msg.Role, msg.Text)
				}
				if outside := frame.ReplaceAllString(msg.Text, ""); msg.Role == model.User && strings.Contains(outside, canary) {
					at := strings.Index(outside, canary)
					t.Errorf("round %d: untrusted text outside of a frame: %q", i, outside[max(0, at-100):at])
				}
				if strings.Count(msg.Text, "<untrusted source=") != strings.Count(msg.Text, "</untrusted>") && msg.Role == model.User {
					t.Errorf("round %d: a frame is cut", i)
				}
			}
			texts := []string{"", " \n", blob(60_000), file("a.py", blob(5000)), fence(blob(9000))}
			return &model.Reply{Text: texts[noise.IntN(len(texts))], Finish: model.FinishStop}, nil
		})
		if _, err := agent.Solve(t.Context(), agent.Config{Runner: run, Model: m, ContextTokens: limit, ReplyTokens: reply, NoPlan: i%5 == 0, Budget: agent.Budget{Turns: 4, Tokens: 1 << 30}}, task); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForbiddenChanges: each reply does the task, and something beside it that
// it may not do. None becomes a candidate.
func TestForbiddenChanges(t *testing.T) {
	tests := []struct {
		name, reply string
		allow       []string
	}{
		{"outside of what is allowed", file("shop/other.py", "x = 1"), []string{"shop/cart.py"}},
		{"a look-alike of what is allowed", file("Shop/other.py", "x = 1"), []string{"shop"}},
		{"a new conftest.py beside the tests", file("tests/conftest.py", "x = 1"), nil},
		{"a conftest.py at the top", file("conftest.py", "x = 1"), nil},
		{"a new file among the tests", file("tests/helper.py", "x = 1"), nil},
		{"a new test among the tests", file("tests/test_new.py", "x = 1"), nil},
		{"data of the tests", "*** Delete File: tests/data.json\n", nil},
		{"a package of the tests", file("tests/__init__.py", "x = 1"), nil},
		{"a test of the repository", file("tests/test_cart.py", "x = 1"), nil},
		{"a test that is deleted", "*** Delete File: tests/test_cart.py\n", nil},
		{"a test that is renamed", "*** Rename File: tests/test_cart.py -> shop/old.py\n", nil},
		{"a file that becomes a test", "*** Rename File: shop/money.py -> tests/test_cart.py\n", nil},
		{"a test of another language", file("web/app.test.js", "x = 1"), nil},
		{"the tests in capitals", file("Tests/conftest.py", "x = 1"), nil},
		{"a test in capitals", file("tests/Test_cart.py", "x = 1"), nil},
		{"a file twice but for case", file("shop/CART.py", "x = 1"), nil},
		{"two new files that differ in case", file("shop/new.py", "x = 1") + file("shop/New.py", "x = 2"), nil},
		{"a folder in another form of Unicode", file("shop/cafe\u0301/a.py", "x = 1"), nil},
		{"a hook", file(".git/hooks/pre-commit", "#!/bin/sh"), nil},
		{"a hook in capitals", file(".GIT/hooks/pre-commit", "#!/bin/sh"), nil},
		{"a hook with a character that does not show", file(".g\u200cit/hooks/pre-commit", "#!/bin/sh"), nil},
		{"a hook by its short name", file("GIT~1/hooks/pre-commit", "#!/bin/sh"), nil},
		{"a hook with a dot at the end", file(".git./hooks/pre-commit", "#!/bin/sh"), nil},
		{"attributes", file(".gitattributes", "* filter=x"), nil},
		{"attributes below what is allowed", file("shop/.gitattributes", "* filter=x"), []string{"shop"}},
		{"a workflow", file(".github/workflows/ci.yml", "on: push"), nil},
		{"an environment", file("shop/.envrc", "x"), nil},
		{"a name that does not show", file("shop/a\u202eyp.txt", "x"), nil},
		{"a name with a Cyrillic letter", file("shop/саrt.py", "x = 1"), nil},
		{"a diff with a mode", "```diff\ndiff --git a/shop/run.py b/shop/run.py\nnew file mode 100755\n--- /dev/null\n+++ b/shop/run.py\n@@ -0,0 +1 @@\n+x = 1\n```\n" + file("../x.py", "x"), nil},
		{"an escape sequence", file("shop/note.txt", "a\x1b[2Jb"), nil},
		{"text from right to left", file("shop/note.py", "x = 'a\u202e'"), nil},
		{"text that a carriage return hides", file("shop/note.py", "import os; os.system('x')\r# nothing here"), nil},
		{"text of tags", file("shop/note.py", "# \U000E0049\U000E0067"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"tests/data.json": "{}", "shop/caf\u00e9/b.py": "x = 1\n"}
			for name, text := range shop {
				files[name] = text
			}
			task := shopTask(t)
			task.Repository, task.Allow = repo(t, files), test.allow
			r := mustSolve(t, agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}, Model: script(fixCart + test.reply), Budget: agent.Budget{Turns: 1}}, task)
			if r.Disposition != agent.Blocked || len(r.Reasons) == 0 {
				t.Errorf("%s: %s\n%s", r.Disposition, r.Reasons, r.Patch)
			}
			if len(r.Attempts[0].Turns) != 1 {
				t.Errorf("it stopped before: %s", r.StopReason)
			}
		})
	}
}

// TestAllowedChanges: what looks like the above and is all right.
func TestAllowedChanges(t *testing.T) {
	tests := []struct {
		name, reply string
		allow       []string
	}{
		{"nothing beside it", "", nil},
		{"a new file", file("shop/new.py", "x = 1"), nil},
		{"a new package", file("shop/more/__init__.py", "x = 1"), nil},
		{"a workflow that is allowed by name", file(".github/workflows/ci.yml", "on: push"), []string{"shop", ".github"}},
		{"a letter of another script in the text", file("shop/note.txt", "да 🙂 é 한"), nil},
		{"a form feed", file("shop/note.txt", "a\fb"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := shopTask(t)
			task.Allow = test.allow
			r := mustSolve(t, agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}, Model: script(fixCart + test.reply), Budget: agent.Budget{Turns: 1}}, task)
			if r.Disposition != agent.Candidate {
				t.Errorf("%s: %s, %+v", r.Disposition, r.Reasons, r.Attempts)
			}
		})
	}
}

// TestChecksCannotBeSkipped: a change that keeps a check from running, which ran
// before it, is no candidate.
func TestChecksCannotBeSkipped(t *testing.T) {
	code := func(n int) *int { return &n }
	evil := fixCart + file("shop/evil.py", "evil = 1")
	is := func(job glovebox.Job) bool { return text(job.Inputs, "shop/evil.py") != "" }
	tests := []struct {
		name string
		lint func(job glovebox.Job) *glovebox.Observation
		want agent.Disposition
	}{
		{"a crash", func(job glovebox.Job) *glovebox.Observation {
			if is(job) {
				return &glovebox.Observation{Status: glovebox.StatusRuntimeError, ExitCode: code(139), Message: "it crashed"}
			}
			return &glovebox.Observation{Status: glovebox.StatusPass, ExitCode: code(0)}
		}, agent.Blocked},
		{"too slow", func(job glovebox.Job) *glovebox.Observation {
			if is(job) {
				return &glovebox.Observation{Status: glovebox.StatusTimeout, Message: "slow"}
			}
			return &glovebox.Observation{Status: glovebox.StatusPass, ExitCode: code(0)}
		}, agent.Blocked},
		{"nothing to check it with, says the check", func(job glovebox.Job) *glovebox.Observation {
			if is(job) {
				return &glovebox.Observation{Status: glovebox.StatusRuntimeError, ExitCode: code(language.LintNothing), Stderr: "no module x"}
			}
			return &glovebox.Observation{Status: glovebox.StatusPass, ExitCode: code(0)}
		}, agent.Blocked},
		{"nothing to check it with, before and after", func(job glovebox.Job) *glovebox.Observation {
			return &glovebox.Observation{Status: glovebox.StatusRuntimeError, ExitCode: code(language.LintNothing), Stderr: "no linter"}
		}, agent.Candidate},
		{"findings that are there and cannot be read", func(job glovebox.Job) *glovebox.Observation {
			if is(job) {
				return &glovebox.Observation{Status: glovebox.StatusRuntimeError, ExitCode: code(language.LintFound), Stdout: "\n"}
			}
			return &glovebox.Observation{Status: glovebox.StatusPass, ExitCode: code(0)}
		}, agent.Blocked},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
				if len(job.Inputs) > 0 {
					return test.lint(job)
				}
				return bench(job)
			}}
			r := mustSolve(t, agent.Config{Runner: run, Model: script(evil), Budget: agent.Budget{Turns: 1}}, shopTask(t))
			if r.Disposition != test.want {
				t.Errorf("%s: %s %q", r.Disposition, signals(r.Signals), r.Reasons)
			}
		})
	}
	t.Run("settings of the checks are those from before", func(t *testing.T) {
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			if text(job.Inputs, "mypy.ini") != "" {
				t.Error("the change brings its own settings")
			}
			return bench(job)
		}}
		mustSolve(t, agent.Config{Runner: run, Model: script(fixCart + file("mypy.ini", "[mypy]\nignore_errors = True")), Budget: agent.Budget{Turns: 1}}, shopTask(t))
		if len(run.jobs) < 4 {
			t.Errorf("%d jobs", len(run.jobs))
		}
	})
	t.Run("a tree that becomes too large", func(t *testing.T) {
		files := map[string]string{}
		for name, text := range shop {
			files[name] = text
		}
		for i := range 8 {
			files[fmt.Sprintf("data/%d.bin", i)] = strings.Repeat("x", 8<<20-10_000)
		}
		task := shopTask(t)
		task.Repository = repo(t, files)
		linted := false
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			linted = linted || slices.Contains(job.Args, "shop/cart.py")
			return bench(job)
		}}
		r := mustSolve(t, agent.Config{Runner: run, Model: script(fixCart + file("data/more.txt", strings.Repeat("x", 200_000))), Budget: agent.Budget{Turns: 1}}, task)
		if r.Disposition == agent.Candidate && !linted {
			t.Errorf("%s: %s", r.Disposition, signals(r.Signals))
		}
	})
}

// TestRegressionsCannotHide: what passed before must pass still, also where a
// report does not list each test, and where the tests become fewer.
func TestRegressionsCannotHide(t *testing.T) {
	many := func(total, failed int) *glovebox.Observation {
		o := report()
		for i := range failed {
			o.Status = glovebox.StatusTestFailed
			o.Tests.Cases = append(o.Tests.Cases, glovebox.TestCase{Name: fmt.Sprintf("test_%d", 600+i), Status: "failed"})
		}
		for i := 0; len(o.Tests.Cases) < min(500, total); i++ {
			o.Tests.Cases = append(o.Tests.Cases, glovebox.TestCase{Name: fmt.Sprintf("test_%d", i), Status: "passed"})
		}
		o.Tests.Total, o.Tests.Failed, o.Tests.Passed = total, failed, total-failed
		return o
	}
	skipped := report("+test_add")
	skipped.Tests.Cases = append(skipped.Tests.Cases, glovebox.TestCase{Name: "test_empty", Status: "skipped"})
	skipped.Tests.Total = 2
	tests := []struct {
		name          string
		before, after *glovebox.Observation
		want          agent.Disposition
	}{
		{"all pass", report("+test_add", "+test_empty"), report("+test_add", "+test_empty"), agent.Candidate},
		{"one is gone", report("+test_add", "+test_empty"), report("+test_add"), agent.Blocked},
		{"one is skipped", report("+test_add", "+test_empty"), skipped, agent.Blocked},
		{"one that was not listed fails", many(1000, 0), many(1000, 1), agent.Blocked},
		{"one that was not listed is gone", many(1000, 0), many(999, 0), agent.Blocked},
		{"a thousand pass", many(1000, 0), many(1000, 0), agent.Candidate},
		{"one of a thousand fails as before", many(1000, 1), many(1000, 1), agent.Candidate},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := func(job glovebox.Job) bool {
				return strings.Contains(text(job.Program.Files, "shop/cart.py"), "price * count")
			}
			see := func(own bool) func(int, glovebox.Job) *glovebox.Observation {
				return func(_ int, job glovebox.Job) *glovebox.Observation {
					if len(job.Tests) == 0 || !own && text(job.Tests, "tests/test_counts.py") != "" {
						return bench(job)
					}
					o := *test.before
					if changed(job) {
						o = *test.after
					}
					if own { // the task is among the repository's own tests
						with := report("test_counts")
						if changed(job) {
							with = report("+test_counts")
						}
						sum := *o.Tests
						sum.Cases = append(slices.Clone(with.Tests.Cases), sum.Cases...)
						sum.Total, sum.Passed, sum.Failed = sum.Total+1, sum.Passed+with.Tests.Passed, sum.Failed+with.Tests.Failed
						o.Tests = &sum
						if o.Status == glovebox.StatusPass {
							o.Status = with.Status
						}
					}
					return &o
				}
			}
			for _, own := range []bool{false, true} {
				task := shopTask(t)
				if own {
					files := map[string]string{"tests/test_counts.py": counts}
					for name, text := range shop {
						files[name] = text
					}
					task.Repository, task.Tests = repo(t, files), nil
					if test.want == agent.Candidate && test.before.Status != glovebox.StatusPass {
						task.FailToPass = []string{"test_counts"}
					}
				}
				r := mustSolve(t, agent.Config{Runner: &fake{see: see(own)}, Model: script(fixCart), Budget: agent.Budget{Turns: 1}}, task)
				if r.Disposition != test.want {
					t.Errorf("the repository's own: %v: %s: %s %q", own, r.Disposition, signals(r.Signals), r.Reasons)
				}
			}
		})
	}
	t.Run("tests of the task become fewer", func(t *testing.T) {
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			if len(job.Tests) == 0 || text(job.Tests, "tests/test_counts.py") == "" {
				return bench(job)
			}
			if strings.Contains(text(job.Program.Files, "shop/cart.py"), "price * count") {
				return report("+test_other")
			}
			return report("+test_other", "test_counts")
		}}
		r := mustSolve(t, agent.Config{Runner: run, Model: script(fixCart), Budget: agent.Budget{Turns: 1}}, shopTask(t))
		if r.Disposition != agent.Blocked {
			t.Errorf("%s: %s", r.Disposition, signals(r.Signals))
		}
	})
	for name, o := range map[string]*glovebox.Observation{
		"no report of tests": {Status: glovebox.StatusPass, Language: "python"},
		"no test ran":        report(),
		"all are skipped": {Status: glovebox.StatusPass, Language: "python", Tests: &glovebox.TestReport{Complete: true, Total: 1,
			Cases: []glovebox.TestCase{{Name: "test_counts", Status: "skipped"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
				c := *o
				return &c
			}}
			if r := mustSolve(t, agent.Config{Runner: run, Model: script(fence(right)), Budget: agent.Budget{Turns: 1}}, add()); r.Disposition != agent.Blocked {
				t.Errorf("a program: %s: %s", r.Disposition, signals(r.Signals))
			}
		})
	}
}

// TestPatchIsWhatRan: no file is in a patch that was not in the box, under any
// name, or that is not for the program.
func TestPatchIsWhatRan(t *testing.T) {
	bad := "def add(a, b):\n    return 'hacked'"
	main := "main.py\n```python\n" + right + "\n```\n\n"
	tests := []struct {
		name, reply string
		want        agent.Disposition
		changed     []string
	}{
		{"one file", main, agent.Candidate, []string{"solution.py"}},
		{"two files of one name after all", main + "solution.py\n```python\n" + bad + "\n```\n", agent.Candidate, []string{"main.py", "solution.py"}},
		{"the other way around", "solution.py\n```python\n" + bad + "\n```\n\n" + main, agent.Candidate, []string{"main.py", "solution.py"}},
		{"a file for the host", main + ".git/hooks/pre-commit.py\n```python\nevil = 1\n```\n", agent.Blocked, nil},
		{"an environment", main + ".vscode/tasks.py\n```python\nevil = 1\n```\n", agent.Blocked, []string{".vscode/tasks.py", "solution.py"}},
		{"its own tests", main + "test_add.py\n```python\ndef test_it(): pass\n```\n", agent.Candidate, []string{"solution.py"}},
		{"a conftest.py", main + "conftest.py\n```python\nx = 1\n```\n", agent.Candidate, []string{"solution.py"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := mustSolve(t, agent.Config{Runner: always(glovebox.StatusPass, ""), Model: script(test.reply), Budget: agent.Budget{Turns: 1}}, add())
			if r.Disposition != test.want {
				t.Errorf("%s %q", r.Disposition, r.Reasons)
			}
			checkPatch(t, t.TempDir(), r.Patch, test.changed)
		})
	}
}

// TestHostileShop runs changes in boxes that make tests pass without doing the
// task.
func TestHostileShop(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a box for each")
	}
	e := newEngine(t)
	attacks := map[string]string{
		"it skips":             replace("shop/cart.py", "    cost = 0", "    import unittest\n    raise unittest.SkipTest('x')"),
		"it skips with pytest": replace("shop/cart.py", "    cost = 0", "    try:\n        import pytest\n    except ImportError:\n        return 0\n    pytest.skip('x')"),
		"the module skips":     file("shop/__init__.py", "import unittest\nraise unittest.SkipTest('x')"),
		"it exits":             replace("shop/cart.py", "    cost = 0", "    import os\n    os._exit(0)"),
		"settings":             replace("shop/cart.py", "    cost = 0", "    cost = 1") + file("pytest.ini", "[pytest]\naddopts = -k nothing") + file("setup.cfg", "[tool:pytest]\naddopts = --collect-only"),
		"a module pytest":      replace("shop/cart.py", "    cost = 0", "    cost = 1") + file("pytest.py", "def main(*a, **k): return 0\nraise SystemExit(0)"),
		"sitecustomize":        replace("shop/cart.py", "    cost = 0", "    cost = 1") + file("sitecustomize.py", "import os\nos._exit(0)"),
		"an equal to all":      replace("shop/cart.py", "    cost = 0", "    class E(int):\n        def __eq__(self, o): return True\n        __hash__ = None\n    return E()"),
	}
	for name, reply := range attacks {
		t.Run(name, func(t *testing.T) {
			task := shopTask(t)
			task.Tier = glovebox.TierProcess
			r := mustSolve(t, agent.Config{Runner: e, Model: script(reply), Budget: agent.Budget{Turns: 1}}, task)
			if r.Disposition != agent.Blocked || len(r.Attempts) == 0 || len(r.Attempts[0].Turns) != 1 {
				t.Errorf("%s: %s %q %s", r.Disposition, signals(r.Signals), r.Reasons, r.StopReason)
			}
		})
	}
}

// TestNeverHangs: a model and a box that do not answer end with the time, and
// each moment is one to cancel at.
func TestNeverHangs(t *testing.T) {
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	silent := says(func(ctx context.Context, _ model.Request) (*model.Reply, error) { return nil, wait(ctx) })
	stuck := runnerFunc(func(ctx context.Context, _ glovebox.Job) (*glovebox.Observation, error) { return nil, wait(ctx) })
	for name, c := range map[string]agent.Config{
		"the model": {Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}, Model: silent},
		"the box":   {Runner: stuck, Model: script(fixCart)},
	} {
		c.Budget.Wall, c.Candidates = 20*time.Millisecond, 3
		if r := mustSolve(t, c, shopTask(t)); r.Stop != agent.StopWall {
			t.Errorf("%s: %s, %s", name, r.Stop, r.StopReason)
		}
	}
	before := runtime.NumGoroutine()
	defer func() {
		// Solve waits for what it started. Others may come and go.
		for range 100 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
	}()
	for moment := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		step := 0
		next := func() {
			if step++; step > moment {
				cancel()
			}
		}
		run := runnerFunc(func(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
			next()
			if moment%2 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return bench(job), nil
		})
		inner := script(fixCart + "x")
		m := says(func(ctx context.Context, r model.Request) (*model.Reply, error) {
			next()
			return inner.Complete(ctx, r, nil)
		})
		r, err := agent.Solve(ctx, agent.Config{Runner: run, Model: m, Budget: agent.Budget{Turns: 2}}, shopTask(t))
		if err != nil || r.Stop != agent.StopCancelled && r.Stop != agent.StopProven || (r.Stop == agent.StopProven) != (r.Disposition == agent.Candidate) {
			t.Errorf("cancelled at step %d: %+v, %v", moment, r, err)
		}
		cancel()
	}
}

// TestProvenTogether: of candidates that are proven at the same time, the
// chosen one says that it is proven.
func TestProvenTogether(t *testing.T) {
	for range 30 {
		r := mustSolve(t, agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}, Model: script(fixCart), Candidates: 8}, shopTask(t))
		if r.Disposition != agent.Candidate || r.Stop != agent.StopProven || r.Chosen == 0 || r.Attempts[r.Chosen-1].Stop != agent.StopProven {
			t.Fatalf("%s, %s: %+v", r.Disposition, r.Stop, r.Attempts)
		}
	}
}

// TestSecretsStayHere: what is secret by its form or by name is in nothing that
// a model is sent.
func TestSecretsStayHere(t *testing.T) {
	const named = "hunter2-correct-horse"
	files := map[string]string{
		"docs/" + secret + ".txt":       "x",
		"docs/" + named + "/a.py":       "def a(): pass\n",
		"shop/" + named + ".py":         "def total2():\n    '''" + named + "'''\n",
		"tests/test_" + named + "_x.py": "def test_x(): pass\n",
		"shop/key.py":                   "KEY = '" + secret + "'\nNAME = '" + named + "'\n",
	}
	for name, text := range shop {
		files[name] = text
	}
	task := shopTask(t)
	task.Repository, task.Secrets = repo(t, files), map[string]string{"PASSWORD": named}
	task.Text += " The password is " + named + ", the file shop/" + named + ".py."
	task.Tests = append(task.Tests, glovebox.File{Path: "tests/" + secret + "_test.py", Data: []byte("def test_y(): pass\n")})
	run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
		if len(job.Tests) == 0 {
			return bench(job)
		}
		o := report("test_" + named)
		o.Stdout, o.Message = "it is "+named, "1 failed with "+named
		return o
	}}
	asked := 0
	m := says(func(_ context.Context, r model.Request) (*model.Reply, error) {
		asked++
		for _, msg := range r.Messages {
			for _, s := range []string{named, secret} {
				if i := strings.Index(msg.Text, s); i >= 0 && msg.Role == model.User {
					t.Errorf("request %d: %q", asked, msg.Text[max(0, i-60):i+len(s)])
				}
			}
		}
		return &model.Reply{Text: replace("shop/key.py", "no such line", "x") + replace("shop/"+named+".py", "KEY = '"+secret+"x'", ""), Finish: model.FinishStop}, nil
	})
	r, err := agent.Solve(t.Context(), agent.Config{Runner: run, Model: m, Budget: agent.Budget{Turns: 2}}, task)
	if err != nil {
		t.Fatal(err)
	}
	if asked < 3 {
		t.Errorf("it was asked %d times: %s", asked, r.StopReason)
	}
}

// TestLargeRepository: thousands of files and long replies take bounded time.
func TestLargeRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	files := map[string]string{"big.txt": strings.Repeat("x", 15<<20)}
	for i := range 3_000 {
		files[fmt.Sprintf("pkg%d/mod%d.py", i%100, i)] = fmt.Sprintf("def f%d(a):\n    return a\n", i)
	}
	for name, text := range shop {
		files[name] = text
	}
	task := shopTask(t)
	task.Repository = repo(t, files)
	begin := time.Now()
	r := mustSolve(t, agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }},
		Model: script(strings.Repeat("a b\n", 4<<20), strings.Repeat("`", 1<<20), fixCart), Candidates: 2, Budget: agent.Budget{Tokens: 1 << 40}}, task)
	if r.Disposition != agent.Candidate {
		t.Errorf("%s %s %q", r.Disposition, r.StopReason, r.Reasons)
	}
	t.Logf("%v", time.Since(begin))
}

// TestHostileTranscripts: a transcript is a stranger's file.
func TestHostileTranscripts(t *testing.T) {
	reply := func(candidate int, text string, usage string) string {
		return fmt.Sprintf(`{"type":"reply","candidate":%d,"reply":{"text":%q,"finish":"stop","usage":%s}}`, candidate, text, usage) + "\n"
	}
	const start = `{"type":"start","task":{"text":"x","candidates":1}}` + "\n"
	const none = `{"input_tokens":0,"output_tokens":0}`
	tests := []struct {
		name, file string
		want       string // of the error; "" for none
		stop       agent.Stop
	}{
		{"candidates that there cannot be", start + reply(-1, "x", none) + reply(1<<40, "x", none), "", agent.StopModel},
		{"a usage that makes room", start + reply(1, fence(right), `{"input_tokens":-9223372036854775808,"output_tokens":-1}`), "", agent.StopProven},
		{"an unknown end", start + strings.Replace(reply(1, fence(right), none), "stop", "\u202estop", 1), "", agent.StopProven},
		{"a long reply", start + reply(1, strings.Repeat("x", 20<<20), none), "", agent.StopModel},
		{"a number that is none", start + reply(1, "x", `{"input_tokens":1e400}`), "line 2", ""},
		{"deep nesting", start + strings.Repeat("[", 1<<20) + "\n", "line 2", ""},
		{"two at once", start + start, "second", ""},
		{"a start without a task", `{"type":"start"}` + "\n", "no transcript", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := agent.ReadReplay(strings.NewReader(test.file))
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 1000 {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := mustSolve(t, agent.Config{Runner: always(glovebox.StatusPass, ""), Model: m, Budget: agent.Budget{Turns: 1, Tokens: 1 << 30}}, add())
			if r.Stop != test.stop && !(test.stop == agent.StopModel && r.Disposition == agent.Blocked) || r.Usage.Total() < 0 {
				t.Errorf("%s: %s, %+v", r.Stop, r.StopReason, r.Usage)
			}
		})
	}
}

// TestWrongRepositories: what is wrong with a folder or with the flags is not
// the model's to put right.
func TestWrongRepositories(t *testing.T) {
	run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}
	for _, allow := range []string{"", "../x", "/etc", "a\x00b"} {
		task := shopTask(t)
		task.Allow = []string{"shop", allow}
		if _, err := agent.Solve(t.Context(), agent.Config{Runner: run, Model: script(fixCart)}, task); err == nil {
			t.Errorf("the path %q may change", allow)
		}
	}
	t.Run("a file that changes meanwhile", func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range shop {
			write(t, filepath.Join(dir, name), text)
		}
		// More than a copy holds, so that files are read again.
		for i := range 5 {
			write(t, filepath.Join(dir, "data", fmt.Sprint(i)), strings.Repeat("x", 15<<20))
		}
		repo, err := workcopy.Open(dir, workcopy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		task := shopTask(t)
		task.Repository = repo
		edits := ""
		for i := range 5 {
			edits += fmt.Sprintf("data/%d\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", i)
		}
		inner := script(edits)
		m := says(func(ctx context.Context, r model.Request) (*model.Reply, error) {
			for i := range 5 {
				write(t, filepath.Join(dir, "data", fmt.Sprint(i)), "another")
			}
			return inner.Complete(ctx, r, nil)
		})
		r := mustSolve(t, agent.Config{Runner: run, Model: m}, task)
		if r.Stop != agent.StopTests || len(r.Attempts[0].Turns) != 0 || strings.Contains(r.StopReason, dir) {
			t.Errorf("%s, %s, %+v", r.Stop, r.StopReason, r.Attempts)
		}
	})
	t.Run("a language that is not the one of most files", func(t *testing.T) {
		files := map[string]string{"web/app.js": "x = 1\n", "web/app.test.js": "test('x', () => {})\n"}
		for name, text := range shop {
			files[name] = text
		}
		task := shopTask(t)
		task.Repository, task.Language, task.Tests = repo(t, files), "javascript", nil
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			if len(job.Tests) > 0 && (job.Tests[0].Path != "web/app.test.js" || len(job.Tests) != 1) {
				t.Errorf("the tests are %q and %d more", job.Tests[0].Path, len(job.Tests)-1)
			}
			return report("test_x")
		}}
		mustSolve(t, agent.Config{Runner: run, Model: script("no"), Budget: agent.Budget{Turns: 1}}, task)
	})
}

// TestOtherTestsStay: where the failing tests are named, the others are the
// regression suite, those that the caller brings and the repository's own.
func TestOtherTestsStay(t *testing.T) {
	for _, own := range []bool{false, true} {
		task := shopTask(t)
		if own {
			files := map[string]string{"tests/test_counts.py": counts}
			for name, text := range shop {
				files[name] = text
			}
			task.Repository, task.Tests = repo(t, files), nil
		}
		task.FailToPass = []string{"test_counts"}
		run := &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation {
			switch {
			case text(job.Tests, "tests/test_counts.py") == "":
				return bench(job)
			case strings.Contains(text(job.Program.Files, "shop/cart.py"), "price * count"):
				return report("+test_counts", "test_other")
			}
			return report("test_counts", "+test_other")
		}}
		r := mustSolve(t, agent.Config{Runner: run, Model: script(fixCart), Budget: agent.Budget{Turns: 1}}, task)
		if r.Disposition != agent.Blocked {
			t.Errorf("the repository's own: %v: %s", own, signals(r.Signals))
		}
	}
}

// TestHiddenTests: what is hidden is in no prompt of a repository either.
func TestHiddenTests(t *testing.T) {
	task := shopTask(t)
	task.HideTests = true
	task.Text = "A total forgets the counts: see tests/test_counts.py and total."
	m := says(func(_ context.Context, r model.Request) (*model.Reply, error) {
		for _, msg := range r.Messages {
			if strings.Contains(msg.Text, "== 11") || strings.Contains(msg.Text, "(5, 1)") {
				t.Errorf("the model sees the tests: %s", msg.Text)
			}
		}
		if len(r.Messages) == 1 {
			return &model.Reply{Text: "FILES:\n- tests/test_counts.py: read it\n- shop/cart.py: count\n", Finish: model.FinishStop}, nil
		}
		return &model.Reply{Text: fixCart, Finish: model.FinishStop}, nil
	})
	r, err := agent.Solve(t.Context(), agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }}, Model: m}, task)
	if err != nil || r.Disposition != agent.Candidate {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLargeChanges are refused in bounded time.
func TestLargeChanges(t *testing.T) {
	lines := func(prefix string) string {
		var b strings.Builder
		for i := range 120_000 {
			fmt.Fprintf(&b, "%s%d\n", prefix, i*7919%120_011)
		}
		return b.String()
	}
	files := map[string]string{"data/a.txt": lines("a")}
	for name, text := range shop {
		files[name] = text
	}
	task := shopTask(t)
	task.Repository = repo(t, files)
	begin := time.Now()
	r := mustSolve(t, agent.Config{Runner: &fake{see: func(_ int, job glovebox.Job) *glovebox.Observation { return bench(job) }},
		Model: script(fixCart + "data/a.txt\n```text\n" + lines("a0") + "```\n"), Budget: agent.Budget{Turns: 1}, ReplyTokens: 100_000}, task)
	if r.Disposition != agent.Blocked {
		t.Errorf("%s %s", r.Disposition, signals(r.Signals))
	}
	t.Logf("%v, %q", time.Since(begin), r.Reasons)
}
