package extract

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestBounds gives replies that are made to cost much. What holds is that
// memory stays in proportion to the reply: nothing here depends on time, but a
// quadratic step would not end.
func TestBounds(t *testing.T) {
	const n = 1 << 18
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	numbered := func(n int, line func(b *strings.Builder, i int)) string {
		var b strings.Builder
		for i := range n {
			line(&b, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, reply string
		code        bool
	}{
		{"one long line", fill("x"), false},
		{"one long line of code", "```python\nx = '" + fill("y ") + "'\n```", true},
		{"one long line of names", "```python\nx = " + fill("y + ") + "1\n```", true},
		{"short lines", "```python\nx=1\n```\n" + fill("aaa\n"), true},
		{"short paragraphs", "```python\nx=1\n```\n" + fill("aaa\n\n"), true},
		{"short headings", "```python\nx=1\n```\n" + fill("# aaa\n"), true},
		{"lists", "```python\nx=1\n```\n" + fill("- aaa\n"), true},
		{"lists with gaps", "```python\nx=1\n```\n" + fill("1. aaa\n\n   b\n"), true},
		{"blank lines in a fence", "```python\nx=1\n" + fill("   \n") + "```\n", true},
		{"lines of code in a fence", "```python\n" + fill("x=1\n") + "```\n", true},
		{"deep quotes", "```python\nx=1\n```\n" + fill(">"), true},
		{"deep lists", "```python\nx=1\n```\n" + fill("- "), true},
		{"deep quotes of lists", "```python\nx=1\n```\n" + fill("> - "), true},
		{"lines of deep quotes", "```python\nx=1\n```\n" + fill(strings.Repeat("> ", 500)+"a\n"), true},
		{"growing quotes", "```python\nx=1\n```\n" + numbered(2000, func(b *strings.Builder, i int) { b.WriteString(strings.Repeat(">", i) + "\n") }), true},
		{"growing lists", "```python\nx=1\n```\n" + numbered(2000, func(b *strings.Builder, i int) { b.WriteString(strings.Repeat(" ", i) + "- a\n") }), true},
		{"marks", "```python\nx=1\n```\n" + fill("*_`[<!"), true},
		{"open brackets", "```python\nx=1\n```\n" + fill("["), true},
		{"backquotes", fill("`"), false},
		{"open fences", strings.Repeat("```\n", 6_000), false},
		{"open fences with tags", strings.Repeat("```python\n", 3_900), false},
		{"fences in lists", strings.Repeat("- ```python\n  x=1\n  ```\n", maxBlocks), true},
		{"3,900 fences", strings.Repeat("```python\nprint(1)\n```\n", 3_900), true},
		{"3,900 fences that differ", numbered(3_900, func(b *strings.Builder, i int) {
			b.WriteString("```python\nx" + strings.Repeat("a", i%500) + " = 1\nprint(2)\n```\n")
		}), true},
		{"3,900 functions", numbered(3_900, func(b *strings.Builder, i int) {
			b.WriteString("```python\ndef f" + string(rune('a'+i%26)) + "():\n    return 1\n```\n")
		}), true},
		{"3,900 files of one name", strings.Repeat("`a.py`\n```python\nx = 1\n```\n", 3_900), true},
		{"3,900 bad names", strings.Repeat("```python title=\"../x\"\nx = 1\n```\n", 3_900), true},
		{"3,900 patches", "`a.py`\n```python\nx = 1\n```\n" + strings.Repeat("```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 2\n+x = 3\n```\n", 3_900), true},
		{"strings without an end", "```bash\n" + numbered(200_000, func(b *strings.Builder, i int) { b.WriteString("cat <<A" + strings.Repeat("B", i%7) + "\n") }) + "```\n", true},
		{"triple quotes", "```python\n" + fill("'''\n\"\"\"\n") + "```\n", true},
		{"open tags", fill("<code>"), false},
		{"open tags on lines", fill("<code>\n"), false},
		{"closed tags", fill("<code>x</code>"), false},
		{"tags with attributes", fill("<code a=b "), false},
		{"open braces", fill("{"), false},
		{"open objects", fill("{\"a\":"), false},
		{"objects in prose", fill("x {\"a\": 1}\n"), false},
		{"deep arrays", fill("["), false},
		{"prompts", fill(">>> x\n"), false},
		{"prose", fill("Some words, and so on. "), false},
		{"lines of prose", fill("Some words, and so on.\n"), false},
		{"bare code", fill("print(1)\n"), true},
		{"bare quotes", fill("x = '''\n"), false},
		{"hunks", fill("@@ -1 +1 @@\n"), false},
		{"spaces", fill(" "), false},
		{"tabs", "```python\nx=1\n" + fill("\t") + "1\n```\n", true},
		{"NULs", fill("\x00"), false},
		{"not UTF-8", fill("\xff\xfe"), false},
		{"dots of an ellipsis", "```python\n# " + fill(".") + "\nx=1\n```", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			res, err := Extract(glovebox.Reply(c.reply), Options{})
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			checkResult(t, c.reply, res)
			if got := after.HeapSys - before.HeapSys; int64(got) > 64<<20+60*int64(len(c.reply)) {
				t.Errorf("%d MiB for %d", got>>20, len(c.reply)>>20)
			}
			if c.code && res.Program == nil {
				t.Errorf("nothing found: %+v", res.Extraction)
			}
		})
	}
}
