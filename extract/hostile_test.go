package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// hostile is a reply that is made to cost much: text builds it with about size
// bytes.
type hostile struct {
	name string
	text func(size int) string
}

// hostileReplies returns more than 200 kinds of replies in which each form of
// code that the package knows begins, ends, nests or nearly begins as often as
// it can.
func hostileReplies() (all []hostile) {
	add := func(name string, text func(size int) string) { all = append(all, hostile{name, text}) }
	const code = "```python\nx = 1\nprint(x)\n```\n"
	for _, u := range hostileUnits {
		unit := u.text
		add(u.name, func(size int) string { return filled(unit, size) })
		add(u.name+", after a program", func(size int) string { return code + filled(unit, size) })
		add(u.name+", in a fence", func(size int) string { return "```\n" + filled(unit, size) + "\n```\n" })
	}
	for _, u := range hostilePairs {
		add(u.name, func(size int) string { return u.head + filled(u.open, size/2) + filled(u.close, size/2) + u.tail })
	}
	for _, u := range hostileSeries {
		add(u.name, func(size int) string {
			var b strings.Builder
			b.WriteString(u.head)
			for i := 0; b.Len() < size; i++ {
				u.line(&b, i)
			}
			b.WriteString(u.tail)
			return b.String()
		})
	}
	for seed := range uint64(24) {
		add(fmt.Sprintf("soup %d", seed), func(size int) string { return soup(seed, size) })
	}
	return all
}

// filled repeats unit up to size.
func filled(unit string, size int) string { return strings.Repeat(unit, max(1, size/len(unit))) }

// soup is a random text of the marks that the package looks for. Each seed
// draws its own few marks, so that some texts have no fence or no tag at all.
func soup(seed uint64, size int) string {
	marks := []string{
		"```", "```python\n", "~~~\n", "\n", "\n\n", "> ", "- ", "# a.py\n", "    ", "\t", "<code>", "</code>", "<pre>", "<!--", "-->",
		"<file path=\"a.py\">", "[PYTHON]", "{\"code\":\"", "\"}", "{\"", "[", "'''", "\"\"\"", "<<EOF\n", "EOF\n", ">>> x\n", "@@ -1 +1 @@\n",
		"--- a/a.py\n", "+++ b/a.py\n", "*** Begin Patch\n", "<<<<<<< SEARCH\n", "=======\n", "print(x)\n", "x = 1\n", "def f():\n", "    return 1\n",
		"Some words, and so on.\n", "return ", "words ", "---\n", "**a.py**\n", "In [1]: x\n", "Output:\n", "class A:\n", "|a|b|\n", "<think>", "</think>",
	}
	r := rand.New(rand.NewPCG(seed, 11))
	r.Shuffle(len(marks), func(i, j int) { marks[i], marks[j] = marks[j], marks[i] })
	marks = marks[:4+r.IntN(12)]
	var b strings.Builder
	b.Grow(size + 64)
	for b.Len() < size {
		b.WriteString(marks[r.IntN(len(marks))])
	}
	return b.String()
}

