// Package wire carries calls of plain Go values between a program under test and
// its tests. Both run in separate processes and do not trust each other.
//
// The package is compiled into both. Only values travel: booleans, numbers,
// strings, errors (as their text), big numbers, times, and slices, arrays, maps,
// pointers and interfaces of them. The receiver's own types determine the decoding.
// Inside an interface a type travels by name, out of the same closed set.
package wire

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// maxMessage bounds one message, in bytes.
	maxMessage = 64 << 20
	// maxDepth bounds the nesting of values.
	maxDepth = 64
	// maxType bounds the name of a type.
	maxType = 256
	// maxBlank bounds the number of elements of size zero, such as [0]int.
	maxBlank = 1 << 16
	// maxArray bounds the length of an array sent by the name of its type.
	maxArray = 1 << 12
)

var errorType = reflect.TypeFor[error]()

// basic are the types sent by name inside an interface.
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

// encoder appends values to a message. Structs behind pointers are written once,
// after the values, so that cycles and long lists need no recursion depth.
type encoder struct {
	buf   []byte
	queue []uint64
	seen  map[uint64]bool
}

func (e *encoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// uncarried returns an error for a value that cannot travel.
func uncarried(t reflect.Type) error {
	return fmt.Errorf("a %s cannot be carried between the program and its tests", t)
}

// values writes values, followed by the objects behind their pointers.
func (e *encoder) values(vs []reflect.Value) error {
	for _, v := range vs {
		if err := e.value(v, 0); err != nil {
			return err
		}
	}
	return e.objects()
}

// objects writes the contents of the queued objects. If the contents have not
// changed since the last crossing, only the object's number is written.
func (e *encoder) objects() error {
	for len(e.queue) > 0 {
		id := e.queue[0]
		e.queue = e.queue[1:]
		at := len(e.buf)
		e.uint(id)
		body := len(e.buf) + 1
		e.bool(true)
		if err := e.fields(reflect.ValueOf(known.objects[id]).Elem(), id, 0); err != nil {
			return err
		}
		sum := digest(e.buf[body:])
		if last, ok := known.synced[id]; ok && last == sum {
			e.buf = e.buf[:at]
			e.uint(id)
			e.bool(false)
		}
		known.synced[id] = sum
	}
	e.uint(0)
	return nil
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
		if v.Type().Elem().Kind() == reflect.Uint8 {
			e.buf = append(e.buf, v.Bytes()...)
			return nil
		}
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
		return e.mapping(v, depth)
	case reflect.Pointer:
		if !e.some(v) {
			return nil
		}
		if known.fields[v.Type().Elem()] == nil {
			return e.value(v.Elem(), depth+1)
		}
		id := known.identify(placeOf(v), v.Interface())
		e.uint(id)
		if !e.seen[id] {
			if e.seen == nil {
				e.seen = map[uint64]bool{}
			}
			e.seen[id] = true
			e.queue = append(e.queue, id)
		}
	case reflect.Interface:
		return e.dynamic(v, depth)
	case reflect.Func:
		if e.some(v) {
			e.uint(known.function(v))
		}
	case reflect.Struct:
		if known.list(v.Type()) != nil {
			return e.fields(addressable(v), 0, depth)
		}
		if basic[v.Type().String()] != v.Type() {
			return uncarried(v.Type())
		}
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		text, err := p.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return err
		}
		e.string(string(text))
	default:
		return uncarried(v.Type())
	}
	return nil
}

