package language

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
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
		{"an error printed", root, imports("main", "\t\"fmt\"\n") + "if _, err := Root(-1); fmt.Sprint(err) != fmt.Sprint(ErrNeg) {\n\t\tt.Fatal(err)\n\t}\n}\n", judged, ""},
		{"errors in a table", root, imports("main", "") + "for _, c := range []struct {\n\t\tx float64\n\t\terr error\n\t}{{4, nil}, {-1, ErrNeg}} {\n\t\tif _, err := Root(c.x); err != c.err {\n\t\t\tt.Fatal(err)\n\t\t}\n\t}\n}\n", apart, ""},
		{"a constant given", root, imports("main", "") + "if r, _ := Root(Max); r != 3 {\n\t\tt.Fatal(r)\n\t}\n}\n", apart, ""},
		{"a constant kept", root, imports("main", "") + "x := Max\n\tif r, _ := Root(float64(x)); r != 3 {\n\t\tt.Fatal(r)\n\t}\n}\n", judged, ""},
		{"functions in a table", root, imports("main", "") + "for _, c := range []struct {\n\t\tname string\n\t\tf func(float64) (float64, error)\n\t}{{\"plain\", Root}, {f: Root}} {\n\t\tif r, _ := c.f(4); r != 2 {\n\t\t\tt.Fatal(c.name)\n\t\t}\n\t}\n}\n", apart, ""},
		{"a function given", root, imports("main", "") + "check(t, Root)\n}\n\nfunc check(t *testing.T, f func(float64) (float64, error)) {\n\tif r, _ := f(4); r != 2 {\n\t\tt.Fatal(r)\n\t}\n}\n", apart, ""},

		{"a difference of two answers", root, imports("main", "\t\"math\"\n") + "a, _ := Root(4)\n\tb, _ := Root(4.0)\n\tif math.Abs(a-b) > 1e-9 {\n\t\tt.Fatal(a, b)\n\t}\n}\n", judged, ""},
		{"a difference of two answers, kept", root, imports("main", "\t\"math\"\n") + "a, _ := Root(4)\n\tb, _ := Root(4.0)\n\td := math.Abs(a - b)\n\tif d > 1e-9 {\n\t\tt.Fatal(a, b)\n\t}\n}\n", judged, ""},
		{"arithmetic with two answers", root, imports("main", "") + "a, _ := Root(4)\n\tif b, _ := Root(16); b != 2*a {\n\t\tt.Fatal(a, b)\n\t}\n}\n", judged, ""},
		{"a difference to a number of the tests", root, imports("main", "\t\"math\"\n") + "want := 2.0\n\tif a, _ := Root(4); math.Abs(a-want) > 1e-9 {\n\t\tt.Fatal(a)\n\t}\n}\n", apart, ""},

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
			sample.Row(t, 2)
			v := rigExam(t, Go, program("go", "main.go", c.program), Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(c.tests)}}})
			if v.pass != (c.want == "") || v.worth() != c.proof || !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoShapes has what go test does with tests beside calling them, and what
