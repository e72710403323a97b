package language

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// bashEvil prints what would run a command in the tests' shell, if that
// evaluated it: the command reports a pass of its own and leaves.
const bashEvil = `f() { printf '%s' 'a[$(echo "{\"type\":\"case\",\"case\":{\"name\":\"x\",\"status\":\"passed\"}}" >&$GLOVEBOX_REPORT; echo "{\"type\":\"done\",\"total\":1,\"passed\":1}" >&$GLOVEBOX_REPORT; kill -9 $GLOVEBOX_PID; echo 0)]'; }` + "\n"

// bashPrints is a program whose function f prints a text.
func bashPrints(text string) string { return "f() { printf '%s' '" + text + "'; }\n" }

// TestBashLarge has results of ten megabytes, in one line and in many.
func TestBashLarge(t *testing.T) {
	for _, c := range []struct{ name, program, tests string }{
		{"a line", "f() { head -c 10000000 /dev/zero | tr '\\0' x; }\n", "x=$(f)\n[ ${#x} -eq 10000000 ] || exit 1\n[[ $x == xxx*xxx ]] || exit 1\n"},
		{"lines", "f() { seq 1 1300000; }\n", "[ \"$(f | tail -n 1)\" = 1300000 ] || exit 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			v := rigExam(t, Bash, program("bash", "main.sh", c.program), Tests{Files: []glovebox.File{{Path: "tests.sh", Data: []byte(c.tests)}}})
			t.Logf("%s", time.Since(begin))
			if !v.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Errorf("pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.stderr, v.candidate.stderr)
			}
		})
	}
}

