package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync"
)

// Descriptors of the two processes.
const (
	fdIn     = 3
	fdOut    = 4
	fdReport = 5
)

// What a reply begins with, after its number.
const (
	replyReturned = iota
	replyPanicked
	replyRefused
)

// link is one end of the two pipes.
type link struct {
	in  *bufio.Reader
	out io.Writer
}

func newLink() *link {
	return &link{bufio.NewReader(os.NewFile(fdIn, "in")), os.NewFile(fdOut, "out")}
}

func (l *link) send(b []byte) error {
	msg := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(b)), uint32(len(b)))
	_, err := l.out.Write(append(msg, b...))
	return err
}

func (l *link) receive() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxMessage {
		return nil, errors.New("a message is too large")
	}
	// Grow with what arrives: the length is only a claim.
	b, err := io.ReadAll(io.LimitReader(l.in, int64(n)))
	if err == nil && len(b) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// Serve answers calls of the program's functions, by name, until the tests'
// process hangs up. It runs in the program's process.
func Serve(functions map[string]any) {
	l := newLink()
	for {
		msg, err := l.receive()
		if err != nil {
			os.Exit(0)
		}
		reply, err := answer(functions, msg)
		if err == nil {
			err = l.send(reply)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// answer makes one call.
func answer(functions map[string]any, msg []byte) ([]byte, error) {
	d := &decoder{msg}
	var f reflect.Value
	var args []reflect.Value
	e := &encoder{}
	err := decode(func() {
		e.uint(d.uint())
		f = reflect.ValueOf(functions[d.string()])
		if !f.IsValid() {
			panic(wrong("no such function"))
		}
		for i := range f.Type().NumIn() {
			arg := reflect.New(f.Type().In(i)).Elem()
			d.value(arg, 0)
			args = append(args, arg)
		}
	})
	if err != nil {
		return nil, err
	}
	head := len(e.buf)
	results, panicked := call(f, args)
	if panicked != "" {
		e.uint(replyPanicked)
		e.string(panicked)
		return e.buf, nil
	}
	e.uint(replyReturned)
	for _, v := range append(results, shared(args)...) {
		if err := e.value(v, 0); err != nil {
			e.buf = e.buf[:head]
			e.uint(replyRefused)
			e.string(err.Error())
			return e.buf, nil
		}
	}
	return e.buf, nil
}

// call calls f. Its panic comes back as text.
func call(f reflect.Value, args []reflect.Value) (results []reflect.Value, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprintf("panic: %v", r)
		}
	}()
	if f.Type().IsVariadic() {
		return f.CallSlice(args), ""
	}
	return f.Call(args), ""
}

// shared are the arguments through which a function can change its caller's
// data.
func shared(args []reflect.Value) []reflect.Value {
	var s []reflect.Value
	for _, a := range args {
		switch a.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			s = append(s, a)
		}
	}
	return s
}

// caller is the tests' end. The first thing that goes wrong on it ends the
// tests' process: nothing in the tests can overlook it.
var caller struct {
	sync.Mutex
	*link
	calls uint64
}

// Calls is how many calls were answered.
func Calls() uint64 {
	caller.Lock()
	defer caller.Unlock()
	return caller.calls
}

// Call calls a function of the program: args and results are pointers. It runs
// in the tests' process. The function's panic is this one's.
func Call(name string, args, results []any) {
	caller.Lock()
	defer caller.Unlock()
	if caller.link == nil {
		caller.link = newLink()
	}
	e := &encoder{}
	e.uint(caller.calls)
	e.string(name)
	var given []reflect.Value
	for _, a := range args {
		v := reflect.ValueOf(a).Elem()
		given = append(given, v)
		if err := e.value(v, 0); err != nil {
			Broken(fmt.Sprintf("calling %s: %v", name, err))
		}
	}
	msg, err := caller.link.receiveAfter(e.buf)
	if err != nil {
		Broken(fmt.Sprintf("the program's process ended during %s", name))
	}
	var panicked string
	d := &decoder{msg}
	err = decode(func() {
		if d.uint() != caller.calls {
			panic(wrong("a reply has the wrong number"))
		}
		switch d.uint() {
		case replyPanicked:
			panicked = d.string()
		case replyReturned:
			for _, r := range results {
				d.value(reflect.ValueOf(r).Elem(), 0)
			}
			for _, v := range shared(given) {
				back := reflect.New(v.Type()).Elem()
				d.value(back, 0)
				update(v, back)
			}
		case replyRefused:
			panic(wrong(d.string()))
		default:
			panic(wrong("a reply is of no known kind"))
		}
		if len(d.buf) > 0 {
			panic(wrong("a reply is too long"))
		}
	})
	if err != nil {
		Broken(fmt.Sprintf("the reply of %s: %v", name, err))
	}
	caller.calls++
	if panicked != "" {
		panic(panicked)
	}
}

func (l *link) receiveAfter(b []byte) ([]byte, error) {
	if err := l.send(b); err != nil {
		return nil, err
	}
	return l.receive()
}

// update makes v hold what back holds, in place.
func update(v, back reflect.Value) {
	if v.IsNil() || back.IsNil() {
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		reflect.Copy(v, back)
	case reflect.Map:
		v.Clear()
		for it := back.MapRange(); it.Next(); {
			v.SetMapIndex(it.Key(), it.Value())
		}
	case reflect.Pointer:
		v.Elem().Set(back.Elem())
	}
}
