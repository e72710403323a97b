package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/wasm/assemble"
)

// The suite of package tiertest is written in system calls, of which a module
// has none. Each of its tests has its counterpart here, or a reason why it
// cannot have one: see TestConformance.

// testLimits are patient: the machine may be busy.
var testLimits = glovebox.Limits{Wall: time.Minute, CPU: time.Minute, Memory: 64 << 20, Disk: 1 << 20, FileSize: 1 << 20, Files: 16, Output: 64 << 10}.WithDefaults()

func testRoot(t testing.TB) *rootfs.Root {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "etc"), 0o755), os.WriteFile(filepath.Join(dir, "etc", "name"), []byte("root"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return &rootfs.Root{Tree: dir}
}

func testSpec(t testing.TB, files ...glovebox.File) tier.Spec {
	return tier.Spec{Root: testRoot(t), Limits: testLimits, Files: files}
}

func openBox(t testing.TB, spec tier.Spec) tier.Box {
	t.Helper()
	box, err := newTier(t).Open(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	return box
}

// module assembles a program.
func module(build func(p *program)) glovebox.File {
	p := newProgram()
	build(p)
	return glovebox.File{Path: "p.wasm", Data: p.Bytes()}
}

func prints(fd int, text string, code int) glovebox.File {
	return module(func(p *program) {
		p.Code(assemble.I32(fd), p.transfer("fd_write", text), assemble.Drop, assemble.I32(code), p.exits())
	})
}

// copies copies a file, or standard input, to stdout.
func copies(name string) glovebox.File {
	return module(func(p *program) {
		in := p.Local()
		if name != "" {
			p.Code(p.openFor(name, 0, rightRead), assemble.If(assemble.I32(99), p.exits()), opened, assemble.Set(in))
		}
		read := p.transfer("fd_read", kilobyte)
		write := p.Import(assemble.WASI, "fd_write", "iiii", "i")
		p.Code(assemble.Loop(
			assemble.I32(atVector+4), assemble.I32(1024), assemble.Store,
			assemble.Get(in), read, assemble.Drop,
			assemble.I32(atResult+4), assemble.Load, assemble.Eqz, assemble.Leave,
			assemble.I32(atVector+4), assemble.I32(atResult+4), assemble.Load, assemble.Store,
			assemble.I32(1), assemble.I32(atVector), assemble.I32(1), assemble.I32(atResult+4), assemble.Call(write), assemble.Drop,
		))
	})
}

// writes makes a file with a text and exits with the error.
func writes(name, text string, flags int) glovebox.File {
	return module(func(p *program) {
		l := p.Local()
		p.Code(p.open(name, flags), assemble.Set(l), assemble.Get(l), assemble.If(assemble.Get(l), p.exits()), opened, p.transfer("fd_write", text), p.exits())
	})
}

type ran struct {
	glovebox.Outcome
	stdout, stderr bytes.Buffer
}

func runModule(box tier.Box, file glovebox.File, change ...func(*tier.Command)) *ran {
	r := &ran{}
	cmd := tier.Command{Args: []string{tier.Workspace + "/" + file.Path}, Files: []glovebox.File{file}, Stdout: &r.stdout, Stderr: &r.stderr}
	for _, c := range change {
		c(&cmd)
	}
	r.Outcome = box.Run(context.Background(), cmd)
	return r
}

func (r *ran) exited(t *testing.T, code int) *ran {
	t.Helper()
	if r.Cause != glovebox.CauseExit || r.ExitCode != code || r.Err != nil {
		t.Fatalf("%s, exit code %d, signal %q, %v, want code %d\n%s", r.Cause, r.ExitCode, r.Signal, r.Err, code, &r.stderr)
	}
	return r
}

func (r *ran) hit(limit glovebox.LimitName) bool {
	return slices.ContainsFunc(r.Hits, func(h glovebox.Hit) bool { return h.Limit == limit })
}

var forever = module(func(p *program) { p.Code(assemble.Loop()) })

func workspaceOf(t *testing.T, box tier.Box) fs.FS {
	t.Helper()
	ws, err := box.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

var conformance = map[string]func(t *testing.T){
	"streams are never mixed": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		r := runModule(box, prints(1, "out", 0)).exited(t, 0)
		s := runModule(box, prints(2, "err", 0)).exited(t, 0)
		if r.stdout.String() != "out" || r.stderr.Len() > 0 || s.stderr.String() != "err" || s.stdout.Len() > 0 {
			t.Errorf("%q %q, %q %q", &r.stdout, &r.stderr, &s.stdout, &s.stderr)
		}
	},
	"streams may be thrown away": func(t *testing.T) {
		runModule(openBox(t, testSpec(t)), prints(1, "out", 0), func(c *tier.Command) { c.Stdout, c.Stderr = nil, nil }).exited(t, 0)
	},
	"exit codes": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		for _, code := range []int{0, 1, 77, 255} {
			runModule(box, prints(1, "x", code)).exited(t, code)
		}
	},
	"traps": func(t *testing.T) {
		for _, c := range []struct {
			name, signal, says string
			code               func(p *program)
		}{
			{"unreachable", "SIGABRT", "unreachable", func(p *program) { p.Code(assemble.Unreachable) }},
			{"out of bounds", "SIGSEGV", "out of bounds memory access", func(p *program) { p.Code(assemble.I32(-8), assemble.Load, assemble.Drop) }},
			{"stack overflow", "SIGSEGV", "stack overflow", func(p *program) { p.Code(p.Self()) }},
			{"divide by zero", "SIGFPE", "integer divide by zero", func(p *program) { p.Code(assemble.I32(1), assemble.I32(0), assemble.DivS, assemble.Drop) }},
		} {
			box := openBox(t, testSpec(t))
			r := runModule(box, module(c.code))
			if r.Cause != glovebox.CauseExit || r.Signal != c.signal || !strings.Contains(r.stderr.String(), "wasm trap: "+c.says) {
				t.Errorf("%s: %s %q, %q", c.name, r.Cause, r.Signal, &r.stderr)
			}
			runModule(box, prints(1, "x", 3)).exited(t, 3)
		}
	},
	"stdin": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		text := strings.Repeat("line\n", 10_000)
		for _, from := range []string{"", "dev/stdin"} {
			r := runModule(box, copies(from), func(c *tier.Command) { c.Stdin = []byte(text) }).exited(t, 0)
			if r.stdout.String() != text {
				t.Errorf("%q: %d bytes of %d", from, r.stdout.Len(), len(text))
			}
		}
		if r := runModule(box, copies("")).exited(t, 0); r.stdout.Len() > 0 {
			t.Errorf("what is empty had %q", &r.stdout)
		}
	},
	"arguments and environment": func(t *testing.T) {
		for _, c := range []struct{ call, want string }{
			{"args_get", "/workspace/p.wasm\x00a b\x00\x00é\x00"}, {"environ_get", "A=1\x00B=x=y\x00"},
		} {
			file := module(func(p *program) {
				get := p.Import(assemble.WASI, c.call, "ii", "i")
				p.Code(assemble.I32(0x4000), assemble.I32(atText), assemble.Call(get), assemble.Drop)
				write := p.Import(assemble.WASI, "fd_write", "iiii", "i")
				p.Data(atVector, []byte{atText & 0xff, atText >> 8, 0, 0, byte(len(c.want)), 0, 0, 0})
				p.Code(assemble.I32(1), assemble.I32(atVector), assemble.I32(1), assemble.I32(atResult), assemble.Call(write), assemble.Drop)
			})
			r := runModule(openBox(t, testSpec(t)), file, func(c *tier.Command) {
				c.Args, c.Env = append(c.Args, "a b", "", "é"), []string{"A=1", "B=x=y"}
			}).exited(t, 0)
			if r.stdout.String() != c.want {
				t.Errorf("%s: %q, want %q", c.call, &r.stdout, c.want)
			}
		}
	},
	"directory": func(t *testing.T) {
		box := openBox(t, testSpec(t, glovebox.File{Path: "sub/f", Data: []byte("below")}, glovebox.File{Path: "f", Data: []byte("above")}))
		for dir, want := range map[string]string{"": "above", "/workspace/sub": "below"} {
			r := runModule(box, copies("f"), func(c *tier.Command) { c.Dir = dir }).exited(t, 0)
			if r.stdout.String() != want {
				t.Errorf("in %q: %q", dir, &r.stdout)
			}
		}
	},
	"descriptors": func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		w.WriteString("given")
		w.Close()
		spec := testSpec(t)
		spec.Descriptors = []*os.File{r, nil, out}
		box := openBox(t, spec)
		r.Close()
		out.Close()
		if got := runModule(box, copies("dev/fd/3")).exited(t, 0); got.stdout.String() != "given" {
			t.Errorf("read %q", &got.stdout)
		}
		runModule(box, writes("dev/fd/5", "back", 0)).exited(t, 0)
		runModule(box, copies("dev/fd/4")).exited(t, 99)
		if err := box.Close(); err != nil {
			t.Fatal(err)
		}
		if all, err := io.ReadAll(in); string(all) != "back" || err != nil {
			t.Errorf("%q, %v", all, err)
		}
	},
	"no descriptor": func(t *testing.T) {
		runModule(openBox(t, testSpec(t)), copies("dev/fd/3")).exited(t, 99)
	},
	"several commands": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		runModule(box, writes("workspace/kept", "text", openCreate)).exited(t, 0)
		if r := runModule(box, copies("workspace/kept")).exited(t, 0); r.stdout.String() != "text" {
			t.Errorf("%q", &r.stdout)
		}
	},
	"usage": func(t *testing.T) {
		file := module(func(p *program) { p.Code(assemble.I32(160), assemble.Grow, assemble.Drop) })
		r := runModule(openBox(t, testSpec(t)), file).exited(t, 0)
		if r.Usage.MemoryPeak < 160<<16 || r.Usage.MemoryPeak > testLimits.Memory || r.Usage.Duration <= 0 {
			t.Errorf("%+v", r.Usage)
		}
	},
	"commands that cannot be": func(t *testing.T) {
		box := openBox(t, testSpec(t, glovebox.File{Path: "text.wasm", Data: []byte("no module")}))
		for _, args := range [][]string{nil, {""}, {"p.wasm"}, {"/nothing.wasm"}, {"/workspace"}} {
			if out := box.Run(context.Background(), tier.Command{Args: args}); out.Cause != glovebox.CauseBox || out.Err == nil || out.Started {
				t.Errorf("%q: %+v", args, out)
			}
		}
		r := runModule(box, glovebox.File{Path: "text.wasm", Data: []byte("no module")}).exited(t, badModule)
		if !strings.Contains(r.stderr.String(), "not a WebAssembly module") {
			t.Errorf("%q", &r.stderr)
		}
		runModule(box, prints(1, "x", 0)).exited(t, 0)
	},
	"a writer's error": func(t *testing.T) {
		want := errors.New("full")
		r := runModule(openBox(t, testSpec(t)), prints(1, "x", 0), func(c *tier.Command) { c.Stdout = failing{want} })
		if r.Cause != glovebox.CauseBox || !errors.Is(r.Err, want) {
			t.Errorf("%+v", r.Outcome)
		}
	},
	"a slow writer loses nothing": func(t *testing.T) {
		var got bytes.Buffer
		file := module(func(p *program) {
			for range 20 {
				p.Code(assemble.I32(1), p.transfer("fd_write", kilobyte), assemble.Drop)
			}
		})
		runModule(openBox(t, testSpec(t)), file, func(c *tier.Command) {
			c.Stdout = writerFunc(func(b []byte) (int, error) { time.Sleep(time.Millisecond); return got.Write(b) })
		}).exited(t, 0)
		if got.Len() != 20*1024 {
			t.Errorf("%d bytes", got.Len())
		}
	},
	"wall": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		r := runModule(box, forever, func(c *tier.Command) { c.Wall = soon })
		if r.Cause != glovebox.CauseWall || !r.hit(glovebox.LimitWall) || box.Alive() {
			t.Errorf("%+v, alive %t", r.Outcome, box.Alive())
		}
	},
	"output": func(t *testing.T) {
		for fd := 1; fd <= 2; fd++ {
			file := module(func(p *program) {
				p.Code(assemble.Loop(assemble.I32(fd), p.transfer("fd_write", kilobyte), assemble.Drop))
			})
			r := runModule(openBox(t, testSpec(t)), file)
			if r.Cause != glovebox.CauseOutput || int64(r.stdout.Len()+r.stderr.Len()) != testLimits.Output {
				t.Errorf("%+v, %d bytes", r.Outcome, r.stdout.Len()+r.stderr.Len())
			}
		}
	},
	"output up to the limit": func(t *testing.T) {
		spec := testSpec(t)
		spec.Limits.Output = 1024
		if r := runModule(openBox(t, spec), prints(1, kilobyte, 0)).exited(t, 0); r.stdout.Len() != 1024 || len(r.Hits) > 0 {
			t.Errorf("%d bytes, %v", r.stdout.Len(), r.Hits)
		}
	},
	"cancelled before": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		box := openBox(t, testSpec(t))
		if out := box.Run(ctx, tier.Command{Args: []string{"/x.wasm"}}); out.Cause != glovebox.CauseCancelled || !box.Alive() {
			t.Errorf("%+v", out)
		}
	},
	"cancelled while it runs": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		box := openBox(t, testSpec(t))
		file := module(func(p *program) {
			p.Code(assemble.I32(1), p.transfer("fd_write", "x"), assemble.Drop, assemble.Loop())
		})
		out := box.Run(ctx, tier.Command{Args: []string{"/workspace/p.wasm"}, Files: []glovebox.File{file},
			Stdout: writerFunc(func(b []byte) (int, error) { cancel(); return len(b), nil })})
		if out.Cause != glovebox.CauseCancelled || box.Alive() {
			t.Errorf("%+v", out)
		}
	},
	"cancelled after": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		box := openBox(t, testSpec(t))
		file := prints(1, "x", 0)
		box.Run(ctx, tier.Command{Args: []string{"/workspace/p.wasm"}, Files: []glovebox.File{file}})
		cancel()
		runModule(box, file).exited(t, 0)
	},
	"staged": func(t *testing.T) {
		files := []glovebox.File{{Path: "a", Data: []byte("1")}, {Path: "d/e/f", Data: []byte("2"), Executable: true}, {Path: "empty"}}
		ws := workspaceOf(t, openBox(t, testSpec(t, files...)))
		for _, f := range files {
			got, err := fs.ReadFile(ws, f.Path)
			info, statErr := fs.Stat(ws, f.Path)
			if err != nil || statErr != nil || !bytes.Equal(got, f.Data) || (info.Mode().Perm() == 0o755) != f.Executable {
				t.Errorf("%s: %q, %v, %v", f.Path, got, err, info)
			}
		}
		var names []string
		if err := fs.WalkDir(ws, ".", func(name string, _ fs.DirEntry, err error) error { names = append(names, name); return err }); err != nil {
			t.Fatal(err)
		}
		if want := []string{".", "a", "d", "d/e", "d/e/f", "empty"}; !slices.Equal(names, want) {
			t.Errorf("%q", names)
		}
	},
	"staged files can be written": func(t *testing.T) {
		box := openBox(t, testSpec(t, glovebox.File{Path: "f", Data: []byte("before")}))
		runModule(box, writes("workspace/f", "after!", 0)).exited(t, 0)
		if got, err := fs.ReadFile(workspaceOf(t, box), "f"); string(got) != "after!" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	},
	"read-only files stay": func(t *testing.T) {
		staysReadOnly(t, openBox(t, testSpec(t, glovebox.File{Path: "d/f", Data: []byte("kept"), ReadOnly: true})))
	},
	"read-only files of a command stay": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		runModule(box, prints(1, "x", 0), func(c *tier.Command) {
			c.Files = append(c.Files, glovebox.File{Path: "d/f", Data: []byte("kept"), ReadOnly: true})
		}).exited(t, 0)
		staysReadOnly(t, box)
	},
	"hostile names": func(t *testing.T) {
		for _, name := range []string{"../x", "/etc/passwd", "a/../../b", "", "a\x00b", strings.Repeat("a/", 40) + "b"} {
			_, err := newTier(t).Open(context.Background(), testSpec(t, glovebox.File{Path: name}))
			if !tier.IsKind(err, tier.KindInvalid) {
				t.Errorf("%q: %v", name, err)
			}
		}
		// What a module makes stays in the box, and hides nothing else.
		box := openBox(t, testSpec(t))
		runModule(box, writes("workspace/a\nb", "x", openCreate)).exited(t, 0)
		runModule(box, writes("workspace/\xff", "x", openCreate))
		entries, err := fs.ReadDir(workspaceOf(t, box), ".")
		if err != nil || len(entries) != 1 || entries[0].Name() != "p.wasm" {
			t.Errorf("%v, %v", entries, err)
		}
	},
	"a workspace after a kill": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		runModule(box, forever, func(c *tier.Command) { c.Wall = soon })
		if _, err := box.Workspace(); err == nil {
			t.Error("the files of a box that is gone were read")
		}
	},
	"boxes share nothing": func(t *testing.T) {
		spec := testSpec(t)
		one, two := openBox(t, spec), openBox(t, spec)
		for _, dir := range []string{"workspace", "tmp"} {
			runModule(one, writes(dir+"/f", "x", openCreate)).exited(t, 0)
			runModule(two, copies(dir+"/f")).exited(t, 99)
		}
	},
	"probe": TestProbe,
	"the root is read-only": func(t *testing.T) {
		spec := testSpec(t)
		box := openBox(t, spec)
		if r := runModule(box, copies("etc/name")).exited(t, 0); r.stdout.String() != "root" {
			t.Errorf("%q", &r.stdout)
		}
		for _, name := range []string{"etc/name", "etc/new"} {
			if r := runModule(box, writes(name, "x", openCreate)); r.Cause != glovebox.CauseExit || r.ExitCode == 0 {
				t.Errorf("%s: %+v", name, r.Outcome)
			}
		}
		if entries, err := os.ReadDir(filepath.Join(spec.Root.Tree, "etc")); len(entries) != 1 || err != nil {
			t.Errorf("%v, %v", entries, err)
		}
	},
	"no path of the host shows": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		for _, name := range []string{os.Args[0], "/etc/passwd", "/proc/self/maps"} {
			runModule(box, copies(strings.TrimPrefix(filepath.ToSlash(name), "/"))).exited(t, 99)
		}
	},
	"memory": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		// One page less than there is, and then a page more than is left.
		file := module(func(p *program) {
			p.Code(assemble.I32(int(testLimits.Memory>>16)-2), assemble.Grow, assemble.Drop, assemble.I32(8), assemble.Grow, p.exits())
		})
		if r := runModule(box, file).exited(t, 255); !r.hit(glovebox.LimitMemory) {
			t.Errorf("%+v", r.Outcome)
		}
		r := runModule(box, module(func(p *program) { p.Pages = uint32(testLimits.Memory>>16) + 1 }))
		if r.Cause != glovebox.CauseExit || r.ExitCode != -1 || !r.hit(glovebox.LimitMemory) {
			t.Errorf("a module that begins with too much: %+v", r.Outcome)
		}
		runModule(box, prints(1, "x", 0)).exited(t, 0)
	},
	"memory in files": func(t *testing.T) {
		spec := testSpec(t)
		spec.Limits.Memory, spec.Limits.Disk, spec.Limits.FileSize = 4<<20, 64<<20, 64<<20
		file := module(func(p *program) {
			p.Code(p.open("tmp/f", openCreate), assemble.Drop, assemble.Loop(opened, p.transfer("fd_write", kilobyte), assemble.Leave), assemble.I32(7), p.exits())
		})
		if r := runModule(openBox(t, spec), file).exited(t, 7); !r.hit(glovebox.LimitMemory) {
			t.Errorf("%+v", r.Outcome)
		}
	},
	"processor time": func(t *testing.T) {
		if _, _, err := usage(os.Getpid()); err != nil {
			t.Skip("this host does not tell the processor time of a process")
		}
		spec := testSpec(t)
		spec.Limits.CPU = soon
		if r := runModule(openBox(t, spec), forever); r.Cause != glovebox.CauseCPU || !r.hit(glovebox.LimitCPU) {
			t.Errorf("%+v", r.Outcome)
		}
	},
	"the box's process is killed by the host": func(t *testing.T) {
		b := openBox(t, testSpec(t)).(*box)
		file := module(func(p *program) {
			p.Code(assemble.I32(1), p.transfer("fd_write", "x"), assemble.Drop, assemble.Loop())
		})
		out := b.Run(context.Background(), tier.Command{Args: []string{"/workspace/p.wasm"}, Files: []glovebox.File{file},
			Stdout: writerFunc(func(p []byte) (int, error) { b.cmd.Process.Kill(); return len(p), nil })})
		if out.Cause != glovebox.CauseMemory || b.Alive() {
			t.Errorf("%+v", out)
		}
	},
	"a program that keeps its limits hits none": func(t *testing.T) {
		if r := runModule(openBox(t, testSpec(t)), prints(1, "x", 0)).exited(t, 0); len(r.Hits) > 0 {
			t.Errorf("%v", r.Hits)
		}
	},
	"close twice, and from many": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if box.Alive() {
			t.Error("alive")
		}
		if out := box.Run(context.Background(), tier.Command{Args: []string{"/x"}}); out.Cause != glovebox.CauseBox {
			t.Errorf("%+v", out)
		}
	},
	"close while it runs": func(t *testing.T) {
		box := openBox(t, testSpec(t))
		file := module(func(p *program) {
			p.Code(assemble.I32(1), p.transfer("fd_write", "x"), assemble.Drop, assemble.Loop())
		})
		started := make(chan bool, 1)
		ended := make(chan glovebox.Outcome)
		go func() {
			ended <- box.Run(context.Background(), tier.Command{Args: []string{"/workspace/p.wasm"}, Files: []glovebox.File{file},
				Stdout: writerFunc(func(b []byte) (int, error) { started <- true; return len(b), nil })})
		}()
		select {
		case <-started:
		case out := <-ended:
			t.Fatalf("it ended with %+v", out)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	},
	"controls": func(t *testing.T) {
		for _, c := range openBox(t, testSpec(t)).Controls() {
			if c.Name == "" || c.How == "" {
				t.Errorf("%+v", c)
			}
			t.Logf("%+v", c)
		}
	},
	"name spaces that the host refuses": func(t *testing.T) {
		tt := newTier(t)
		tt.together.Store(true)
		box, err := tt.Open(context.Background(), testSpec(t))
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		runModule(box, prints(1, "x", 0)).exited(t, 0)
		if !slices.ContainsFunc(box.Controls(), func(c glovebox.Control) bool {
			return c.Name == tier.ControlNamespaces && strings.Contains(c.How, "its process is in the host's")
		}) {
			t.Errorf("%+v", box.Controls())
		}
	},
	"cancelled while it opens": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if box, err := newTier(t).Open(ctx, testSpec(t)); err == nil {
			box.Close()
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	},
	"the context of Open no longer matters": func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		box, err := newTier(t).Open(ctx, testSpec(t))
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		cancel()
		runModule(box, prints(1, "x", 0)).exited(t, 0)
	},
	"many at once": func(t *testing.T) {
		tt, root := newTier(t), testRoot(t)
		var all sync.WaitGroup
		for n := range 16 {
			all.Go(func() {
				box, err := tt.Open(context.Background(), tier.Spec{Root: root, Limits: testLimits})
				if err != nil {
					t.Error(err)
					return
				}
				defer box.Close()
				if r := runModule(box, prints(1, "x", n)); r.Cause != glovebox.CauseExit || r.ExitCode != n {
					t.Errorf("%+v", r.Outcome)
				}
			})
		}
		all.Wait()
	},
	"wrong specs": func(t *testing.T) {
		plain, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		for name, change := range map[string]func(*tier.Spec){
			"no root": func(s *tier.Spec) { s.Root = nil }, "no tree": func(s *tier.Spec) { s.Root = &rootfs.Root{} },
			"a limit is zero": func(s *tier.Spec) { s.Limits.Disk = 0 }, "a descriptor is no pipe": func(s *tier.Spec) { s.Descriptors = []*os.File{plain} },
		} {
			spec := testSpec(t)
			change(&spec)
			if _, err := newTier(t).Open(context.Background(), spec); !tier.IsKind(err, tier.KindInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	},
	"a root that is not there": func(t *testing.T) {
		spec := testSpec(t)
		spec.Root.Tree += "/nothing"
		if _, err := newTier(t).Open(context.Background(), spec); !tier.IsKind(err, tier.KindBroken) {
			t.Error(err)
		}
	},
	"files that do not fit": func(t *testing.T) {
		for name, change := range map[string]func(*tier.Spec){
			"bytes": func(s *tier.Spec) { s.Files = []glovebox.File{{Path: "f", Data: make([]byte, s.Limits.Disk+1)}} },
			"files": func(s *tier.Spec) {
				for i := range s.Limits.Files + 1 {
					s.Files = append(s.Files, glovebox.File{Path: fmt.Sprint(i)})
				}
			},
		} {
			spec := testSpec(t)
			change(&spec)
			if _, err := newTier(t).Open(context.Background(), spec); err == nil {
				t.Errorf("%s fit", name)
			}
		}
	},
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// staysReadOnly tries what could change d/f.
func staysReadOnly(t *testing.T, box tier.Box) {
	t.Helper()
	call := func(name string, args ...[]byte) glovebox.File {
		return module(func(p *program) {
			f := p.Import(assemble.WASI, name, strings.Repeat("i", len(args)), "i")
			p.Data(atName, []byte("workspace/d/f"))
			p.Data(atText, []byte("workspace/other"))
			p.Code(slices.Concat(args...), assemble.Call(f), p.exits())
		})
	}
	name, dir, other := assemble.I32(len("workspace/d/f")), assemble.I32(len("workspace/d")), assemble.I32(len("workspace/other"))
	at, text, fd := assemble.I32(atName), assemble.I32(atText), assemble.I32(3)
	for what, file := range map[string]glovebox.File{
		"write":             writes("workspace/d/f", "gone", 0),
		"truncate":          writes("workspace/d/f", "gone", 8),
		"remove":            call("path_unlink_file", fd, at, name),
		"rename":            call("path_rename", fd, at, name, fd, text, other),
		"rename its parent": call("path_rename", fd, at, dir, fd, text, other),
		"remove its parent": call("path_remove_directory", fd, at, dir),
	} {
		if r := runModule(box, file); r.Cause != glovebox.CauseExit || r.ExitCode == 0 {
			t.Errorf("%s: %+v", what, r.Outcome)
		}
	}
	runModule(box, writes("workspace/new", "x", openCreate)).exited(t, 0)
	if r := runModule(box, call("path_rename", fd, text, assemble.I32(len("workspace/")), fd, at, name)); r.ExitCode == 0 {
		t.Error("it was replaced")
	}
	if got, err := fs.ReadFile(workspaceOf(t, box), "d/f"); string(got) != "kept" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// noStandby is why no module waits for its orders.
const noStandby = "a box of this tier has no standby command: see its traits"

// otherwise are the tests of tiertest that have no counterpart of their name,
// and why.
var otherwise = map[string]string{
	"a look is what is there": "the workspace is a directory of the host's: nothing is read ahead",
	"orders":                  noStandby,
	"a box for each":          noStandby,
	"a command after it":      noStandby,
	"a command before it":     noStandby,
	"nobody needs it":         noStandby,
	"cancelled":               noStandby,
	"never ready":             noStandby,
	"nothing to execute":      noStandby,
	"signals":                 "a module has no signals; see traps",
	"signals are as usual":    "a module has no signals",
	"user":                    "a module has no user",
	"the end of a command is the end of its children":         "no process can be made",
	"wall of what ignores signals":                            "a module has no signals",
	"a writer's error after the end":                          "a command's streams end before it does",
	"cancelled at any moment":                                 "a cancel kills the box's process, whatever it does",
	"links and special files":                                 "no link, and no device, can be made",
	"attacks":                                                 "they are system calls; see probe",
	"memory of many processes":                                "no process can be made; see memory",
	"processor time of many processes":                        "no process can be made; see processor time",
	"the processor's time of a command is not the next one's": "each command is metered from its start",
	"close while the workspace is read":                       "a workspace that was given is a copy",
}

// TestConformance runs what tiertest asks of every tier, as far as it is about
// modules. The names are read from its source: one that is new must be answered.
func TestConformance(t *testing.T) {
	before := leftoverOf(t)
	t.Run("suite", func(t *testing.T) {
		for name, test := range conformance {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t)
			})
		}
		for name, why := range otherwise {
			t.Run(name, func(t *testing.T) { t.Skip(why) })
		}
	})
	before(t)
	names := suiteNames(t)
	if len(names) < 40 {
		t.Errorf("tiertest has %d tests: %q", len(names), names)
	}
	for _, name := range names {
		if conformance[name] == nil && otherwise[name] == "" {
			t.Errorf("%q of tiertest has no answer here", name)
		}
	}
}

