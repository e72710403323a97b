package language

// goSubjects are right programs with tests in the forms that Go's tests have.
func goSubjects() []subject {
	of := func(name, program, tests string, names ...string) subject {
		return subject{name: name, program: "package main\n" + program, file: "main_test.go", tests: "package main\n" + tests, names: names}
	}
	return []subject{
		of("tolerance", `
import "math"

func Mean(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s / float64(len(xs))
}

func Roots(a, b, c float64) []float64 {
	d := math.Sqrt(b*b - 4*a*c)
	return []float64{(-b - d) / 2 / a, (-b + d) / 2 / a}
}
`, `
import (
	"math"
	"testing"
)

func TestMean(t *testing.T) {
	if got := Mean([]float64{1, 2, 4}); math.Abs(got-7.0/3) > 1e-9 {
		t.Errorf("got %v", got)
	}
	if got := Mean([]float64{-1, 1}); math.Abs(got) > 1e-9 {
		t.Errorf("got %v", got)
	}
}

func TestRoots(t *testing.T) {
	want := []float64{1, 2}
	got := Roots(1, -3, 2)
	if len(got) != 2 {
		t.Fatal(got)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("got %v", got)
		}
	}
}
`, "Mean", "Roots"),
		of("stack", `
import "errors"

var ErrEmpty = errors.New("empty")

type Stack struct {
	items []int
	log   chan int
}

func NewStack() *Stack { return &Stack{log: make(chan int, 99)} }

func (s *Stack) Push(n int) { s.items = append(s.items, n); s.log <- n }

func (s *Stack) Pop() (int, error) {
	if len(s.items) == 0 {
		return 0, ErrEmpty
	}
	n := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return n, nil
}

func (s *Stack) Len() int { return len(s.log) }
`, `
import (
	"errors"
	"testing"
)

func TestStack(t *testing.T) {
	s := NewStack()
	s.Push(4)
	s.Push(7)
	if n, err := s.Pop(); n != 7 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := s.Pop(); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := s.Pop(); !errors.Is(err, ErrEmpty) {
		t.Fatal(err)
	}
	if n := s.Len(); n != 2 {
		t.Fatal(n)
	}
}
`, "NewStack"),
		of("errors", `
import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

var ErrNegative = errors.New("negative")

var ErrLarge = errors.New("large")

type RangeError struct {
	Value int
	Inner error
}

func (e *RangeError) Error() string { return fmt.Sprintf("%d is out of range: %v", e.Value, e.Inner) }

func (e *RangeError) Unwrap() error { return e.Inner }

func Check(n int) error {
	switch {
	case n < 0:
		return ErrNegative
	case n > 100:
		return fmt.Errorf("check: %w", &RangeError{n, ErrLarge})
	case n == 50:
		return io.EOF
	}
	return nil
}

func Number(s string) (int, error) { return strconv.Atoi(s) }
`, `
import (
	"errors"
	"io"
	"strconv"
	"testing"
)

func TestCheck(t *testing.T) {
	if err := Check(1); err != nil {
		t.Error(err)
	}
	if err := Check(-1); !errors.Is(err, ErrNegative) || errors.Is(err, ErrLarge) {
		t.Error(err)
	}
	if err := Check(-1); err != ErrNegative || err.Error() != "negative" {
		t.Error(err)
	}
	err := Check(101)
	if !errors.Is(err, ErrLarge) || errors.Is(err, ErrNegative) {
		t.Error(err)
	}
	var r *RangeError
	if !errors.As(err, &r) || r.Value != 101 || r.Error() != "101 is out of range: large" {
		t.Error(err)
	}
	if err := Check(50); err != io.EOF {
		t.Error(err)
	}
}

func TestNumber(t *testing.T) {
	if n, err := Number("12"); n != 12 || err != nil {
		t.Error(n, err)
	}
	_, err := Number("x")
	var n *strconv.NumError
	if !errors.As(err, &n) || n.Num != "x" || !errors.Is(err, strconv.ErrSyntax) {
		t.Error(err)
	}
}
`, "Check", "Number"),
		of("kinds of errors alone", `
import "errors"

var ErrShort = errors.New("short")

var ErrLong = errors.New("long")

func Fit(s string) error {
	if len(s) < 2 {
		return ErrShort
	}
	if len(s) > 4 {
		return ErrLong
	}
	return nil
}
`, `
import (
	"errors"
	"testing"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{{"", ErrShort}, {"abcdef", ErrLong}, {"abc", nil}} {
		if err := Fit(c.in); !errors.Is(err, c.want) {
			t.Errorf("%q: %v", c.in, err)
		}
	}
}
`, "Fit"),
		of("structs", `
type Point struct{ X, Y int }

func (p Point) Add(o Point) Point { return Point{p.X + o.X, p.Y + o.Y} }

func Corner(n int) Point { return Point{n, -n} }

func All(n int) []Point {
	var all []Point
	for i := range n {
		all = append(all, Corner(i))
	}
	return all
}
`, `
import (
	"reflect"
	"testing"
)

func TestPoints(t *testing.T) {
	if got := Corner(3); got != (Point{3, -3}) {
		t.Error(got)
	}
	if got := (Point{1, 2}).Add(Point{3, 4}); got != (Point{X: 4, Y: 6}) {
		t.Error(got)
	}
	if got, want := All(2), []Point{{0, 0}, {1, -1}}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	if p := Corner(2); p.X != 2 || p.Y != -2 {
		t.Error(p)
	}
}
`, "Corner", "All"),
		of("clock", `
import "fmt"

type Clock int

func New(h, m int) Clock {
	n := (h*60 + m) % 1440
	if n < 0 {
		n += 1440
	}
	return Clock(n)
}

func (c Clock) Add(m int) Clock { return New(0, int(c)+m) }

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }
`, `
import (
	"fmt"
	"testing"
)

func TestClock(t *testing.T) {
	if got := New(8, 0).String(); got != "08:00" {
		t.Error(got)
	}
	if got := fmt.Sprint(New(23, 59).Add(2)); got != "00:01" {
		t.Error(got)
	}
}

func TestSame(t *testing.T) {
	if New(8, 0).Add(60) != New(9, 0) {
		t.Error("not the same")
	}
	if New(1, 0) == New(2, 0) {
		t.Error("the same")
	}
}
`, "New"),
		of("equality of its own", `
type Money struct{ cents int }

func Euros(n int) Money { return Money{n * 100} }

func (m Money) Plus(o Money) Money { return Money{m.cents + o.cents} }

func (m Money) Equal(o Money) bool { return m.cents == o.cents }

func (m Money) Cents() int { return m.cents }
`, `
import "testing"

func TestMoney(t *testing.T) {
	if !Euros(2).Plus(Euros(3)).Equal(Euros(5)) {
		t.Error("not equal")
	}
	if Euros(2).Equal(Euros(3)) {
		t.Error("equal")
	}
}

func TestCents(t *testing.T) {
	if n := Euros(2).Cents(); n != 200 {
		t.Error(n)
	}
}
`, "Euros"),
		of("kinds", `
type Kind int

const (
	None Kind = iota
	Even
	Odd
)

func KindOf(n int) Kind {
	switch {
	case n == 0:
		return None
	case n%2 == 0:
		return Even
	}
	return Odd
}
`, `
import "testing"

func TestKind(t *testing.T) {
	for _, c := range []struct {
		n    int
		want Kind
	}{{0, None}, {3, Odd}, {4, Even}} {
		if got := KindOf(c.n); got != c.want {
			t.Errorf("%d: %v", c.n, got)
		}
	}
	if None == Odd || Odd == Even {
		t.Error("kinds are the same")
	}
}
`, "KindOf"),
		of("in place", `
import "sort"

func SortDown(xs []int) { sort.Sort(sort.Reverse(sort.IntSlice(xs))) }

func Count(words []string, into map[string]int) {
	for _, w := range words {
		into[w]++
	}
}

func Swap(a, b *int) { *a, *b = *b, *a }
`, `
import (
	"reflect"
	"testing"
)

func TestSortDown(t *testing.T) {
	xs := []int{2, 9, 4}
	SortDown(xs)
	if !reflect.DeepEqual(xs, []int{9, 4, 2}) {
		t.Error(xs)
	}
}

func TestCount(t *testing.T) {
	m := map[string]int{"a": 1}
	Count([]string{"a", "b"}, m)
	if m["a"] != 2 || m["b"] != 1 || len(m) != 2 {
		t.Error(m)
	}
}

func TestSwap(t *testing.T) {
	a, b := 1, 2
	Swap(&a, &b)
	if a != 2 || b != 1 {
		t.Error(a, b)
	}
}
`, "SortDown", "Count", "Swap"),
		of("callbacks", `
func Keep(xs []int, f func(int) bool) []int {
	kept := []int{}
	for _, x := range xs {
		if f(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func Each(xs []string, f func(i int, s string)) {
	for i, x := range xs {
		f(i, x)
	}
}
`, `
import (
	"slices"
	"testing"
)

func TestKeep(t *testing.T) {
	if got := Keep([]int{1, 2, 3, 4}, func(x int) bool { return x%2 == 0 }); !slices.Equal(got, []int{2, 4}) {
		t.Error(got)
	}
}

func TestEach(t *testing.T) {
	var seen []string
	Each([]string{"a", "b"}, func(i int, s string) {
		if i > 1 || s == "" {
			t.Error(i, s)
		}
		seen = append(seen, s)
	})
	if !slices.Equal(seen, []string{"a", "b"}) {
		t.Error(seen)
	}
}
`, "Keep", "Each"),
		of("functions that are returned", `
func Counter(from int) func() int {
	n := from
	return func() int { n++; return n }
}

func Upto(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i * i) {
				return
			}
		}
	}
}
`, `
import (
	"slices"
	"testing"
)

func TestCounter(t *testing.T) {
	next := Counter(3)
	if a, b := next(), next(); a != 4 || b != 5 {
		t.Error(a, b)
	}
}

func TestUpto(t *testing.T) {
	var got []int
	for x := range Upto(9) {
		if x > 9 {
			break
		}
		got = append(got, x)
	}
	if !slices.Equal(got, []int{0, 1, 4, 9}) {
		t.Error(got)
	}
}
`, "Counter", "Upto"),
		of("interfaces", `
import (
	"bufio"
	"io"
)

type Shape interface {
	Area() float64
	Name() string
}

type square struct{ side float64 }

func (s square) Area() float64 { return s.side * s.side }

func (s square) Name() string { return "square" }

func Square(side float64) Shape { return square{side} }

func Total(shapes ...Shape) float64 {
	sum := 0.0
	for _, s := range shapes {
		sum += s.Area()
	}
	return sum
}

func Lines(r io.Reader) []string {
	var all []string
	for s := bufio.NewScanner(r); s.Scan(); {
		all = append(all, s.Text())
	}
	return all
}
`, `
import (
	"reflect"
	"strings"
	"testing"
)

func TestShapes(t *testing.T) {
	s := Square(3)
	if s.Area() != 9 || s.Name() != "square" {
		t.Error(s.Area(), s.Name())
	}
	if got := Total(s, Square(1)); got != 10 {
		t.Error(got)
	}
}

func TestLines(t *testing.T) {
	if got := Lines(strings.NewReader("a\nbc\n")); !reflect.DeepEqual(got, []string{"a", "bc"}) {
		t.Error(got)
	}
}
`, "Square", "Total", "Lines"),
		of("a list", `
type Node struct {
	Val        int
	Next, prev *Node
}

type List struct {
	head, tail *Node
	size       int
}

func (l *List) Push(v int) *List {
	n := &Node{Val: v, prev: l.tail}
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.Next = n
	}
	l.tail = n
	l.size++
	return l
}

func (l *List) First() *Node { return l.head }

func Reverse(n *Node) *Node {
	var back *Node
	for n != nil {
		n.Next, n, back = back, n.Next, n
	}
	return back
}
`, `
import "testing"

func TestList(t *testing.T) {
	var l List
	if l.Push(1) != &l {
		t.Error("another list")
	}
	l.Push(2).Push(3)
	want := 1
	for n := l.First(); n != nil; n = n.Next {
		if n.Val != want {
			t.Error(n.Val)
		}
		want++
	}
	if want != 4 {
		t.Error(want)
	}
}

func TestReverse(t *testing.T) {
	a := &Node{Val: 1, Next: &Node{Val: 2}}
	b := Reverse(a)
	if b.Val != 2 || b.Next.Val != 1 || a.Next != nil {
		t.Error(b)
	}
}
`, "Reverse"),
		of("panics", `
func At(xs []int, i int) int {
	if i < 0 {
		panic("negative")
	}
	return xs[i]
}
`, `
import "testing"

func TestAt(t *testing.T) {
	if n := At([]int{3, 4}, 1); n != 4 {
		t.Error(n)
	}
}

func TestNegative(t *testing.T) {
	defer func() {
		if r := recover(); r != "negative" {
			t.Errorf("panic: %v", r)
		}
	}()
	At(nil, -1)
	t.Error("no panic")
}

func TestBeyond(t *testing.T) {
	defer func() {
		if _, ok := recover().(error); !ok {
			t.Error("no error of the runtime")
		}
	}()
	if n := At([]int{3}, 0); n != 3 {
		t.Error(n)
	}
	At([]int{3}, 5)
	t.Error("no panic")
}
`, "At"),
		of("examples and seeds", `
func Backwards(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
`, `
import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func ExampleBackwards() {
	fmt.Println(Backwards("abc"))
	// Output: cba
}

func FuzzBackwards(f *testing.F) {
	f.Add("hello")
	f.Add("é!")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip()
		}
		b := Backwards(s)
		if Backwards(b) != s || s == "hello" && b != "olleh" {
			t.Errorf("%q", b)
		}
	})
}

func BenchmarkBackwards(b *testing.B) {
	for b.Loop() {
		Backwards("abc")
	}
}
`, "Backwards"),
		of("in one process", `
import "os"

func Home() string { return "at " + os.Getenv("PLACE") }
`, `
import "testing"

func TestHome(t *testing.T) {
	t.Setenv("PLACE", "home")
	if got := Home(); got != "at home" {
		t.Error(got)
	}
}
`, "Home"),
	}
}
