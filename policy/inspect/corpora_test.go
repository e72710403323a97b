package inspect

import (
	"regexp"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/corpus"
)

var fence = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\\z)")

// TestReplies: of some 1,400 programs that models wrote for HumanEval, those that evaluate
// a text are found, and nothing is found in the others but packages.
func TestReplies(t *testing.T) {
	type row struct {
		Name   string `json:"name"`
		TaskID string `json:"task_id"`
		Text   string `json:"gpt_solution"`
	}
	for suffix, c := range map[string]struct {
		language string
		dynamic  int // programs of do_algebra that evaluate a text
		packages int // imports of packages
	}{
		"python": {"python", 0, 1}, "js": {"javascript", 1, 0}, "ts": {"typescript", 1, 0}, "go": {"go", 0, 0}, "rb": {"ruby", 1, 0},
		"pl": {"perl", 1, 0}, "lua": {"lua", 1, 4}, "php": {"php", 1, 0}, "sh": {"bash", 0, 0},
	} {
		t.Run(c.language, func(t *testing.T) {
			count := map[string]int{}
			for _, r := range corpus.Rows[row](t, "replies/humaneval-"+suffix+".jsonl.gz") {
				code := r.Text
				if m := fence.FindStringSubmatch(code); m != nil {
					code = m[1]
				}
				for _, f := range check(t, c.language, code) {
					count[f.Rule]++
					if f.Rule != "dynamic" && f.Rule != RuleThirdParty {
						t.Errorf("%s%s: %s: %s", r.Name, r.TaskID, f.Rule, f.Excerpt)
					}
				}
			}
			if count["dynamic"] != c.dynamic || count[RuleThirdParty] != c.packages {
				t.Errorf("%v, want %d dynamic and %d packages", count, c.dynamic, c.packages)
			}
		})
	}
}
