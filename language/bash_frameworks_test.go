package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestBashShapes has tests as people write them, with Bats, with shunit2 and as
// plain scripts: the right program passes with the proof that the form can have,
// a wrong one does not, and what cannot run here says what is missing.
func TestBashShapes(t *testing.T) {
	tc, _ := rigTool(t, Bash)
	out, in := glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	const double = "f() { echo $(($1 * 2)); }\n"
	const script = "#!/bin/bash\n[[ $# -eq 1 ]] || { echo 'usage: main.sh N' >&2; exit 2; }\necho $(($1 * 2))\n"
	const wrongDouble, wrongScript = "f() { echo 3; }\n", "echo 3\n"
	for _, c := range []struct {
		name, file, tests, right, wrong string
		proof                           glovebox.Proof
		framework                       string
	}{
		{"bats, sourced", "t.bats", "setup() { source ./main.sh; }\n@test \"doubles\" {\n  run f 2\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" = 4 ]\n}\n@test \"again\" {\n  [[ $(f 3) -eq 6 ]]\n}\n", double, wrongDouble, out, "Bats"},
		{"bats, a script", "t.bats", "@test \"doubles\" {\n  run bash main.sh 2\n  [ \"$status\" -eq 0 ]\n  [ \"${lines[0]}\" = 4 ]\n}\n@test \"usage\" {\n  run ./main.sh\n  [ \"$status\" -eq 2 ]\n  [[ \"$output\" == *usage* ]]\n}\n", script, wrongScript, out, "Bats"},
		{"bats-assert", "t.bats", "setup() {\n  load '/usr/lib/bats/bats-support/load'\n  bats_load_library bats-assert\n  source main.sh\n}\n@test \"doubles\" {\n  run f 2\n  assert_success\n  assert_output 4\n  refute_output --partial 5\n  assert_equal \"$(f 3)\" 6\n}\n", double, wrongDouble, out, "Bats"},
		{"bats, an arithmetic", "t.bats", "source ./main.sh\n@test \"doubles\" {\n  run f 2\n  (( output == 4 ))\n}\n", double, bashPrints("4 == 4"), out, "Bats"},
		{"bats, a file", "t.bats", "@test \"doubles\" {\n  source ./main.sh\n  f 2 >\"$BATS_TEST_TMPDIR/x\"\n  [ \"$(cat \"$BATS_TEST_TMPDIR/x\")\" = 4 ]\n}\n", double, wrongDouble, in, "Bats"},
		{"bats, stdin", "t.bats", "@test \"up\" {\n  run bash main.sh <<< hi\n  [ \"$output\" = HI ]\n}\n", "tr a-z A-Z\n", "echo hi\n", out, "Bats"},
		{"shunit2", "t.sh", "#!/bin/bash\n. ./main.sh\ntestDoubles() {\n  assertEquals 'of two' 4 \"$(f 2)\"\n  assertTrue '[ 1 -eq 1 ]'\n}\ntestOther() {\n  assertNotEquals 5 \"$(f 3)\"\n}\n. shunit2\n", double, wrongDouble, out, "shunit2"},
		{"shunit2, beside", "t.sh", "testDoubles() {\n  local got\n  got=$(f 2)\n  assertEquals 4 \"$got\"\n}\noneTimeSetUp() { . ./main.sh; }\n. ./shunit2\n", double, wrongDouble, out, "shunit2"},
		{"shunit2, an option", "t.sh", ". ./main.sh\ntestDoubles() { assertEquals \"$(f 2)\" 4; }\n. shunit2\n", double, bashPrints("--lineno"), out, "shunit2"},
		{"bats-assert, as a submodule", "test/t.bats", "setup() {\n  load 'test_helper/bats-support/load'\n  load \"${BATS_TEST_DIRNAME}/test_helper/bats-assert/load.bash\"\n  source main.sh\n}\n@test \"doubles\" {\n  run f 2\n  assert_success\n  assert_output 4\n}\n", double, wrongDouble, out, "Bats"},
		{"a script of the tests' own making", "t.sh", "echo 'two=2' >two.sh\n. ./two.sh\n[ \"$(f $two)\" = 4 ] || exit 1\n", double, wrongDouble, in, ""},
		{"bats-assert, an option", "t.bats", "setup() { bats_load_library bats-support; bats_load_library bats-assert; }\n@test \"same\" {\n  run echo 4\n  assert_output \"$(f 2)\"\n}\n", double, bashPrints("--partial"), out, "Bats"},
		{"shunit2, a report", "t.sh", "testDoubles() { f 2; assertEquals 4 \"$(f 2)\"; }\n. shunit2\n", double, bashPrints("\n\nRan 1 test.\n\nOK\n"), out, "shunit2"},
		{"shunit2, a state", "t.sh", ". ./main.sh\ntestState() {\n  f 2\n  assertEquals 4 \"$RESULT\"\n}\n. shunit2\n", "f() { RESULT=$(($1 * 2)); }\n", "f() { RESULT=3; }\n", in, "shunit2"},

		{"a comment decides nothing", "t.sh", "# do not source main.sh. It exits.\n[ \"$(bash main.sh 2)\" = 4 ] || exit 1\nbash ./main.sh 2>/dev/null && exit 1\nexit 0\n", script, wrongScript, out, ""},
		{"a result in a variable", "t.sh", ". ./main.sh\nf 2\n[ \"$RESULT\" = 4 ] || exit 1\n", "f() { RESULT=$(($1 * 2)); }\n", "f() { RESULT=3; }\n", in, ""},
		{"a counter", "t.sh", ". ./main.sh\ncount=0\nf\nf\n[ \"$count\" -eq 2 ] || exit 1\n", "f() { count=$((count + 1)); }\n", "f() { :; }\n", in, ""},
		{"a nameref", "t.sh", ". ./main.sh\ndeclare -a got=()\nf got 1 2\n[ \"${#got[@]}\" -eq 2 ] || exit 1\n", "f() { local -n to=$1; shift; to=(\"$@\"); }\n", "f() { :; }\n", in, ""},
		{"an exported variable", "t.sh", "export STEP=3\n[ \"$(f)\" = 3 ] || exit 1\n", "f() { echo $STEP; }\n", "f() { echo 1; }\n", in, ""},
		{"a variable of a call", "t.sh", "[ \"$(STEP=3 f)\" = 3 ] || exit 1\n", "f() { echo $STEP; }\n", "f() { echo 1; }\n", in, ""},
		{"a setting", "t.sh", "DEBUG=1\n[ \"$(f)\" = debug ] || exit 1\n", "f() { [[ -n $DEBUG ]] && echo debug; }\n", "f() { echo 1; }\n", in, ""},
		{"IFS", "t.sh", "IFS=,\n[ \"$(f 'a,b')\" = 'b a' ] || exit 1\n", "f() { set -- $1; echo \"$2 $1\"; }\n", "f() { echo 1; }\n", in, ""},
		{"a stand-in of the tests", "t.sh", "date() { echo 2001; }\n[ \"$(f)\" = 2001 ] || exit 1\n", "f() { date; }\n", "f() { echo 1; }\n", in, ""},
		{"a tool's name", "t.sh", "[[ $(factor 12) = '2 2 3' ]] || exit 1\n", "factor() { echo 2 2 3; }\n", "factor() { echo 12; }\n", out, ""},
		{"a tool's name among others", "t.sh", "[[ $(factor 12 | head -1) = '12: 2 2 3' ]] || exit 1\n[[ $(f) = 4 ]]\n", "f() { echo 4; }\n", "f() { echo 5; }\nfactor() { :; }\n", out, ""},
		{"an assertion of the tests", "t.sh", "source ./main.sh\npass=0 fail=0\nassert_eq() {\n  local name=$1 want=$2 got=$3\n  if [[ \"$want\" == \"$got\" ]]; then\n    echo \"PASS: $name\"; ((pass++))\n  else\n    echo \"FAIL: $name\"; ((fail++))\n  fi\n}\nassert_eq one 2 \"$(f 1)\"\nassert_eq two 4 \"$(f 2)\"\necho \"$pass passed, $fail failed\"\n[ $fail -eq 0 ]\n", double, wrongDouble, out, ""},
		{"a check that runs a command", "t.sh", "check() {\n  local want=$1\n  shift\n  local got\n  got=$(\"$@\" 2>&1)\n  [ \"$got\" = \"$want\" ] || { echo \"FAIL $*: $got\"; exit 1; }\n}\ncheck 4 f 2\ncheck 6 f 3\n", double, wrongDouble, out, ""},
		{"a table", "t.sh", "cases=('1:2' '2:4')\nfor c in \"${cases[@]}\"; do\n  IFS=: read -r n want <<< \"$c\"\n  got=$(f \"$n\")\n  if [ \"$got\" -ne \"$want\" ]; then exit 1; fi\ndone\n", double, wrongDouble, out, ""},
		{"a trap and a status", "t.sh", "set -euo pipefail\ntrap 'echo bye' EXIT\nstatus=0\nout=$(f 2) || status=$?\n[[ $status == 0 && $out == 4 ]]\n", double, wrongDouble, out, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.framework == "Bats" && tc.Tools["bats"] == "" {
				t.Skip("Bats is not installed: apt-get install bats bats-assert")
			}
			if c.framework == "shunit2" && tc.Tools["shunit2"] == "" {
				t.Skip("shunit2 is not installed: apt-get install shunit2")
			}
			tests := Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}}
			v := rigExam(t, Bash, program("bash", "main.sh", c.right), tests)
			report := v.harness.report + v.candidate.report
			if !v.pass || v.proof != c.proof || c.framework != "" && !strings.Contains(report, `"framework":"`+c.framework) {
				t.Errorf("the right program: pass %t, proof %s: %s\n%s\n%s%s%s%s", v.pass, v.proof, v.why, report, v.harness.stdout, v.harness.stderr, v.candidate.stdout, v.candidate.stderr)
			}
			if v := rigExam(t, Bash, program("bash", "main.sh", c.wrong), tests); v.pass || v.proof != c.proof {
				t.Errorf("the wrong program: pass %t, proof %s\n%s", v.pass, v.proof, v.harness.report)
			}
		})
	}
}

