package language

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestBashJudged has tests in which the program judges what it printed before: by
// their text they are worth less, whatever the program is.
func TestBashJudged(t *testing.T) {
	rigTool(t, Bash)
	const right = "area() { echo 12.566; }\nalmost_equal() { awk -v a=\"$1\" -v b=\"$2\" 'BEGIN { d = a - b; exit !(d * d < 1e-6) }'; }\nagain() { echo \"$1\"; }\nup() { tr a-z A-Z; }\n"
	out, judged := glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged
	for _, c := range []struct {
		name, file, tests string
		proof             glovebox.Proof
	}{
		{"a condition", "t.sh", "got=$(area 2)\nif ! almost_equal \"$got\" 12.566; then\n  echo wrong\n  exit 1\nfi\n", judged},
		{"bats", "t.bats", "setup() { . ./main.sh; }\n@test \"area\" {\n  run area 2\n  [ \"$status\" -eq 0 ]\n  almost_equal \"$output\" 12.566\n}\n", judged},
		{"bats, run", "t.bats", "setup() { . ./main.sh; }\n@test \"area\" {\n  run almost_equal \"$(area 2)\" 12.566\n  [ \"$status\" -eq 0 ]\n}\n", judged},
		{"a helper", "t.sh", "near() { almost_equal \"$1\" \"$2\" || exit 1; }\nnear \"$(area 2)\" 12.566\n", judged},
		{"an and", "t.sh", "x=$(area 2)\nalmost_equal \"$x\" 12.566 && echo ok || exit 1\n", judged},
		{"what is printed is compared", "t.sh", "[ \"$(again \"$(area 2)\")\" = 12.566 ] || exit 1\nx=$(area 2)\ny=$(again \"$x\")\n[ \"$y\" = 12.566 ] || exit 1\nagain \"$x\" | grep -q 12 || exit 1\n[ \"$(again hi | up)\" = HI ] || exit 1\n", out},
		{"constants", "t.sh", "w=12.566\nalmost_equal \"$w\" 12.566 || exit 1\n", out},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := rigExam(t, Bash, program("bash", "main.sh", right), Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}})
			if !v.pass || v.proof != c.proof {
				t.Errorf("pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.stderr, v.candidate.stderr)
			}
		})
	}
}

