package wire

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"
)

func TestRoundTrip(t *testing.T) {
	n := 7
	for _, v := range []any{
		true, "a\x00\xff", -1, int8(-128), uint64(math.MaxUint64), math.Inf(-1), 1e-300, complex(1, -2), []int(nil), []int{}, []byte("x"),
		map[string][]float64{"a": {1}, "b": nil}, [2]bool{true, false}, &n, []any{nil, 1, "a", []any{2.5, map[string]int{"x": 1}}, &n},
		make([]int, 5000), [3000]string{"a"}, map[string]struct{}{"a": {}}, []func(){nil}, time.Monday,
		*big.NewInt(99), big.NewInt(-5), *big.NewRat(1, 3), time.Unix(5, 6).UTC(), time.Second, []error{nil}, map[any]int{1: 2, "a": 3},
	} {
		e := &encoder{}
		if err := e.value(reflect.ValueOf(v), 0); err != nil {
			t.Errorf("%T: %v", v, err)
			continue
		}
		got := reflect.New(reflect.TypeOf(v)).Elem()
		d := &decoder{buf: e.buf}
		if err := decode(func() { d.value(got, 0) }); err != nil || len(d.buf) > 0 {
			t.Errorf("%T: %v, %d bytes left", v, err, len(d.buf))
		} else if !reflect.DeepEqual(got.Interface(), v) {
			t.Errorf("got %#v, want %#v", got.Interface(), v)
		}
	}
}

func TestErrorsTravelAsText(t *testing.T) {
	e := &encoder{}
	in := []error{errors.New("no")}
	if err := e.value(reflect.ValueOf(in), 0); err != nil {
		t.Fatal(err)
	}
	var out []error
	d := &decoder{buf: e.buf}
	if err := decode(func() { d.value(reflect.ValueOf(&out).Elem(), 0) }); err != nil || len(out) != 1 || out[0].Error() != "no" {
		t.Errorf("%v, %v", out, err)
	}
}

func TestRefused(t *testing.T) {
	type own int
	var deep any
	for range maxDepth + 2 {
		deep = []any{deep}
	}
	for _, v := range []any{make(chan int), struct{ A chan int }{}, []any{own(1)}, deep} {
		if err := (&encoder{}).value(reflect.ValueOf(v), 0); err == nil {
			t.Errorf("%T was taken", v)
		}
	}
}

// TestBlank: an array of many arrays of nothing takes no time.
func TestBlank(t *testing.T) {
	name := "[4096][4096][4096][4096][0]int"
	var got any
	d := &decoder{buf: append([]byte{dynamicType, byte(len(name))}, name...)}
	if err := decode(func() { d.value(reflect.ValueOf(&got).Elem(), 0) }); err != nil || len(d.buf) > 0 {
		t.Errorf("%v, %d bytes left", err, len(d.buf))
	}
}

// FuzzDecode: hostile bytes are an error or a value, and never more memory
// than they could pay for.
func FuzzDecode(f *testing.F) {
	for _, v := range []any{[]any{1, "a", map[string]any{"x": nil}}, [][]int{{1}}, []string{"a"}} {
		e := &encoder{}
		if err := e.value(reflect.ValueOf(&v).Elem(), 0); err != nil {
			f.Fatal(err)
		}
		f.Add(e.buf)
	}
	f.Add([]byte("\x01\x0emap[[]int]int\x01\x01"))
	f.Add([]byte("\x01\x0a[][][][]int\x01\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range []any{new(any), new([]string), new(map[string][]int), new([]struct{}), new([][0]int), new(*big.Int), new([]any)} {
			d := &decoder{buf: b}
			_ = decode(func() { d.value(reflect.ValueOf(v).Elem(), 0) })
		}
	})
}
