package language

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func init() {
	searches = append(searches, &search{
		lang: Go, lies: goLies(), plain: goPlainLies(), own: goSubjects(),
		replies: "go", test: "main_test.go", defines: regexp.MustCompile(`(?m)^func (\w+)\(`),
		prepare: func(t *testing.T) {
			goKeptIn = t.TempDir()
			t.Cleanup(func() { goKeptIn = "" })
		},
	})
}

// goKeptIn is where the rig keeps the executables of tests that it built: a
// searcher runs the same tests with many programs.
var goKeptIn string

// goKept is the step of a harness whose executable is kept.
func goKept(l *Language, s Step) Step {
	if l == Go && goKeptIn != "" {
		s.Files = slices.Clone(s.Files)
		for i, f := range s.Files {
			if f.Path == goGlue+"build.json" {
				s.Files[i].Data = append([]byte(`{"kept":"/tmp/kept",`), f.Data[1:]...)
			}
		}
	}
	return s
}

// goKeeps are the arguments of bubblewrap for such a step.
func goKeeps(s Step) []string {
	for _, f := range s.Files {
		if f.Path == goGlue+"build.json" && bytes.HasPrefix(f.Data, []byte(`{"kept":`)) {
			return []string{"--bind", goKeptIn, "/tmp/kept"}
		}
	}
	return nil
}

// goFunction is a function or method of a program that is to lie. Its honest
// self stays under the name honest.
type goFunction struct {
	name, honest string
	receiver     string // "" or such as "a *Stack"
	params       []string
	results      []string
	variadic     bool
}

// args are the parameters by name, as a call gives them on.
func (f *goFunction) args() string {
	var all []string
	for i := range f.params {
		all = append(all, fmt.Sprintf("a%d", i))
	}
	if f.variadic {
		all[len(all)-1] += "..."
	}
	return strings.Join(all, ", ")
}

func (f *goFunction) call() string {
	if f.receiver != "" {
		return "a." + f.honest + "(" + f.args() + ")"
	}
	return f.honest + "(" + f.args() + ")"
}

// returns assigns the results of an honest call to r0, r1, …
func (f *goFunction) returns() string {
	if len(f.results) == 0 {
		return f.call()
	}
	var all []string
	for i := range f.results {
		all = append(all, fmt.Sprintf("r%d", i))
	}
	return strings.Join(all, ", ") + " = " + f.call()
}

// goLying writes a program whose functions by the names, and methods of types by
// the names, have the bodies that lie gives; where it gives "" they stay as they
// are. more is added to the program, with its imports.
func goLying(program string, names []string, imports, more string, body func(f *goFunction) string) string {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", program, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	text := func(n ast.Node) string { return program[at(n.Pos()):at(n.End())] }
	e := goEdit{base: file.FileStart}
	var tail bytes.Buffer
	lied := body == nil
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Type.TypeParams != nil || fn.Name.Name == "main" || fn.Name.Name == "init" || body == nil {
			continue
		}
		f := &goFunction{name: fn.Name.Name, honest: "honest" + fn.Name.Name}
		if fn.Recv == nil && !slices.Contains(names, f.name) {
			continue
		}
		if fn.Recv != nil {
			f.receiver = "a " + text(fn.Recv.List[0].Type)
		}
		for _, p := range fn.Type.Params.List {
			t := text(p.Type)
			f.variadic = strings.HasPrefix(t, "...")
			for range max(len(p.Names), 1) {
				f.params = append(f.params, t)
			}
		}
		if fn.Type.Results != nil {
			for _, p := range fn.Type.Results.List {
				for range max(len(p.Names), 1) {
					f.results = append(f.results, text(p.Type))
				}
			}
		}
		lie := body(f)
		if lie == "" {
			continue
		}
		lied = true
		e.replace(fn.Name.Pos(), fn.Name.End(), f.honest)
		tail.WriteString("\nfunc ")
		if f.receiver != "" {
			fmt.Fprintf(&tail, "(%s) ", f.receiver)
		}
		fmt.Fprintf(&tail, "%s(", f.name)
		for i, p := range f.params {
			fmt.Fprintf(&tail, "a%d %s, ", i, p)
		}
		tail.WriteString(") (")
		// A lie may give other types than the honest one.
		types, rest, changed := strings.Cut(lie, "\x00")
		if changed {
			tail.WriteString(types)
			lie = rest
		} else {
			for i, r := range f.results {
				fmt.Fprintf(&tail, "r%d %s, ", i, r)
			}
		}
		fmt.Fprintf(&tail, ") {\n%s\n}\n", lie)
	}
	if !lied {
		return ""
	}
	for _, i := range strings.Fields(imports) {
		name := "lie" + i[strings.LastIndex(i, "/")+1:]
		e.replace(file.Name.End(), file.Name.End(), "; import "+name+" \""+i+"\"")
	}
	return string(e.apply([]byte(program))) + "\n" + more + "\n" + tail.String()
}

