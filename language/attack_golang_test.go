package language

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// TestAttackGoHost has programs whose declarations take long to read on the host.
// They are only read here, and not run.
func TestAttackGoHost(t *testing.T) {
	tc := &Toolchain{Language: "go", Version: "1.26.0", Tools: map[string]string{"driver": goDriver}}
	tests := Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte("package main\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != N {\n\t\tt.Fail()\n\t}\n}\n")}}}
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "NEXT", fmt.Sprint(i+1))+"\n", i)
		}
		return b.String()
	}
	files := func(per, n int, format, last string) []glovebox.File {
		all := []glovebox.File{{Path: "main.go", Data: []byte("package main\n\nfunc main() {}\n" + last)}}
		for k := range n {
			var b strings.Builder
			b.WriteString("package main\n")
			for i := k * per; i < (k+1)*per; i++ {
				b.WriteString(strings.NewReplacer("NEXT", fmt.Sprint(i+1), "THIS", fmt.Sprint(i)).Replace(format) + "\n")
			}
			all = append(all, glovebox.File{Path: fmt.Sprintf("f%d.go", k), Data: []byte(b.String())})
		}
		return all
	}
	one := func(text string) []glovebox.File {
		return []glovebox.File{{Path: "main.go", Data: []byte("package main\n\nfunc main() {}\n" + text)}}
	}
	f := "func F() int { return 1 }\n"
	for _, c := range []struct {
		name  string
		files []glovebox.File
	}{
		{"a text that is doubled", one(f + "type S string\nconst c0 = S(65)\n" + lines(38, "const cNEXT = c%[1]d + c%[1]d") + "const N = len(c38)\n")},
		{"a text that is doubled, by a predeclared name", one(f + "type int string\nconst c0 = int(65)\n" + lines(38, "const cNEXT = c%[1]d + c%[1]d") + "const N = len(c38)\n")},
		{"constants that are texts, backwards", one(f + lines(40000, "const c%[1]d = cNEXT") + "const c40000 = \"x\"\nconst N = 1\n")},
		{"a chain of constants", files(50000, 12, "const cTHIS=cNEXT+0", f+"const c600000 = 1\nconst N = c0\n")},
		{"a chain of types", files(40000, 12, "type cTHIS struct{a*cNEXT}", "type c480000 int\nconst N = 1\nfunc F() c0 { return c0{} }\n")},
		{"a chain of names of types", files(50000, 12, "type cTHIS cNEXT", "type c600000 int\nconst N c0 = 1\nfunc F() c0 { return 1 }\n")},
		{"types that are compared", one(f + "const N = func() int {\ntype a0 = struct{ x int }\ntype b0 = struct{ x int }\n" + lines(32, "type aNEXT = struct{ x, y a%[1]d }") + lines(32, "type bNEXT = struct{ x, y b%[1]d }") + "var x a32\nvar y b32\nx = y\nreturn 1 }()\n")},
		{"many results of a long type", one("func F() (" + strings.Repeat("a,", 100000) + "a " + strings.Repeat("[]", 50000) + "int) { return }\nconst N = 1\n")},
		{"many fields of a long type", one("type T struct {" + strings.Repeat("a,", 100000) + "a " + strings.Repeat("[]", 50000) + "int }\nfunc F() T { return T{} }\nconst N = 1\n")},
		{"a deep type", one("func F() (" + strings.Repeat("[]", 90000) + "int) { return nil }\nconst N = 1\n")},
		{"a deep expression", one(f + "const N = " + strings.Repeat("(", 90000) + "1" + strings.Repeat(")", 90000) + "\n")},
		{"a long sum", one(f + "const N = 1" + strings.Repeat("+1", 90000) + "\n")},
		{"signs", one(f + "const N = 1" + strings.Repeat("-", 90000) + "1\n")},
		{"a large number", one(f + "const N = 1 << 1e9\nconst M = 1e100000000 * 1e100000000\nconst O = 0x1p1000000000\nconst P = 1e-1000000000\n")},
		{"powers", one(f + "const c0 = 1e4000\n" + lines(2000, "const cNEXT = c%[1]d * c%[1]d / 3") + "const N = c2000\n")},
		{"a cycle", one(f + lines(3000, "const c%[1]d = cNEXT") + "const c3000 = c0\nconst N = c0\n")},
		{"constraints of constraints", one(f[:0] + "const N = 1\nfunc F[T c0]() int { return 1 }\nfunc G[T c0, U comparable](T, U) int { return 1 }\n" + lines(12, "type c%[1]d interface{ "+strings.Repeat("cNEXT; ", 100)+" }") + "type c12 interface{ int }\n")},
		{"a long union", one("const N = 1\nfunc F[T int" + strings.Repeat("|int", 90000) + "](T) int { return 1 }\n")},
		{"an alias of itself", one("type A = B\ntype B = A\nfunc F() A { return nil }\nconst N = 1\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			debug.SetMemoryLimit(1 << 30)
			start := time.Now()
			done := make(chan bool)
			go func() {
				defer close(done)
				x, err := examGo(tc, &glovebox.Program{Language: "go", Main: "main.go", Files: c.files}, tests)
				if err != nil {
					t.Error(err)
				} else if x.Proof != glovebox.ProofOutOfProcess {
					t.Errorf("proof %s: %s", x.Proof, x.Reason)
				}
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("no end")
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestAttackGoModules has programs that bring the module by which the tests judge.
func TestAttackGoModules(t *testing.T) {
	tc := &Toolchain{Language: "go", Version: "1.26.0", Tools: map[string]string{"driver": goDriver}}
	file := func(name, text string) glovebox.File { return glovebox.File{Path: name, Data: []byte(text)} }
	const main, judge = "package main\n\nfunc F() int { return 0 }\nfunc main() {}\n", "package cmp\n\nfunc Equal(a, b any) bool { return true }\n"
	tests := file("a_test.go", "package main\n\nimport (\n\t\"testing\"\n\n\t\"github.com/google/go-cmp/cmp\"\n)\n\nfunc TestF(t *testing.T) {\n\tif !cmp.Equal(F(), 1) {\n\t\tt.Fatal()\n\t}\n}\n")
	for name, files := range map[string][]glovebox.File{
		"nothing":                {file("main.go", main)},
		"by a go.mod":            {file("go.mod", "module github.com/google/go-cmp\n"), file("main.go", main), file("cmp/cmp.go", judge)},
		"by a go.mod of a level": {file("go.mod", "module github.com\n"), file("main.go", main), file("google/go-cmp/cmp/cmp.go", judge)},
		"by folders":             {file("main.go", main), file("cmp/cmp.go", judge)},
		"vendored":               {file("go.mod", "module x\n"), file("main.go", main), file("vendor/github.com/google/go-cmp/cmp/cmp.go", judge)},
	} {
		for _, main := range []string{"main.go", ""} {
			_, err := examGo(tc, &glovebox.Program{Language: "go", Main: main, Files: files}, Tests{Files: []glovebox.File{tests}})
			if u, ok := err.(*Unrunnable); !ok || !strings.Contains(u.Reason, "github.com/google/go-cmp/cmp") {
				t.Errorf("%s, main %q: %v", name, main, err)
			}
		}
	}
}

// TestAttackGo has programs that are wrong in a way that a comparison of Go
// overlooks.
func TestAttackGo(t *testing.T) {
	rigTool(t, Go)
	head := "package main\n\nimport (\n\t\"errors\"\n\t\"math\"\n\t\"testing\"\n)\n\nvar _ = math.Abs\nvar _ = errors.Is\n\n"
	const average = "package main\n\nimport \"math\"\n\nvar _ = math.Abs\n\nfunc main() {}\n\nfunc F(a, b float64) float64 { return RESULT }\n"
	answer := func(result string) string { return strings.Replace(average, "RESULT", result, 1) }
	for _, c := range []struct {
		name, tests, right string
		wrong              []string
	}{
		{"a tolerance, and a word with nan in it", "// TestTenant is of the average rent.\nfunc TestTenant(t *testing.T) {\n\tif math.Abs(F(2, 3)-2.5) > 1e-9 {\n\t\tt.Fail()\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("math.NaN()"), answer("math.Inf(1)"), answer("0")}},
		{"a relative error", "func TestF(t *testing.T) {\n\tgot := F(2, 3)\n\tif math.Abs((got-2.5)/got) > 1e-9 {\n\t\tt.Fail()\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("math.NaN()"), answer("math.Inf(1)"), answer("math.Inf(-1)"), answer("1e308")}},
		{"arithmetic that overflows", "func TestF(t *testing.T) {\n\tr := F(2, 3)\n\tif math.Abs(r*r-6.25)/(r*r) > 1e-9 {\n\t\tt.Fatal(r)\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("1e200"), answer("-1e200")}},
		{"arithmetic that overflows, of a helper, in parallel", "func near(got, want float64) bool {\n\treturn !(math.Abs(got*got-want*want)/(got*got) > 1e-9)\n}\n\nfunc TestF(t *testing.T) {\n\tt.Parallel()\n\tif !near(F(2, 3), 2.5) {\n\t\tt.Fatal()\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("1e200")}},
		{"a square, beside a test of infinity", "func TestNone(t *testing.T) {\n\tif !math.IsInf(F(math.Inf(1), 1), 1) {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestF(t *testing.T) {\n\tif r := F(2, 3); r*r-6 < 0 || r < 0 || 1/(r*r) > 0.2 {\n\t\tt.Fatal()\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("1e200")}},
		{"operands of all kinds", "type meters float64\n\nconst small = 1e-9\n\nfunc TestF(t *testing.T) {\n\tvar m meters = meters(F(2, 3))\n\tn, i := int64(F(1, 1)), 0\n\tfor ; float64(i) < F(4, 4); i++ {\n\t}\n\tif m > 3 || m < 2*small || n > 1<<i || \"a\"+string(rune(i)) < \"a\" || math.MaxFloat64 < F(2, 3) || uint8(n) > 200 || math.Pi > F(2, 3)+max(1, 2) {\n\t\tt.Fatal(m, n)\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("1e200"), answer("math.NaN()")}},
		{"a test of NaN beside others", "func TestNone(t *testing.T) {\n\tif !math.IsNaN(F(0, math.Inf(1)-math.Inf(1))) {\n\t\tt.Fail()\n\t}\n}\n\nfunc TestF(t *testing.T) {\n\tif math.Abs(F(2, 3)-2.5) > 1e-9 {\n\t\tt.Fail()\n\t}\n}\n",
			answer("(a + b) / 2"), []string{answer("math.NaN()")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sample.Row(t, 3)
			tests := Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(head + c.tests)}}}
			v := rigExam(t, Go, program("go", "main.go", c.right), tests)
			if !v.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Errorf("the right program: pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.harness.stderr, v.candidate.stderr)
			}
			for _, wrong := range c.wrong {
				if v := rigExam(t, Go, program("go", "main.go", wrong), tests); v.pass || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("%s: pass %t, proof %s\n%s", wrong, v.pass, v.proof, v.harness.report)
				}
			}
		})
	}
}
