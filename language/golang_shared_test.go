package language

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// goBoxes is a right program that shares nothing with its tests.
const goBoxes = `package main

import (
	"maps"
	"slices"
)

type Item struct{ Name string }

type Box struct {
	items []int
	List  []Item
	Rows  [][]int
	Stock map[string]int
	Kids  []*Box
	Val   int
}

type Shape interface{ Area() int }

type Sq struct{ S int }

func (s *Sq) Area() int { return s.S * s.S }

var cache = map[string][]int{"a": {1, 2}}

var Registry = map[string]int{}

var one = &Box{}

func New(items ...int) *Box {
	return &Box{items: slices.Clone(items), Stock: map[string]int{}, List: []Item{{"a"}}, Rows: [][]int{{0, 0}}}
}
func From(items []int) *Box { return &Box{items: slices.Clone(items)} }
func (b *Box) Add(x int)    { b.items = append(b.items, x) }
func (b *Box) Take(xs []int) { b.items = slices.Clone(xs) }
func (b *Box) Set(i, x int) { b.items[i] = x }
func (b *Box) All() []int   { return slices.Clone(b.items) }
func (b *Box) Last() int    { return b.items[len(b.items)-1] }
func (b *Box) Items() []Item { return slices.Clone(b.List) }
func (b *Box) Sum() int {
	s := b.Val
	for _, x := range b.items {
		s += x
	}
	for _, k := range b.Kids {
		s += k.Sum()
	}
	for _, r := range b.Rows {
		for _, x := range r {
			s += x
		}
	}
	for _, n := range b.Stock {
		s += n
	}
	return s
}
func (b *Box) Copy() *Box             { c := *b; c.Stock = maps.Clone(b.Stock); c.Rows = [][]int{slices.Clone(b.Rows[0])}; return &c }
func (b *Box) Put(k string, n int)    { b.Stock[k] = n }
func (b *Box) Counts() map[string]int { return maps.Clone(b.Stock) }
func (b *Box) Kid(i int) *Box         { return b.Kids[i] }
func Deep(m map[string][]int) map[string][]int {
	r := map[string][]int{}
	for k, v := range m {
		r[k] = slices.Clone(v)
	}
	return r
}
func Load(k string) []int     { return slices.Clone(cache[k]) }
func Sorted(xs []int) []int   { c := slices.Clone(xs); slices.Sort(c); return c }
func Total(xs []int) (n int)  { for _, x := range xs { n += x }; return n }
func Shared() *Box            { return one }
func Shapes() Shape           { return &Sq{2} }
func Count() int              { return len(Registry) }

type Matrix [][]int

func Square(n int) Matrix {
	m := Matrix{}
	for range n {
		m = append(m, make([]int, n))
	}
	return m
}
func (m Matrix) Row(i int) []int  { return m[i] }
func (m Matrix) Put(i, j, v int)  { m[i][j] = v }
func Shift(to, from []int)        { copy(to, from) }

var limit int

func Limit() *int { return &limit }
func Sized() int  { return limit }
`

