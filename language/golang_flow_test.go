package language

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestGoJudged has tests by their text alone: those that compare the program's
// word with the program's word, also by way of what it was given, and those that
// do not.
func TestGoJudged(t *testing.T) {
	head := "package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n\t\"slices\"\n\t\"strings\"\n\t\"testing\"\n\t\"reflect\"\n\t\"sort\"\n)\n\nvar _, _, _, _, _, _ = fmt.Sprint, math.Pi, slices.Max[[]int], strings.ToUpper, reflect.DeepEqual, sort.Ints\n\n"
	tc := &Toolchain{Language: "go", Version: "1.26.0", Tools: map[string]string{"driver": goDriver}}
	for _, c := range []struct {
		name, body string
		judged     bool
	}{
		{"switch", "switch F(2) {\n\tcase G(2):\n\tdefault:\n\t\tt.Fatal()\n\t}", true},
		{"switch with a number", "switch F(2) {\n\tcase 4:\n\tdefault:\n\t\tt.Fatal()\n\t}", false},
		{"keys of a map", "seen := map[int]bool{}\n\tseen[F(2)] = true\n\tif !seen[G(2)] {\n\t\tt.Fatal()\n\t}", true},
		{"keys of a map, of their own", "seen := map[int]bool{}\n\tfor _, x := range F(2) {\n\t\tseen[x] = true\n\t}\n\tfor _, w := range []int{1, 2} {\n\t\tif !seen[w] {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"counted", "n := map[string]int{}\n\tfor _, w := range Words(\"a b\") {\n\t\tn[w]++\n\t}\n\tif n[\"a\"] != 1 {\n\t\tt.Fatal()\n\t}", false},
		{"index", "if slices.Index([]int{F(2)}, G(2)) != 0 {\n\t\tt.Fatal()\n\t}", true},
		{"order, both ways", "if F(2) < G(2) || G(2) < F(2) {\n\t\tt.Fatal()\n\t}", true},
		{"sorted", "got := Sort([]int{2, 1})\n\tfor i := 1; i < len(got); i++ {\n\t\tif got[i-1] > got[i] {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"texts", "if fmt.Sprintf(\"%d\", F(2)) != fmt.Sprintf(\"%d\", G(2)) {\n\t\tt.Fatal()\n\t}", true},
		{"texts of their own", "if got, want := fmt.Sprintf(\"%d\", F(2)), fmt.Sprintf(\"%d\", 4); got != want {\n\t\tt.Fatal()\n\t}", false},
		{"joined", "if strings.Join(A(), \",\") != strings.Join(B(), \",\") {\n\t\tt.Fatal()\n\t}", true},
		{"joined with their own", "if strings.Join(A(), \",\") != \"a,b\" {\n\t\tt.Fatal()\n\t}", false},
		{"a channel", "c := make(chan int, 2)\n\tc <- F(2)\n\tc <- G(2)\n\tif <-c != <-c {\n\t\tt.Fatal()\n\t}", true},
		{"a channel of results", "c := make(chan int, 2)\n\tgo func() { c <- F(2) }()\n\tif got := <-c; got != 4 {\n\t\tt.Fatal()\n\t}", false},
		{"a sum and a difference", "total := 0\n\ttotal += F(2)\n\ttotal -= G(2)\n\tif total != 0 {\n\t\tt.Fatal()\n\t}", true},
		{"a sum", "total := 10\n\tfor i := range 3 {\n\t\ttotal -= F(i)\n\t}\n\tif total != 4 {\n\t\tt.Fatal()\n\t}", false},
		{"a builder", "var a, b strings.Builder\n\ta.WriteString(F(2))\n\tb.WriteString(G(2))\n\tif a.String() != b.String() {\n\t\tt.Fatal()\n\t}", true},
		{"a function of the tests that gives it", "f := func() int { return F(2) }\n\tif f() != G(2)+1 {\n\t\tt.Fatal()\n\t}", true},
		{"their own value's method", "p := Point{1, 2}\n\tif p.Left() != p.Right() {\n\t\tt.Fatal()\n\t}", true},
		{"their own value's idea of equality", "p := Point{1, 2}\n\tif !p.Equal(F(1)) {\n\t\tt.Fatal()\n\t}", true},
		{"their own value's fields", "p := F(1)\n\tif p.X != 3 || p != (Point{3, 4}) {\n\t\tt.Fatal()\n\t}", false},

		{"near, of the program", "if !Near(Area(2), 12.5) {\n\t\tt.Fatal()\n\t}", true},
		{"near, of the program, kept", "ok := Near(Area(2), 12.5)\n\tif ok != true {\n\t\tt.Fatal()\n\t}", true},
		{"near, by a helper", "check := func(ok bool) {\n\t\tif !ok {\n\t\t\tt.Fatal()\n\t\t}\n\t}\n\tcheck(Near(Area(2), 12.5))", true},
		{"a predicate", "for _, n := range []int{2, 3} {\n\t\tif !IsPrime(n) {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"a predicate of a list", "xs := []int{1, 2}\n\tif !Contains(xs, 1) || Contains(xs, 3) {\n\t\tt.Fatal()\n\t}", false},
		{"an object's predicate", "s := NewStack()\n\ts.Push(1)\n\tif s.IsEmpty() || !s.Has(1) {\n\t\tt.Fatal()\n\t}", false},

		{"a changed list, summed", "xs := []int{3, 1, 2}\n\tgot := Sum(xs)\n\twant := 0\n\tfor _, x := range xs {\n\t\twant += x\n\t}\n\tif got != want {\n\t\tt.Fatal()\n\t}", true},
		{"a changed list, at once", "xs := []int{3, 1, 2}\n\tif Max(xs) != slices.Max(xs) {\n\t\tt.Fatal()\n\t}", true},
		{"a changed list, sorted", "xs := []int{3, 1, 2}\n\tgot := Sort(xs)\n\tsort.Ints(xs)\n\tif !reflect.DeepEqual(got, xs) {\n\t\tt.Fatal()\n\t}", true},
		{"a list, its length", "xs := []int{3, 1, 2}\n\tif got := Sort(xs); len(got) != len(xs) {\n\t\tt.Fatal()\n\t}", false},
		{"a changed list by its address, its length", "xs := []int{3, 1, 2}\n\tif got := Sort(&xs); len(got) != len(xs) {\n\t\tt.Fatal()\n\t}", true},
		{"a changed map, its length", "m := map[string]int{\"a\": 1}\n\tif got := Count(m); got != len(m) {\n\t\tt.Fatal()\n\t}", true},
		{"a changed list of lists, a length in it", "xs := [][]int{{3}, {1, 2}}\n\tif got := Count(xs); got != len(xs[1]) {\n\t\tt.Fatal()\n\t}", true},
		{"a difference of their own", "for _, c := range []struct{ a, b, want Point }{{Point{3}, Point{1}, Point{2}}} {\n\t\tif got := c.a.Sub(c.b); got != c.want {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"their own tree", "for _, c := range []struct{ want *Node }{{&Node{Key: 1, Kids: []*Node{}}}} {\n\t\tif got := Parse(\"\"); !reflect.DeepEqual(got, c.want) {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"a changed list of a table", "for _, c := range []struct{ in []int }{{[]int{1}}} {\n\t\tif Max(c.in) != slices.Max(c.in) {\n\t\t\tt.Fatal()\n\t\t}\n\t}", true},
		{"a changed list, by another name", "xs := []int{3, 1, 2}\n\tys := xs[:]\n\tgot := Max(ys)\n\tif want := slices.Max(xs); got != want {\n\t\tt.Fatal()\n\t}", true},
		{"a changed list, in a loop", "xs := []int{3, 1, 2}\n\tfor range 2 {\n\t\twant := slices.Max(xs)\n\t\tif got := Max(xs); got != want {\n\t\t\tt.Fatal()\n\t\t}\n\t}", true},
		{"a changed object of theirs", "c := &Circle{R: 2}\n\tif got := c.Area(); math.Abs(got-math.Pi*c.R*c.R) > 1e-9 {\n\t\tt.Fatal()\n\t}", true},
		{"a list, summed before", "xs := []int{3, 1, 2}\n\twant := 0\n\tfor _, x := range xs {\n\t\twant += x\n\t}\n\tif got := Sum(xs); got != want {\n\t\tt.Fatal()\n\t}", false},
		{"a list that is copied for it", "xs := []int{3, 1, 2}\n\tgot := Max(slices.Clone(xs))\n\tif got != slices.Max(xs) {\n\t\tt.Fatal()\n\t}", false},
		{"a list that is read back", "xs := []int{3, 1, 2}\n\tSort(xs)\n\tif !reflect.DeepEqual(xs, []int{1, 2, 3}) {\n\t\tt.Fatal()\n\t}", false},
		{"a list that stays as it is", "xs := []int{3, 1, 2}\n\tgot := Sort(xs)\n\tif !reflect.DeepEqual(xs, []int{3, 1, 2}) || !reflect.DeepEqual(got, []int{1, 2, 3}) {\n\t\tt.Fatal()\n\t}", false},
		{"a number", "for _, n := range []int{1, 2} {\n\t\tif got := Double(n); got != n*2 {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"a number from nowhere", "n := len(t.Name())\n\tif got := Double(n); got != n+n {\n\t\tt.Fatal()\n\t}", false},
		{"a text", "s := \"abc\"\n\tif got := Double(s); got != s+s || Same(s) != s {\n\t\tt.Fatal()\n\t}", false},
		{"a table", "for _, c := range []struct {\n\t\tname string\n\t\tin, want []int\n\t}{{\"a\", []int{2, 1}, []int{1, 2}}} {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tgot := Sort(c.in)\n\t\t\tif !reflect.DeepEqual(got, c.want) {\n\t\t\t\tt.Errorf(\"Sort(%v) = %v\", c.in, got)\n\t\t\t}\n\t\t})\n\t}", false},
		{"a table of functions", "for name, f := range map[string]func([]int) int{\"a\": Max, \"b\": Top} {\n\t\tif got := f([]int{1, 2}); got != 2 {\n\t\t\tt.Error(name, got)\n\t\t}\n\t}", false},
		{"places", "got := Sort([]int{2, 1})\n\twant := []int{1, 2}\n\tfor i := range want {\n\t\tif got[i] != want[i] {\n\t\t\tt.Fatal()\n\t\t}\n\t}", false},
		{"an error", "if _, err := Parse(\"\"); err == nil || !strings.Contains(err.Error(), \"empty\") {\n\t\tt.Fatal()\n\t}", false},
		{"a tolerance", "got, want := Area(2), math.Pi*4\n\tif math.Abs(got-want)/want > 1e-9 {\n\t\tt.Fatal()\n\t}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := head + "func TestX(t *testing.T) {\n\t" + c.body + "\n}\n"
			if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
				t.Fatal(err)
			}
			p := program("go", "main.go", "package main\n\nfunc main() {}\n")
			x := &goExam{tc: tc, program: p, read: readGo(tc, p)}
			if err := x.readTests(Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(text)}}}); err != nil {
				t.Fatal(err)
			}
			if x.tests[0].judged != c.judged || x.more != "" {
				t.Errorf("judged %t, want %t; %s", x.tests[0].judged, c.judged, x.more)
			}
		})
	}
}
