package extract

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// tiny is a reply of ten lines, as most are that only compute something.
const tiny = "Here is a function that adds the first numbers, and what it gives for ten.\n\n" +
	"```python\ndef total(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n\nprint(total(10))\n```\n"

// replies are what a model may answer, from the smallest to the longest.
func replies() map[string]glovebox.Reply {
	small := "Sure! The idea is to keep what is known of each word.\n\n```python\nimport collections\n\n" +
		strings.Repeat("def f(words):\n    seen = collections.Counter(words)\n    return [w for w in words if seen[w] > 1]\n\n", 8) +
		"if __name__ == '__main__':\n    print(f(['a', 'b', 'a']))\n```\n\nIt takes `O(n)` time. **Note** that the order stays.\n"
	prose := strings.Repeat("The sum of the first numbers is known since long ago; see also the *proof* in [the book](https://example.org/b).\n\n"+
		"- It is short, and\n- it needs no loop.\n\n> A quote of somebody\n> who said so.\n\n", 4096)
	return map[string]glovebox.Reply{
		"tiny":             tiny,
		"small":            glovebox.Reply(small),
		"untagged":         glovebox.Reply(strings.Replace(tiny, "```python", "```", 1)),
		"bare code":        "def total(n):\n    return sum(range(n))\n\nprint(total(10))\n",
		"1 MiB of prose":   glovebox.Reply(prose + tiny),
		"1 MiB of code":    glovebox.Reply("```python\n" + strings.Repeat("def f(words):\n    return [w for w in words if w]\n\n", 18000) + "```\n"),
		"1 MiB, bare code": glovebox.Reply(strings.Repeat("def f(words):\n    return [w for w in words if w]\n\n", 18000)),
	}
}

func BenchmarkExtract(b *testing.B) {
	for name, r := range replies() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(r)))
			b.ReportAllocs()
			for b.Loop() {
				if res, err := Extract(r, Options{}); err != nil || res.Program == nil {
					b.Fatal(res, err)
				}
			}
		})
	}
}