// mapping writes a map's entries in the order of their keys' bytes. As a result,
// equal maps have equal digests.
func (e *encoder) mapping(v reflect.Value, depth int) error {
	e.uint(uint64(v.Len()))
	type entry struct {
		key   []byte
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	begin := len(e.buf)
	for it := v.MapRange(); it.Next(); {
		if err := e.value(it.Key(), depth+1); err != nil {
			return err
		}
		entries = append(entries, entry{append([]byte(nil), e.buf[begin:]...), it.Value()})
		e.buf = e.buf[:begin]
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	for _, n := range entries {
		e.buf = append(e.buf, n.key...)
		if err := e.value(n.value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fields writes the fields of a struct of the program. id is the struct's number if
// behind a pointer.
func (e *encoder) fields(v reflect.Value, id uint64, depth int) error {
	for _, name := range known.list(v.Type()) {
		f := v.FieldByName(name)
		if name == heldField && !f.IsValid() {
			e.uint(known.hold(v, id))
			continue
		}
		if err := e.value(open(f), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps the fields of a struct that do not travel, and returns their number.
func (r *registry) hold(v reflect.Value, id uint64) uint64 {
	if id != 0 {
		return id
	}
	if v.IsZero() {
		return 0
	}
	if len(r.held) >= maxObjects {
		panic(wrong("there are too many objects"))
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	r.next += 2
	r.held[r.next-2] = c
	return r.next - 2
}

// Kinds of values in an interface.
const (
	dynamicNil = iota
	dynamicType
	dynamicSentinel
	dynamicError
	dynamicObject
	dynamicNumError
	dynamicPathError
)

// dynamic writes the value inside an interface, with the name of its type.
func (e *encoder) dynamic(v reflect.Value, depth int) error {
	if depth > maxDepth {
		return errors.New("the value is too deep")
	}
	if v.IsNil() {
		e.uint(dynamicNil)
		return nil
	}
	if p, ok := v.Interface().(remote); ok {
		e.uint(dynamicObject)
		e.uint(p.GloveboxID())
		return nil
	}
	if err, ok := v.Interface().(error); ok {
		if name := sentinelName(err); name != "" {
			e.uint(dynamicSentinel)
			e.string(name)
			return nil
		}
	}
	t := v.Elem().Type()
	if name := typeName(t); name != "" {
		e.uint(dynamicType)
		e.string(name)
		return e.value(v.Elem(), depth+1)
	}
	if err, ok := v.Interface().(error); ok {
		return e.failure(err, depth)
	}
	if known.proxies[v.Type()] != nil {
		e.uint(dynamicObject)
		key := any(v.Interface())
		if !t.Comparable() {
			key = new(byte)
		}
		e.uint(known.identify(key, v.Interface()))
		return nil
	}
	return uncarried(t)
}

// failure writes an error: its text and the errors it wraps.
func (e *encoder) failure(err error, depth int) error {
	switch err := err.(type) {
	case *strconv.NumError:
		e.uint(dynamicNumError)
		e.string(err.Func)
		e.string(err.Num)
		return e.dynamic(reflect.ValueOf(&err.Err).Elem(), depth+1)
	case *fs.PathError:
		e.uint(dynamicPathError)
		e.string(err.Op)
		e.string(err.Path)
		return e.dynamic(reflect.ValueOf(&err.Err).Elem(), depth+1)
	}
	e.uint(dynamicError)
	e.string(err.Error())
	_, isPanic := err.(runtime.Error)
	e.bool(isPanic)
	var wrapped []error
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if w := err.Unwrap(); w != nil {
			wrapped = []error{w}
		}
	case interface{ Unwrap() []error }:
		wrapped = err.Unwrap()
	}
	e.uint(uint64(len(wrapped)))
	for i := range wrapped {
		if err := e.dynamic(reflect.ValueOf(&wrapped[i]).Elem(), depth+1); err != nil {
			return err
		}
	}
	return nil
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

// decoder reads values off a message. A malformed message ends the decoding with a
// panic of type wrong.
type decoder struct {
	buf []byte
	// nan: a number was NaN; inf: a number was infinite.
	nan, inf bool
	// named are the program's and the language's own errors that an error is or
	// wraps; torn are those joined in an error of several.
	named, torn []string
	nested      int
}

// wrong is the panic value of a decoder.
type wrong string

func (w wrong) Error() string { return string(w) }

// decode runs f and returns the fault found in the message.
func decode(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case wrong:
			err = r
		default:
			err = fmt.Errorf("%v", r)
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
	f := math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
	d.nan = d.nan || f != f
	d.inf = d.inf || math.IsInf(f, 0)
	return f
}

// values reads values, followed by the objects behind their pointers.
func (d *decoder) values(vs []reflect.Value) {
	for _, v := range vs {
		d.value(v, 0)
	}
	d.objects()
}

// objects reads the contents of the objects behind pointers.
func (d *decoder) objects() {
	for {
		id := d.uint()
		if id == 0 {
			return
		}
		p := reflect.ValueOf(known.objects[id])
		if p.Kind() != reflect.Pointer || known.fields[p.Type().Elem()] == nil {
			panic(wrong("there is no such object"))
		}
		if !d.bool() {
			continue
		}
		body := d.buf
		d.fields(p.Elem(), 0)
		known.synced[id] = digest(body[:len(body)-len(d.buf)])
	}
}

// fields reads the fields of a struct of the program.
func (d *decoder) fields(v reflect.Value, depth int) {
	for _, name := range known.list(v.Type()) {
		f := v.FieldByName(name)
		if name == heldField && !f.IsValid() {
			d.restore(v)
			continue
		}
		if !f.IsValid() {
			panic(wrong("a " + v.Type().String() + " has no field " + name))
		}
		d.value(open(f), depth+1)
	}
}

// restore sets the fields that do not travel to their held values. It must run
// before the other fields are read.
func (d *decoder) restore(v reflect.Value) {
	id := d.uint()
	if id == 0 {
		return
	}
	from, ok := known.held[id]
	if !ok {
		if p := reflect.ValueOf(known.objects[id]); p.Kind() == reflect.Pointer {
			from, ok = p.Elem(), true
		}
	}
	if !ok || from.Type() != v.Type() {
		panic(wrong("there is no such object"))
	}
	if from.UnsafeAddr() != v.UnsafeAddr() {
		v.Set(from)
	}
}

// count reads the number of the following elements. The number never exceeds the
// remaining bytes, or maxBlank if elements take no bytes.
func (d *decoder) count(elem reflect.Type) int {
	n := d.uint()
	if n > uint64(len(d.buf)) && (n > maxBlank || !blank(elem)) {
		panic(wrong("a length is more than the message"))
	}
	return int(n)
}

// blank reports whether values of a type take no bytes.
func blank(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || blank(t.Elem())
	case reflect.Struct:
		list := known.list(t)
		return list != nil && !slices.ContainsFunc(list, func(name string) bool {
			f, ok := t.FieldByName(name)
			return !ok || !blank(f.Type)
		})
	}
	return false
}

// value reads into v, which must be settable.
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
			elem := v.Type().Elem()
			n := d.count(elem)
			if elem.Kind() == reflect.Uint8 {
				v.SetBytes(append([]byte{}, d.take(uint64(n))...))
				return
			}
			if blank(elem) {
				v.Set(reflect.MakeSlice(v.Type(), n, n))
				return
			}
			// Grow with the arriving data: an element may be far larger than its
			// encoding.
			v.Set(reflect.MakeSlice(v.Type(), 0, min(n, 1024)))
			for i := range n {
				if i == v.Cap() {
					v.Grow(min(n-i, i))
				}
				v.SetLen(i + 1)
				d.value(v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		if blank(v.Type()) {
			return
		}
		for i := range v.Len() {
			d.value(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.SetZero()
		if d.bool() {
			n := d.count(v.Type().Key())
			v.Set(reflect.MakeMapWithSize(v.Type(), min(n, 1024)))
			key := reflect.New(v.Type().Key()).Elem()
			elem := reflect.New(v.Type().Elem()).Elem()
			for range n {
				key.SetZero()
				elem.SetZero()
				d.value(key, depth+1)
				d.value(elem, depth+1)
				if !key.Comparable() {
					panic(wrong("a map key cannot be compared"))
				}
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Pointer:
		d.pointer(v, depth)
	case reflect.Interface:
		d.dynamic(v, depth)
	case reflect.Func:
		v.SetZero()
		if d.bool() {
			known.callable(v, d.uint())
		}
	case reflect.Struct:
		if known.list(v.Type()) != nil {
			d.fields(v, depth)
			return
		}
		text, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
		if !ok || basic[v.Type().String()] != v.Type() || text.UnmarshalText([]byte(d.string())) != nil {
			panic(wrong("a " + v.Type().String() + " is wrong"))
		}
	default:
		panic(wrong("a " + v.Type().String() + " cannot be carried"))
	}
}

func (d *decoder) pointer(v reflect.Value, depth int) {
	if !d.bool() {
		v.SetZero()
		return
	}
	if known.fields[v.Type().Elem()] == nil {
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem(), depth+1)
		return
	}
	id := d.uint()
	object, ok := known.objects[id]
	if !ok {
		p := reflect.New(v.Type().Elem())
		known.adopt(id, place{p.Type(), p.UnsafePointer()}, p.Convert(v.Type()).Interface())
		object = known.objects[id]
	}
	p := reflect.ValueOf(object)
	if p.Type() != v.Type() {
		panic(wrong("an object is no " + v.Type().String()))
	}
	v.Set(p)
}

func (d *decoder) dynamic(v reflect.Value, depth int) {
	if depth > maxDepth {
		panic(wrong("the value is too deep"))
	}
	v.SetZero()
	var got any
	if d.nested == 0 {
		d.named = d.named[:0]
	}
	d.nested++
	defer func() {
		if d.nested--; d.nested == 0 && len(d.named) > 1 {
			d.torn = append([]string{}, d.named...)
		}
	}()
	switch d.uint() {
	case dynamicNil:
		return
	case dynamicType:
		t, err := parseType(d.string())
		if err != nil {
			panic(wrong(err.Error()))
		}
		elem := reflect.New(t).Elem()
		d.value(elem, depth+1)
		got = elem.Interface()
	case dynamicSentinel:
		name := d.string()
		err, ok := known.sentinels[name]
		if !ok {
			panic(wrong("there is no error " + name))
		}
		if !slices.Contains(d.named, name) {
			d.named = append(d.named, name)
		}
		got = err
	case dynamicError:
		got = d.failure(depth)
	case dynamicNumError:
		got = &strconv.NumError{Func: d.string(), Num: d.string(), Err: d.err(depth)}
	case dynamicPathError:
		got = &fs.PathError{Op: d.string(), Path: d.string(), Err: d.err(depth)}
	case dynamicObject:
		id := d.uint()
		object, ok := known.objects[id]
		if !ok {
			make := known.proxies[v.Type()]
			if make == nil || known.ours(id) {
				panic(wrong("there is no such object"))
			}
			object = make(id)
			known.adopt(id, object, object)
		}
		if _, ok := object.(reflect.Value); ok {
			panic(wrong("an object is a function"))
		}
		got = object
	default:
		panic(wrong("a value is of no known kind"))
	}
	elem := reflect.ValueOf(got)
	if !elem.IsValid() || !elem.Type().AssignableTo(v.Type()) {
		panic(wrong(fmt.Sprintf("a %T is no %s", got, v.Type())))
	}
	v.Set(elem)
}

func (d *decoder) err(depth int) error {
	var err error
	d.dynamic(reflect.ValueOf(&err).Elem(), depth+1)
	return err
}

// failure reads an error of no known type.
func (d *decoder) failure(depth int) error {
	text := d.string()
	isPanic := d.bool()
	n := d.count(errorType)
	var wrapped []error
	for range n {
		wrapped = append(wrapped, d.err(depth))
	}
	switch {
	case isPanic:
		return crash{errors.New(text)}
	case n == 0:
		return errors.New(text)
	case n == 1:
		return &wrapping{text, wrapped[0]}
	}
	return &joined{text, wrapped}
}

// crash is a runtime error of the program.
type crash struct{ error }

func (crash) RuntimeError() {}

type wrapping struct {
	text string
	err  error
}

func (w *wrapping) Error() string { return w.text }
func (w *wrapping) Unwrap() error { return w.err }

type joined struct {
	text string
	errs []error
}

func (j *joined) Error() string   { return j.text }
func (j *joined) Unwrap() []error { return j.errs }

// typeName spells a type for use inside an interface; empty for a type that does
// not travel. The name of a program type starts with a tilde.
func typeName(t reflect.Type) string {
	if name, ok := known.names[t]; ok {
		return "~" + name
	}
	if t.Name() != "" || t == basic["interface {}"] {
		if basic[t.String()] == t {
			return t.String()
		}
		return ""
	}
	around := func(before string, t reflect.Type) string {
		if name := typeName(t); name != "" {
			return before + name
		}
		return ""
	}
	switch t.Kind() {
	case reflect.Slice:
		return around("[]", t.Elem())
	case reflect.Array:
		return around("["+strconv.Itoa(t.Len())+"]", t.Elem())
	case reflect.Pointer:
		return around("*", t.Elem())
	case reflect.Map:
		if key := typeName(t.Key()); key != "" {
			return around("map["+key+"]", t.Elem())
		}
	}
	return ""
}

// parseType reads a type name as spelled by reflect.
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

// typePrefix reads a type off the front of s; nil if there is none.
func typePrefix(s string) (reflect.Type, string) {
	if rest, ok := strings.CutPrefix(s, "[]"); ok {
		if t, rest := typePrefix(rest); t != nil {
			return reflect.SliceOf(t), rest
		}
		return nil, s
	}
	if rest, ok := strings.CutPrefix(s, "["); ok {
		digits, rest, ok := strings.Cut(rest, "]")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 0 || n > maxArray {
			return nil, s
		}
		if t, rest := typePrefix(rest); t != nil && t.Size() < maxArray {
			return reflect.ArrayOf(n, t), rest
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
	if rest, ok := strings.CutPrefix(s, "~"); ok {
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end < 0 {
			end = len(rest)
		}
		if t, ok := known.types[rest[:end]]; ok {
			return t, rest[end:]
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