// hostileUnits are texts to repeat.
var hostileUnits = []struct{ name, text string }{
	{"comments of HTML", "<!-- x -->\n"},
	{"comments of HTML that stay open", "<!--\n"},
	{"details", "<details>\n<summary>a.py</summary>\n\nx\n</details>\n"},
	{"details that stay open", "<details>\n"},
	{"pre and code", "<pre><code>x = 1\n</code></pre>\n"},
	{"pre and code that stay open", "<pre><code>\n"},
	{"code tags with words", "<code>a</code> words "},
	{"closing tags", "</code></pre>\n"},
	{"many attributes", "<code a=b c=\"d\" e='f' "},
	{"files in tags", "<file path=\"a.py\">\nx = 1\n</file>\n"},
	{"Llama's tags", "[PYTHON]\nx = 1\n[/PYTHON]\n"},
	{"brackets", "[python] "},
	{"angle brackets", "<<<<"},
	{"words", "Some words, and so on. "},
	{"lines of words", "Some words, and so on.\n"},
	{"words like code: return", "return the value of the list that was made\n"},
	{"words like code: if", "if the value is of the list then so it is:\n"},
	{"words like code: assignments", "the value = of the list. And so on it goes\n"},
	{"words like code: calls", "words(and words) and other words (and so on) = here\n"},
	{"words like code: dots", "a.b.c.d.e.f.g. A b. C d. "},
	{"code and words in turn", "print(1)\nSome words, and so on.\n\n"},
	{"bare code", "def f(a):\n    return [b for b in a if b]\n\n"},
	{"bare assignments", "x = 1\n"},
	{"bare calls", "print(\"a\", 'b', x)\n"},
	{"remarks", "# words\n"},
	{"remarks of C", "// words\n"},
	{"bare quotes", "x = '''\n"},
	{"quotes in turn", "x = '''\ny = \"\"\"\n"},
	{"short lines", "a\n"},
	{"lines with spaces", "        x   \n"},
	{"long lines of code", strings.Repeat("f(x) + ", 580) + "1\n"},
	{"long lines of words", strings.Repeat("words and ", 405) + "so on\n"},
	{"long lines of names", "x = " + strings.Repeat("a.b ", 1000) + "\n"},
	{"long lines of quotes", "x = " + strings.Repeat("'a' \"b\" ", 500) + "\n"},
	{"objects", "{\"code\": \"x = 1\", \"a\": 1}\n"},
	{"objects that stay open", "{\"a\":"},
	{"objects with fences", "{\"content\":\"```python\\nx = 1\\n```\"}\n"},
	{"arrays", "[1,"},
	{"open arrays", "["},
	{"backquotes", "`"},
	{"open fences", "```\n"},
	{"open fences with a tag", "```python\n"},
	{"fences", "```python\nx = 1\n```\n"},
	{"fences of words", "```\nSome words, and so on.\n```\n"},
	{"fences without an end line", "```python\nx = 1\n``` words\n"},
	{"fences in lists", "- ```python\n  x = 1\n  ```\n"},
	{"fences in quotes", "> ```python\n> x = 1\n> ```\n"},
	{"fences in Markdown", "````md\n```python\nx = 1\n```\n````\n"},
	{"strings with fences", "'''\n```\n'''\n"},
	{"here documents", "cat <<EOF\n"},
	{"here documents that end", "cat <<EOF\nx\nEOF\n"},
	{"quotes of Markdown", "> "},
	{"lists", "- a\n"},
	{"lists in lists", "- "},
	{"headings", "# a.py\n"},
	{"names in bold", "**a.py**\n"},
	{"tables", "| a | b |\n|---|---|\n"},
	{"rule lines", "-----------\n"},
	{"rule lines and code", "-----------\nx = 1\nprint(x)\n"},
	{"hunks", "@@ -1 +1 @@\n-x\n+y\n"},
	{"heads of diffs", "--- a/a.py\n+++ b/a.py\n"},
	{"heads of git's diffs", "diff --git a/a.py b/a.py\n"},
	{"patches", "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch\n"},
	{"patches that stay open", "*** Begin Patch\n*** Update File: a.py\n"},
	{"searches and replacements", "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"},
	{"prompts", ">>> x = 1\n1\n"},
	{"prompts of IPython", "In [1]: x = 1\nOut[1]: 1\n"},
	{"outputs", "Output:\n```\n1\n```\n"},
	{"spaces", " "},
	{"line ends", "\n"},
	{"line ends of Windows", "\r\n"},
	{"returns", "\r"},
	{"tabs", "\t"},
	{"NULs", "\x00"},
	{"bytes that are not UTF-8", "\xff\xfe"},
	{"entities", "&lt;&#60;&amp;"},
	{"thoughts", "<think>words</think>\n"},
	{"thoughts that stay open", "<think>\n"},
	{"dashes", "-"},
	{"letters", "x"},
}