// suiteNames reads the keys of tiertest's tables.
func suiteNames(t *testing.T) (names []string) {
	files, err := filepath.Glob("../tiertest/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			table, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if kind, ok := table.Type.(*ast.MapType); !ok || !strings.Contains(fmt.Sprint(kind.Key), "string") {
				return true
			} else if f, ok := kind.Value.(*ast.FuncType); !ok || f.Params.NumFields() != 2 {
				return true
			}
			for _, e := range table.Elts {
				if key, ok := e.(*ast.KeyValueExpr).Key.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(key.Value)
					names = append(names, name)
				}
			}
			return false
		})
	}
	return names
}

// leftoverOf compares what is there with what will be.
func leftoverOf(t *testing.T) func(t *testing.T) {
	if runtime.GOOS != "linux" {
		return func(*testing.T) {}
	}
	before := leftover.Look(t, leftover.Options{})
	return func(t *testing.T) { before.Same(t) }
}

// TestOwnerKilled: when the process that opened a box is killed, the box's
// process dies too, whatever it does.
func TestOwnerKilled(t *testing.T) {
	if os.Getenv("GLOVEBOX_TEST_OWNER") != "" {
		b := openBox(t, testSpec(t)).(*box)
		file := module(func(p *program) {
			p.Code(assemble.I32(1), p.transfer("fd_write", "x"), assemble.Drop, assemble.Loop())
		})
		b.Run(context.Background(), tier.Command{Args: []string{"/workspace/p.wasm"}, Files: []glovebox.File{file},
			Stdout: writerFunc(func(p []byte) (int, error) { fmt.Printf("\npid %d\n", b.cmd.Process.Pid); return len(p), nil })})
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the kernel ties the life of a process to its owner's on Linux only; elsewhere a closed pipe does")
	}
	owner := exec.Command(os.Args[0], "-test.run=^TestOwnerKilled$")
	owner.Env = append(os.Environ(), "GLOVEBOX_TEST_OWNER=1")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	pid := 0
	for pid == 0 {
		chunk := make([]byte, 256)
		n, err := out.Read(chunk)
		said.Write(chunk[:n])
		if _, after, ok := strings.Cut(said.String(), "\npid "); ok && strings.Contains(after, "\n") {
			fmt.Sscan(after, &pid)
		} else if err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
	}
	if !leftover.Alive(pid) {
		t.Fatal("the box's process does not run")
	}
	owner.Process.Kill()
	owner.Wait()
	for deadline := time.Now().Add(time.Minute); leftover.Alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the box's process lives on")
		}
	}
}

