package language

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestGoPlan(t *testing.T) {
	run := rigPlan(t, Go, program("go", "main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hi\") }\n"), "")
	if run.stdout != "hi\n" || run.exit != 0 || run.report != "{\"type\":\"checked\"}\n" {
		t.Errorf("got %+v", run)
	}
}

// TestGoExam has what tests use of a program, and how they name its package.
func TestGoExam(t *testing.T) {
	const apart, judged, together = glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged, glovebox.ProofInProcess
	root := "package main\n\nimport (\n\t\"errors\"\n\t\"math\"\n)\n\nvar ErrNeg = errors.New(\"negative\")\n\nconst Max = 9\n\nfunc Root(x float64) (float64, error) {\n\tif x < 0 {\n\t\treturn 0, ErrNeg\n\t}\n\treturn math.Sqrt(x), nil\n}\n\nfunc main() {}\n"
	imports := func(pkg, more string) string {
		return "package " + pkg + "\n\nimport (\n\t\"testing\"\n" + more + ")\n\nfunc TestRoot(t *testing.T) {\n\t"
	}
	plain := "if r, err := Root(4); r != 2 || err != nil {\n\t\tt.Fatal(r, err)\n\t}\n}\n"
	for _, c := range []struct {
		name, program, tests string
		proof                glovebox.Proof
		want                 string // in the reason of a failure; empty means a pass
	}{
		{"an error by name", root, imports("main", "\t\"errors\"\n") + "if _, err := Root(-1); !errors.Is(err, ErrNeg) {\n\t\tt.Fatal(err)\n\t}\n}\n", apart, ""},
		{"an error printed", root, imports("main", "\t\"fmt\"\n") + "if _, err := Root(-1); fmt.Sprint(err) != fmt.Sprint(ErrNeg) {\n\t\tt.Fatal(err)\n\t}\n}\n", apart, ""},
		{"errors in a table", root, imports("main", "") + "for _, c := range []struct {\n\t\tx float64\n\t\terr error\n\t}{{4, nil}, {-1, ErrNeg}} {\n\t\tif _, err := Root(c.x); err != c.err {\n\t\t\tt.Fatal(err)\n\t\t}\n\t}\n}\n", apart, ""},
		{"a constant given", root, imports("main", "") + "if r, _ := Root(Max); r != 3 {\n\t\tt.Fatal(r)\n\t}\n}\n", apart, ""},
		{"a constant kept", root, imports("main", "") + "x := Max\n\tif r, _ := Root(float64(x)); r != 3 {\n\t\tt.Fatal(r)\n\t}\n}\n", judged, ""},
		{"functions in a table", root, imports("main", "") + "for _, c := range []struct {\n\t\tname string\n\t\tf func(float64) (float64, error)\n\t}{{\"plain\", Root}, {f: Root}} {\n\t\tif r, _ := c.f(4); r != 2 {\n\t\t\tt.Fatal(c.name)\n\t\t}\n\t}\n}\n", apart, ""},
		{"a function given", root, imports("main", "") + "check(t, Root)\n}\n\nfunc check(t *testing.T, f func(float64) (float64, error)) {\n\tif r, _ := f(4); r != 2 {\n\t\tt.Fatal(r)\n\t}\n}\n", apart, ""},

		{"another package's clause", root, imports("sqrt", "") + plain, apart, ""},
		{"a clause of its own, with nothing to import", root, imports("main_test", "") + plain, apart, ""},
		{"main's clause", "package sqrt\n" + root[len("package main\n"):], imports("main", "") + plain, apart, ""},
		{"another package's clause, and an error", root, imports("sqrt", "") + "if _, err := Root(-1); err != ErrNeg {\n\t\tt.Fatal(err)\n\t}\n}\n", apart, ""},
		{"an imported main, apart", root, imports("sqrt_test", "\n\t\"example.com/sqrt\"\n") + "if r, _ := sqrt.Root(4); r != 2 {\n\t\tt.Fatal(r)\n\t}\n}\n", apart, ""},

		{"the tests do not parse", root, "package main\n\nfunc TestRoot(t *testing.T) {\n", "", "no exam: the tests do not parse: main_test.go:"},
		{"there is no test", root, "package main\n\nfunc Try() { Root(1) }\n", "", "no exam: the tests have no function TestXxx"},
		{"a package is missing", root, imports("main", "\t\"github.com/stretchr/testify/assert\"\n") + "assert.True(t, Max > 0)\n}\n", "", "no exam: the tests import github.com/stretchr/testify/assert, which is neither"},
		{"the program lacks a variable", root, imports("main", "") + "if _, err := Root(-1); err != ErrNone {\n\t\tt.Fatal(err)\n\t}\n}\n", apart, "broken: tests and program do not compile together: main_test.go:8: undefined: ErrNone"},
		{"the program lacks a function", root, imports("main", "") + "Cube(3)\n}\n", apart, "broken: tests and program do not compile together: main_test.go:8: undefined: Cube"},
		{"the program does not parse", "package main\n\nfunc Root( {\n", imports("main", "") + plain, apart, "syntax: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rigExam(t, Go, program("go", "main.go", c.program), Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(c.tests)}}})
			if v.pass != (c.want == "") || v.worth() != c.proof || !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoSubjects: the right programs of the searcher pass, each with the proof
// that their tests' text gives.
func TestGoSubjects(t *testing.T) {
	want := map[string]glovebox.Proof{
		"clock": glovebox.ProofCandidateJudged, "equality of its own": glovebox.ProofCandidateJudged, "kinds": glovebox.ProofCandidateJudged,
		"a list": glovebox.ProofCandidateJudged, "in one process": glovebox.ProofInProcess,
	}
	for _, s := range goSubjects() {
		t.Run(s.name, func(t *testing.T) {
			v := rigExam(t, Go, program("go", "main.go", s.program), Tests{Files: []glovebox.File{{Path: s.file, Data: []byte(s.tests)}}})
			proof, ok := want[s.name]
			if !ok {
				proof = glovebox.ProofOutOfProcess
			}
			if !v.pass || v.worth() != proof {
				t.Errorf("pass %t, proof %s, want %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

func program(lang, main, text string) *glovebox.Program {
	return &glovebox.Program{Language: lang, Main: main, Files: []glovebox.File{{Path: main, Data: []byte(text)}}}
}

func number(n int) string { return strconv.Itoa(n) }