// TestAttackBash has tests with programs that are wrong in a way that a shell
// mistakes: what is no number where one is compared, above all. The right program
// passes out of process, the wrong ones do not pass.
func TestAttackBash(t *testing.T) {
	rigTool(t, Bash)
	const five = "f() { echo 5; }\n"
	none := []string{bashPrints("08"), bashPrints("2#9"), bashPrints("1#1"), bashPrints("x"), bashPrints(""), bashPrints("99999999999999999999"), bashPrints("5 6")}
	for _, c := range []struct {
		name, file, tests, right string
		wrong                    []string
	}{
		{"[ -ne", "t.sh", "if [ \"$(f)\" -ne 5 ]; then exit 1; fi\n", five, none},
		{"[ -ne of a variable", "t.sh", "got=$(f)\nif [ $got -ne 5 ]; then exit 1; fi\n", five, none},
		{"test -lt", "t.sh", "got=$(f)\ntest \"$got\" -lt 5 && exit 1\ntest 5 -lt \"$got\" && exit 1\n:\n", five, none},
		{"[ with -o", "t.sh", "got=$(f)\n[ \"$got\" -lt 5 -o \"$got\" -gt 5 ] && exit 1\n:\n", five, none},
		{"[[ -ne", "t.sh", "if [[ $(f) -ne 5 ]]; then exit 1; fi\n", five, none},
		{"[[ -ne of a name", "t.sh", "got=$(f)\nif [[ got -ne 5 ]]; then exit 1; fi\n", five, none},
		{"(( != ))", "t.sh", "got=$(f)\n(( got != 5 )) && exit 1\n:\n", five, none},
		{"(( $ != ))", "t.sh", "got=$(f)\nif (( $got != 5 )); then exit 1; fi\n", five, none},
		{"a helper", "t.sh", "differs() { [ \"$1\" -ne \"$2\" ]; }\nif differs \"$(f)\" 5; then exit 1; fi\n", five, none},
		{"bats", "t.bats", "setup() { . ./main.sh; }\n@test \"a\" {\n  run f\n  if [ \"$output\" -ne 5 ]; then false; fi\n}\n", five, none},
		{"a tool by its path", "t.sh", "/usr/bin/awk \"BEGIN { exit !($(f) == 5) }\" || exit 1\n", five, []string{bashPrints("1 || 1"), bashPrints("6")}},
		{"timeout with options", "t.sh", "timeout -k 1 9 awk \"BEGIN { exit !($(f) == 5) }\" || exit 1\n", five, []string{bashPrints("1 || 1"), bashPrints("6")}},
		{"timeout with a signal", "t.sh", "timeout -s KILL 9 awk \"BEGIN { exit !($(f) == 5) }\" || exit 1\n", five, []string{bashPrints("1 || 1"), bashPrints("6")}},
		{"a tolerance in awk", "t.sh", "awk -v got=\"$(f)\" 'BEGIN { d = got - 5; if (d < 0) d = -d; exit (d > 0.001) }' || exit 1\n", five, []string{bashPrints("nan"), bashPrints("+nan"), bashPrints("-nan"), bashPrints("inf"), bashPrints("x")}},
		{"a tolerance in awk's input", "t.sh", "f | awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' || exit 1\n", five, []string{bashPrints("nan"), bashPrints("+nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, in a block", "t.sh", "f | { awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }'; } || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, in a subshell", "t.sh", "f | ( LC_ALL=C awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' ) || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, of a substitution", "t.sh", "awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' < <(f) || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, of a text", "t.sh", "awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' <<< \"$(f)\" || exit 1\nx=$(f)\nawk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' <<EOF || exit 1\n$x\nEOF\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, in a function", "t.sh", "near() { awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }'; }\nclose() { near; }\nf | close || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, in a loop", "t.sh", "n=0\nwhile read -r x; do\n  awk -v x=\"$x\" 'BEGIN { d = x - 5; if (d < 0) d = -d; exit (d > 0.001) }' || exit 1\n  n=$((n + 1))\ndone < <(f)\n[ $n = 2 ] || exit 1\n", "f() { echo 5; echo 5.0; }\n", []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, started by another", "t.sh", "f | timeout 9 awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in awk, of a file", "t.sh", "awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > 0.001) }' <(f) || exit 1\nf | awk '{ d = $1 - 5; if (d < 0) d = -d; exit (d > e) }' e=0.001 || exit 1\n", five, []string{bashPrints("nan"), bashPrints("-nan"), bashPrints("x")}},
		{"a tolerance in jq", "t.sh", "f | jq -e '(. - 5 | fabs) < 0.001' || exit 1\n", five, []string{bashPrints("nan"), bashPrints("NaN")}},
		{"a relative error in awk", "t.sh", "awk -v got=\"$(f)\" 'BEGIN { d = (got - 5) / got; if (d < 0) d = -d; exit (d > 0.001) }' || exit 1\n", five, []string{bashPrints("inf"), bashPrints("+inf"), bashPrints("1e999"), "f() { printf '9%.0s' {1..250}; printf 'e99\\n'; }\n"}},
		{"a relative error of squares in awk", "t.sh", "f | awk '{ d = ($1 * $1 - 25) / ($1 * $1); if (d < 0) d = -d; if (d > 0.001) exit 1 }' || exit 1\n", five, []string{bashPrints("1e160"), bashPrints("0x1p1000"), "f() { printf '9%.0s' {1..250}; echo; }\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tests := Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}}
			v := rigExam(t, Bash, program("bash", "main.sh", c.right), tests)
			if !v.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Errorf("the right program: pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.stderr, v.candidate.stderr)
			}
			for _, wrong := range c.wrong {
				if v := rigExam(t, Bash, program("bash", "main.sh", wrong), tests); v.pass || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("%s: pass %t, proof %s\n%s", wrong, v.pass, v.proof, v.harness.report)
				}
			}
		})
	}
}
