package edit

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// TestRepliesOfOthers: replies to people who asked for no edit of a file hold
// none, whatever fences they have.
func TestRepliesOfOthers(t *testing.T) {
	type row struct {
		Response string `json:"response"`
		Reply    string `json:"gpt_solution"`
	}
	total := 0
	for _, name := range []string{"chats/realhumaneval", "replies/humaneval-go", "replies/humaneval-python", "replies/humaneval-sh", "replies/humaneval-ts"} {
		for i, r := range corpus.Rows[row](t, name+".jsonl.gz") {
			total++
			set, err := Parse(r.Response + r.Reply)
			if err == nil {
				t.Errorf("%s, row %d: %s %s", name, i, set.Edits[0].Kind, set.Edits[0].Path)
			} else if p := Problems(err); len(p) != 1 || p[0].Kind != NoEdits {
				t.Errorf("%s, row %d: %v", name, i, err)
			}
		}
	}
	t.Logf("%d replies", total)
}

// TestRepairs makes each repair of real bugs in every form.
func TestRepairs(t *testing.T) {
	type row struct {
		Prompt   string `json:"prompt"`
		Buggy    string `json:"buggy_solution"`
		Right    string `json:"canonical_solution"`
		BuggyAll string `json:"buggy"`
		RightAll string `json:"correct"`
	}
	for _, name := range []string{"repair/humanevalpack-python", "repair/quixbugs"} {
		for i, r := range corpus.Rows[row](t, name+".jsonl.gz") {
			head := "\"\"\"A module.\"\"\"\n\nimport os\n\n\n"
			from, to := head+r.Prompt+r.Buggy+r.BuggyAll, head+r.Prompt+r.Right+r.RightAll
			if from == to {
				continue
			}
			was := files{"src/solution.py": from}
			c := was.open(t)
			if err := c.Write("src/solution.py", []byte(to)); err != nil {
				t.Fatal(err)
			}
			patch, err := c.Patch()
			if err != nil {
				t.Fatal(err)
			}
			end := func(s string) string { return strings.TrimSuffix(s, "\n") + "\n" }
			// The same hunks with counts and numbers that are wrong.
			wrong := hunkHead().ReplaceAllString(string(patch), "@@ -1,2 +3,4 @@")
			none := strings.ReplaceAll(wrong, "@@ -1,2 +3,4 @@", "@@ @@")
			forms := map[string]string{
				"whole":          "src/solution.py\n````python\n" + end(to) + "````\n",
				"block":          "````\nsrc/solution.py\n<<<<<<< SEARCH\n" + end(from) + "=======\n" + end(to) + ">>>>>>> REPLACE\n````\n",
				"diff":           "I fixed it.\n\n```diff\n" + end(string(patch)) + "```\n",
				"bare diff":      "I fixed it.\n\n" + end(string(patch)) + "\nThat is all.\n",
				"wrong numbers":  "```diff\n" + end(wrong) + "```\n",
				"without any":    "```diff\n" + end(none) + "```\n",
				"patch of git's": string(patch),
			}
			for form, reply := range forms {
				set, err := Parse(reply)
				if form == "patch of git's" {
					set, err = ParsePatch(patch)
				}
				d := was.open(t)
				if err == nil {
					err = set.Apply(d, Rules{})
				}
				if p := Problems(err); len(p) > 0 && p[0].Kind == Ambiguous && (form == "wrong numbers" || form == "without any") {
					continue // lines that stand twice: rightly refused
				}
				if err != nil {
					t.Errorf("%s, row %d, %s: %v\n%s", name, i, form, err, reply)
					continue
				}
				if got := of(t, d)["src/solution.py"]; got != to && end(got) != end(to) {
					t.Errorf("%s, row %d, %s: got %q\nwant %q", name, i, form, got, to)
				}
			}
		}
	}
}
