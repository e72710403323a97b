package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// want describes a program: "path: code" for each file, the main one first.
type want struct {
	lang      string
	files     []string
	tests     []string
	truncated bool
	left      string // in the reason of a piece that was left
	note      string // in a note
}

func TestExtract(t *testing.T) {
	const fib = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
	py := func(files ...string) want { return want{lang: "python", files: files} }
	for _, c := range []struct {
		name, reply string
		opt         Options
		want        want
	}{
		// One fence.
		{"one fence", "Sure!\n\n```python\nprint(1)\n```\nBye.", Options{}, py("main.py: print(1)\n")},
		{"untagged", "Here:\n```\ndef f():\n    return 1\n```\n", Options{}, py("main.py: def f():\n    return 1\n")},
		{"untagged, the caller knows", "```\nx = gets.to_i\nputs x\n```", Options{Language: "ruby"}, want{lang: "ruby", files: []string{"main.rb: x = gets.to_i\nputs x\n"}}},
		{"tildes", "~~~python\nprint('```')\n~~~", Options{}, py("main.py: print('```')\n")},
		{"longer fence", "````python\nprint(1)\n```\nprint(2)\n````", Options{}, py("main.py: print(1)\n```\nprint(2)\n")},
		{"space before the tag", "``` Python\nprint(1)\n```", Options{}, py("main.py: print(1)\n")},
		{"attributes", "```{.python .numberLines}\nprint(1)\n```", Options{}, py("main.py: print(1)\n")},
		{"in a list", "1. Do:\n\n   ```python\n   if 1:\n       print(1)\n   ```\n2. Done", Options{}, py("main.py: if 1:\n    print(1)\n")},
		{"in a list, on the marker's line", "- ```python\n  print(1)\n  ```", Options{}, py("main.py: print(1)\n")},
		{"in a list, not indented", "1. Do:\n   ```python\nprint(1)\n```\n2. And:\n   ```python\nprint(2)\n   ```", Options{}, py("main.py: print(1)\n\nprint(2)\n")},
		{"deep in a list", "- a\n  - b\n    - c\n\n        ```python\n        print(1)\n        ```", Options{}, py("main.py: print(1)\n")},
		{"in a quote", "> Try:\n> ```python\n> if 1:\n>     print(1)\n> ```\n> ok", Options{}, py("main.py: if 1:\n    print(1)\n")},
		{"a quote ends a fence", "> ```python\n> print(1)\n\nSome words.", Options{}, py("main.py: print(1)\n")},
		{"in HTML", "<details>\n<summary>Code</summary>\n```python\nprint(1)\n```\n</details>", Options{}, py("main.py: print(1)\n")},
		{"all indented", "\n    Words.\n\n    ```python\n    print(1)\n    ```\n", Options{}, py("main.py: print(1)\n")},
		{"tabs", "```python\nif 1:\n\tprint(1)\n```", Options{}, py("main.py: if 1:\n\tprint(1)\n")},
		{"never closed", "```python\nprint(1)\nprint(2", Options{}, want{lang: "python", files: []string{"main.py: print(1)\nprint(2\n"}, truncated: true}},
		{"never closed, with words", "```python\ndef f():\n    return 1\nSome words after the code.\n", Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 1\n"}, note: "the words after the code"}},
		{"the end forgotten", "```python\nx = 1\n```python\nprint(x)\n```\n", Options{}, py("main.py: x = 1\n\nprint(x)\n")},
		{"only opened", "Here is the code:\n```", Options{}, want{truncated: true}},
		{"a fence in a docstring", "```python\ndef f():\n    \"\"\"Say:\n```\nf()\n```\n    \"\"\"\n    return 1\n```\nWords.", Options{}, py("main.py: def f():\n    \"\"\"Say:\n```\nf()\n```\n    \"\"\"\n    return 1\n")},
		{"docstrings in two files", "`a.py`\n````\ndef f():\n    \"\"\"\n    One.\n    \"\"\"\n    return 1\n````\n`main.py`\n````\nimport a\ndef g():\n    \"\"\"\n    Two.\n    \"\"\"\n    return a.f()\n````\n", Options{}, py("main.py: import a\ndef g():\n    \"\"\"\n    Two.\n    \"\"\"\n    return a.f()\n", "a.py: def f():\n    \"\"\"\n    One.\n    \"\"\"\n    return 1\n")},
		{"a fence in a prompt", "```python\nP = '''\n```json\n{}\n```\n'''\nprint(P)\n```\nWords.", Options{}, py("main.py: P = '''\n```json\n{}\n```\n'''\nprint(P)\n")},
		{"a fence in a here document", "```bash\ncat > R.md <<'EOF'\n```sh\nls\n```\nEOF\nwc R.md\n```\nWords.", Options{}, want{lang: "bash", files: []string{"main.sh: cat > R.md <<'EOF'\n```sh\nls\n```\nEOF\nwc R.md\n"}}},
		{"Markdown in Markdown", "```markdown\n# Title\n```python\nprint(1)\n```\nmore\n```\n", Options{}, py("main.py: print(1)\n")},
		{"Markdown in longer Markdown", "````md\n```python\nprint(1)\n```\n````\n", Options{}, py("main.py: print(1)\n")},
		{"inline fence", "Use ```python print(1)``` now.", Options{}, want{}},

		// Several fences.
		{"names in info strings", "```python title=\"app/a.py\"\nX = 1\n```\n```python:b.py\nY = 2\n```\n```main.py\nimport b\n```\n```python c.py\nZ = 3\n```", Options{},
			py("main.py: import b\n", "app/a.py: X = 1\n", "b.py: Y = 2\n", "c.py: Z = 3\n")},
		{"names above", "### `a.py`\n\nThe first.\n\n```python\nA = 1\n```\n\n**b.py**\n```python\nB = 1\n```\n\nFile: c.py\n```python\nC = 1\n```\n\n[d.py]\n```python\nD = 1\n```\n\nNow create `main.py` with this:\n\n```python\nimport a\n```", Options{},
			py("main.py: import a\n", "a.py: A = 1\n", "b.py: B = 1\n", "c.py: C = 1\n", "d.py: D = 1\n")},
		{"numbered headings", "#### 2. src/util.py\n```python\nU = 1\n```\n#### 3) **main.py** (entry)\n```python\nimport src.util\n```", Options{}, py("main.py: import src.util\n", "src/util.py: U = 1\n")},
		{"names in comments", "```python\n# file: a.py\nA = 1\n```\n```python\n#!/usr/bin/env python3\n# main.py\nimport a\n```", Options{}, py("main.py: #!/usr/bin/env python3\n# main.py\nimport a\n", "a.py: # file: a.py\nA = 1\n")},
		{"underscores", "**pkg/__init__.py**\n```python\nA = 1\n```\n`main.py`\n```python\nimport pkg\n```", Options{}, py("main.py: import pkg\n", "pkg/__init__.py: A = 1\n")},
		{"data beside code", "`data.json`\n```json\n{\"a\": 1}\n```\n`main.py`\n```python\nprint(open('data.json').read())\n```", Options{}, py("main.py: print(open('data.json').read())\n", "data.json: {\"a\": 1}\n")},
		{"a name in the comment of JSON", "```py\nprint(1)\n```\n```json\n// a.json\n{}\n```", Options{}, py("main.py: print(1)\n", "a.json: {}\n")},
		{"a name twice", "`a.py`\n```python\ndef f():\n    return 1\n```\nBetter:\n\n`a.py`\n```python\ndef f():\n    return 2\n```", Options{}, want{lang: "python", files: []string{"a.py: def f():\n    return 2\n"}, note: "a.py is given more than once"}},
		{"code and tests", "```python\n" + fib + "```\nTests:\n```python\nimport unittest\n\nclass TestFib(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(fib(1), 1)\n```", Options{},
			want{lang: "python", files: []string{"main.py: " + fib}, tests: []string{"test_main.py: import unittest\n\nclass TestFib(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(fib(1), 1)\n"}}},
		{"asserts", "```python\n" + fib + "```\n```python\nassert fib(1) == 1\nprint('All tests passed')\n```", Options{}, want{lang: "python", files: []string{"main.py: " + fib}, tests: []string{"test_main.py: assert fib(1) == 1\nprint('All tests passed')\n"}}},
		{"only tests", "```python\ndef test_a():\n    assert 1\n```", Options{}, want{lang: "python", files: []string{"main.py: def test_a():\n    assert 1\n"}, note: "all the code is tests"}},
		{"shell commands", "```bash\npip install requests\n```\n```python\nprint(1)\n```\n```sh\n$ python main.py\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, left: "shell commands"}},
		{"only shell commands", "```bash\npip install requests\npython main.py\n```", Options{}, want{left: "shell commands"}},
		{"a shell program", "```sh\nrm -rf /\n```", Options{}, want{lang: "bash", files: []string{"main.sh: rm -rf /\n"}}},
		{"output", "```python\nprint(1)\n```\nOutput:\n```\n1\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, left: "output"}},
		{"output that looks like code", "```python\nprint('x = 1')\n```\n\nThis prints:\n```\nx = 1\n```", Options{}, py("main.py: print('x = 1')\n")},
		{"output with the wrong tag", "```bash\nf() { echo \"$1\"; }\nf \"$1\"\n```\nThis will output:\n```bash\nhELLO\n```", Options{}, want{lang: "bash", files: []string{"main.sh: f() { echo \"$1\"; }\nf \"$1\"\n"}, left: "output"}},
		{"alternatives", "```python\ndef f():\n    return 1\n```\nOr:\n```python\ndef f():\n    return 2\n```", Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 2\n"}, note: "the last complete one", left: "an earlier version"}},
		{"the last is cut off", "```python\ndef f():\n    return 1\n```\nOr:\n```python\ndef f():\n    retu", Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 1\n"}, truncated: true, left: "cut off"}},
		{"usage", "```python\n" + fib + "```\nUse it:\n```python\nprint(fib(3))\n```", Options{}, want{lang: "python", files: []string{"main.py: " + fib}, left: "usage"}},
		{"a snippet of it", "```python\nimport sys\n" + fib + "print(fib(int(sys.argv[1])))\n```\nThe point is:\n```python\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n```", Options{}, want{lang: "python", files: []string{"main.py: import sys\n" + fib + "print(fib(int(sys.argv[1])))\n"}, left: "a part of the code"}},
		{"the rest is left out", "```python\ndef f():\n    return 1\ndef g():\n    return f()\n```\nChange:\n```python\ndef f():\n    return 3\n# ... rest of the code unchanged\n```", Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 1\ndef g():\n    return f()\n"}, left: "left out"}},
		{"a method", "```python\nclass A:\n    def f(self):\n        return 1\n```\nAdd:\n```python\ndef g(self):\n    return 2\n```", Options{}, want{lang: "python", files: []string{"main.py: class A:\n    def f(self):\n        return 1\n"}, left: "without their class"}},
		{"steps and then all", "```python\nx = 1\n```\n```python\nprint(x)\n```\nAll of it:\n```python\nx = 1\nprint(x)\n```", Options{}, want{lang: "python", files: []string{"main.py: x = 1\nprint(x)\n"}, note: "repeats"}},
		{"steps", "```python\nimport math\n```\n```python\ndef area(r):\n    return math.pi * r * r\n```\n```python\nif __name__ == '__main__':\n    print(area(1))\n```", Options{}, py("main.py: import math\n\ndef area(r):\n    return math.pi * r * r\n\nif __name__ == '__main__':\n    print(area(1))\n")},
		{"a function again, needing the rest", "```python\nimport math\ndef f():\n    return math.pi\ndef g():\n    return 1\n```\n```python\ndef f():\n    return math.e + g()\n```", Options{}, want{lang: "python", files: []string{"main.py: import math\ndef f():\n    return math.pi\ndef g():\n    return 1\n\ndef f():\n    return math.e + g()\n"}, note: "defines f again"}},
		{"two languages", "```python\nprint('a longer program')\n```\n```javascript\nconsole.log(1)\n```", Options{}, want{lang: "python", files: []string{"main.py: print('a longer program')\n"}, left: "in javascript, and the program is in python"}},
		{"two languages and a wish", "```python\nprint('a longer program')\n```\n```javascript\nconsole.log(1)\n```", Options{Language: "JS"}, want{lang: "javascript", files: []string{"main.js: console.log(1)\n"}}},
		{"not the wished language", "```ruby\nputs 1\n```", Options{Language: "python"}, want{left: "in ruby, and the program is in python"}},
		{"a language that cannot be run", "```scala\nobject Main extends App {}\n```", Options{}, want{left: "scala is not a language that can be run"}},
		{"JavaScript for TypeScript", "```js\nlet x = 1\n```", Options{Language: "ts"}, want{lang: "typescript", files: []string{"main.ts: let x = 1\n"}}},
		{"Go in two files", "```go\npackage main\n\nfunc main() { f() }\n```\n```go\npackage main\n\nfunc f() {}\n```", Options{}, want{lang: "go", files: []string{"main.go: package main\n\nfunc main() { f() }\n", "main2.go: package main\n\nfunc f() {}\n"}}},
		{"PHP in two blocks", "```php\n<?php\nfunction f() { return 1; }\n?>\n```\n```php\n<?php\nfunction g() { return f(); }\n```", Options{}, want{lang: "php", files: []string{"main.php: <?php\nfunction f() { return 1; }\n\nfunction g() { return f(); }\n"}}},

		// Names that would leave the workspace.
		{"up", "```python title=\"../../etc/passwd\"\nprint(1)\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, note: "leaves the workspace"}},
		{"absolute", "```python:/etc/cron.d/x.py\nprint(1)\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, note: "is absolute"}},
		{"drive", "```python title=\"C:\\Windows\\a.py\"\nprint(1)\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, note: "is absolute"}},
		{"backslashes", "```python title=\"src\\a.py\"\nprint(1)\n```", Options{}, py("src/a.py: print(1)\n")},
		{"the caller's tests", "`solution_test.py`\n```python\ndef test_a():\n    pass\n```\n`solution.py`\n```python\nX = 1\n```", Options{Tests: []string{"solution_test.py"}}, want{lang: "python", files: []string{"solution.py: X = 1\n"}, tests: []string{"test_main.py: def test_a():\n    pass\n"}}},
		{"the caller's tests as program", "`check.py`\n```python\nX = 1\n```\n`solution.py`\n```python\nY = 1\n```", Options{Tests: []string{"check.py"}}, want{lang: "python", files: []string{"solution.py: Y = 1\n"}, left: "the name of the caller's tests"}},
		{"a file where a folder is", "`a`\n```python title=\"a.py/b.py\"\nX = 1\n```\n```python title=\"a.py\"\nY = 1\n```", Options{}, want{lang: "python", files: []string{"main.py: Y = 1\n", "a.py/b.py: X = 1\n"}, note: "in the way"}},

		// Other forms.
		{"tags", "Thoughts: do it.\n<code>\nprint(1)\n</code>", Options{}, py("main.py: print(1)\n")},
		{"tag of a language", "<python>\nprint(1)\n</python>", Options{}, py("main.py: print(1)\n")},
		{"pre and code", "<pre><code class=\"language-python\">if 1 &lt; 2:\n    print(&quot;a&quot;)\n</code></pre>", Options{}, want{lang: "python", files: []string{"main.py: if 1 < 2:\n    print(\"a\")\n"}, note: "entities"}},
		{"tag with a path", "<file path=\"src/a.py\">\nprint(1)\n</file>", Options{}, py("src/a.py: print(1)\n")},
		{"a tag never closed", "<code>\nprint(1)\nprint(", Options{}, want{lang: "python", files: []string{"main.py: print(1)\nprint(\n"}, truncated: true}},
		{"a tag in prose", "Call <code>print(1)</code> to print.", Options{}, want{}},
		{"Llama's tags", "[PYTHON]\nprint(1)\n[/PYTHON]", Options{}, py("main.py: print(1)\n")},
		{"JSON", `{"language": "python", "code": "print(1)\nprint(2)"}`, Options{}, py("main.py: print(1)\nprint(2)\n")},
		{"JSON, a tool call", `{"tool_calls":[{"type":"function","function":{"name":"run","arguments":"{\"code\":\"print(1)\"}"}}]}`, Options{}, py("main.py: print(1)\n")},
		{"JSON, a message", `{"choices":[{"message":{"role":"assistant","content":"Sure:\n` + "```python\\nprint(1)\\n```" + `"}}]}`, Options{}, py("main.py: print(1)\n")},
		{"JSON, files", `{"files":[{"path":"a.py","content":"A = 1\n"},{"path":"main.py","content":"import a\n"}]}`, Options{}, py("main.py: import a\n", "a.py: A = 1\n")},
		{"JSON, a map of files", `{"files":{"a.py":"A = 1\n","main.py":"import a\n"}}`, Options{}, py("main.py: import a\n", "a.py: A = 1\n")},
		{"JSON, tests", `{"code":"def f():\n    return 1\n","tests":"assert f() == 1\n"}`, Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 1\n"}, tests: []string{"test_main.py: assert f() == 1\n"}}},
		{"JSON in a fence", "```json\n{\"code\": \"print(1)\"}\n```", Options{}, py("main.py: print(1)\n")},
		{"JSON in prose", "I call the tool.\n<tool_call>{\"name\": \"python\", \"arguments\": {\"code\": \"print(1)\"}}</tool_call>", Options{}, py("main.py: print(1)\n")},
		{"JSON without code", `{"name": "Alice", "age": 28}`, Options{}, want{}},
		{"a fence in JSON", "{\"code\": \"```python\\nprint(1)\\n```\"}", Options{}, py("main.py: print(1)\n")},
		{"session", "```python\n>>> def f():\n...     return 1\n...\n>>> f()\n1\n```", Options{}, want{lang: "python", files: []string{"main.py: def f():\n    return 1\n\nf()\n"}, note: "session"}},
		{"session without a fence", "Try it:\n\n>>> x = 1\n>>> print(x)\n1\n", Options{}, py("main.py: x = 1\nprint(x)\n")},
		{"diff, a new file", "```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,9 @@\n+def f():\n+    return 1\n```", Options{}, want{lang: "python", files: []string{"a.py: def f():\n    return 1\n"}, note: "a new file in a diff"}},
		{"diff, a file not here", "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n```", Options{}, want{left: "a patch of a file that is not in the reply"}},
		{"diff, a file that is here", "`a.py`\n```python\ndef f():\n    return 1\n```\n```diff\n--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n def f():\n-    return 1\n+    return 2\n```", Options{}, want{lang: "python", files: []string{"a.py: def f():\n    return 2\n"}, note: "the patch was applied"}},
		{"diff without places", "```diff\n def f():\n-    return 1\n+    return 2\n```", Options{Language: "python"}, want{lang: "python", files: []string{"main.py: def f():\n    return 2\n"}, note: "new side"}},
		{"bare code", "Here is it.\n\ndef f():\n    # One.\n\n    return 1\n\nprint(f())\n\nThis prints the number one.", Options{}, py("main.py: def f():\n    # One.\n\n    return 1\n\nprint(f())\n")},
		{"only code", "def f():\n    return 1\n", Options{}, py("main.py: def f():\n    return 1\n")},
		{"code and words", "\ndef main():\n    pass\nSome words after code...\n", Options{}, py("main.py: def main():\n    pass\n")},
		{"thinking", "<think>\n```python\nprint('draft')\n```\n</think>\n```python\nprint(1)\n```", Options{}, want{lang: "python", files: []string{"main.py: print(1)\n"}, left: "thinking"}},
		{"only thinking", "<think>\n```python\nprint('draft')\n```\n", Options{}, want{left: "thinking"}},

		// No code.
		{"nothing", "", Options{}, want{}},
		{"blank", " \n\t\n", Options{}, want{}},
		{"prose", "I am sorry, but I cannot help with that.", Options{}, want{}},
		{"an empty fence", "```python\n\n```", Options{}, want{left: "empty"}},
		{"comments", "```python\n# your code here\n```", Options{}, want{left: "only comments"}},
		{"comments of C", "```js\n/* your\n code here */\n// TODO\n```", Options{}, want{left: "only comments"}},
		{"a bare name", "fib", Options{Language: "python"}, want{}},
		{"a bare expression", "a + b", Options{}, want{}},
		{"inline code", "Use `sorted(x)` for it.", Options{}, want{}},
		{"a table", "| a | b |\n|---|---|\n| 1 | 2 |\n", Options{}, want{}},

		// Bytes.
		{"Windows", "\ufeff```python\r\nif 1:\r\n    print(1)\r\n```\r\n", Options{}, py("main.py: if 1:\n    print(1)\n")},
		{"not UTF-8 and NUL", "```python\nprint('\xff\x00')\n```", Options{}, py("main.py: print('\xff\x00')\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Extract(glovebox.Reply(c.reply), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, c.reply, res)
			var got want
			if p := res.Program; p != nil {
				got.lang = p.Language
				for _, f := range p.Files {
					if s := f.Path + ": " + string(f.Data); f.Path == p.Main {
						got.files = slices.Insert(got.files, 0, s)
					} else {
						got.files = append(got.files, s)
					}
				}
			}
			for _, f := range res.Tests {
				got.tests = append(got.tests, f.Path+": "+string(f.Data))
			}
			if got.lang != c.want.lang || !slices.Equal(got.files, c.want.files) || !slices.Equal(got.tests, c.want.tests) {
				t.Errorf("got %s %q, tests %q\nwant %s %q, tests %q\n%+v", got.lang, got.files, got.tests, c.want.lang, c.want.files, c.want.tests, res.Extraction)
			}
			if res.Extraction.Truncated != c.want.truncated {
				t.Errorf("truncated is %v", res.Extraction.Truncated)
			}
			left := slices.ContainsFunc(res.Extraction.Left, func(p glovebox.Piece) bool { return strings.Contains(p.Reason, c.want.left) })
			if c.want.left != "" && !left {
				t.Errorf("left %+v, want the reason %q", res.Extraction.Left, c.want.left)
			}
			if !strings.Contains(strings.Join(res.Extraction.Notes, "\n"), c.want.note) {
				t.Errorf("notes %q, want %q", res.Extraction.Notes, c.want.note)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply string
		opt   Options
		want  string
	}{
		{"too long", strings.Repeat("x", 101), Options{MaxBytes: 100}, `101 bytes long: at most 100 are read (limit "reply")`},
		{"too long by default", strings.Repeat("x", int(glovebox.DefaultLimits.Reply)+1), Options{}, `limit "reply"`},
		{"too many lines", strings.Repeat("\n", maxLines+1), Options{}, "lines"},
		{"too many blocks", strings.Repeat("```py\nx\n```\n", maxBlocks+1), Options{}, "blocks"},
		{"unknown language", "x", Options{Language: "cobol"}, `language "cobol" is not known`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Extract(glovebox.Reply(c.reply), c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func ExampleExtract() {
	res, err := Extract("Sure!\n\n```python title=\"shout.py\"\nprint('HELLO')\n```\n\n```sh\npython shout.py\n```\n", Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, starts with %s\n", res.Program.Language, res.Program.Main)
	for _, p := range res.Extraction.Left {
		fmt.Printf("left line %d: %s\n", p.Line, p.Reason)
	}
	// Output:
	// python, starts with shout.py
	// left line 8: shell commands
}