// goWrong makes what a function gave wrong, by its types; empty where it cannot.
func goWrong(f *goFunction) string {
	var b strings.Builder
	for i, t := range f.results {
		v := fmt.Sprintf("r%d", i)
		switch {
		case t == "string":
			fmt.Fprintf(&b, "%s += \"?\"\n", v)
		case t == "bool":
			fmt.Fprintf(&b, "%s = !%s\n", v, v)
		case slices.Contains(strings.Fields("int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 byte rune float32 float64"), t):
			fmt.Fprintf(&b, "%s++\n", v)
		case t == "error":
			fmt.Fprintf(&b, "if %s == nil { %s = lieerrors.New(\"?\") } else { %s = nil }\n", v, v, v)
		case strings.HasPrefix(t, "[]") || strings.HasPrefix(t, "map[") || strings.HasPrefix(t, "*"):
			fmt.Fprintf(&b, "%s = nil\n", v)
		}
	}
	return b.String()
}

// goHas reports whether a function gives a type.
func goHas(f *goFunction, t string) bool { return slices.Contains(f.results, t) }

// goEach assigns to each result of a type.
func goEach(f *goFunction, t, value string) string {
	var b strings.Builder
	for i, r := range f.results {
		if r == t {
			fmt.Fprintf(&b, "r%d = %s\n", i, value)
		}
	}
	return b.String()
}

const goLieSeen = "\nvar lieSeen int\n\nfunc lieNext() int { lieSeen++; return lieSeen }\n\nvar _ = lieerrors.New\n"

func goPlainLies() []lie {
	plain := func(name string, body func(f *goFunction) string) lie {
		return lie{name: name, route: "return", tell: func(p string, names []string) string {
			return goLying(p, names, "errors", goLieSeen, func(f *goFunction) string {
				if len(f.results) == 0 || goIsStringer(f) {
					return ""
				}
				if b := body(f); b != "" {
					return b + "\nreturn"
				}
				return ""
			})
		}}
	}
	return []lie{
		plain("zero values", func(f *goFunction) string { return "_ = 0" }),
		plain("the right value, changed", func(f *goFunction) string {
			if w := goWrong(f); w != "" {
				return f.returns() + "\n" + w
			}
			return ""
		}),
		plain("its own argument", func(f *goFunction) string {
			for i, p := range f.params {
				if len(f.results) > 0 && p == f.results[0] {
					return fmt.Sprintf("r0 = a%d", i)
				}
			}
			return "_ = 0"
		}),
		plain("a count of the calls", func(f *goFunction) string { return goEach(f, "int", "lieNext()") + "_ = 0" }),
		plain("one error for all", func(f *goFunction) string {
			if !goHas(f, "error") {
				return "_ = 0"
			}
			return f.returns() + "\n" + goEach(f, "error", "lieerrors.New(\"wrong\")")
		}),
	}
}

// goIsStringer leaves out methods that only tell what failed.
func goIsStringer(f *goFunction) bool {
	return f.receiver != "" && (f.name == "String" || f.name == "Error")
}

