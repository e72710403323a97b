package wire

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// registry is what both ends know of the program's types by name, and the
// objects that have a number: structs behind pointers, functions, and values
// behind interfaces. Numbers of the tests' process are even, those of the
// program's are odd.
type registry struct {
	types   map[string]reflect.Type
	names   map[reflect.Type]string
	fields  map[reflect.Type][]string
	proxies map[reflect.Type]func(id uint64) any

	next    uint64
	objects map[uint64]any
	ids     map[any]uint64
	synced  map[uint64]uint64
	held    map[uint64]reflect.Value

	sentinels map[string]error
	// instances are the generic functions that the program serves, each with its
	// type arguments.
	instances map[string]bool
}

var known = registry{
	types: map[string]reflect.Type{}, names: map[reflect.Type]string{}, fields: map[reflect.Type][]string{},
	proxies: map[reflect.Type]func(uint64) any{}, next: 2,
	objects: map[uint64]any{}, ids: map[any]uint64{}, synced: map[uint64]uint64{}, held: map[uint64]reflect.Value{}, instances: map[string]bool{},
	sentinels: map[string]error{
		"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "io.ErrShortWrite": io.ErrShortWrite,
		"io.ErrNoProgress": io.ErrNoProgress, "io.ErrClosedPipe": io.ErrClosedPipe, "io.ErrShortBuffer": io.ErrShortBuffer,
		"fs.ErrNotExist": fs.ErrNotExist, "fs.ErrExist": fs.ErrExist, "fs.ErrPermission": fs.ErrPermission,
		"fs.ErrInvalid": fs.ErrInvalid, "fs.ErrClosed": fs.ErrClosed,
		"strconv.ErrSyntax": strconv.ErrSyntax, "strconv.ErrRange": strconv.ErrRange,
		"errors.ErrUnsupported": errors.ErrUnsupported,
	},
}

// maxObjects bounds the objects that one end has numbers for.
const maxObjects = 1 << 20

// Register makes types of the program known by their names, and their structs'
// fields. Both ends call it with the same names.
func Register(name string, t reflect.Type, fields ...string) {
	known.types[name], known.names[t] = t, name
	if t.Kind() == reflect.Struct {
		known.fields[t] = append([]string{}, fields...)
	}
}

// list are the fields of a struct that travels; nil where it does not. One
// without a name travels whole.
func (r *registry) list(t reflect.Type) []string {
	if fields := r.fields[t]; fields != nil || t.Name() != "" {
		return fields
	}
	fields := []string{}
	for i := range t.NumField() {
		fields = append(fields, t.Field(i).Name)
	}
	return fields
}

// Instance is the name of a generic function with type arguments.
func Instance(name string, args ...reflect.Type) string {
	var all []string
	for _, t := range args {
		text := typeName(t)
		if text == "" {
			text = t.String()
		}
		all = append(all, text)
	}
	return name + "[" + strings.Join(all, ", ") + "]"
}

// Serves says that the program serves an instance.
func Serves(instance string) { known.instances[instance] = true }

// Served is such a name, in the tests, which end where the program does not serve
// the instance.
func Served(name string, args ...reflect.Type) string {
	i := Instance(name, args...)
	if !known.instances[i] {
		Broken("there is no " + i + " here: a generic function is called with types that the tests spell, and that travel")
	}
	return i
}

// Proxy makes an interface of the program known: values of the other end that
// stand behind it are what make gives.
func Proxy(t reflect.Type, make func(id uint64) any) { known.proxies[t] = make }

// Sentinel makes a variable of the program that holds an error known. It
// returns the error that stands for it in the tests.
func Sentinel(name string, v any) error {
	err, ok := v.(error)
	if ok {
		known.sentinels[name] = err
	}
	return err
}

// named is the error that stands for a variable of the program in the tests.
type named struct{ text string }

func (n *named) Error() string { return n.text }

// Named makes one.
func Named(name string) error { return &named{name} }

