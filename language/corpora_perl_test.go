package language

import (
	"context"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// TestRepliesPerl has the replies of a model, each with its tests, and compares
// what the exam says with what perl says of both in one file. GLOVEBOX_REPLIES is
// "all", or every tenth is tried.
func TestRepliesPerl(t *testing.T) {
	if testing.Short() || !corpusThere() {
		t.Skip("needs the corpora, and minutes")
	}
	tc, tree := rigTool(t, Perl)
	step := 10
	if os.Getenv("GLOVEBOX_REPLIES") == "all" {
		step = 1
	}
	agree, apart, passed := 0, 0, 0
	rows := corpus.Rows[struct {
		Name  string `json:"name"`
		Tests string `json:"tests"`
		Text  string `json:"gpt_solution"`
	}](t, "replies/humaneval-pl.jsonl.gz")
	for i := 0; i < len(rows); i += step {
		row := rows[i]
		code := row.Text
		if m := searchFence.FindStringSubmatch(code); m != nil {
			code = m[1]
		}
		v := rigExam(t, Perl, program("perl", "main.pl", code), Tests{Files: []glovebox.File{{Path: "main_test.t", Data: []byte(row.Tests)}}})
		ctx, cancel := context.WithTimeout(context.Background(), rigWall)
		direct := rigStart(t, ctx, tc, tree, Step{Args: []string{tc.Exe, "-I" + perlHome + "lib", "whole.pl"}}, []glovebox.File{{Path: "whole.pl", Data: []byte(code + "\n" + row.Tests)}}, [3]*os.File{})()
		cancel()
		if right := direct.exit == 0 && !direct.timedOut; right != v.pass {
			t.Errorf("%s: perl says %t, the exam %t: %s\n%s%s", row.Name, right, v.pass, v.why, v.harness.stderr, direct.stderr)
		} else {
			agree++
		}
		if v.pass {
			passed++
		}
		if v.pass && v.worth() == glovebox.ProofOutOfProcess {
			apart++
		}
	}
	t.Logf("%d agree; %d of %d passes are out of process", agree, apart, passed)
}
