package extract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// FuzzExtract: whatever the reply, the promises of checkResult hold.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"```python\nprint(1)\n```", "~~~\nx\n~~~", "> ```js\n> f()\n", "- ```py title=\"../a\"\n  x\n  ```\n\n`b.py`\n```\ny = 1",
		"````md\n```python\nx = 1\n```\n````", "```python\n\"\"\"\n```\n\"\"\"\n```", "<pre><code>a &lt; b</code></pre>", "<code>\nx",
		`{"code":"print(1)","files":{"a.py":"x"}}`, "```json\n{\"code\":\"```\\nx\"}\n```", ">>> x = 1\n>>> x\n1", "def f():\n  return 1\nWords here, at last.",
		"```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n```", "--- /dev/null\n+++ b/../a.py\n@@ -0,0 +1 @@\n+x = 1\n", "<think>x</think>\r\n```\r\nx=1\r\n```",
		"# `a.py`\n```py\nx=1\n```\n# a.py/b.py\n```py\nx=2\n```", "```py\ndef test_a(): pass\n```\n```py\nx=1\n```", "\ufeff\x00\xff```go\npackage main\n```\n```go\npackage main\n```",
	} {
		f.Add(s, "")
		f.Add(s, "python")
		f.Add(s, "bash")
	}
	f.Fuzz(func(t *testing.T, reply, wish string) {
		res, err := Extract(glovebox.Reply(reply), Options{Language: wish, MaxBytes: 1 << 16, Tests: []string{"test_main.py"}})
		if err != nil {
			return
		}
		checkResult(t, reply, res)
		for _, file := range res.Tests {
			if file.Path == "test_main.py" {
				t.Error("a test has the name of the caller's")
			}
		}
		if res.Program == nil {
			return
		}
		for _, file := range res.Program.Files {
			if file.Path == "test_main.py" {
				t.Error("a file has the name of the caller's tests")
			}
			// Nothing is made up: what was taken is in the reply, but for
			// entities, escapes and prompts.
			if res.Extraction.Format == "fence" && !strings.ContainsAny(reply, "&\\{>+-\t\r ") {
				for line := range strings.Lines(string(file.Data)) {
					if !strings.Contains(reply, strings.TrimRight(line, "\n")) {
						t.Errorf("line %q is not in the reply", line)
					}
				}
			}
		}
	})
}

// FuzzJSON: a text that is JSON is read as JSON, with the strings that it has.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{}`, `[1, -2.5e3, "a\u00e9\ud83d\ude00\n", null, true]`, `{"a": {"b": ["c", "\"\\\/"]}}`, `"\ud800"`, `[01]`, `{"a":1,}`, `"a`, `{'a': '''b'''}`, "[\"a\nb\"]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		for {
			token, err := d.Token()
			if err != nil {
				break
			}
			if s, ok := token.(string); ok {
				want = append(want, s)
			}
		}
		r := &jsonReader{src: text}
		var got []string
		depth := 0
		for r.next() != 0 {
			switch c := r.src[r.pos]; c {
			case '"', '\'':
				s, ok := r.text()
				if !ok {
					return
				}
				got = append(got, s)
			case '{', '[', '}', ']', ',', ':':
				if depth++; depth > 1000 {
					return
				}
				r.pos++
			default:
				if !r.scalar() {
					return
				}
			}
		}
		if json.Valid([]byte(text)) && utf8.ValidString(text) && !slices.Equal(got, want) {
			t.Errorf("%q: strings %q, want %q", text, got, want)
		}
	})
}