// Text has the text of an error of the program cross as its variables do.
func Text(name string, v any) {
	err, _ := v.(error)
	if n, ok := err.(*named); ok {
		Watch(name+".text", &n.text)
		return
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	Watch(name+".text", &text)
}

// sentinelName is the name of an error that is the same as a known one. Which
// of two names an error has is no matter of chance: the first by name.
func sentinelName(err error) string {
	if t := reflect.TypeOf(err); t == nil || !t.Comparable() {
		return ""
	}
	found := ""
	for name, s := range known.sentinels {
		if t := reflect.TypeOf(s); t != nil && t.Comparable() && s == err && (found == "" || name < found) {
			found = name
		}
	}
	return found
}

// remote is how a value of the other end is told.
type remote interface{ GloveboxID() uint64 }

// Remote is the number of a value of the other end; proxies embed it.
type Remote uint64

func (r Remote) GloveboxID() uint64 { return uint64(r) }

// identify returns the number of an object of this end, which it gives it where
// it has none.
func (r *registry) identify(key, object any) uint64 {
	if id, ok := r.ids[key]; ok {
		return id
	}
	if len(r.objects) >= maxObjects {
		panic(wrong("there are too many objects"))
	}
	id := r.next
	r.next += 2
	r.ids[key], r.objects[id] = id, object
	return id
}

// ours reports whether this end gave a number.
func (r *registry) ours(id uint64) bool { return id%2 == r.next%2 }

// adopt keeps an object of the other end under its number.
func (r *registry) adopt(id uint64, key, object any) {
	if r.ours(id) || len(r.objects) >= maxObjects {
		panic(wrong("an object's number is wrong"))
	}
	r.objects[id], r.ids[key] = object, id
}

// place is where a struct is: two objects of two types can be at one address.
type place struct {
	t reflect.Type
	p unsafe.Pointer
}

func placeOf(pointer reflect.Value) place { return place{pointer.Type(), pointer.UnsafePointer()} }

// open makes an unexported field usable; v can be addressed.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// addressable is v, or a copy of it that can be addressed.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

var seed = maphash.MakeSeed()

func digest(b []byte) uint64 { return maphash.Bytes(seed, b) }

// heldField is the field in which the tests' copy of a struct keeps the number
// of what stays in the program's process.
const heldField = "gloveboxHeld"

// Reader, Writer and the like stand for values of the other end behind the
// standard library's interfaces.
type (
	reader     struct{ Remote }
	writer     struct{ Remote }
	readWriter struct{ Remote }
	stringer   struct{ Remote }
)

func (r reader) Read(b []byte) (n int, err error)  { return readFrom(r.Remote, b) }
func (r writer) Write(b []byte) (n int, err error) { return writeTo(r.Remote, b) }
func (r readWriter) Read(b []byte) (int, error)    { return readFrom(r.Remote, b) }
func (r readWriter) Write(b []byte) (int, error)   { return writeTo(r.Remote, b) }

func (r stringer) String() (s string) {
	CallMethod(r.Remote, "String", nil, []any{&s})
	return s
}

func readFrom(r Remote, b []byte) (n int, err error) {
	CallMethod(r, "Read", []any{&b}, []any{&n, &err})
	return n, err
}

func writeTo(r Remote, b []byte) (n int, err error) {
	CallMethod(r, "Write", []any{&b}, []any{&n, &err})
	return n, err
}

func init() {
	Proxy(reflect.TypeFor[io.Reader](), func(id uint64) any { return reader{Remote(id)} })
	Proxy(reflect.TypeFor[io.Writer](), func(id uint64) any { return writer{Remote(id)} })
	Proxy(reflect.TypeFor[io.ReadWriter](), func(id uint64) any { return readWriter{Remote(id)} })
	Proxy(reflect.TypeFor[fmt.Stringer](), func(id uint64) any { return stringer{Remote(id)} })
}
