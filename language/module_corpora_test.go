package language

import (
	"regexp"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/corpus"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

var replyFence = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\\z)")

// moduleNeedsNode are the rows of the corpora whose verdict is another one
// without Node.js, and why.
var moduleNeedsNode = map[string]string{}

// TestModuleReplies runs real replies to HumanEval on Node.js and on QuickJS:
// the verdicts agree. It takes a sample of the rows; GLOVEBOX_SAMPLE=all takes
// all, which is minutes.
func TestModuleReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute; -short leaves it out")
	}
	type row struct {
		Name  string `json:"name"`
		Tests string `json:"tests"`
		Text  string `json:"gpt_solution"`
	}
	for _, c := range []struct {
		node, module *Language
		corpus, test string
	}{
		{JavaScript, moduleJavaScript, "replies/humaneval-js.jsonl.gz", "tests.js"},
		{TypeScript, moduleTypeScript, "replies/humaneval-ts.jsonl.gz", "tests.ts"},
	} {
		t.Run(c.node.Name, func(t *testing.T) {
			rigTool(t, c.node)
			rows := corpus.Rows[row](t, c.corpus)
			limit := make(chan bool, 3)
			var all sync.WaitGroup
			var mu sync.Mutex
			total, passed := 0, 0
			for _, r := range sample.Some(rows, 12) {
				all.Go(func() {
					limit <- true
					defer func() { <-limit }()
					code := r.Text
					if m := replyFence.FindStringSubmatch(r.Text); m != nil {
						code = m[1]
					}
					tests := Tests{Files: []glovebox.File{{Path: c.test, Data: []byte(r.Tests)}}}
					want := rigExam(t, c.node, one(c.node, code), tests)
					got := rigExam(t, c.module, one(c.module, code), tests)
					mu.Lock()
					defer mu.Unlock()
					total++
					if got.pass {
						passed++
					}
					if got.pass == want.pass && got.proof == want.proof {
						return
					}
					if why, known := moduleNeedsNode[r.Name]; known {
						t.Logf("%s needs Node.js: %s", r.Name, why)
						return
					}
					t.Errorf("%s: pass %t (%s), on Node.js %t (%s)\ncandidate: %.800s\nharness: %.800s", r.Name, got.pass, got.why, want.pass, want.why, got.candidate.stderr, got.harness.stderr)
				})
			}
			all.Wait()
			t.Logf("%d rows, %d pass", total, passed)
		})
	}
}
