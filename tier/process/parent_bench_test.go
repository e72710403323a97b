//go:build linux

package process

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkReady measures boxes in which a Python waits, made, used once and
// destroyed by four clients: started each by itself, and copied from a parent;
// beside a bare Python each. CPU is that of this process and its children.
func BenchmarkReady(b *testing.B) {
	spec := waits(b)
	tr := forking(b, Options{}, spec)
	from := tr.parents.take(kindOf(&spec))
	boxed := func(from *parent) func(b *testing.B) {
		return func(b *testing.B) {
			box, err := tr.open(b.Context(), spec, missing{}, from)
			if err != nil {
				b.Error(err)
				return
			}
			if out, stdout, stderr := python(b, box, "print(1)"); out.Cause != glovebox.CauseExit || stdout != "1\n" {
				b.Errorf("%+v %q %q", out, stdout, stderr)
			}
			if err := box.Close(); err != nil {
				b.Error(err)
			}
		}
	}
	for _, way := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"bare", func(b *testing.B) {
			if err := exec.Command("/usr/bin/python3", "-I", "-c", "print(1)").Run(); err != nil {
				b.Error(err)
			}
		}},
		{"started", boxed(nil)},
		{"copied", boxed(from)},
		{"opened and closed", func(b *testing.B) {
			box, err := tr.open(b.Context(), spec, missing{}, from)
			if err != nil {
				b.Error(err)
				return
			}
			box.Close()
		}},
		{"without an interpreter", func(b *testing.B) {
			box, err := tr.open(b.Context(), tier.Spec{Root: spec.Root, Limits: spec.Limits}, missing{}, nil)
			if err != nil {
				b.Error(err)
				return
			}
			box.Close()
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			used := func() (sum time.Duration) {
				for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
					var r syscall.Rusage
					syscall.Getrusage(who, &r)
					sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
				}
				return sum
			}
			way.run(b)
			before := used()
			b.SetParallelism(2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					way.run(b)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric((used()-before).Seconds()*1e3/float64(b.N), "cpu-ms")
		})
	}
}
