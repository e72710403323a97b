package language

import (
	"errors"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// FuzzGoRead: whatever the tests and the program are, reading them ends, and the
// program has no say in the proof.
func FuzzGoRead(f *testing.F) {
	for _, s := range goSubjects() {
		f.Add(s.tests, s.program, "main.go")
	}
	test := "package bank_test\n\nimport (\n\t\"bank\"\n\t\"bank/money\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) { bank.Keep([]int{1}, nil); money.Of[int](2) }\n"
	f.Add(test, "package bank\n\nfunc Keep[T any, S ~[]T](x S, f func(T) bool) S { return x }\n", "bank.go")
	f.Add("func TestX(t *testing.T) { for _, c := range []struct{ a, b int }{{1, F(2)}} { if F(c.a)-F(c.b) > 0 { t.Error() } } }", "package x\n\ntype F[P interface{ ~int | comparable }] = []F[P]\n", "x/y.go")
	f.Add("package p\n\nfunc TestX(t *T) { var x = x; x.y.z[x] = <-x(x...)[x:x]; switch x := x.(type) { case T: } }\n", "package p\n\nvar T, x = x, T\ntype x interface{ x; ~x | T }\n", "p.go")
	tc := &Toolchain{Language: "go", Version: "1.26.0", Tools: map[string]string{"driver": goDriver}}
	f.Fuzz(func(t *testing.T, tests, text, main string) {
		if len(tests)+len(text) > 20000 {
			t.Skip()
		}
		read := func(p *glovebox.Program, name string) (proof glovebox.Proof, failed bool) {
			done := make(chan bool)
			go func() {
				defer close(done)
				x, err := examGo(tc, p, Tests{Files: []glovebox.File{{Path: name, Data: []byte(tests)}}})
				var cannot *Unrunnable
				if failed = err != nil; failed && !errors.As(err, &cannot) {
					t.Error(err)
				} else if !failed {
					proof = x.Proof
				}
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				panic("no end")
			}
			return proof, failed
		}
		if main == "" {
			t.Skip()
		}
		for _, name := range []string{"main_test.go", "money/money_test.go"} {
			got, failed := read(program("go", main, text), name)
			plain, refused := read(program("go", main, "package main\n\nfunc main() {}\n"), name)
			if !failed && !refused && got != plain {
				t.Errorf("the proof is %s, and %s with another program", got, plain)
			}
		}
	})
}
