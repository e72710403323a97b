package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

// Types as a program has them, for fuzzers of the two ends.
type (
	fuzzNode struct {
		Name string
		next *fuzzNode
		Kids []*fuzzNode
		Any  any
	}
	fuzzHeld struct {
		gloveboxHeld uint64
		N            int
	}
	fuzzShape interface{ Area(float64) float64 }
	fuzzA     struct{ Remote }
	fuzzKind  int
	fuzzError struct{ Code int }
)

func (r fuzzA) Area(float64) float64 { return 0 }
func (*fuzzError) Error() string     { return "" }

// fuzzed begins with a registry as it is when a program starts.
func fuzzed(tests bool) *peer {
	for _, m := range []any{known.types, known.names, known.fields, known.objects, known.ids, known.synced, known.held} {
		reflect.ValueOf(m).Clear()
	}
	known.next = 2
	if !tests {
		known.next = 3
	}
	Register("Node", reflect.TypeFor[fuzzNode](), "Name", "next", "Kids", "Any")
	Register("Held", reflect.TypeFor[fuzzHeld](), "gloveboxHeld", "N")
	Register("Kind", reflect.TypeFor[fuzzKind]())
	Register("Error", reflect.TypeFor[fuzzError](), "Code")
	Proxy(reflect.TypeFor[fuzzShape](), func(id uint64) any { return fuzzA{Remote(id)} })
	known.sentinels["ErrA"], known.sentinels["ErrB"] = errors.New("a"), errors.New("b")
	foul = fouls{}
	p := &peer{functions: map[string]any{}, out: io.Discard, tests: tests}
	p.turn = sync.NewCond(&p.mu)
	return p
}

// fuzzEnds fails where f does not end soon.
func fuzzEnds(t *testing.T, f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		panic("no end")
	}
}

func fuzzFrame(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// FuzzHarness: whatever the program answers, and asks before it does, the tests'
// end makes a value of it or says what is wrong.
func FuzzHarness(f *testing.F) {
	debug.SetMemoryLimit(1 << 30)
	fuzzed(false)
	node := &fuzzNode{Name: "a", Any: []any{1, "x", fuzzKind(2)}}
	node.next, node.Kids = node, []*fuzzNode{node, nil}
	var err error = &fuzzError{3}
	for _, vs := range [][]any{
		{node, map[string][]int{"a": {1}}, err, fuzzHeld{0, 5}, any(nil)},
		{(*fuzzNode)(nil), map[string][]int{}, errors.Join(io.EOF, errors.New("x")), fuzzHeld{}, any([]any{2.5, io.EOF})},
	} {
		e := &encoder{}
		e.uint(replyReturned)
		for i, v := range vs {
			to := reflect.New([]reflect.Type{reflect.TypeFor[*fuzzNode](), reflect.TypeFor[map[string][]int](), reflect.TypeFor[error](), reflect.TypeFor[fuzzHeld](), reflect.TypeFor[any]()}[i]).Elem()
			if v != nil {
				to.Set(reflect.ValueOf(v))
			}
			if err := e.value(to, 0); err != nil {
				f.Fatal(err)
			}
		}
		if err := e.objects(); err != nil {
			f.Fatal(err)
		}
		e.uint(0)
		f.Add([]byte{replyReturned, 0, 0, 0, 0, 0, 0, 0}, e.buf)
	}
	f.Add([]byte{replyPanicked, dynamicError, 1, 'x', 1, 0, 0}, []byte{})
	f.Add([]byte{askObject, 2, 4, 0}, []byte{replyReturned, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{askMethod, 4, 4, 'A', 'r', 'e', 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0}, []byte{replyRefused, 1, 'x'})
	f.Add([]byte{askFunction, 1, 'x'}, []byte{replyReturned})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		p := fuzzed(true)
		p.in = bufio.NewReader(bytes.NewReader(append(fuzzFrame(a), fuzzFrame(b)...)))
		p.watched = []watched{{name: "v", v: reflect.New(reflect.TypeFor[[]string]()).Elem()}}
		p.busy, p.depth = true, 1
		n, own := &fuzzNode{Name: "x"}, []string{"a"}
		callback := func(xs []int, n *fuzzNode) (int, error) { return len(xs), nil }
		var shape fuzzShape = fuzzA{}
		var given, got []reflect.Value
		for _, v := range []any{&n, &own, &callback, &shape} {
			given = append(given, reflect.ValueOf(v).Elem())
		}
		for _, v := range []any{new(*fuzzNode), new(map[string][]int), new(error), new(fuzzHeld), new(any)} {
			got = append(got, reflect.ValueOf(v).Elem())
		}
		fuzzEnds(t, func() {
			// What it gives is done in the caller: a panic, or the end of the tests.
			if p.exchange("F", func(e *encoder) { e.uint(askFunction); e.string("F") }, given, got) == nil {
				t.Error("nothing came of the call")
			}
		})
	})
}

// FuzzCandidate: whatever the tests ask, the program's end answers or says what
// is wrong.
func FuzzCandidate(f *testing.F) {
	debug.SetMemoryLimit(1 << 30)
	f.Add([]byte{askFunction, 1, 'f', 2, 1, 'a', 1, 1, 0})
	f.Add([]byte{askFunction, 1, 'g', 1, 2, 0})
	f.Add([]byte{askFunction, 1, 'h', 1, 2, 2, 1, 1, 'x', 0, 0, 0, 0})
	f.Add([]byte{askMethod, 3, 4, 'N', 'a', 'm', 'e'})
	f.Add([]byte{askObject, 2})
	f.Fuzz(func(t *testing.T, msg []byte) {
		p := fuzzed(false)
		p.busy = true
		p.functions = map[string]any{
			"f": func(n int, s string, m map[string]float64) (map[string]float64, error) { return m, nil },
			"g": func(f func(int) int, r io.Reader) (any, error) { return fuzzKind(3), io.EOF },
			"h": func(n *fuzzNode, all ...any) (*fuzzNode, []any) { return n, all },
			"i": func(h fuzzHeld, s fuzzShape) fuzzShape { return s },
			"j": func(k fuzzKind, a [3]string, e error) error { return e },
		}
		known.identify("one", fuzzA{1})
		fuzzEnds(t, func() { _ = p.answer(msg) })
	})
}
