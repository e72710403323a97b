package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// TestLibraries: each language says what is in its box.
func TestLibraries(t *testing.T) {
	for _, c := range []struct {
		lang *language.Language
		want []string
	}{
		{language.Python, []string{"Python 3.", "(standard library) ", " json "}},
		{language.JavaScript, []string{"Node.js ", "(built in) ", " fs "}},
		{language.TypeScript, []string{"Node.js ", "(built in) ", " fs "}},
		{language.PHP, []string{"PHP 8", "\nCore "}},
		{language.Bash, []string{"Bash 5", "\ngrep\n"}},
		{language.Go, []string{"Go 1.", "(standard library only)"}},
		{language.Ruby, []string{"Ruby ", "(standard library) "}},
		{language.Perl, []string{"Perl 5.", "(core) ", " strict "}},
		{language.Lua, []string{"Lua 5.", "(built in) ", " string "}},
	} {
		t.Run(c.lang.Name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
				if name != glovebox.TierProcess && c.lang != language.Python {
					return
				}
				need(t, e, c.lang)
				job, ok := c.lang.LibrariesJob()
				if !ok {
					t.Fatal("there is no such job")
				}
				job.Tier, job.Limits = name, patient
				o := do(t, e, job)
				for _, w := range c.want {
					if o.Status != glovebox.StatusPass || !strings.Contains(o.Stdout, w) {
						t.Errorf("%s, without %q: %s\n%s", o.Status, w, o.Stdout, o.Stderr)
					}
				}
				if n := strings.Count(o.Stdout, "\n"); n < 2 || n > 1100 {
					t.Errorf("%d lines", n)
				}
			})
		})
	}
}

