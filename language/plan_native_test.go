package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

const checkedReport = "{\"type\":\"checked\"}\n"

// TestPlanNative runs programs without tests.
func TestPlanNative(t *testing.T) {
	for _, c := range []struct {
		name    string
		lang    *Language
		program string
		stdin   string
		stdout  string
		exit    int
		// syntax is where and what the check finds, as "line:column part of
		// the message"; empty where it finds nothing.
		syntax string
		// failure is what is read from stderr, as "type|message|file:line".
		failure string
	}{
		{name: "runs", lang: Go, program: "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tvar s string\n\tfmt.Scan(&s)\n\tfmt.Println(s, len(os.Args))\n\tos.Exit(3)\n}\n", stdin: "hi\n", stdout: "hi 1\n", exit: 3},
		{name: "a library", lang: Go, program: "package sum\n\nfunc Of(a ...int) int { return len(a) }\n"},
		{name: "parse error", lang: Go, program: "package main\n\nfunc main() {\n\tx := \n}\n", exit: 1, syntax: "5:1 unexpected }"},
		{name: "type error", lang: Go, program: "package main\n\nfunc main() {\n\tvar x int = \"a\"\n}\n", exit: 1, syntax: "4:6 declared and not used: x"},
		{name: "foreign import", lang: Go, program: "package main\n\nimport _ \"github.com/x/y\"\n\nfunc main() {}\n", exit: 1, syntax: "3:10 github.com/x/y is not in the standard library"},
		{name: "no main", lang: Go, program: "package main\n\nfunc f() {}\n", exit: 1, syntax: "0:0 function main is undeclared"},
		{name: "panic", lang: Go, program: "package main\n\nfunc main() {\n\tvar a []int\n\tprintln(a[3])\n}\n", exit: 2, failure: "runtime error|index out of range [3] with length 0|main.go:5"},
		{name: "no report", lang: Go, program: "package main\n\nimport \"os\"\n\nfunc main() {\n\tif _, err := os.NewFile(5, \"\").Write([]byte(\"x\")); err == nil {\n\t\tpanic(\"open\")\n\t}\n}\n"},

		{name: "runs", lang: Ruby, program: "if __FILE__ == $0\n  puts gets.upcase + DATA.read + ARGV.inspect\nend\nexit 3\n__END__\nthe end\n", stdin: "hi\n", stdout: "HI\nthe end\n[]\n", exit: 3},
		{name: "parse error", lang: Ruby, program: "def f(\n  puts 1\nend end\n", exit: 1, syntax: "2:0 syntax error"},
		{name: "error", lang: Ruby, program: "def f = raise(ArgumentError, 'no')\nf\n", exit: 1, failure: "ArgumentError|no|main.rb:1"},
		{name: "gems", lang: Ruby, program: "require 'set'\nrequire 'json'\nputs Set.new([1]).size, JSON.generate([1])\nbegin\n  require 'nothing_like_that'\nrescue LoadError => e\n  puts e.path\nend\n", stdout: "1\n[1]\nnothing_like_that\n"},
		{name: "no report", lang: Ruby, program: "begin\n  IO.for_fd(5, 'w').write('x')\n  puts 'open'\nrescue SystemCallError\nend\n"},
		{name: "own tests", lang: Ruby, program: "require 'test/unit'\nclass T < Test::Unit::TestCase\n  def test_it = assert_equal(1, 2)\nend\n", stdout: "Failure: test_it(T)\nexpected 1, got 2\n\n1 tests, 1 assertions, 1 not passed\n", exit: 1},

		{name: "runs", lang: Perl, program: "use strict; use warnings;\nmy $l = <STDIN>; print uc $l, $0, ' ', __FILE__, ' ', scalar(caller) // 'main', \"\\n\", <DATA>;\nexit 3;\n__DATA__\nthe end\n", stdin: "hi\n", stdout: "HI\nmain.pl main.pl main\nthe end\n", exit: 3},
		{name: "parse error", lang: Perl, program: "sub f {\n  my $x = ;\n}\n", exit: 255, syntax: "2:0 syntax error"},
		{name: "strict", lang: Perl, program: "use strict;\n$x = 1;\n", exit: 255, syntax: "2:0 Global symbol"},
		{name: "a BEGIN that dies has run", lang: Perl, program: "BEGIN { die \"no\" }\nprint 1;\n", exit: 255},
		{name: "a BEGIN that exits has run", lang: Perl, program: "BEGIN { exit 4 }\nsub f {\n", exit: 4},
		{name: "die", lang: Perl, program: "sub f { die 'no' }\n\nf();\n", exit: 255, failure: "die|no|main.pl:1"},
		{name: "no report", lang: Perl, program: "open my $o, '>&=', 5 and print 'open';\n"},
		{name: "no paths of ours", lang: Perl, program: "print grep { m{^/opt/glovebox/perl$} } @INC;\n"},

		{name: "runs", lang: Lua, program: "#!/usr/bin/lua\nprint(io.read('l'), arg[0], #arg, ...)\nos.exit(3)\n", stdin: "hi\n", stdout: "hi\tmain.lua\t0\n", exit: 3},
		{name: "parse error", lang: Lua, program: "function f(\n  return 1\nend\n", exit: 1, syntax: "2:0 expected near 'return'"},
		{name: "error", lang: Lua, program: "local function f() error('no') end\nf()\n", exit: 1, failure: "error|no|main.lua:1"},
		{name: "no report", lang: Lua, program: "local f = io.open('/proc/self/fd/5', 'w')\nif f then print('open') end\n"},
		{name: "luaunit", lang: Lua, program: "local lu = require('luaunit')\nfunction testIt() lu.assertEquals(1, 1) end\nos.exit(lu.LuaUnit.run())\n", stdout: "Ran 1 tests, 1 successes, 0 failures\n"},
	} {
		t.Run(c.lang.Name+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			run := rigPlan(t, c.lang, program(c.lang.Name, c.lang.Main, c.program), c.stdin)
			if run.exit != c.exit || run.stdout != c.stdout {
				t.Errorf("exit %d, stdout %q, want %d, %q\n%s", run.exit, run.stdout, c.exit, c.stdout, run.stderr)
			}
			if c.syntax == "" {
				if run.report != checkedReport {
					t.Errorf("the report is %q", run.report)
				}
			} else if len(run.events) != 1 || run.events[0].Type != "syntax" || !syntaxIs(run.events[0].Syntax, c.syntax) {
				t.Errorf("the report is %q, want %s", run.report, c.syntax)
			} else if read := c.lang.ReadSyntax(CheckOutput{Stderr: []byte(run.stderr), ExitCode: run.exit, Main: c.lang.Main}); c.name != "no main" && (read == nil || read.Line != run.events[0].Syntax.Line) {
				t.Errorf("read %+v from %q", read, run.stderr)
			}
			if c.failure != "" {
				f := c.lang.ReadFailure([]byte(run.stderr))
				if f == nil || f.Type+"|"+f.Message+"|"+f.File+":"+number(f.Line) != c.failure {
					t.Errorf("the failure is %+v, want %s; stderr:\n%s", f, c.failure, run.stderr)
				}
			}
			if strings.Contains(run.stderr, "/opt/glovebox") {
				t.Errorf("our own files show: %s", run.stderr)
			}
		})
	}
}