// TestGoShared has tests of what the program shares with them. A change of from
// to to makes the program wrong.
func TestGoShared(t *testing.T) {
	const apart, judged, together = glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged, glovebox.ProofInProcess
	own := "return slices.Clone(b.items)"
	leak := "return b.items"
	for _, c := range []struct {
		name, body string
		from, to   string
		proof      glovebox.Proof
		pass       bool
	}{
		{"an element of a result", "b := New(1)\n\tb.All()[0] = 99\n\tif b.All()[0] != 1 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"an element of a result, leaked", "b := New(1)\n\tb.All()[0] = 99\n\tif b.All()[0] != 1 {\n\t\tt.Fatal()\n\t}", own, leak, together, false},
		{"a result that is kept, leaked", "b := New(1, 2)\n\tgot := b.All()\n\tgot[0] = 99\n\tif b.Sum() != 3 {\n\t\tt.Fatal()\n\t}", own, leak, together, false},
		{"a result that is sorted, leaked", "b := New(2, 1)\n\tgot := b.All()\n\tslices.Sort(got)\n\tif b.All()[0] != 2 {\n\t\tt.Fatal()\n\t}", own, leak, together, false},
		{"a result's struct, leaked", "b := New()\n\tb.Items()[0].Name = \"z\"\n\tif b.Items()[0].Name != \"a\" {\n\t\tt.Fatal()\n\t}", "return slices.Clone(b.List)", "return b.List", together, false},
		{"a map of results, leaked", "b := New()\n\tb.Put(\"a\", 1)\n\tdelete(b.Counts(), \"a\")\n\tif len(b.Counts()) != 1 {\n\t\tt.Fatal()\n\t}", "return maps.Clone(b.Stock)", "return b.Stock", together, false},
		{"a result that is counted up, leaked", "b := New(1)\n\tfor range 2 {\n\t\tif b.All()[0] != 1 {\n\t\t\tt.Fatal()\n\t\t}\n\t\tb.All()[0]++\n\t}", own, leak, together, false},
		{"a view", "b := New(1, 2)\n\tb.All()[1] = 5\n\tif b.Sum() != 6 {\n\t\tt.Fatal()\n\t}", own, leak, together, true},
		{"a copy of an object, its map", "b := New()\n\tc := b.Copy()\n\tc.Stock[\"a\"] = 1\n\tif len(b.Stock) != 0 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a copy of an object, its map, leaked", "b := New()\n\tc := b.Copy()\n\tc.Stock[\"a\"] = 1\n\tif len(b.Stock) != 0 {\n\t\tt.Fatal()\n\t}", "c.Stock = maps.Clone(b.Stock);", "", together, false},
		{"a copy of an object, its rows, leaked", "b := New()\n\tc := b.Copy()\n\tb.Rows[0][1] = 7\n\tif c.Rows[0][1] != 0 {\n\t\tt.Fatal()\n\t}", "slices.Clone(b.Rows[0])", "b.Rows[0]", together, false},
		{"a deep copy, leaked", "m := map[string][]int{\"a\": {1}}\n\tc := Deep(m)\n\tc[\"a\"][0] = 2\n\tif m[\"a\"][0] != 1 {\n\t\tt.Fatal()\n\t}", "r[k] = slices.Clone(v)", "r[k] = v", together, false},
		{"a deep copy, the other way, leaked", "m := map[string][]int{\"a\": {1}}\n\tc := Deep(m)\n\tm[\"a\"][0] = 2\n\tif c[\"a\"][0] != 1 {\n\t\tt.Fatal()\n\t}", "r[k] = slices.Clone(v)", "r[k] = v", together, false},
		{"a cache, leaked", "Load(\"a\")[0] = 5\n\tif got := Load(\"a\"); got[0] != 1 {\n\t\tt.Fatal()\n\t}", "return slices.Clone(cache[k])", "return cache[k]", together, false},
		{"a kept argument, leaked", "xs := []int{1, 2}\n\tb := From(xs)\n\txs[0] = 9\n\tif b.Sum() != 3 {\n\t\tt.Fatal()\n\t}", "return &Box{items: slices.Clone(items)} }", "return &Box{items: items} }", together, false},
		{"a kept argument of a method, leaked", "xs := []int{1, 2}\n\tb := New()\n\tb.Take(xs)\n\txs[0] = 9\n\tif b.Sum() != 3 {\n\t\tt.Fatal()\n\t}", "b.items = slices.Clone(xs)", "b.items = xs", together, false},
		{"a snapshot, leaked", "b := New(1, 2)\n\tbefore := b.All()\n\tb.Set(0, 9)\n\tif before[0] != 1 {\n\t\tt.Fatal()\n\t}", own, leak, together, false},
		{"a snapshot of a map, leaked", "b := New()\n\tbefore := b.Counts()\n\tb.Put(\"a\", 9)\n\tif before[\"a\"] != 0 {\n\t\tt.Fatal()\n\t}", "return maps.Clone(b.Stock)", "return b.Stock", together, false},
		{"a snapshot of a field", "b := New()\n\tstock := b.Stock\n\tb.Put(\"a\", 9)\n\tif stock[\"a\"] != 9 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a variable of the program", "Registry[\"a\"] = 1\n\tif Count() != 1 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a variable of the program, cleared", "clear(Registry)\n\tif Count() != 0 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"the place of an element, leaked", "b := New(1)\n\tif &b.All()[0] == &b.All()[0] {\n\t\tt.Fatal()\n\t}", own, leak, together, false},

		{"an overwritten result, leaked", "b := New(1)\n\tgot := append(b.All()[:0], 9)\n\tif b.All()[0] != 1 || got[0] != 9 {\n\t\tt.Fatal()\n\t}", own, leak, together, false},
		{"an element of a result, by an object's own elements", "m := Square(2)\n\tm.Row(0)[1] = 5\n\tif m[0][1] != 5 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a map that an object changes", "m := map[string]int{}\n\tb := &Box{Stock: m}\n\tb.Put(\"a\", 1)\n\tif m[\"a\"] != 1 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a list that an object changes, kept", "xs := []int{1, 2}\n\tb := From(xs)\n\tb.Set(0, 9)\n\tif xs[0] != 1 {\n\t\tt.Fatal()\n\t}", "return &Box{items: slices.Clone(items)} }", "return &Box{items: items} }", together, false},
		{"a list and a part of it", "xs := []int{1, 2, 3}\n\tShift(xs[1:], xs)\n\tif xs[2] != 2 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"a pointer to a number", "*Limit() = 8\n\tif Sized() != 8 {\n\t\tt.Fatal()\n\t}", "", "", together, true},
		{"the fields of a type", "if reflect.TypeOf(*New()).NumField() != 6 {\n\t\tt.Fatal()\n\t}", "", "", together, true},

		{"an object's own elements", "m := Square(2)\n\tm[1][1] = 4\n\tm.Put(0, 1, 5)\n\tif m[0][1] != 5 || m.Row(1)[1] != 4 {\n\t\tt.Fatal()\n\t}", "", "", apart, true},
		{"a list of their own, walked over", "xs := []int{1, 2}\n\tb := From(xs)\n\tb.Add(3)\n\tfor i, x := range xs {\n\t\tif b.All()[i] != x && x > 2 {\n\t\t\tt.Fatal()\n\t\t}\n\t}", "", "", judged, true},
		{"an object's own field", "b := New()\n\tb.List[0] = Item{\"q\"}\n\tb.Rows[0][1] = 4\n\tb.Rows[0][1]++\n\tb.Stock[\"a\"] = 5\n\tb.Val = 2\n\tb.Kids = append(b.Kids, New(3))\n\tif b.Sum() != 15 {\n\t\tt.Fatal(b.Sum())\n\t}", "", "", apart, true},
		{"an object in an object", "b := New()\n\tb.Kids = append(b.Kids, New(3))\n\tk := b.Kid(0)\n\tk.Val = 4\n\tif b.Sum() != 7 || b.Kid(0).Val != 4 {\n\t\tt.Fatal(b.Sum())\n\t}", "", "", apart, true},
		{"one object", "if Shared() != Shared() {\n\t\tt.Fatal()\n\t}", "", "", judged, true},
		{"one object, wrong", "if Shared() != Shared() {\n\t\tt.Fatal()\n\t}", "return one", "return &Box{}", apart, false},
		{"two objects", "if New() == New() {\n\t\tt.Fatal()\n\t}", "", "", judged, true},
		{"two objects, wrong", "if New() == New() {\n\t\tt.Fatal()\n\t}", "return &Box{items: slices.Clone(items), Stock", "return one; _ = &Box{Stock", apart, false},
		{"one object changes", "Shared().Val = 3\n\tif Shared().Sum() != 3 {\n\t\tt.Fatal()\n\t}", "", "", apart, true},
		{"a sorted result", "got := Sorted([]int{2, 1})\n\tslices.Sort(got)\n\tif got[0] != 1 {\n\t\tt.Fatal()\n\t}", "", "", apart, true},
		{"a table of sorted results", "for _, c := range []struct{ in, want []int }{{[]int{2, 1}, []int{1, 2}}, {nil, nil}} {\n\t\tgot := Sorted(c.in)\n\t\tslices.Sort(got)\n\t\tif !slices.Equal(got, c.want) {\n\t\t\tt.Errorf(\"%v\", c.in)\n\t\t}\n\t}", "", "", apart, true},
		{"an object's number", "b := New(1)\n\tbefore := b.Sum()\n\tb.Add(2)\n\tif before != 1 || b.Sum() != before+2 {\n\t\tt.Fatal()\n\t}", "", "", judged, true},
		{"a list of their own for a new call", "xs := []int{1, 2}\n\tn := Total(xs)\n\txs[0] = 5\n\tif n != 3 || Total(xs) != 7 {\n\t\tt.Fatal()\n\t}", "", "", apart, true},
		{"a list of their own that grows", "b := New()\n\tvar want []int\n\tfor i := range 3 {\n\t\tb.Add(i)\n\t\twant = append(want, i)\n\t\tif !slices.Equal(b.All(), []int{0, 1, 2}[:i+1]) || len(want) != i+1 {\n\t\t\tt.Fatal()\n\t\t}\n\t}", "", "", apart, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sample.Row(t, 3)
			program_ := strings.Replace(goBoxes, c.from, c.to, 1)
			text := "package main\n\nimport (\n\t\"reflect\"\n\t\"slices\"\n\t\"testing\"\n)\n\nvar _, _ = slices.Max[[]int], reflect.TypeOf\n\nfunc TestX(t *testing.T) {\n\t" + c.body + "\n}\n"
			v := rigExam(t, Go, program("go", "main.go", program_), Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(text)}}})
			if v.pass != c.pass || v.worth() != c.proof {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestGoFaults has tests that no program makes compile, and others.
func TestGoFaults(t *testing.T) {
	tc := &Toolchain{Language: "go", Version: "1.26.0", Tools: map[string]string{"driver": goDriver}}
	for _, c := range []struct{ tests, want string }{
		{"package main\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) { F() }\n", "main_test.go:4: \"fmt\" imported and not used"},
		{"package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {\n\tunused := 3\n\tF()\n}\n", "main_test.go:6: declared and not used: unused"},
		{"package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {\n\tvar n int\n\tn = 3\n\tfor _, c := range F() {\n\t}\n}\n", "main_test.go:6: declared and not used: n"},
		{"package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Log(fmt.Sprint(F())) }\n", "main_test.go:5: fmt is not imported"},
		{"func TestX(t *testing.T) {\n\tn := F()\n}\n", "main_test.go:2: declared and not used: n"},
		{"func TestX(t *testing.T) {\n\tfmt.Println(F())\n}\n", ""},
		{"package main\n\nimport \"testing\"\n\nfunc asm()\n\nfunc TestX(t *testing.T) {\n\tn, m := 1, 2\n\tn++\n\tm, _ = F()\n\tt.Run(\"\", func(*testing.T) { _ = m })\n\tswitch x := any(n).(type) {\n\tcase int:\n\t\t_ = x\n\t}\n\t_ = P{n: 1}\n}\n", ""},
	} {
		p := program("go", "main.go", "package main\n\nfunc main() {}\n")
		_, err := examGo(tc, p, Tests{Files: []glovebox.File{{Path: "main_test.go", Data: []byte(c.tests)}}})
		if got := strings.TrimPrefix(fmt.Sprint(err), "the tests do not compile: "); got != c.want && !(err == nil && c.want == "") {
			t.Errorf("%q: %v", c.tests, err)
		}
	}
}