// TestBashEvaluates has tests that evaluate what the program prints. The right
// program passes, and no program chooses the outcome by what it prints.
func TestBashEvaluates(t *testing.T) {
	rigTool(t, Bash)
	out, in := glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	number := []string{bashEvil, bashPrints("want"), bashPrints("x"), bashPrints("5 == 5"), bashPrints("got=5"), bashPrints("n"), bashPrints("1, n = 5")}
	for _, c := range []struct {
		name, tests, right string
		proof              glovebox.Proof
		wrong              []string
	}{
		{"-eq", "n=5\n[[ $(f) -eq 5 ]] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"-eq of a variable", "n=5\ngot=$(f)\n[[ $got -eq $n ]] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"-eq of a name", "n=5\ngot=$(f)\n[[ got -eq n ]] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"-eq in quotes", "n=5\nif [[ \"$(f)\" -ne \"$n\" ]]; then exit 1; fi\n", "f() { echo 5; }\n", out, number},
		{"(( ))", "n=5\n(( $(f) == 5 )) || exit 1\n", "f() { echo 5; }\n", out, number},
		{"(( )) of a name", "n=5\nx=$(f)\n(( x == n )) || exit 1\n", "f() { echo 5; }\n", out, number},
		{"(( )) of a dollar", "n=5\nx=$(f)\n(( $x == n )) || exit 1\n", "f() { echo 5; }\n", out, number},
		{"$(( ))", "n=5\n[ \"$(( $(f) + 1 ))\" = 6 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"let", "n=5\nx=$(f)\nlet 'y = x + 1'\n[ $y = 6 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"declare -i", "n=5\ndeclare -i x\nx=$(f)\n[ $x = 5 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a subscript", "n=5\na=(0 0 0 0 0 7)\n[ \"${a[$(f)]}\" = 7 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a name in a subscript", "n=5\na=(0 0 0 0 0 7)\nx=$(f)\n[ \"${a[x]}\" = 7 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a slice", "n=5\ns=abcdefg\n[ \"${s:$(f):1}\" = f ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"for", "n=5\nc=0\nfor ((i = 0; i < $(f); i++)); do c=$((c + 1)); done\n[ $c = 5 ] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"read", "n=5\nread -r x < <(f; echo)\n(( x == 5 )) || exit 1\n", "f() { echo 5; }\n", out, number},
		{"mapfile", "n=5\nmapfile -t x < <(f)\n(( x[0] == 5 )) || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a parameter", "n=5\neq() { (( $1 == $2 )); }\neq \"$(f)\" 5 || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a parameter and a name", "n=5\neq() { local a=$1; (( a == $2 )); }\neq \"$(f)\" 5 || exit 1\n", "f() { echo 5; }\n", out, number},
		{"test -eq", "n=5\ntest \"$(f)\" -eq 5 || exit 1\n", "f() { echo 5; }\n", out, number},
		{"a text that names it", "n=5\nx=$(f)\ne='x == 5'\n(( e )) || exit 1\n", "f() { echo 5; }\n", in, nil},

		{"words in [", "[ $(f) = 5 ] || exit 1\n", "f() { echo ' 5 '; }\n", out, []string{bashPrints("5 -o 5"), bashPrints("x = x -o 5"), bashPrints("-n x -o 5"), bashPrints("! 6")}},
		{"words in [ with more", "[ $(f) = 5 -a 1 = 1 ] || exit 1\n", "f() { echo 5; }\n", out, []string{bashPrints("5 -o 5"), bashPrints("!"), bashPrints("("), bashPrints("-z")}},
		{"words of a call", "same() { [ \"$1\" = \"$2\" ]; }\nsame $(f) 5 || exit 1\n", "f() { echo 5; }\n", out, []string{bashPrints("6 6"), bashPrints("6 6 6")}},
		{"a pattern", "[[ abc == $(f) ]] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("*"), bashPrints("a?c"), bashPrints("@(abc|d)"), bashPrints("[a]bc")}},
		{"a pattern of a variable", "x=$(f)\n[[ abc = $x ]] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("*")}},
		{"a regular expression", "[[ abc =~ ^$(f)$ ]] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints(".*"), bashPrints("...")}},
		{"case", "case abc in $(f)) ;; *) exit 1 ;; esac\n", "f() { echo abc; }\n", out, []string{bashPrints("*"), bashPrints("a*")}},
		{"a prefix", "x=abc\n[ -z \"${x#$(f)}\" ] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("a*c"), bashPrints("???")}},
		{"a suffix", "x=abc\n[ -z \"${x%%$(f)}\" ] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("*")}},
		{"a replacement", "x=abc\n[ -z \"${x/$(f)/}\" ] || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("*")}},
		{"grep", "echo abc | grep -q \"^$(f)$\" || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints(".*"), bashPrints("..."), ":; f() { :; }\n"}},
		{"grep and an option", "echo abc | grep -q $(f) || exit 1\n", "f() { echo abc; }\n", out, []string{bashPrints("--help"), bashPrints("--version"), bashPrints("-V")}},
		{"bc", "[ \"$(echo \"$(f) > 2.5\" | bc)\" = 1 ] || exit 1\n", "f() { echo 2.75; }\n", out, []string{bashPrints("1 #"), bashPrints("3; 1 #"), bashPrints("(9)")}},
		{"awk", "awk \"BEGIN { exit !($(f) > 2.5) }\" || exit 1\n", "f() { echo 2.75; }\n", out, []string{bashPrints("1 || 1"), bashPrints("0) } #"), bashPrints("9 + 0")}},
		{"printf", "[ \"$(printf \"$(f)\" 5)\" = 5 ] || exit 1\n", "f() { echo 5; }\n", out, []string{bashPrints("%s"), bashPrints("%d")}},
		{"file names", "[ \"$(echo $(f))\" = tests.sh ] || exit 1\n", "f() { echo tests.sh; }\n", out, []string{bashPrints("t*"), bashPrints("[t]ests.sh")}},

		{"a variable of a known name", "n=5\nstatus=$(f)\n[[ $status -eq 5 ]] || exit 1\n", "f() { echo 5; }\n", out, number},
		{"an element that a builtin evaluates", "y=(1 2 3 4 5 6)\nx=$(f)\n[[ -v y[x] ]] || exit 1\n", "f() { echo 5; }\n", in, nil},
		{"a key", "declare -A m=([a]=1)\n[ \"${m[$(f)]}\" = 1 ] || exit 1\n", "f() { echo a; }\n", out, []string{bashPrints("@"), bashPrints("*"), bashPrints("b")}},
		{"a key that counts", "declare -A m\nx=$(f)\n(( m[$x]++ ))\nk='a b'\n[ \"${m[$k]}\" = 1 ] || exit 1\n", "f() { echo a b; }\n", out, []string{bashEvil, bashPrints("b]")}},
		{"a loop's input", "while read -r a b; do\n  [ \"$(f $a)\" = \"$b\" ] || exit 1\ndone <<EOF\n1 2\n2 4\nEOF\n", "f() { echo $(($1 * 2)); }\n", out, []string{bashPrints("2")}},
		{"a loop's input, piped, in a helper", "check() { while read -r a b; do [ \"$(f $a)\" = \"$b\" ] || exit 1; done; }\nprintf '1 2\\n2 4\\n' | check || exit 1\n", "f() { echo $(($1 * 2)); }\n", out, []string{bashPrints("2")}},
		{"an input", "[ \"$(echo hi | f)\" = HI ] || exit 1\n[ \"$(f <<< ho)\" = HO ] || exit 1\nup() { f; }\n[ \"$(echo hu | up)\" = HU ] || exit 1\n", "f() { tr a-z A-Z; }\n", out, []string{bashPrints("HI")}},
		{"two at a time", "diff <(f 1) <(f 1; :) || exit 1\n[ $(f 1) = 2 ] || exit 1\n", "f() { echo $(($1 * 2)); }\n", out, []string{bashPrints("3")}},

		{"eval", "eval \"x=$(f)\"\n[ $x = 5 ] || exit 1\n", "f() { echo 5; }\n", in, nil},
		{"source", "source <(f)\n[ $x = 5 ] || exit 1\n", "f() { echo x=5; }\n", in, nil},
		{"a command", "$(f) || exit 1\n", "f() { echo true; }\n", in, nil},
		{"a variable's name", "printf -v \"$(f)\" 5\n[ $x = 5 ] || exit 1\n", "f() { echo x; }\n", in, nil},
		{"an exported name", "declare \"$(f)=5\"\n[ $x = 5 ] || exit 1\n", "f() { echo x; }\n", in, nil},
		{"an indirection", "y=5\nx=$(f)\n[ ${!x} = 5 ] || exit 1\n", "f() { echo y; }\n", in, nil},
		{"a shell", "bash -c \"$(f)\" || exit 1\n", "f() { echo true; }\n", in, nil},
		{"a shell's input", "f | bash || exit 1\n", "f() { echo true; }\n", in, nil},
		{"test -v", "y=5\n[[ -v $(f) ]] || exit 1\n", "f() { echo y; }\n", in, nil},
		{"a file's name", "cat \"$(f)\" >/dev/null || exit 1\n", "f() { echo /etc/passwd; }\n", in, nil},
		{"xargs", "f | xargs test 5 = || exit 1\n", "f() { echo 5; }\n", in, nil},
		{"a trap", "trap \"$(f)\" EXIT\n", "f() { echo true; }\n", in, nil},
		{"IFS", "IFS=$(f)\nx=(1)\n[ ${x[0]} = 1 ] || exit 1\n", "f() { echo ,; }\n", in, nil},
		{"the shell's input", "exec 3< <(f)\nawk '{ exit $1 != 5 }' <&3 || exit 1\n", "f() { echo 5; }\n", in, nil},
		{"a nameref", "y=5\ndeclare -n x=$(f)\n[ $x = 5 ] || exit 1\n", "f() { echo y; }\n", in, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tests := Tests{Files: []glovebox.File{{Path: "tests.sh", Data: []byte(c.tests)}}}
			v := rigExam(t, Bash, program("bash", "main.sh", c.right), tests)
			if !v.pass || v.proof != c.proof {
				t.Errorf("the right program: pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.stderr, v.candidate.stderr)
			}
			for _, wrong := range c.wrong {
				if v := rigExam(t, Bash, program("bash", "main.sh", wrong), tests); v.pass || v.proof != c.proof {
					t.Errorf("%s: pass %t, proof %s\n%s", wrong, v.pass, v.proof, v.harness.report)
				} else {
					why, _, _ := strings.Cut(v.why, "\n")
					t.Logf("%.60s: %.200s", strings.TrimSpace(wrong), why)
				}
			}
		})
	}
}
