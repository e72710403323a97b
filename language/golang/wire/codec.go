// Package wire carries calls of plain Go values between a program under test
// and its tests, which run in two processes that do not trust each other.
//
// It is compiled into both. Only values travel: booleans, numbers, strings,
// errors (as their text), big numbers, times, and slices, arrays, maps,
// pointers and interfaces of them. The receiver's own types say what is decoded; inside an interface a
// type travels by name, out of the same closed set.
package wire

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"
)

const (
	// maxMessage bounds one message, in bytes.
	maxMessage = 64 << 20
	// maxDepth bounds how deep values nest.
	maxDepth = 64
	// maxType bounds the name of a type.
	maxType = 256
	// maxBlank bounds elements that take no byte each, such as [0]int.
	maxBlank = 1 << 16
)

var errorType = reflect.TypeFor[error]()

// basic are the types that travel by name inside an interface.
var basic = map[string]reflect.Type{}

func init() {
	for _, v := range []any{
		false, "", 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0),
		uint64(0), uintptr(0), float32(0), float64(0), complex64(0), complex128(0),
		big.Int{}, big.Rat{}, big.Float{}, time.Time{}, time.Duration(0),
	} {
		t := reflect.TypeOf(v)
		basic[t.String()] = t
	}
	basic["interface {}"] = reflect.TypeFor[any]()
	basic["error"] = errorType
}

// encoder appends values to a message.
type encoder struct{ buf []byte }