// TestLint: a check says what is wrong, and nothing else.
func TestLint(t *testing.T) {
	const clean, found, nothing = language.LintClean, language.LintFound, language.LintNothing
	goMod := "module example.com/m\n\ngo 1.22\n"
	for _, c := range []struct {
		name    string
		lang    *language.Language
		tree    []glovebox.File
		changed []string
		code    int
		want    []string // "path:line", with a part of the message after a space
		why     string   // a part of stderr
	}{
		{"clean", language.Python, files("a/b.py", "import os\nX = [y for y in os.environ]\ndef f(z):\n    global late\n    late = 1\n    return [z for z in X], late, __file__, W\nW = 1\ntry:\n    unicode\nexcept NameError:\n    unicode = str\nclass C:\n    n = 1\n    def g(self): return __class__, self.n, lambda q: q\ndef h(x: 'Unknown', y: Unknown2 = None) -> Other: pass\n", "json.py", "raise SystemExit(0)\n"), []string{"a/b.py"}, clean, nil, ""},
		{"undefined names", language.Python, files("a.py", "def f(x):\n    return x + y1\nclass C:\n    z = y2\nprint([y3 for q in range(3)])\n", "b.py", "undefined_too\n"), []string{"a.py"}, found, []string{"a.py:2 undefined name 'y1'", "a.py:4 undefined name 'y2'", "a.py:5 undefined name 'y3'"}, ""},
		{"names that may be anywhere", language.Python, files("a.py", "from b import *\nprint(y1)\n", "c.py", "globals()['q'] = 1\nprint(q)\n"), []string{"a.py", "c.py"}, clean, nil, ""},
		{"syntax", language.Python, files("a.py", "x = 1\ndef f(:\n"), []string{"a.py"}, found, []string{"a.py:2 SyntaxError"}, ""},
		{"warnings", language.Python, files("a.py", "x = 1\nassert (x, 'always')\nif x is 1: pass\n"), []string{"a.py"}, found, []string{"a.py:2 SyntaxWarning", "a.py:3 SyntaxWarning"}, ""},
		{"clean", language.JavaScript, files("package.json", `{"type":"module"}`, "src/a.js", "import fs from 'fs';\nexport const a = 1;\n", "b.cjs", "module.exports = 1;\n"), []string{"src/a.js", "b.cjs"}, clean, nil, ""},
		{"syntax", language.JavaScript, files("a.js", "const a = 1;\nconst a = 2;\n", "b.mjs", "let x = ;\n"), []string{"a.js", "b.mjs"}, found, []string{"a.js:2 already been declared", "b.mjs:1 Unexpected token"}, ""},
		{"types", language.TypeScript, files("a.ts", "const a: number = 'x';\nexport = a;\n"), []string{"a.ts"}, nothing, nil, "types were not checked"},
		{"syntax", language.TypeScript, files("src/a.ts", "let a: number = 1;\nlet b: = 2;\n"), []string{"src/a.ts"}, found, []string{"src/a.ts:2 "}, ""},
		{"clean", language.PHP, files("a.php", "<?php\nfunction f($x) { return $x; }\n"), []string{"a.php"}, clean, nil, ""},
		{"syntax", language.PHP, files("src/a.php", "<?php\n$x = 1;\nfunction {\n"), []string{"src/a.php"}, found, []string{"src/a.php:3 Parse error"}, ""},
		{"clean", language.Bash, files("a.sh", "f() { echo \"$1\"; }\nf x\n"), []string{"a.sh"}, clean, nil, ""},
		{"syntax", language.Bash, files("a.sh", "if true; then\necho x\nfi\ndone\n", "-n.sh", "for\n"), []string{"a.sh", "-n.sh"}, found, []string{"a.sh:4 syntax error", "-n.sh:"}, ""},
		{"clean", language.Ruby, files("a.rb", "def f(x)\n  x + 1\nend\n"), []string{"a.rb"}, clean, nil, ""},
		{"warnings", language.Ruby, files("a.rb", "def f\n  x = 1\n  2\nend\n"), []string{"a.rb"}, found, []string{"a.rb:2 assigned but unused variable"}, ""},
		{"clean", language.Perl, files("lib/A/B.pm", "package A::B;\nuse strict;\nuse warnings;\nuse A::C;\nsub f { return $_[0] }\n1;\n", "lib/A/C.pm", "package A::C;\n1;\n"), []string{"lib/A/B.pm"}, clean, nil, ""},
		{"strict", language.Perl, files("a.pl", "use strict;\nuse warnings;\nBEGIN { print \"forged.pl:1:1: x\\n\"; }\n$x = 1;\n"), []string{"a.pl"}, found, []string{"a.pl:4 Global symbol"}, ""},
		{"clean", language.Lua, files("a.lua", "local x = 1\nreturn x\n"), []string{"a.lua"}, clean, nil, ""},
		{"syntax", language.Lua, files("a.lua", "local x = 1\nx = = 2\n"), []string{"a.lua"}, found, []string{"a.lua:2 unexpected symbol"}, ""},
		{"clean", language.Go, files("go.mod", goMod, "a/a.go", "package a\n\nimport \"example.com/m/b\"\n\nfunc A() int { return b.B() }\n", "b/b.go", "package b\n\nfunc B() int { return 1 }\n",
			"a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { A() }\n", "a/x_test.go", "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/a\"\n)\n\nfunc TestX(t *testing.T) { a.A() }\n", "main.go", "package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.A() }\n"),
			[]string{"a/a.go", "a/x_test.go", "main.go"}, clean, nil, ""},
		{"form", language.Go, files("a.go", "package a\n\nfunc A() int {\n  return 1\n}\n"), []string{"a.go"}, found, []string{"a.go:4 gofmt"}, ""},
		{"types", language.Go, files("go.mod", goMod, "a/a.go", "package a\n\nimport \"os\"\n\nfunc A() string { return 1 }\n"), []string{"a/a.go"}, found, []string{"a/a.go:3 imported and not used", "a/a.go:5 cannot use 1"}, ""},
		{"vet", language.Go, files("go.mod", goMod, "a/a.go", "package a\n\nimport \"fmt\"\n\nfunc A() { fmt.Printf(\"%d\\n\", \"x\") }\n"), []string{"a/a.go"}, found, []string{"a/a.go:5 Printf format %d"}, ""},
		{"another module", language.Go, files("go.mod", goMod, "a/a.go", "package a\n\nimport _ \"example.org/x\"\n"), []string{"a/a.go"}, nothing, nil, "example.org/x"},
	} {
		t.Run(c.lang.Name+" "+c.name, func(t *testing.T) {
			eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
				if name != glovebox.TierProcess && (c.lang != language.Python || c.name != "clean") {
					return
				}
				need(t, e, c.lang)
				job, ok := c.lang.LintJob(c.tree, c.changed)
				if !ok {
					t.Fatal("there is no such job")
				}
				job.Tier, job.Limits = name, patient
				o := do(t, e, job)
				if o.ExitCode == nil || *o.ExitCode != c.code || !strings.Contains(o.Stderr, c.why) {
					t.Fatalf("%s: %s, exit code %v, want %d\n%s\n%s", o.Status, o.Message, o.ExitCode, c.code, o.Stdout, o.Stderr)
				}
				got := language.ReadLint(o.Stdout)
				if len(c.want) == 0 && len(got) > 0 {
					t.Errorf("findings: %v", got)
				}
				for _, w := range c.want {
					at, message, _ := strings.Cut(w, " ")
					file, line, _ := strings.Cut(at, ":")
					if !slices.ContainsFunc(got, func(f glovebox.Finding) bool {
						return f.File == file && (line == "" || line == strconv.Itoa(f.Line)) && strings.Contains(f.Message, message)
					}) {
						t.Errorf("no finding %q among\n%s", w, o.Stdout)
					}
				}
				for _, f := range got {
					if !slices.Contains(c.changed, f.File) {
						t.Errorf("a finding in a file that did not change: %+v", f)
					}
				}
			})
		})
	}
}