// TestFixed: with a fixed clock and seed two boxes see the same.
func TestFixed(t *testing.T) {
	file := module(func(p *program) {
		random := p.Import(assemble.WASI, "random_get", "ii", "i")
		clock := p.Import(assemble.WASI, "clock_time_get", "iIi", "i")
		p.Code(assemble.I32(atText), assemble.I32(8), assemble.Call(random), assemble.Drop,
			assemble.I32(0), assemble.I64(0), assemble.I32(atText+8), assemble.Call(clock), assemble.Drop)
		write := p.Import(assemble.WASI, "fd_write", "iiii", "i")
		p.Data(atVector, []byte{atText & 0xff, atText >> 8, 0, 0, 16, 0, 0, 0})
		p.Code(assemble.I32(1), assemble.I32(atVector), assemble.I32(1), assemble.I32(atResult), assemble.Call(write), assemble.Drop)
	})
	see := func(fixed *Fixed) string {
		tt, err := New(Config{Cache: filepath.Join(t.TempDir(), "cache"), Fixed: fixed})
		if err != nil {
			t.Fatal(err)
		}
		box, err := tt.Open(context.Background(), testSpec(t))
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		return runModule(box, file).exited(t, 0).stdout.String()
	}
	at := time.Unix(1_700_000_000, 0)
	one, again, other := see(&Fixed{at, 1}), see(&Fixed{at, 1}), see(&Fixed{at, 2})
	if one != again || one[:8] == other[:8] || one[8:] != other[8:] || len(one) != 16 {
		t.Errorf("%x %x %x", one, again, other)
	}
	if real := see(nil); real[:8] == see(nil)[:8] {
		t.Error("two real boxes saw the same random bytes")
	}
}
