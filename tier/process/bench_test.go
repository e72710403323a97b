package process

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkCold measures a box from nothing to nothing around a program that
// ends at once, beside fork and exec of a program that does; back to back, and
// with pauses as between requests.
func BenchmarkCold(b *testing.B) {
	s := new(glove.Script)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	program, err := glove.Program(s)
	if err != nil {
		b.Fatal(err)
	}
	spec := tier.Spec{Root: emptyRoot(b), Limits: glovebox.DefaultLimits, Files: []glovebox.File{{Path: "true", Data: program, Executable: true}}}
	box := func(o Options) func(b *testing.B) func() {
		return func(b *testing.B) func() {
			t, err := New(o)
			if err != nil {
				b.Fatal(err)
			}
			return func() {
				box, err := t.Open(context.Background(), spec)
				if err != nil {
					b.Fatal(err)
				}
				if out := box.Run(context.Background(), tier.Command{Args: []string{"/workspace/true"}}); out.Cause != glovebox.CauseExit {
					b.Fatalf("%+v", out)
				}
				if err := box.Close(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	for _, bc := range []struct {
		name string
		make func(b *testing.B) func()
	}{
		{"bare", func(b *testing.B) func() {
			return func() {
				if err := exec.Command("/bin/true").Run(); err != nil {
					b.Fatal(err)
				}
			}
		}},
		{"box", box(Options{})},
		{"box without control groups", box(Options{NoControlGroups: true})},
	} {
		for pace, pause := range map[string]time.Duration{"closed": 0, "paced": 25 * time.Millisecond} {
			b.Run(bc.name+"/"+pace, func(b *testing.B) {
				run := bc.make(b)
				run()
				for b.Loop() {
					b.StopTimer()
					time.Sleep(pause)
					b.StartTimer()
					run()
				}
			})
		}
	}
}