// TestBashLibrary: a library of Bats is the host's, also where the program has a file
// in its place.
func TestBashLibrary(t *testing.T) {
	tc, _ := rigTool(t, Bash)
	if tc.Tools["bats-assert"] == "" {
		t.Skip("bats-assert is not installed: apt-get install bats-assert")
	}
	tests := Tests{Files: []glovebox.File{{Path: "t.bats", Data: []byte("load 'test_helper/bats-support/load'\nload 'test_helper/bats-assert/load'\n@test \"f\" {\n  run f\n  assert_output 5\n}\n")}}}
	for body, pass := range map[string]bool{"f() { echo 5; }\n": true, "f() { echo 6; }\n": false} {
		p := program("bash", "main.sh", body)
		for _, name := range []string{"test_helper/bats-assert/load.bash", "test_helper/bats-support/load.bash"} {
			p.Files = append(p.Files, glovebox.File{Path: name, Data: []byte("assert_output() { :; }\n"), Executable: true})
		}
		if v := rigExam(t, Bash, p, tests); v.pass != pass {
			t.Errorf("%s: pass %t: %s\n%s%s", body, v.pass, v.why, v.harness.report, v.harness.stderr)
		}
	}
}

// TestBashUnrunnable: what the tests need and no box has is named, before
// anything runs, and the program never stands in for it.
func TestBashUnrunnable(t *testing.T) {
	tc, _ := rigTool(t, Bash)
	bare := *tc
	bare.Tools = map[string]string{"cat": "/usr/bin/cat"}
	without := *tc
	without.Tools = map[string]string{"cat": "/usr/bin/cat", "bats": "/usr/bin/bats"}
	for _, c := range []struct {
		name, file, tests, missing string
		tc                         *Toolchain
	}{
		{"no Bats", "t.bats", "@test \"x\" {\n  run f\n}\n", "bats", &bare},
		{"no shunit2", "t.sh", "testX() { assertEquals 1 \"$(f)\"; }\n. shunit2\n", "shunit2", &bare},
		{"no jq", "t.sh", "[ \"$(f | jq .a)\" = 1 ]\n", "jq", &bare},
		{"Python", "t.sh", "python3 -c \"assert $(f) == 5\"\n", "python3", tc},
		{"a comparison that is not here", "t.sh", "numdiff -a 0.01 <(f) <(echo 5)\n", "numdiff", tc},
		{"a framework's assertion", "t.sh", "assert_equals \"$(f)\" 5\n", "assert_equals", tc},
		{"no script", "t.txt", "x\n", "", tc},
		{"no test", "t.sh", "# TODO\nsource ./solution.sh\necho done\n", "", tc},
		{"skips alone", "t.bats", "setup() { source main.sh; }\n@test \"a\" {\n  skip later\n  [ \"$(f)\" = 5 ]\n}\n", "", tc},
		{"a script that nobody has", "t.bats", "setup() { source \"${BATS_TEST_DIRNAME}/geo.sh\"; }\n@test \"a\" { [ \"$(f)\" = 5 ]; }\n", "geo.sh", tc},
		{"one that is started", "t.bats", "@test \"a\" {\n  run bash geo.sh 1\n  [ \"$output\" = 5 ]\n}\n", "geo.sh", tc},
		{"one beside a script", "t.sh", ". \"$(dirname \"$0\")/lib/geo.sh\"\n[ \"$(f)\" = 5 ] || exit 1\n", "geo.sh", tc},
		{"a helper that nobody has", "t.bats", "load test_helper\n@test \"a\" { [ \"$(f)\" = 5 ]; }\n", "test_helper", tc},
		{"a library of Bats that is not here", "t.bats", "load 'test_helper/bats-assert/load'\n@test \"a\" { run f; assert_output 5; }\n", "bats-assert", &without},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Bash.Exam(c.tc, program("bash", "main.sh", "f() { echo 5; }\npython3() { :; }\nassert_equals() { :; }\nnumdiff() { :; }\n"),
				Tests{Files: []glovebox.File{{Path: c.file, Data: []byte(c.tests)}}})
			u, ok := err.(*Unrunnable)
			if !ok || strings.Join(u.Missing, " ") != c.missing {
				t.Errorf("%v", err)
			}
		})
	}
	for name, tests := range map[string]string{"the end": "[[ $(f) = 5 ]] || exit 1\nif true; then\n", "all": "))) x\n", "t.bats": "@test \"f\" { run f; [ \"$output\" = 5 ]\n"} {
		file := "t.sh"
		if name == "t.bats" {
			file = name
		}
		for _, program := range []*glovebox.Program{program("bash", "main.sh", "f() { echo 5; }\n"), program("bash", "main.sh", "f() { exit 0; }\n")} {
			v := rigExam(t, Bash, program, Tests{Files: []glovebox.File{{Path: file, Data: []byte(tests)}}})
			if v.pass || !strings.HasPrefix(v.why, "unrunnable: the tests do not parse") {
				t.Errorf("%s: %s", name, v.why)
			}
		}
	}
}