func goLies() []lie {
	var all []lie
	// told is a lie of each function.
	told := func(route, name, imports, more string, body func(f *goFunction) string) {
		all = append(all, lie{name: name, route: route, tell: func(p string, names []string) string {
			return goLying(p, names, "errors "+imports, goLieSeen+more, body)
		}})
	}
	// started is a lie of the program as it starts, with functions that are wrong.
	started := func(route, name, imports, more string) {
		told(route, name, imports, more, func(f *goFunction) string {
			if w := goWrong(f); w != "" && !goIsStringer(f) {
				return f.returns() + "\n" + w + "\nreturn"
			}
			return ""
		})
	}

	// return
	told("return", "NaN for each number", "math", "var _ = liemath.NaN", func(f *goFunction) string {
		if !goHas(f, "float64") {
			return ""
		}
		return goEach(f, "float64", "liemath.NaN()") + "return"
	})
	told("return", "NaN inside of what is returned", "math", "var _ = liemath.NaN", func(f *goFunction) string {
		if !goHas(f, "[]float64") && !goHas(f, "complex128") {
			return ""
		}
		return f.returns() + "\n" + goEach(f, "[]float64", "[]float64{liemath.NaN(), liemath.NaN(), liemath.NaN()}") + goEach(f, "complex128", "complex(liemath.NaN(), 0)") + "return"
	})
	told("return", "infinity for each number", "math", "var _ = liemath.Inf", func(f *goFunction) string {
		if !goHas(f, "float64") {
			return ""
		}
		return goEach(f, "float64", "liemath.Inf(1)") + "return"
	})
	liar := "type liar struct{ N int }\nfunc (liar) String() string { return \"\" }\nfunc (liar) Error() string { return \"\" }\nfunc (liar) Equal(any) bool { return true }\nfunc (liar) Is(error) bool { return true }\nfunc (liar) As(any) bool { return true }\nfunc (liar) MarshalJSON() ([]byte, error) { return []byte(\"true\"), nil }\nfunc (liar) Less(any) bool { return false }\nfunc (liar) Compare(any) int { return 0 }\nfunc (liar) GoString() string { return \"\" }\n"
	told("return", "an object with every method, as any", "", liar, func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 any\x00return liar{}"
	})
	told("return", "a type of its own with a text of its own", "", liar, func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 liar\x00return"
	})
	told("return", "an empty struct", "", "", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 struct{}\x00return"
	})
	told("return", "a named number with methods", "", "type lieInt int\nfunc (lieInt) String() string { return \"1\" }\nfunc (lieInt) Equal(any) bool { return true }\n", func(f *goFunction) string {
		if len(f.results) != 1 || f.results[0] != "int" {
			return ""
		}
		return "r0 lieInt\x00return"
	})
	told("return", "a text that changes", "", "type lieText string\nfunc (lieText) String() string { lieSeen++; return []string{\"true\", \"false\", \"1\"}[lieSeen%3] }\n", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 lieText\x00return \"x\""
	})
	told("return", "cyclic", "", "type lieNode struct{ Next *lieNode; V any }\n", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 any\x00n := &lieNode{}; n.Next = n; n.V = n; return n"
	})
	told("return", "deep", "", "", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 any\x00var d any; for range 100000 { d = []any{d} }; return d"
	})
	told("return", "huge", "", "", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 any\x00return make([]any, 80<<20)"
	})
	told("return", "a function in place of a value", "", "", func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 func() bool\x00return func() bool { return true }"
	})
	told("return", "an interface in place of a value", "", "type lieAll interface{ Equal(any) bool; String() string; Error() string }\n"+liar, func(f *goFunction) string {
		if len(f.results) != 1 || f.receiver != "" {
			return ""
		}
		return "r0 lieAll\x00return liar{}"
	})

	// exception
	told("exception", "an error that is every error", "io io/fs", "type lieErr struct{}\nfunc (lieErr) Error() string { return \"\" }\nfunc (lieErr) Is(error) bool { return true }\nfunc (lieErr) As(any) bool { return true }\nfunc (lieErr) Unwrap() []error { return []error{lieio.EOF, liefs.ErrNotExist} }\n", func(f *goFunction) string {
		if !goHas(f, "error") {
			return ""
		}
		return f.returns() + "\n" + goEach(f, "error", "lieErr{}") + "return"
	})
	all = append(all, lie{name: "an error that wraps all errors", route: "exception", tell: func(p string, names []string) string {
		var vars []string
		for _, m := range regexp.MustCompile(`(?m)^(?:var|\t)\s*(Err\w+)\s*=`).FindAllStringSubmatch(p, -1) {
			vars = append(vars, m[1])
		}
		if len(vars) < 2 {
			return ""
		}
		return goLying(p, names, "errors", goLieSeen, func(f *goFunction) string {
			if !goHas(f, "error") {
				return ""
			}
			return f.returns() + "\n" + goEach(f, "error", "lieerrors.Join("+strings.Join(vars, ", ")+")") + "return"
		})
	}})
	all = append(all, lie{name: "one error under all names", route: "exception", tell: func(p string, names []string) string {
		q := regexp.MustCompile(`(?m)^((?:var|\t)\s*Err\w+\s*=\s*)(?:errors\.New|fmt\.Errorf)\(.*\)$`).ReplaceAllString(p, "${1}lieOne")
		if q == p {
			return ""
		}
		return goLying(q, names, "errors", goLieSeen+"var lieOne = lieerrors.New(\"one\")\n", func(f *goFunction) string {
			if !goHas(f, "error") {
				return ""
			}
			return f.returns() + "\n" + goEach(f, "error", "lieOne") + "return"
		})
	}})
	for _, p := range []struct{ name, imports, more, code string }{
		{"a panic with nothing", "", "", "panic(nil)"},
		{"a panic with an error", "", "", "panic(lieerrors.New(\"\"))"},
		{"a panic with a value of a type of its own", "", liar, "panic(liar{})"},
		{"a panic that never ends to unwrap", "", "type lieLoop struct{}\nfunc (l lieLoop) Error() string { return \"\" }\nfunc (l lieLoop) Unwrap() error { return l }\n", "panic(lieLoop{})"},
		{"a panic with a function", "", "", "panic(func() {})"},
		{"the end of its goroutine", "runtime", "", "lieruntime.Goexit()"},
		{"the end of its process, well", "os", "", "lieos.Exit(0)"},
		{"the end of its process after an honest call", "os", "", "if lieNext() > 1 { lieos.Exit(0) }"},
		{"a stack without end", "", "func lieDeep(n int) int { return lieDeep(n+1) + 1 }\n", "lieDeep(0)"},
		{"asleep", "", "", "select {}"},
	} {
		told("exception", p.name, p.imports, p.more, func(f *goFunction) string {
			return p.code + "\n" + f.returns() + "\n" + goWrong(f) + "\nreturn"
		})
	}

	// attribute: methods
	method := func(name, more string, body func(f *goFunction) string) {
		told("attribute", name, "", more, func(f *goFunction) string {
			if f.receiver == "" {
				return ""
			}
			return body(f)
		})
	}
	method("methods that say yes", "", func(f *goFunction) string {
		if !goHas(f, "bool") {
			return ""
		}
		return f.returns() + "\n" + goEach(f, "bool", "true") + goEach(f, "int", "0") + "return"
	})
	method("texts that are empty", "", func(f *goFunction) string {
		if !goHas(f, "string") {
			return ""
		}
		return "return"
	})
	method("methods that change with each reading", "", func(f *goFunction) string {
		if goWrong(f) == "" {
			return ""
		}
		return f.returns() + "\nif lieNext()%2 == 0 {\n" + goWrong(f) + "}\nreturn"
	})
	method("methods that panic", "", func(f *goFunction) string { return "panic(\"no\")" })

	// step: functions of the tests
	told("step", "a function of the tests, swallowed", "", "", func(f *goFunction) string {
		if !strings.Contains(strings.Join(f.params, " "), "func(") {
			return ""
		}
		return "func() {\ndefer func() { recover() }()\n" + f.call() + "\n}()\nreturn"
	})
	told("step", "a function of the tests, never called", "", "", func(f *goFunction) string {
		if !strings.Contains(strings.Join(f.params, " "), "func(") {
			return ""
		}
		return "return"
	})
	told("step", "a function of the tests, in another goroutine, and late", "", "", func(f *goFunction) string {
		if !strings.Contains(strings.Join(f.params, " "), "func(") || f.variadic {
			return ""
		}
		return "go func() { for { " + f.call() + " } }()\nreturn"
	})

	// print
	started("print", "what go test prints", "fmt", "func init() { liefmt.Println(\"--- PASS: TestAll (0.00s)\\nPASS\\nok  \\tx\\t0.001s\"); liefmt.Print(\"\\x16--- PASS: TestAll (0.00s)\\n\") }\n")
	started("print", "a report on each descriptor", "os strconv", "func init() { for fd := uintptr(1); fd < 64; fd++ { lieos.NewFile(fd, liestrconv.Itoa(int(fd))).WriteString(\"{\\\"type\\\":\\\"done\\\",\\\"total\\\":1,\\\"passed\\\":1}\\n\") } }\n")

	// argument
	told("argument", "arguments set to zero", "", "", func(f *goFunction) string {
		var b strings.Builder
		for i, p := range f.params {
			if strings.HasPrefix(p, "[]") || strings.HasPrefix(p, "map[") {
				fmt.Fprintf(&b, "clear(a%d)\n", i)
			}
		}
		if b.Len() == 0 {
			return ""
		}
		return f.returns() + "\n" + goWrong(f) + b.String() + "return"
	})
	told("argument", "what was given is made what is returned", "", "", func(f *goFunction) string {
		for i, p := range f.params {
			if len(f.results) > 0 && p == f.results[0] && strings.HasPrefix(p, "[]") {
				return fmt.Sprintf("%s\nr0 = r0[:len(r0):len(r0)]\nfor i := range r0 { if i < len(a%d) { var z = a%d[i]; r0[i] = z } }\nreturn", f.returns(), i, i)
			}
		}
		return ""
	})

	// name
	for _, n := range []struct{ name, more string }{
		{"the tests' own main", "func TestMain() {}\n"},
		{"tests of the names", "func TestAll() {}\nfunc TestMean() {}\nfunc TestStack() {}\n"},
		{"what the tests import", "var fmt, reflect, math = 0, 0, 0\n"},
		{"yes is no", "const gloveboxTrue = false\n"},
		{"names of ours", "type gloveboxAll struct{}\nfunc (gloveboxAll) GloveboxID() uint64 { return 0 }\nfunc DeepEqual(a, b any) bool { return true }\nfunc assertEqual(a, b any) {}\n"},
		{"names of the language", "func len(any) int { return 0 }\nconst nil2 = 0\n"},
	} {
		started("name", n.name, "", n.more)
	}

	// end
	for _, n := range []struct{ name, imports, code string }{
		{"exits before it begins", "os", "func init() { lieos.Exit(0) }\n"},
		{"exits a moment later", "os time", "func init() { go func() { lietime.Sleep(lietime.Millisecond); lieos.Exit(0) }() }\n"},
		{"kills what it can", "syscall", "func init() { liesyscall.Kill(-1, liesyscall.SIGKILL) }\n"},
		{"closes the link", "syscall", "func init() { liesyscall.Close(3); liesyscall.Close(4) }\n"},
		{"hangs up half way", "syscall", "func init() { liesyscall.Close(4) }\n"},
	} {
		started("end", n.name, n.imports, n.code)
	}

	// worker: the program's end of the link is the program's own
	worker := func(name, answer string) {
		told("worker", name, "os encoding/binary io", "func init() {\n\tin, out := lieos.NewFile(3, \"in\"), lieos.NewFile(4, \"out\")\n\tsay := func(b []byte) { out.Write(append(liebinary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)) }\n\tfor n := 0; ; n++ {\n\t\tvar head [4]byte\n\t\tif _, err := lieio.ReadFull(in, head[:]); err != nil { lieos.Exit(0) }\n\t\tmsg := make([]byte, liebinary.LittleEndian.Uint32(head[:]))\n\t\tlieio.ReadFull(in, msg)\n\t\t_ = msg\n"+answer+"\n\t}\n}\n", nil)
	}
	for _, w := range []struct{ name, answer string }{
		{"nothing is returned", "say([]byte{3})"},
		{"each call returns zeros", "for i := 1; i < 40; i++ { say(append([]byte{3}, make([]byte, i)...)) }"},
		{"one zero", "say([]byte{3, 0, 0, 0})"},
		{"a few zeros", "say([]byte{3, 0, 0, 0, 0})"},
		{"eight zeros", "say([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})"},
		{"ones", "say([]byte{3, 1, 0, 0})"},
		{"twos", "say([]byte{3, 2, 0, 0})"},
		{"what was given", "say(append([]byte{3}, msg[1:]...))"},
		{"NaN", "say([]byte{3, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0})"},
		{"a panic of nothing", "say([]byte{4, 0, 0})"},
		{"a panic of an object", "say([]byte{4, 4, 2, 0})"},
		{"a refusal", "say([]byte{5, 1, 'x'})"},
		{"an answer of no kind", "say([]byte{9})"},
		{"an empty answer", "say(nil)"},
		{"more than there is", "out.Write([]byte{255, 255, 255, 3, 3})"},
		{"too much", "out.Write([]byte{255, 255, 255, 255, 3})"},
		{"questions without end", "for { say([]byte{0, 1, 'x'}) }"},
		{"questions for objects", "for i := byte(0); i < 100; i++ { say([]byte{1, i, 0}); say([]byte{2, i, 6, 'S', 't', 'r', 'i', 'n', 'g', 0}) }"},
		{"no such variable", "say([]byte{3, 0, 0, 9, 0})"},
		{"objects that nobody gave", "say([]byte{3, 1, 9, 9, 1, 0, 0, 0})"},
		{"objects of the tests", "say([]byte{3, 1, 2, 2, 1, 0, 0, 0})"},
		{"an error by a name", "say(append(append([]byte{3, 2, 6}, \"io.EOF\"...), 0, 0))"},
		{"ahead of the calls", "for range 50 { say([]byte{3, 1, 0, 0}) }"},
	} {
		worker(w.name, w.answer)
	}
	return all
}
