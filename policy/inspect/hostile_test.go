package inspect

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// hostile are texts that are repeated to a megabyte.
var hostile = []string{
	"(", ")", "{", "}", "[", "`${", "\"", "'", "`", "\\", "/", "/*", "*/", "#", "//", "--[[", "<<EOF\n", "<<<", "\"\"\"", "f'''{", "#{", "a", "a.", "a ", "a(", "a.b.c.d.e.f.g.h(", ".a", "\n", "\r", "\x00", "\xff",
	"import ", "import a as b, ", "from a import (", "from a import b\n", "require('", "require('a')", "require('a').b(", "const {a} = ", "const a = b.c\n", "use A\\B;", "function ", "def a\n", "eval(1)\n", "os.system('x')\n", "import os\nos.system('x')\n",
	"$", "$(", "$((", "a|", "a;", "if ", "case a in ", "[[ ", "x=$(echo `", "=begin\n", "%x{", "qx{", "s/", "__END__\n", "{$", "é", "\u202e", "'/etc/passwd'\n", "\"\",",
}

// TestHostile: a long text of anything is read, and findings are inside the file. With
// GLOVEBOX_SAMPLE=all each text is a megabyte.
func TestHostile(t *testing.T) {
	for name := range languages() {
		var slowest time.Duration
		var at string
		for _, piece := range hostile {
			size := 8 << 10
			if os.Getenv("GLOVEBOX_SAMPLE") == "all" {
				size = maxFile
			}
			code := strings.Repeat(piece, size/len(piece))
			start := time.Now()
			check(t, name, code)
			if d := time.Since(start); d > slowest {
				slowest, at = d, piece
			}
		}
		t.Logf("%s: %v for %q", name, slowest.Round(time.Millisecond), at)
	}
}

// check inspects a file and checks the findings' form.
func check(t *testing.T, language, code string) []glovebox.Finding {
	t.Helper()
	file := "main" + languages()[language].Extensions[0]
	found := Program(context.Background(), &glovebox.Program{Language: language, Main: file, Files: []glovebox.File{{Path: file, Data: []byte(code)}}})
	lines := strings.Count(code, "\n") + 1
	for _, f := range found {
		if f.Line < 1 || f.Line > lines || f.Column < 1 || len(f.Excerpt) > maxExcerpt || !utf8.ValidString(f.Excerpt) || f.Message == "" || weight(f.Severity) < 0 {
			t.Fatalf("%s: %+v", language, f)
		}
	}
	if len(found) > maxFindings {
		t.Fatalf("%s: %d findings", language, len(found))
	}
	return found
}

// TestBounds: what is not read is a finding, and noise hides nothing severe.
func TestBounds(t *testing.T) {
	p := &glovebox.Program{Language: "python", Main: "a.py", Files: []glovebox.File{
		{Path: "a.py", Data: []byte(strings.Repeat("import numpy\n", 5000) + "import os\nos.system('x')\n")},
		{Path: "b.py", Data: make([]byte, maxFile+1)},
	}}
	found := Program(t.Context(), p)
	rules := fmt.Sprint(found[0].Rule, found[1].Rule)
	if len(found) > maxFindings || !strings.Contains(rules, "process") || !strings.Contains(rules, RuleSize) {
		t.Errorf("%d findings, first %s", len(found), rules)
	}
	if found := Program(t.Context(), nil); found != nil {
		t.Error(found)
	}
	// A file of the program is no package.
	local := &glovebox.Program{Language: "python", Main: "a.py", Files: []glovebox.File{{Path: "a.py", Data: []byte("import helper\nimport lib.x\n")}, {Path: "helper.py"}, {Path: "lib/x.py"}}}
	if found := Program(t.Context(), local); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func FuzzProgram(f *testing.F) {
	for name, l := range languages() {
		for _, r := range l.Rules {
			for _, code := range append(r.Match, r.NotMatch...) {
				f.Add(name, code)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name, code string) {
		if languages()[name] != nil {
			check(t, name, code)
		}
	})
}

func BenchmarkProgram(b *testing.B) {
	p := &glovebox.Program{Language: "python", Main: "a.py", Files: []glovebox.File{{Path: "a.py", Data: []byte(strings.Repeat("import os\n\ndef f(x):\n    return os.path.join('a', str(x))\n", 15))}}}
	Program(context.Background(), p)
	for b.Loop() {
		Program(context.Background(), p)
	}
}
