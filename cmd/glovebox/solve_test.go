package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
// runs for ever. (That nothing is left is seen by the packages of the tiers.)
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
		})
	}
}