func (e *encoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) value(v reflect.Value, depth int) error {
	if depth > maxDepth || len(e.buf) > maxMessage {
		return errors.New("the value is too deep or too large")
	}
	switch v.Kind() {
	case reflect.Bool:
		e.bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = binary.AppendVarint(e.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(real(v.Complex())))
		e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(imag(v.Complex())))
	case reflect.String:
		e.string(v.String())
	case reflect.Slice:
		if !e.some(v) {
			return nil
		}
		e.uint(uint64(v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if err := e.value(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		if !e.some(v) {
			return nil
		}
		e.uint(uint64(v.Len()))
		for it := v.MapRange(); it.Next(); {
			if err := e.value(it.Key(), depth+1); err != nil {
				return err
			}
			if err := e.value(it.Value(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if e.some(v) {
			return e.value(v.Elem(), depth+1)
		}
	case reflect.Interface:
		return e.dynamic(v, depth)
	case reflect.Struct:
		if basic[v.Type().String()] != v.Type() {
			return fmt.Errorf("a %s cannot be carried between the program and its tests", v.Type())
		}
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		text, err := p.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return err
		}
		e.string(string(text))
	default:
		return fmt.Errorf("a %s cannot be carried between the program and its tests", v.Type())
	}
	return nil
}

// dynamic writes what is inside an interface, with its type's name.
func (e *encoder) dynamic(v reflect.Value, depth int) error {
	if !e.some(v) {
		return nil
	}
	if err, ok := v.Interface().(error); ok {
		e.string("error")
		e.string(err.Error())
		return nil
	}
	name := v.Elem().Type().String()
	if t, err := parseType(name); err != nil || t != v.Elem().Type() {
		return fmt.Errorf("a %s cannot be carried between the program and its tests", name)
	}
	e.string(name)
	return e.value(v.Elem(), depth+1)
}

// some writes whether v is not nil.
func (e *encoder) some(v reflect.Value) bool {
	e.bool(!v.IsNil())
	return !v.IsNil()
}

func (e *encoder) bool(b bool) {
	if b {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

// decoder reads values off a message. A message that is not well formed ends
// it with a wrong.
type decoder struct{ buf []byte }

// wrong is what a decoder panics with.
type wrong string

func (w wrong) Error() string { return string(w) }

// decode runs f and returns what was wrong with the message.
func decode(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case wrong:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.buf)) {
		panic(wrong("the message is cut"))
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.buf)
	if size <= 0 {
		panic(wrong("a number is wrong"))
	}
	d.buf = d.buf[size:]
	return n
}

func (d *decoder) string() string { return string(d.take(d.uint())) }

func (d *decoder) bool() bool {
	switch d.take(1)[0] {
	case 0:
		return false
	case 1:
		return true
	}
	panic(wrong("a boolean is neither"))
}

func (d *decoder) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
}

// count reads how many elements follow: never more than the message has bytes
// for, or a few where they take none.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.buf)) && n > maxBlank {
		panic(wrong("a length is more than the message"))
	}
	return int(n)
}

// value reads into v, which can be set.
func (d *decoder) value(v reflect.Value, depth int) {
	if depth > maxDepth {
		panic(wrong("the value is too deep"))
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.buf)
		if size <= 0 || v.OverflowInt(n) {
			panic(wrong("a number is wrong"))
		}
		d.buf = d.buf[size:]
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n := d.uint()
		if v.OverflowUint(n) {
			panic(wrong("a number is wrong"))
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(d.float())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(d.float(), d.float()))
	case reflect.String:
		v.SetString(d.string())
	case reflect.Slice:
		v.SetZero()
		if d.bool() {
			n := d.count()
			// Grow with what arrives: an element may be far larger than its
			// bytes.
			v.Set(reflect.MakeSlice(v.Type(), 0, min(n, 1024)))
			for range n {
				elem := reflect.New(v.Type().Elem()).Elem()
				d.value(elem, depth+1)
				v.Set(reflect.Append(v, elem))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.SetZero()
		if d.bool() {
			v.Set(reflect.MakeMap(v.Type()))
			for range d.count() {
				key := reflect.New(v.Type().Key()).Elem()
				elem := reflect.New(v.Type().Elem()).Elem()
				d.value(key, depth+1)
				d.value(elem, depth+1)
				if !key.Comparable() {
					panic(wrong("a map key cannot be compared"))
				}
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Pointer:
		v.SetZero()
		if d.bool() {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem(), depth+1)
		}
	case reflect.Interface:
		d.dynamic(v, depth)
	case reflect.Struct:
		text, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
		if !ok || text.UnmarshalText([]byte(d.string())) != nil {
			panic(wrong("a " + v.Type().String() + " is wrong"))
		}
	default:
		panic(wrong("a " + v.Type().String() + " cannot be carried"))
	}
}

func (d *decoder) dynamic(v reflect.Value, depth int) {
	v.SetZero()
	if !d.bool() {
		return
	}
	t, err := parseType(d.string())
	if err != nil {
		panic(wrong(err.Error()))
	}
	var elem reflect.Value
	if t == errorType {
		elem = reflect.ValueOf(errors.New(d.string()))
	} else {
		elem = reflect.New(t).Elem()
		d.value(elem, depth+1)
	}
	if !elem.Type().AssignableTo(v.Type()) {
		panic(wrong("a " + t.String() + " is no " + v.Type().String()))
	}
	v.Set(elem)
}

// parseType reads a type's name as reflect spells it.
func parseType(name string) (reflect.Type, error) {
	if len(name) > maxType {
		return nil, errors.New("a type's name is too long")
	}
	t, rest := typePrefix(name)
	if t == nil || rest != "" {
		return nil, fmt.Errorf("the type %q cannot be carried", name)
	}
	return t, nil
}

// typePrefix reads a type off the front of s; nil where there is none.
func typePrefix(s string) (reflect.Type, string) {
	if rest, ok := strings.CutPrefix(s, "[]"); ok {
		if t, rest := typePrefix(rest); t != nil {
			return reflect.SliceOf(t), rest
		}
		return nil, s
	}
	if rest, ok := strings.CutPrefix(s, "*"); ok {
		if t, rest := typePrefix(rest); t != nil {
			return reflect.PointerTo(t), rest
		}
		return nil, s
	}
	if rest, ok := strings.CutPrefix(s, "map["); ok {
		key, rest := typePrefix(rest)
		rest, ok := strings.CutPrefix(rest, "]")
		if key == nil || !ok || !key.Comparable() {
			return nil, s
		}
		if t, rest := typePrefix(rest); t != nil {
			return reflect.MapOf(key, t), rest
		}
		return nil, s
	}
	name := "interface {}"
	if !strings.HasPrefix(s, name) {
		end := strings.IndexFunc(s, func(r rune) bool {
			return r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if name = s; end >= 0 {
			name = s[:end]
		}
	}
	if t, ok := basic[name]; ok {
		return t, s[len(name):]
	}
	return nil, s
}