// must not pass.
func TestGoShapes(t *testing.T) {
	const apart, together = glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	head := "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = fmt.Sprint\nvar _ = os.Exit\nvar _ testing.TB\n\n"
	double := "package main\n\nfunc Double(n int) int { return n * 2 }\n"
	calls := "func TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n"
	math := "package main\n\nimport (\n\t\"math\"\n\t\"testing\"\n)\n\nfunc TestMean(t *testing.T) {\n\tif got := Mean([]float64{1, 2}); math.Abs(got-1.5) > 1e-9 {\n\t\tt.Error(got)\n\t}\n}\n"
	none := "package main\n\nimport \"math\"\n\nfunc Mean([]float64) float64 { return math.NaN() }\n"
	for _, c := range []struct {
		name, program, tests string
		proof                glovebox.Proof
		want                 string // in the reason of a failure; empty means a pass
	}{
		{"TestMain", double, head + "func TestMain(m *testing.M) { os.Exit(m.Run()) }\n" + calls, apart, ""},
		{"TestMain comes back", double, head + "func TestMain(m *testing.M) { m.Run() }\n" + calls, apart, ""},
		{"TestMain runs nothing", double, head + "func TestMain(m *testing.M) { Double(1) }\n" + calls, apart, "broken: TestMain came back"},
		{"an example", double, head + "func ExampleDouble() {\n\tfmt.Println(Double(3))\n\t// Output: 6\n}\n", apart, ""},
		{"an example that is wrong", double, head + calls + "func ExampleDouble() {\n\tfmt.Println(Double(3))\n\t// Output: 7\n}\n", apart, "case: ExampleDouble: got:"},
		{"an example of what the program prints", "package main\n\nimport \"fmt\"\n\nfunc Say() { fmt.Println(\"hi\") }\n", head + "func ExampleSay() {\n\tSay()\n\t// Output: hi\n}\n", together, ""},
		{"a seed", double, head + "func FuzzDouble(f *testing.F) {\n\tf.Add(2)\n\tf.Fuzz(func(t *testing.T, n int) {\n\t\tif Double(n) != n+n {\n\t\t\tt.Error(n)\n\t\t}\n\t})\n}\n", apart, ""},
		{"a seed that fails", double, head + calls + "func FuzzDouble(f *testing.F) {\n\tf.Add(3)\n\tf.Fuzz(func(t *testing.T, n int) {\n\t\tif Double(n) != n {\n\t\t\tt.Error(\"seed\", n)\n\t\t}\n\t})\n}\n", apart, "seed 3"},
		{"a type of their own, given to a generic function", "package main\n\nfunc Keep[T any](xs []T, f func(T) bool) (all []T) {\n\tfor _, x := range xs {\n\t\tif f(x) {\n\t\t\tall = append(all, x)\n\t\t}\n\t}\n\treturn all\n}\n", head + "type person struct{ age int }\n\nfunc TestKeep(t *testing.T) {\n\tpeople := []person{{1}, {30}}\n\tif got := Keep(people, func(p person) bool { return p.age > 18 }); len(got) != 1 {\n\t\tt.Error(got)\n\t}\n}\n", together, ""},
		{"a panic of a helper", double, head + "func check(t *testing.T, n int) {\n\tif n > 9 {\n\t\tpanic(\"too large\")\n\t}\n\tif Double(n) != 2*n {\n\t\tt.Error(n)\n\t}\n}\n\nfunc TestDouble(t *testing.T) {\n\tt.Run(\"a\", func(t *testing.T) { check(t, 2) })\n}\n", apart, ""},
		{"a panic in a function that the program is given", "package main\n\nfunc Try(f func()) (r any) {\n\tdefer func() { r = recover() }()\n\tf()\n\treturn nil\n}\n", head + "func fail() { panic(\"no\") }\n\nfunc TestTry(t *testing.T) {\n\tif Try(func() { fail() }) != \"no\" || Try(fail) != \"no\" {\n\t\tt.Error()\n\t}\n}\n", together, ""},
		{"a benchmark", double, head + calls + "func BenchmarkDouble(b *testing.B) {\n\tfor b.Loop() {\n\t\tDouble(b.N)\n\t}\n}\n", apart, ""},
		{"parallel subtests", double, head + "func TestDouble(t *testing.T) {\n\tfor i := range 9 {\n\t\tt.Run(fmt.Sprint(i), func(t *testing.T) {\n\t\t\tt.Parallel()\n\t\t\tif Double(i) != i+i {\n\t\t\t\tt.Error(i)\n\t\t\t}\n\t\t})\n\t}\n}\n", apart, ""},
		{"a parallel subtest that fails", double, head + "func TestDouble(t *testing.T) {\n\tfor i := range 9 {\n\t\tt.Run(fmt.Sprint(i), func(t *testing.T) {\n\t\t\tt.Parallel()\n\t\t\tif Double(i) == 8 {\n\t\t\t\tt.Error(\"eight\")\n\t\t\t}\n\t\t})\n\t}\n}\n", apart, "eight"},
		{"a panic in a subtest, together", double, head + "func TestDouble(t *testing.T) {\n\tt.Setenv(\"A\", \"b\")\n\tt.Run(\"sub\", func(t *testing.T) { _ = []int{}[Double(2)] })\n}\n", together, "broken: panic: runtime error: index out of range [4] with length 0"},
		{"a package of the module of others", double, head[:20] + "\"testing\"\n\n\t\"github.com/google/go-cmp/cmp\"\n)\n\nfunc TestX(t *testing.T) { cmp.Diff(Double(1), 2) }\n", "", "no exam: the tests"},

		{"NaN", none, math, apart, "the tests do not speak of it"},
		{"NaN that is spoken of", none, "package main\n\nimport (\n\t\"math\"\n\t\"testing\"\n)\n\nfunc TestMean(t *testing.T) {\n\tif got := Mean(nil); !math.IsNaN(got) {\n\t\tt.Error(got)\n\t}\n}\n", apart, ""},
		{"an error that is every error", "package main\n\nimport \"errors\"\n\nvar ErrA, ErrB = errors.New(\"a\"), errors.New(\"b\")\n\ntype all struct{}\n\nfunc (all) Error() string { return \"\" }\nfunc (all) Is(error) bool { return true }\n\nfunc F() error { return all{} }\n", "package main\n\nimport (\n\t\"errors\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) {\n\tif err := F(); !errors.Is(err, ErrA) {\n\t\tt.Error(err)\n\t}\n}\n", apart, "case: TestF"},
		{"an error that wraps all errors", "package main\n\nimport \"errors\"\n\nvar ErrA, ErrB = errors.New(\"a\"), errors.New(\"b\")\n\nfunc F() error { return errors.Join(ErrA, ErrB) }\n", "package main\n\nimport (\n\t\"errors\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) {\n\tif err := F(); !errors.Is(err, ErrA) {\n\t\tt.Error(err)\n\t}\n\tif ErrB == nil {\n\t\tt.Error()\n\t}\n}\n", apart, "at once"},
		{"a fragment's package is no word of the program's", "package main\n\nimport rand \"crypto/rand\"\nimport \"strings\"\n\nvar _ = rand.Reader\n\nfunc Up(s string) string { return strings.ToUpper(s) }\n", "func TestUp(t *testing.T) {\n\tif Up(\"a\") != strings.ToUpper(\"a\") || rand.Intn(1) != 0 {\n\t\tt.Fatal()\n\t}\n}\n", apart, ""},
		{"a function of the tests that fails, swallowed", "package main\n\nfunc Each(xs []int, f func(int)) {\n\tdefer func() { recover() }()\n\tfor _, x := range xs {\n\t\tf(x + 1)\n\t}\n}\n", head + "func TestEach(t *testing.T) {\n\tEach([]int{1}, func(x int) {\n\t\tif x != 1 {\n\t\t\t_ = []int{}[x]\n\t\t}\n\t})\n}\n", apart, "a function of the tests panicked"},
		{"a function of the tests that stops the test", "package main\n\nfunc Each(xs []int, f func(int)) {\n\tfor _, x := range xs {\n\t\tf(x + 1)\n\t}\n}\n", head + "func TestEach(t *testing.T) {\n\tEach([]int{1, 2}, func(x int) {\n\t\tif x != 1 {\n\t\t\tt.Fatal(\"stop\", x)\n\t\t}\n\t})\n}\n", apart, "stop 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sample.Row(t, 2)
			v := rigExam(t, Go, program("go", "main.go", c.program), Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(c.tests)}}})
			if v.pass != (c.want == "") || v.worth() != c.proof || !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoModules has programs of several packages, with and without a go.mod, and