// hostilePairs open very often what then closes as often.
var hostilePairs = []struct{ name, head, open, close, tail string }{
	{"code tags, then their ends", "", "<code>", "</code>", ""},
	{"pre tags on lines, then their ends", "", "<pre>\n<code>\n", "</code>\n</pre>\n", ""},
	{"details, then their ends", "", "<details>\n", "</details>\n", ""},
	{"arrays, then their ends", "", "[", "]", ""},
	{"objects, then their ends", "", "{\"a\":", "}", ""},
	{"quotes, then none", "", "> x\n", "x\n", ""},
	{"fences, then ends of strings", "```python\n", "'''\n", "```\n", ""},
	{"here documents, then their ends", "```bash\n", "cat <<EOF\n", "EOF\n", "```\n"},
	{"a string of code in JSON", `{"code": "`, `x = 1\n`, `print(1)\n`, `"}`},
	{"a string of fences in JSON", `{"content": "`, "```python\\nx = 1\\n```\\n", `words\n`, `"}`},
	{"escapes in JSON", `{"code": "`, `\u0041\"`, `\\\n`, `"}`},
	{"a string in JSON that stays open", `{"code": "`, `x`, `\n`, ``},
	{"cells of a notebook", `{"cells":[`, `{"cell_type":"code","source":["x = 1\n"]},`, `{"cell_type":"markdown","source":"a"},`, `{}]}`},
	{"a thought, then words", "<think>", "words and ", "</thin", ""},
	{"a file and lines that are added", "*** Begin Patch\n*** Add File: a.py\n", "+x = 1\n", "+\n", "*** End Patch\n"},
	{"a patch with many hunks", "```diff\n--- /dev/null\n+++ b/a.py\n", "@@ -1 +1 @@\n+x\n", "+y = 1\n", "```\n"},
	{"fences that open after words, and none ends", "", "x ```python\n", "x ```js\n", ""},
	{"calls, then one end", "", "<invoke name=\"a\">\n", "<b>\n", "</invoke>\n"},
	{"calls, then their ends", "", "<invoke>\n", "</invoke>\n", ""},
	{"a search of short lines", "```\na.py\n<<<<<<< SEARCH\n", "a\n", "b\n=======\n", ">>>>>>> REPLACE\n```\n"},
	{"a fence of lines that stays open", "```python\n", "x = 1234\n", "Some words.\n", ""},
	{"a fence of Markdown that stays open", "```md\n", "```py\nx\n", "words\n", ""},
	{"lines that end with marks", "```python\n", "a```\n", "b = 1\n", ""},
	{"paths, then none", "", "<path>a.py</path>\n", "<path>\n", ""},
	{"cells of strings", `{"source":[`, `"x = 1\n",`, `"y",`, `{}]}`},
	{"a session with long output", "```python\n", ">>> x\n", "1\n", "```\n"},
}