func syntaxIs(e *glovebox.SyntaxError, want string) bool {
	at, message, _ := strings.Cut(want, " ")
	return e != nil && number(e.Line)+":"+number(e.Column) == at && strings.Contains(e.Message, message)
}

// FuzzNativeReaders: what a program prints never breaks a reader, and what is
// read is from the text.
func FuzzNativeReaders(f *testing.F) {
	for _, s := range []string{
		"main.go:3:5: undefined: x\n", "panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\nmain.main()\n\t./main.go:5 +0x1d\n",
		"main.rb:2: syntax error, unexpected end-of-input\n", "main.rb:1:in `f': no (ArgumentError)\n\tfrom main.rb:2:in `<main>'\n",
		"syntax error at main.pl line 2, near \"= ;\"\nExecution of main.pl aborted due to compilation errors.\n", "no at main.pl line 1.\n",
		"lua: main.lua:1: no\nstack traceback:\n", "luac: main.lua:2: <name> expected near 'return'\n", ":0: (A)\n", "\x00:99999999999999999999: x",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, l := range []*Language{Go, Ruby, Perl, Lua} {
			if e := l.ReadSyntax(CheckOutput{Stderr: text, ExitCode: 1, Main: l.Main}); e != nil && (e.Line < 0 || len(e.Message) > len(text)+16) {
				t.Errorf("%s: %+v", l.Name, e)
			}
			if x := l.ReadFailure(text); x != nil && (x.Line < 0 || len(x.Message) > len(text)) {
				t.Errorf("%s: %+v", l.Name, x)
			}
		}
	})
}

// FuzzNativeTests: whatever the tests and the program are, an exam is made or
// refused.
func FuzzNativeTests(f *testing.F) {
	for _, s := range forgeSubjects {
		f.Add([]byte(s.tests), []byte(s.honest))
	}
	f.Add([]byte("func TestX(t *testing.T) { f(1) }"), []byte("package x\nimport \"fmt\"\nfunc f(a ...int) {}"))
	f.Add([]byte("x = [==[ a ]==] --[[ b ]] y.z:w 'q' \"r\\\"\" s..t"), []byte(""))
	f.Fuzz(func(t *testing.T, tests, text []byte) {
		for _, l := range []*Language{Go, Ruby, Perl, Lua} {
			p := program(l.Name, l.Main, string(text))
			e, err := l.Exam(&Toolchain{Language: l.Name, Version: "1.22"}, p, Tests{Files: []glovebox.File{{Path: "t" + l.Extensions[0], Data: tests}}})
			if err == nil && (e.Harness != nil) != (e.Proof == glovebox.ProofOutOfProcess) {
				t.Errorf("%s: %+v", l.Name, e)
			}
			if string(p.Files[0].Data) != string(text) {
				t.Errorf("%s changes the program", l.Name)
			}
			if err != nil {
				continue
			}
			// The tests alone decide on the proof.
			other, err := l.Exam(&Toolchain{Language: l.Name, Version: "1.22"}, program(l.Name, l.Main, ""), Tests{Files: []glovebox.File{{Path: "t" + l.Extensions[0], Data: tests}}})
			if err != nil || other.Proof != e.Proof {
				t.Errorf("%s: the program changes the proof: %v", l.Name, err)
			}
		}
	})
}