// what go test has vet refuse.
func TestGoModules(t *testing.T) {
	const apart, together = glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	module := glovebox.File{Path: "go.mod", Data: []byte("module bank\n\ngo 1.22\n")}
	file := func(name, text string) glovebox.File { return glovebox.File{Path: name, Data: []byte(text)} }
	money := file("money/money.go", "package money\n\ntype Cents int\n\nfunc Of(n int) Cents { return Cents(n * 100) }\n")
	wrong := file("money/money.go", "package money\n\ntype Cents int\n\nfunc Of(n int) Cents { return Cents(n) }\n")
	bank := file("bank.go", "package bank\n\nimport \"bank/money\"\n\nfunc Open(n int) money.Cents { return money.Of(n) }\n\nfunc Twice(n int) int { return 2 * n }\n")
	of := func(pkg, imports, body string) string {
		return "package " + pkg + "\n\nimport (\n\t\"testing\"\n" + imports + ")\n\nfunc TestIt(t *testing.T) {\n\tif " + body + " {\n\t\tt.Fatal()\n\t}\n}\n"
	}
	vetted := file("main.go", "package main\n\nimport \"fmt\"\n\nfunc Say(n int) string { return fmt.Sprintf(\"%s\", n) }\n")
	for _, c := range []struct {
		name  string
		files []glovebox.File
		tests []glovebox.File
		proof glovebox.Proof
		want  string // in the reason of a failure; empty means a pass
	}{
		{"a second package", []glovebox.File{bank, money, module}, []glovebox.File{file("bank_test.go", of("bank", "\t\"bank/money\"\n", "Open(2) != money.Of(2) || money.Of(1) != 100"))}, together, ""},
		{"a second package, which is wrong", []glovebox.File{bank, wrong, module}, []glovebox.File{file("bank_test.go", of("bank", "\t\"bank/money\"\n", "Open(2) != money.Of(2) || money.Of(1) != 100"))}, together, "case: TestIt"},
		{"a second package, without a go.mod", []glovebox.File{bank, money}, []glovebox.File{file("bank_test.go", of("bank", "\t\"bank/money\"\n", "Open(2) != 200 || money.Of(1) != 100"))}, together, ""},
		{"a second package, from outside", []glovebox.File{bank, money}, []glovebox.File{file("bank_test.go", of("bank_test", "\t\"bank\"\n\t\"bank/money\"\n", "bank.Open(2) != 200 || money.Of(1) != 100"))}, together, ""},
		{"one package, from outside, without a go.mod", []glovebox.File{bank, money}, []glovebox.File{file("bank_test.go", of("bank_test", "\t\"bank\"\n", "bank.Twice(2) != 4"))}, apart, ""},
		{"another package than the main file's", []glovebox.File{bank, money, module}, []glovebox.File{file("money_test.go", of("money_test", "\t\"bank/money\"\n", "money.Of(1) != 100"))}, apart, ""},
		{"another package than the main file's, which is wrong", []glovebox.File{bank, wrong, module}, []glovebox.File{file("money_test.go", of("money_test", "\t\"bank/money\"\n", "money.Of(1) != 100"))}, apart, "case: TestIt"},
		{"tests beside another package", []glovebox.File{bank, money}, []glovebox.File{file("money/money_test.go", of("money", "", "Of(1) != 100"))}, apart, ""},
		{"tests of two packages", []glovebox.File{bank, money}, []glovebox.File{file("bank_test.go", of("bank", "", "Twice(1) != 2")), file("money/money_test.go", of("money", "", "Of(1) != 100"))}, together, ""},
		{"tests of two packages, one of them wrong", []glovebox.File{bank, wrong}, []glovebox.File{file("bank_test.go", of("bank", "", "Twice(1) != 2")), file("money/money_test.go", of("money", "", "Of(1) != 100"))}, together, "case: bank/money.TestIt"},
		{"a package that the program lacks", []glovebox.File{file("bank.go", "package bank\n\nfunc Twice(n int) int { return 2 * n }\n"), module}, []glovebox.File{file("bank_test.go", of("bank", "\t\"bank/money\"\n", "Twice(2) != 4 || money.Of(1) != 100"))}, together, "broken: tests and program do not compile together"},

		{"vet", []glovebox.File{vetted}, []glovebox.File{file("main_test.go", of("main", "", "Say(1) != \"%!s(int=1)\""))}, apart, "syntax: go vet: fmt.Sprintf format %s has arg n of wrong type int"},
		{"vet, together", []glovebox.File{vetted}, []glovebox.File{file("main_test.go", of("main", "\t\"os\"\n", "os.Setenv(\"A\", \"\") != nil || Say(1) != \"%!s(int=1)\""))}, together, "syntax: go vet: fmt.Sprintf format %s has arg n of wrong type int"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rigExam(t, Go, &glovebox.Program{Language: "go", Main: c.files[0].Path, Files: c.files}, Tests{Files: c.tests})
			if v.pass != (c.want == "") || v.proof != c.proof || !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoGenerics has tests that call generic functions without type arguments.
func TestGoGenerics(t *testing.T) {
	const apart = glovebox.ProofOutOfProcess
	const generic = `package main

import "cmp"

type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

type Age int

type User struct{ Name string }

func Keep[T any](xs []T, f func(T) bool) []T {
	var kept []T
	for _, x := range xs {
		if f(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func Map[S ~[]A, A, B any](xs S, f func(A) B) []B {
	var all []B
	for _, x := range xs {
		all = append(all, f(x))
	}
	return all
}

func Sum[N Number](xs ...N) (n N) {
	for _, x := range xs {
		n += x
	}
	return n
}

func Largest[T cmp.Ordered](a, b T) T { return max(a, b) }

func Keys[K comparable, V any](m map[K]V) int { return len(m) }

func First[T any](xs []T) (x T, ok bool) {
	if len(xs) > 0 {
		return xs[0], true
	}
	return x, false
}
`
	const tests = `package main

import (
	"reflect"
	"testing"
)

func TestKeep(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	if got := Keep([]int{1, 2, 3, 4}, even); !reflect.DeepEqual(got, []int{2, 4}) {
		t.Error(got)
	}
	for _, c := range []struct {
		in, want []string
	}{{[]string{"a", "bb"}, []string{"bb"}}} {
		if got := Keep(c.in, func(s string) bool { return len(s) > 1 }); !reflect.DeepEqual(got, c.want) {
			t.Error(got)
		}
	}
	users := []User{{"a"}, {"b"}}
	if got := Keep(users, func(u User) bool { return u.Name == "b" }); len(got) != 1 || got[0].Name != "b" {
		t.Error(got)
	}
	if got := Map([]int{1, 2}, func(n int) string { return string(rune('a' + n)) }); !reflect.DeepEqual(got, []string{"b", "c"}) {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	if got := Sum(1, 2, 3); got != 6 {
		t.Error(got)
	}
	if got := Sum(0.5, 1); got != 1.5 {
		t.Error(got)
	}
	if got := Sum(Age(1), 2); got != 3 {
		t.Error(got)
	}
	if Largest("a", "b") != "b" || Largest(3, 2) != 3 || Keys(map[string]bool{"x": true}) != 1 {
		t.Error()
	}
	if x, ok := First([]float64{}); ok || x != 0 {
		t.Error(x, ok)
	}
}
`
	for _, c := range []struct{ name, from, to, want string }{
		{"right", "", "", ""},
		{"wrong", "if f(x)", "if !f(x)", "case: TestKeep"},
		{"wrong by its type", "n += x", "n += x\n\t\tif _, ok := any(n).(float64); ok {\n\t\t\tn++\n\t\t}", "case: TestNumbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := rigExam(t, Go, program("go", "main.go", strings.Replace(generic, c.from, c.to, 1)), Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(tests)}}})
			if v.pass != (c.want == "") || v.proof != apart || !strings.Contains(v.why, c.want) {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.proof, v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoLongNames has more files, with longer names, than an argument can hold.
func TestGoLongNames(t *testing.T) {
	p := program("go", "main.go", "package main\n\nfunc F() int { return f999() }\n")
	for i := range 1000 {
		name := strings.Repeat("x", 200) + number(i) + ".go"
		p.Files = append(p.Files, glovebox.File{Path: name, Data: []byte("package main\n\nfunc f" + number(i) + "() int { return 7 }\n")})
	}
	tests := "package main\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 7 {\n\t\tt.Fatal()\n\t}\n}\n"
	if v := rigExam(t, Go, p, Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(tests)}}}); !v.pass {
		t.Errorf("%s\n%s%s", v.why, v.harness.stderr, v.candidate.stderr)
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
