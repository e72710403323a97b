package wasm_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/wasm"
)

var benchLimits = glovebox.Limits{Wall: time.Minute, CPU: time.Minute}.WithDefaults()

// javaScript is the tier, a root with QuickJS in it, and what runs a program.
func javaScript(t testing.TB) (*wasm.Tier, *rootfs.Root, func(text string) tier.Command) {
	t.Helper()
	tt, err := wasm.New(wasm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tc, err := language.JavaScript.FindModule(context.Background(), host.New())
	if err != nil {
		t.Fatal(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(context.Background(), tc.Root)
	if err != nil {
		t.Fatal(err)
	}
	return tt, root, func(text string) tier.Command {
		plan, err := language.JavaScript.Plan(tc, &glovebox.Program{Language: "javascript", Main: "main.js", Files: []glovebox.File{{Path: "main.js", Data: []byte(text)}}})
		if err != nil {
			t.Fatal(err)
		}
		return tier.Command{Args: plan.Run.Args, Env: plan.Run.Env, Files: plan.Files}
	}
}

// open opens a box with a descriptor for the report of the check.
func open(t testing.TB, tt *wasm.Tier, root *rootfs.Root, limits glovebox.Limits) tier.Box {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.Copy(io.Discard, r)
		r.Close()
	}()
	defer w.Close()
	box, err := tt.Open(context.Background(), tier.Spec{Root: root, Limits: limits, Descriptors: []*os.File{nil, nil, w}})
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func once(t testing.TB, tt *wasm.Tier, root *rootfs.Root, cmd tier.Command, limits glovebox.Limits) (glovebox.Outcome, string) {
	t.Helper()
	box := open(t, tt, root, limits)
	defer box.Close()
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	return box.Run(context.Background(), cmd), stdout.String()
}

// TestJavaScript: what a language sees of the tier.
func TestJavaScript(t *testing.T) {
	tt, root, command := javaScript(t)
	small := benchLimits
	small.Memory = 48 << 20
	for _, c := range []struct {
		name, text string
		limits     glovebox.Limits
		cause      glovebox.Cause
		exit       int
		stdout     string
		limit      glovebox.LimitName
	}{
		{"runs", "console.log(6 * 7)", benchLimits, glovebox.CauseExit, 0, "42\n", ""},
		{"exits", "process.exit(9)", benchLimits, glovebox.CauseExit, 9, "", ""},
		{"recurses", "const f = (n) => n === 0 ? 0 : 1 + f(n - 1); console.log(f(5000))", benchLimits, glovebox.CauseExit, 0, "5000\n", ""},
		{"recurses for ever", "const f = () => f() + 1; f()", benchLimits, glovebox.CauseExit, 1, "", ""},
		{"takes all memory", "const l = []; for (;;) l.push(new Uint8Array(1 << 20))", small, glovebox.CauseExit, 1, "", glovebox.LimitMemory},
		{"takes all memory in objects", "const l = []; for (;;) l.push({ a: [1, 2, 3] })", small, glovebox.CauseExit, 1, "", glovebox.LimitMemory},
		{"opens a file of the host", "try { require('fs').readFileSync('/etc/hostname'); console.log('read') } catch (e) { console.log(e.code) }", benchLimits, glovebox.CauseExit, 0, "ENOENT\n", ""},
		{"starts a program", "try { require('child_process').execSync('id') } catch (e) { console.log(e.code) }", benchLimits, glovebox.CauseExit, 0, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM\n", ""},
		{"has the engine's own modules", "import('qjs:os').then((os) => console.log(typeof os.exec, typeof os.Worker), (e) => console.log('none'))", benchLimits, glovebox.CauseExit, 0, "none\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, stdout := once(t, tt, root, command(c.text), c.limits)
			hit := c.limit == ""
			for _, h := range out.Hits {
				hit = hit || h.Limit == c.limit
			}
			if out.Cause != c.cause || out.ExitCode != c.exit || stdout != c.stdout || !hit {
				t.Errorf("%+v, stdout %q", out, stdout)
			}
		})
	}
}

// BenchmarkJavaScript is from no box to the result of a program that prints.
func BenchmarkJavaScript(b *testing.B) {
	tt, root, command := javaScript(b)
	once(b, tt, root, command("1"), benchLimits) // the cache of compiled modules
	for b.Loop() {
		if out, stdout := once(b, tt, root, command("console.log(1)"), benchLimits); stdout != "1\n" {
			b.Fatalf("%+v %q", out, stdout)
		}
	}
}

// BenchmarkSixteen is sixteen boxes at once.
func BenchmarkSixteen(b *testing.B) {
	tt, root, command := javaScript(b)
	for b.Loop() {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() { once(b, tt, root, command("console.log(1)"), benchLimits) })
		}
		all.Wait()
	}
}

// BenchmarkEndlessLoop is how much later than its deadline of 100 ms a loop ends.
func BenchmarkEndlessLoop(b *testing.B) {
	tt, root, command := javaScript(b)
	limits := benchLimits
	limits.Wall = 100 * time.Millisecond
	var late time.Duration
	for b.Loop() {
		box := open(b, tt, root, limits)
		begin := time.Now()
		out := box.Run(context.Background(), command("for (;;);"))
		box.Close()
		late += time.Since(begin) - limits.Wall
		if out.Cause != glovebox.CauseWall {
			b.Fatalf("%+v", out)
		}
	}
	b.ReportMetric(float64(late.Microseconds())/float64(b.N)/1000, "ms-late")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIdle is the memory of a box that waits, shared pages in parts.
func BenchmarkIdle(b *testing.B) {
	tt, root, command := javaScript(b)
	const boxes = 8
	for b.Loop() {
		var idle []tier.Box
		for range boxes {
			box := open(b, tt, root, benchLimits)
			box.Run(context.Background(), command("console.log(1)"))
			idle = append(idle, box)
		}
		b.ReportMetric(float64(proportional(b))/boxes/(1<<20), "MB/box")
		for _, box := range idle {
			box.Close()
		}
	}
	b.ReportMetric(0, "ns/op")
}

// proportional sums the memory of our child processes.
func proportional(b *testing.B) (sum int64) {
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for pid := range strings.FieldsSeq(string(children)) {
			rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
			for line := range strings.Lines(string(rollup)) {
				if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
					kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
					sum += kb << 10
				}
			}
		}
	}
	if sum == 0 {
		b.Skip("this host does not tell the memory of a process")
	}
	return sum
}