// hostileSeries are replies whose pieces differ.
var hostileSeries = []struct {
	name, head, tail string
	line             func(b *strings.Builder, i int)
}{
	{"an object with many fields of code", "{", `"z":1}`, func(b *strings.Builder, i int) { fmt.Fprintf(b, `"code%d":"x = %d","code":"y = %d",`, i, i, i) }},
	{"an array of objects with code", "[", `{}]`, func(b *strings.Builder, i int) { fmt.Fprintf(b, `{"code":"x%d = 1"},`, i) }},
	{"a map of files", `{"files":{`, `"a.py":"x"}}`, func(b *strings.Builder, i int) { fmt.Fprintf(b, `"a%d.py":"x = 1",`, i) }},
	{"JSON with many fields", "{", `"z":1}`, func(b *strings.Builder, i int) { fmt.Fprintf(b, `"k%d":"v",`, i) }},
	{"fences that differ", "", "", func(b *strings.Builder, i int) { fmt.Fprintf(b, "```python\nx%d = %d\n```\n", i, i) }},
	{"functions that differ", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python\ndef f%d():\n    return f%d()\n```\n", i, i/2)
	}},
	{"long functions that differ", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python\ndef f%d():\n%s    return 1\n```\n", i, strings.Repeat(fmt.Sprintf("    x%d = f%d()\n", i, i/2), 100))
	}},
	{"methods that differ", "```python\nclass A:\n    pass\n```\n", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python\ndef f%d(self):\n    return %d\n```\n", i, i)
	}},
	{"fragments that differ", "", "", func(b *strings.Builder, i int) { fmt.Fprintf(b, "```python\n    return x%d\n```\n", i) }},
	{"versions of everything", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python\ndef f():\n    return %d\ndef g%d():\n    return f()\n```\n", i, i)
	}},
	{"versions that need each other", "```python\ndef f0():\n    return 1\n```\n", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python\ndef g%d():\n    return f%d()\n```\n```python\ndef f%d():\n    return %d\n```\n", i, i/9, i%9, i)
	}},
	{"files that differ", "", "", func(b *strings.Builder, i int) { fmt.Fprintf(b, "`a%d.py`\n```python\nx = a%d\n```\n", i, i/2) }},
	{"files of one name in many spellings", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python title=\"%sa.py\"\nx = %d\n```\n", strings.Repeat("./", i%99), i)
	}},
	{"files in folders that differ", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```python title=\"d%d/e%d/a.py\"\nx = %d\n```\n", i, i%7, i)
	}},
	{"patches of one long file", "`a.py`\n```python\n" + strings.Repeat("x = 1\n", 50_000) + "```\n", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-y = %d\n+x = 3\n```\n", i)
	}},
	{"patches that fit one long file", "`a.py`\n```python\n" + strings.Repeat("x = 1\n", 50_000) + "y = 0\n```\n", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-y = %d\n+y = %d\n```\n", i, i+1)
	}},
	{"files that a patch adds", "*** Begin Patch\n", "*** End Patch\n", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "*** Add File: a%d.py\n+x = %d\n", i, i)
	}},
	{"here documents that differ", "```bash\n", "```\n", func(b *strings.Builder, i int) { fmt.Fprintf(b, "cat <<E%d\n", i) }},
	{"fences that grow", "", "", func(b *strings.Builder, i int) { b.WriteString(strings.Repeat("`", 3+i%5000) + "\n") }},
	{"quotes that grow", "```python\nx = 1\n```\n", "", func(b *strings.Builder, i int) { b.WriteString(strings.Repeat(">", i%5000) + "\n") }},
	{"lists that grow", "```python\nx = 1\n```\n", "", func(b *strings.Builder, i int) { b.WriteString(strings.Repeat(" ", i%5000) + "- a\n") }},
	{"code that moves in", "", "", func(b *strings.Builder, i int) { b.WriteString(strings.Repeat(" ", i%5000) + "x = 1\n") }},
	{"tags that differ", "", "", func(b *strings.Builder, i int) {
		tags := []string{"code", "pre", "python", "bash", "source", "script", "solution", "answer", "file", "content"}
		fmt.Fprintf(b, "<%s>\nx\n", tags[i%len(tags)])
	}},
	{"objects in words that differ", "", "", func(b *strings.Builder, i int) { fmt.Fprintf(b, "x {\"a%d\": \"%s\n", i, strings.Repeat("b", i%50)) }},
	{"blocks in many languages", "", "", func(b *strings.Builder, i int) {
		tags := []string{"python", "js", "ts", "php", "bash", "go", "ruby", "perl", "lua", "", "text"}
		fmt.Fprintf(b, "```%s\n%s\n```\n", tags[i%len(tags)], strings.Repeat("x = f(1)\n", i%2000))
	}},
	{"untagged blocks of 64 KiB", "", "", func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "```\n%s```\n", strings.Repeat(fmt.Sprintf("words %d and so on = here\n", i), 2600))
	}},
}
