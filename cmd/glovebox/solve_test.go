//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

// example reads one of the examples.
func example(t testing.TB, name string) string {
	b, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// models answers as the model that is asked for would: by its name.
func models(bug, right string) modeltest.Script {
	return func(c modeltest.Call) modeltest.Answer {
		if strings.Contains(c.Last(), "Answer with a plan") && c.Model != "refuses" {
			return modeltest.Answer{Text: "FILES:\n- solution.py: the function\nSTEPS:\n1. look up the rate\n2. add the surcharge\nLIBRARIES: none\n"}
		}
		repairs := strings.Contains(c.Last(), "Result: ")
		switch c.Model {
		case "fixes":
			if repairs {
				return modeltest.Answer{Text: right}
			}
			return modeltest.Answer{Text: bug}
		case "stubborn":
			return modeltest.Answer{Text: bug}
		case "long":
			return modeltest.Answer{Text: strings.Repeat("word ", c.MaxTokens), Finish: model.FinishLength,
				Usage: &model.Usage{Input: 300, Output: int64(c.MaxTokens)}}
		case "refuses":
			return modeltest.Answer{Text: "I cannot help with that.", Finish: model.FinishRefused}
		case "cart":
			return modeltest.Answer{Text: "shop/cart.py\n```python\n<<<<<<< SEARCH\n        cost = add(cost, price)\n=======\n        cost = add(cost, price * count)\n>>>>>>> REPLACE\n```\n"}
		case "solves":
			return modeltest.Answer{Text: right}
		}
		return modeltest.Answer{Status: 404, Message: "no such model"}
	}
}

// TestInterrupted sends Ctrl-C while the model is silent, and while the code
// is waited for: nothing is left.
func TestInterrupted(t *testing.T) {
	interrupt := func() { syscall.Kill(os.Getpid(), syscall.SIGINT) }
	task := filepath.Join(t.TempDir(), "task.md")
	if err := os.WriteFile(task, []byte("Write shipping_cost."), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := filepath.Join("..", "..", "examples", "shipping_test.py")
	for name, script := range map[string]modeltest.Script{
		"while the model is silent": func(modeltest.Call) modeltest.Answer {
			interrupt()
			return modeltest.Answer{Text: "x", Wait: make(chan struct{})}
		},
		"while the code is waited for": func(c modeltest.Call) modeltest.Answer {
			go interrupt()
			return modeltest.Answer{Text: "```python\nwhile True: pass\n```\n"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, script)
			var out, errs strings.Builder
			code := run([]string{"solve", task, "--tests", tests, "--no-plan", "--model", "x", "--model-url", s.BaseURL(model.ProviderOpenAI)},
				strings.NewReader(""), &out, &errs)
			if code != exitCancelled || !strings.Contains(out.String(), "stop: cancelled") {
				t.Errorf("exit status %d\n%s\n%s", code, &out, &errs)
			}
			if left := leftover.Below(os.Getpid()); len(left) > 0 {
				t.Errorf("processes are left: %d", left)
			}
		})
	}
}

// TestPrices are numbers.
func TestPrices(t *testing.T) {
	for text, want := range map[string]bool{
		"2.5:10": true, "0:1": true, "1": false, ":": false, "1:2:3": false, "1:2x": false, "nan:1": false, "1:nan": false, "inf:1": false, "-1:1": false, "1e999:1": false,
	} {
		if _, err := readPrices(text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCarelessOutputs: what is written is none of what was read, a patch of an
// earlier run does not stay, and nothing is lost to a flag that is wrong.
func TestCarelessOutputs(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(dir, name))
		return string(b)
	}
	task, tests := file("task.md", "Write f."), file("test_f.py", "from solution import f\n\ndef test_f():\n    assert f() == 1\n")
	replay := file("replay.jsonl", `{"type":"start","task":{"text":"x","candidates":1}}`+"\n")
	solve := func(args ...string) (int, string) {
		var out, errs strings.Builder
		code := run(append([]string{"solve", task, "--tests", tests, "--no-plan"}, args...), strings.NewReader(""), &out, &errs)
		return code, out.String() + errs.String()
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(task, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--transcript", task}, {"--patch", tests}, {"--transcript", link}, {"--transcript", replay}, {"--patch", replay}, {"--patch", filepath.Join(dir, "no", "x.diff")}} {
		if code, out := solve(append(args, "--replay", replay)...); code != exitUsage {
			t.Errorf("%q: exit status %d: %s", args, code, out)
		}
	}
	if read("task.md") != "Write f." || !strings.HasPrefix(read("test_f.py"), "from") || !strings.HasPrefix(read("replay.jsonl"), "{") {
		t.Error("an input was overwritten")
	}
	old := file("old.jsonl", "an earlier transcript")
	if code, _ := solve("--transcript", old, "--model", "x", "--model-url", "not a url"); code != exitUsage || read("old.jsonl") == "" {
		t.Errorf("exit status %d, and the earlier transcript is %q", code, read("old.jsonl"))
	}
	patch := file("fix.diff", "an earlier patch")
	code, out := solve("--replay", replay, "--transcript", old, "--patch", patch)
	if code != exitOurs || !strings.Contains(out, "no further reply") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if read("fix.diff") != "" {
		t.Error("the earlier patch is still there")
	}
	if info, err := os.Stat(old); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(read("old.jsonl"), `"end"`) {
		t.Errorf("the transcript: %v, %v", info, err)
	}
}
