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

// registry holds the program's types, known by name at both ends, and the numbered
// objects: structs behind pointers, functions, and values behind interfaces.
// Numbers of the tests' process are even, numbers of the program's process odd.
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
	// instances are the generic functions served by the program, each with its type
	// arguments.
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

// maxObjects bounds the objects numbered by one end.
const maxObjects = 1 << 20

// Register registers types of the program by name, with the fields of structs. Both
// ends call Register with the same names.
func Register(name string, t reflect.Type, fields ...string) {
	known.types[name], known.names[t] = t, name
	if t.Kind() == reflect.Struct {
		known.fields[t] = append([]string{}, fields...)
	}
}

// list returns the fields of a struct that travels, or nil for other structs. A
// struct without a name travels whole.
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

// Instance returns the name of a generic function with type arguments.
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

// Serves declares that the program serves an instance.
func Serves(instance string) { known.instances[instance] = true }

// Served returns the name of an instance, in the tests. An instance not served by
// the program ends the tests.
func Served(name string, args ...reflect.Type) string {
	i := Instance(name, args...)
	if !known.instances[i] {
		Broken("there is no " + i + " here: a generic function is called with types that the tests spell, and that travel")
	}
	return i
}

// Proxy registers an interface of the program. For a value of the other end, make
// builds the local stand-in.
func Proxy(t reflect.Type, make func(id uint64) any) { known.proxies[t] = make }

// Sentinel registers an error variable of the program. It returns the error
// standing for the variable in the tests.
func Sentinel(name string, v any) error {
	err, ok := v.(error)
	if ok {
		known.sentinels[name] = err
	}
	return err
}

// named is the tests' stand-in for an error variable of the program.
type named struct{ text string }

func (n *named) Error() string { return n.text }

// Named returns a new stand-in.
func Named(name string) error { return &named{name} }

// Text watches the text of a program error, like a variable of the program.
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

// sentinelName returns the name of the known error equal to err. Among several
// names, the alphabetically first is returned, so that the result is deterministic.
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

// remote identifies values of the other end.
type remote interface{ GloveboxID() uint64 }

// Remote is the number of a value of the other end; proxies embed it.
type Remote uint64

func (r Remote) GloveboxID() uint64 { return uint64(r) }

// identify returns the number of an object of this end, and assigns a number if
// needed.
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

// ours reports whether a number was assigned by this end.
func (r *registry) ours(id uint64) bool { return id%2 == r.next%2 }

// adopt stores an object of the other end under its number.
func (r *registry) adopt(id uint64, key, object any) {
	if r.ours(id) || len(r.objects) >= maxObjects {
		panic(wrong("an object's number is wrong"))
	}
	r.objects[id], r.ids[key] = object, id
}

// place identifies a struct by type and address, because two objects of different
// types can share an address.
type place struct {
	t reflect.Type
	p unsafe.Pointer
}

func placeOf(pointer reflect.Value) place { return place{pointer.Type(), pointer.UnsafePointer()} }

// open makes an unexported field accessible. v must be addressable.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// addressable returns v, or an addressable copy of it.
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

// heldField is a field in the tests' copy of a struct. It holds the number of the
// fields that stay in the program's process.
const heldField = "gloveboxHeld"

// Reader, Writer and the like represent values of the other end behind the standard
// library's interfaces.
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
