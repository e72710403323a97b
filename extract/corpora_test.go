package extract

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// corpus reads the rows of a corpus file. It skips the test where the corpora
// are not there.
func corpus[T any](t *testing.T, name string) []T {
	t.Helper()
	dir := os.Getenv("GLOVEBOX_CORPORA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil || root == filepath.Dir(root) {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("no corpus: set GLOVEBOX_CORPORA to a folder that has %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return jsonLines[T](t, bufio.NewReaderSize(z, 1<<20))
}

func jsonLines[T any](t *testing.T, r *bufio.Reader) (rows []T) {
	t.Helper()
	d := json.NewDecoder(r)
	for d.More() {
		var row T
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

type chat struct {
	Response string `json:"response"`
}

// chatLabel says what a person would take from a chat's response: testdata
// names the row and its lines, never its text.
type chatLabel struct {
	Row      int      `json:"row"`
	SHA256   string   `json:"sha256"`
	Language string   `json:"language"`
	Lines    [][2]int `json:"lines"` // first and last
	NoCode   bool     `json:"no_code"`
}

// expected returns the labelled lines, without prompts.
func (l chatLabel) expected(response string) string {
	lines := strings.Split(response, "\n")
	var out strings.Builder
	for _, r := range l.Lines {
		text := dedent(strings.Join(lines[r[0]-1:r[1]], "\n") + "\n")
		if isTranscript(text) {
			text = typed(text)
		}
		out.WriteString(text)
	}
	return compact(out.String())
}

// compact removes blank lines and white space at line ends.
func compact(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// TestLabelledChats compares with labels that were made by reading: every
// ninth row, and unusual rows (no fence, an odd number of fences, shell fences,
// prompts) in the order of their hashes up to 120.
func TestLabelledChats(t *testing.T) {
	chats := corpus[chat](t, "chats/realhumaneval.jsonl.gz")
	f, err := os.Open("testdata/chats.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	labels := jsonLines[chatLabel](t, bufio.NewReader(f))
	right := 0
	for _, l := range labels {
		response := chats[l.Row].Response
		if sum := sha256.Sum256([]byte(response)); hex.EncodeToString(sum[:]) != l.SHA256 {
			t.Fatalf("row %d is not the labelled one", l.Row)
		}
		res, err := Extract(glovebox.Reply(response), Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l.NoCode && res.Program == nil:
			right++
		case l.NoCode:
			t.Logf("row %d: took code where there is none: %+v", l.Row, res.Extraction)
		case res.Program == nil:
			t.Logf("row %d: took nothing: %+v", l.Row, res.Extraction)
		case res.Program.Language != l.Language || len(res.Program.Files) != 1 ||
			compact(string(res.Program.Files[0].Data)) != l.expected(response):
			t.Logf("row %d: want lines %v of %s, took %+v", l.Row, l.Lines, l.Language, res.Extraction)
		default:
			right++
		}
	}
	t.Logf("%d of %d labelled chats are right", right, len(labels))
	if len(labels) != 120 || right < 118 {
		t.Errorf("%d of %d labelled chats are right, want 118 of 120", right, len(labels))
	}
}

// replyLabel says what a person would take from a reply of a model of 2025 or
// 2026: testdata names where the reply was found and its lines, never its text.
type replyLabel struct {
	ID       string `json:"id"`
	Model    string `json:"model"`
	Class    string `json:"class"`
	SHA256   string `json:"sha256"`
	Language string `json:"language"`
	NoCode   bool   `json:"no_code"`
	Files    []struct {
		Path     string `json:"path"` // "" where any will do
		Lines    [2]int `json:"lines"`
		Optional bool   `json:"optional"` // only comments: it may be left
	} `json:"files"`
}

// right reports whether the result is the labelled one: the same files of code
// with the same lines, tests of the reply among them, and no other.
func (l replyLabel) right(response string, res *Result) bool {
	if l.NoCode || res.Program == nil {
		return l.NoCode == (res.Program == nil)
	}
	if res.Program.Language != l.Language {
		return false
	}
	got := map[string]string{}
	for _, f := range append(slices.Clone(res.Program.Files), res.Tests...) {
		if language.ByName(l.Language).Owns(f.Path) {
			got[f.Path] = compact(string(f.Data))
		}
	}
	lines := strings.Split(response, "\n")
	for _, f := range l.Files {
		want := compact(dedent(strings.Join(lines[f.Lines[0]-1:f.Lines[1]], "\n") + "\n"))
		path := f.Path
		for p := range got {
			if path == "" && got[p] == want {
				path = p
			}
		}
		if got[path] != want && !f.Optional {
			return false
		}
		delete(got, path)
	}
	return len(got) == 0
}

// TestLabelledReplies compares with labels that were made by reading, before
// the extractor was run on any of them: replies of models of 2025 and 2026 in
// public repositories, in the order of their hashes.
func TestLabelledReplies(t *testing.T) {
	texts := map[string]string{}
	for _, r := range corpus[struct {
		SHA256   string `json:"sha256"`
		Response string `json:"response"`
	}](t, "replies2026/replies.jsonl.gz") {
		texts[r.SHA256] = r.Response
	}
	f, err := os.Open("testdata/replies2026.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type count struct{ right, all int }
	classes := map[string]count{}
	var code, all count
	for _, l := range jsonLines[replyLabel](t, bufio.NewReader(f)) {
		text, ok := texts[l.SHA256]
		if sum := sha256.Sum256([]byte(text)); !ok || hex.EncodeToString(sum[:]) != l.SHA256 {
			t.Fatalf("the corpus has not the reply %s", l.ID)
		}
		res, err := Extract(glovebox.Reply(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, text, res)
		c := classes[l.Class]
		c.all++
		all.all++
		if !l.NoCode {
			code.all++
		}
		if l.right(text, res) {
			c.right++
			all.right++
			if !l.NoCode {
				code.right++
			}
		} else {
			t.Logf("%s (%s): want %s %+v, took %+v", l.ID, l.Class, l.Language, l.Files, res.Extraction)
		}
		classes[l.Class] = c
	}
	for class, c := range classes {
		t.Logf("%s: %d of %d", class, c.right, c.all)
	}
	t.Logf("%d of %d labelled replies are right, %d of %d with code", all.right, all.all, code.right, code.all)
	if all.all < 300 || 100*all.right < 95*all.all {
		t.Errorf("%d of %d labelled replies are right, want 95 of 100", all.right, all.all)
	}
}

// TestChats holds what must be true of every response.
func TestChats(t *testing.T) {
	for i, c := range corpus[chat](t, "chats/realhumaneval.jsonl.gz") {
		for _, opt := range []Options{{}, {Language: "python"}} {
			res, err := Extract(glovebox.Reply(c.Response), opt)
			if err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
			checkResult(t, c.Response, res)
		}
	}
}

// TestReplies: each reply has a program in its language, with or without the
// caller's wish.
func TestReplies(t *testing.T) {
	for _, c := range []struct{ file, language string }{
		{"python", "python"}, {"js", "javascript"}, {"ts", "typescript"}, {"php", "php"}, {"sh", "bash"},
		{"go", "go"}, {"rb", "ruby"}, {"pl", "perl"}, {"lua", "lua"},
	} {
		t.Run(c.language, func(t *testing.T) {
			rows := corpus[struct {
				Reply string `json:"gpt_solution"`
			}](t, "replies/humaneval-"+c.file+".jsonl.gz")
			for i, row := range rows {
				for _, wish := range []string{"", c.language} {
					res, err := Extract(glovebox.Reply(row.Reply), Options{Language: wish})
					if err != nil {
						t.Fatalf("row %d: %v", i, err)
					}
					checkResult(t, row.Reply, res)
					if res.Program == nil || res.Program.Language != c.language || len(res.Program.Files) != 1 {
						t.Errorf("row %d, wish %q: %+v", i, wish, res.Extraction)
					}
				}
			}
		})
	}
}

// TestRecognition: the code of each reply, without its tag and without a
// fence, is still recognised as its language.
func TestRecognition(t *testing.T) {
	for _, c := range []struct{ file, language, accept string }{
		{"python", "python", "python"}, {"js", "javascript", "javascript"},
		// A program without types is of both languages.
		{"ts", "typescript", "typescript javascript"},
		{"php", "php", "php"}, {"sh", "bash", "bash"}, {"go", "go", "go"},
		{"rb", "ruby", "ruby"}, {"pl", "perl", "perl"}, {"lua", "lua", "lua"},
	} {
		t.Run(c.language, func(t *testing.T) {
			rows := corpus[struct {
				Reply string `json:"gpt_solution"`
			}](t, "replies/humaneval-"+c.file+".jsonl.gz")
			wrong := map[string]int{}
			for i, row := range rows {
				tagged, err := Extract(glovebox.Reply(row.Reply), Options{})
				if err != nil || tagged.Program == nil {
					t.Fatalf("row %d: %v", i, err)
				}
				code := string(tagged.Program.Files[0].Data)
				for form, reply := range map[string]string{
					"untagged": "Here is the code:\n\n```\n" + code + "```\n",
					"bare":     "Here is the code that you asked for.\n\n" + code + "\nThis code does what was asked.\n",
				} {
					res, err := Extract(glovebox.Reply(reply), Options{})
					if err != nil {
						t.Fatal(err)
					}
					if res.Program == nil || !slices.Contains(strings.Fields(c.accept), res.Program.Language) ||
						statements(res.Program) != statements(tagged.Program) {
						wrong[form]++
						t.Logf("row %d, %s: %+v", i, form, res.Extraction)
					}
				}
			}
			for form, n := range wrong {
				t.Logf("%s: %d of %d wrong", form, n, len(rows))
				if 20*n > len(rows) {
					t.Errorf("%s: %d of %d wrong, want at most one in twenty", form, n, len(rows))
				}
			}
		})
	}
}

// statements returns a program's main file without comments, which may be lost
// where nothing marks the code.
func statements(p *glovebox.Program) string {
	var out strings.Builder
	for line := range strings.Lines(string(p.Files[0].Data)) {
		if t := significant(line, language.ByName(p.Language)); t != "" {
			out.WriteString(t + "\n")
		}
	}
	return out.String()
}

// TestOtherProjects reads the replies of other extractors' tests.
func TestOtherProjects(t *testing.T) {
	type row struct {
		Name string `json:"name"`
		Test string `json:"test"`
		Text string `json:"text"`
	}
	for _, file := range []string{"extraction/sandboxfusion.jsonl.gz", "extraction/other-projects.jsonl.gz"} {
		for _, r := range corpus[row](t, file) {
			res, err := Extract(glovebox.Reply(r.Text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, r.Text, res)
		}
	}
}

// checkResult holds the promises of every result.
func checkResult(t *testing.T, reply string, res *Result) {
	t.Helper()
	lines := max(1, countLines(strings.ReplaceAll(strings.ReplaceAll(reply, "\r\n", "\n"), "\r", "\n")))
	for _, p := range append(append([]glovebox.Piece{}, res.Extraction.Taken...), res.Extraction.Left...) {
		if p.Line < 1 || p.Lines < 1 || p.Line+p.Lines-1 > lines {
			t.Errorf("piece %+v is outside of %d lines", p, lines)
		}
	}
	seen := map[string]bool{}
	file := func(f glovebox.File) {
		if p, err := glovebox.CleanPath(f.Path); err != nil || p != f.Path {
			t.Errorf("path %q: %v", f.Path, err)
		}
		if seen[f.Path] {
			t.Errorf("path %q is there twice", f.Path)
		}
		seen[f.Path] = true
		if strings.TrimSpace(string(f.Data)) == "" {
			t.Errorf("file %q is empty", f.Path)
		}
	}
	if p := res.Program; p != nil {
		for _, f := range p.Files {
			file(f)
		}
		if !seen[p.Main] || language.ByName(p.Language) == nil || len(res.Extraction.Taken) == 0 {
			t.Errorf("program %q in %q with %d files, taken %+v", p.Main, p.Language, len(p.Files), res.Extraction.Taken)
		}
	}
	for _, f := range res.Tests {
		file(f)
	}
	for p := range seen {
		for q := range seen {
			if strings.HasPrefix(p, q+"/") {
				t.Errorf("%q is a file and the folder of %q", q, p)
			}
		}
	}
}
