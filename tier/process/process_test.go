//go:build linux

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// ownerEnv makes the test binary an owner of boxes that is going to be killed.
const ownerEnv = "GLOVEBOX_TEST_OWNER"

func TestMain(m *testing.M) {
	switch os.Getenv(ownerEnv) {
	case "first":
		owner()
	case "next":
		if _, err := New(Options{}); err != nil {
			panic(err)
		}
		return
	}
	if os.Getenv(deafEnv) != "" {
		deaf()
		return
	}
	if os.Getenv(stoppedEnv) != "" {
		stopped()
		return
	}
	os.Exit(m.Run())
}

// flavours are the ways in which a host can run boxes.
func flavours(t *testing.T, f func(t *testing.T, tr *Tier)) {
	t.Helper()
	for name, o := range map[string]Options{"control groups": {}, "supervisor": {NoControlGroups: true}} {
		t.Run(name, func(t *testing.T) {
			tr, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if !o.NoControlGroups && tr.groups == nil {
				t.Skip(tr.noGroup)
			}
			f(t, tr)
		})
	}
}

func emptyRoot(t testing.TB) *rootfs.Root {
	t.Helper()
	root, remove, err := bareRoot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return root
}

// program is a file named "program" that executes a script.
func program(script func(s *glove.Script)) glovebox.File {
	s := new(glove.Script)
	script(s)
	image, err := glove.Program(s)
	if err != nil {
		panic(err)
	}
	return glovebox.File{Path: "program", Data: image, Executable: true}
}

var run = tier.Command{Args: []string{"/workspace/program"}}

func pause(s *glove.Script) { s.Call("pause", unix.SYS_PPOLL, 0, 0, 0, 0) }

func open(t *testing.T, tr *Tier, limits glovebox.Limits, files ...glovebox.File) tier.Box {
	t.Helper()
	box, err := tr.Open(context.Background(), tier.Spec{Root: emptyRoot(t), Limits: limits.WithDefaults(), Files: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

func TestProbe(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		report := tr.Probe(context.Background())
		for _, p := range report.Controls {
			t.Logf("%-20s %v %s %s", p.Name, p.Proven, p.Detail, p.Fix)
		}
		if !report.Usable {
			t.Errorf("not usable: %s", report.Reason)
		}
	})
}

// What the box says it enforces is what the probe proves, but for what is
// implied by others.
func TestControls(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		box := open(t, tr, glovebox.Limits{})
		proven := []string{tier.ControlIPC} // has no attack: nothing of the host's to look for
		for _, p := range tr.Probe(context.Background()).Controls {
			proven = append(proven, p.Name)
		}
		for _, c := range box.Controls() {
			if !slices.Contains(proven, c.Name) {
				t.Errorf("control %s is claimed and not probed", c.Name)
			}
			if !c.Enforced && c.Name != tier.ControlLandlock || c.How == "" {
				t.Errorf("control %+v", c)
			}
		}
	})
}

// Limits that the probe does not meet: shared by many processes, or in files.
func TestLimits(t *testing.T) {
	const mib = 1 << 20
	populate := func(s *glove.Script, size int) {
		s.Call("mmap", unix.SYS_MMAP, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE, -1, 0)
	}
	// fork makes n children that do something and wait for their death.
	fork := func(s *glove.Script, n int, body func(s *glove.Script)) {
		for range n {
			pid, on := s.Buffer(8), s.Label()
			s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).To(pid)
			s.Load(pid).IfOther(0, on)
			body(s)
			pause(s)
			s.Place(on)
		}
	}
	loop := func(s *glove.Script) {
		again := s.Label()
		s.Place(again)
		s.Jump(again)
	}
	sleep := func(s *glove.Script, d time.Duration) {
		s.Call("sleep", unix.SYS_NANOSLEEP, s.Words(0, int64(d)), 0)
	}
	fill := func(s *glove.Script, path string, size int) {
		fd := s.Buffer(8)
		s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, path, unix.O_CREAT|unix.O_WRONLY, 0o644).To(fd)
		s.CallOn(fd, "fallocate", unix.SYS_FALLOCATE, 0, 0, size)
	}
	for _, tc := range []struct {
		name    string
		limits  glovebox.Limits
		program func(s *glove.Script)
		cause   glovebox.Cause
		hit     glovebox.LimitName
	}{
		{"nothing", glovebox.Limits{}, func(s *glove.Script) {}, "exit", ""},
		{"memory of many processes", glovebox.Limits{Memory: 64 * mib}, func(s *glove.Script) {
			fork(s, 8, func(s *glove.Script) { populate(s, 12*mib) })
			pause(s)
		}, "", "memory"},
		{"shared memory is counted once", glovebox.Limits{Memory: 64 * mib}, func(s *glove.Script) {
			populate(s, 30*mib)
			fork(s, 5, func(s *glove.Script) {})
			sleep(s, 200*time.Millisecond)
		}, "exit", ""},
		{"memory in files", glovebox.Limits{Memory: 64 * mib}, func(s *glove.Script) {
			for _, dir := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
				fill(s, dir+"/big", 40*mib)
			}
			pause(s)
		}, "memory", "memory"},
		{"reserved memory is free", glovebox.Limits{Memory: 64 * mib}, func(s *glove.Script) {
			s.Call("mmap", unix.SYS_MMAP, 0, int64(1)<<40, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, -1, 0)
		}, "exit", ""},
		{"processor time of many processes", glovebox.Limits{CPU: time.Second, Wall: 5 * time.Minute}, func(s *glove.Script) {
			fork(s, 4, loop)
			pause(s)
		}, "cpu", "cpu"},
		{"processor time of children that nobody waits for", glovebox.Limits{CPU: time.Second, Wall: 5 * time.Minute}, func(s *glove.Script) {
			// struct sigaction: SIG_IGN, no flags, no restorer, no mask.
			s.Call("ignore", unix.SYS_RT_SIGACTION, int(unix.SIGCHLD), s.Words(1, 0, 0, 0), 0, 8)
			again, child, round, rounds := s.Label(), s.Label(), s.Label(), s.Words(0)
			s.Place(again)
			s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
			sleep(s, 300*time.Millisecond)
			s.Jump(again)
			s.Place(child)
			s.Set(rounds, 200_000)
			s.Place(round)
			s.Call("getppid", unix.SYS_GETPPID)
			s.Sub(rounds, 1).IfOther(0, round)
			s.Call("exit", unix.SYS_EXIT_GROUP, 0)
		}, "cpu", "cpu"},
		{"page tables", glovebox.Limits{Memory: 64 * mib}, func(s *glove.Script) {
			at, again := s.Buffer(8), s.Label()
			s.Call("mmap", unix.SYS_MMAP, 0, int64(1)<<40, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, -1, 0).To(at)
			s.CallOn(at, "no huge pages", unix.SYS_MADVISE, int64(1)<<40, unix.MADV_NOHUGEPAGE)
			s.Place(again)
			s.CallOn(at, "read a byte", unix.SYS_CHDIR).Ignore() // a path of no letter
			s.AddTo(at, 2*mib)
			s.Jump(again)
		}, "memory", "memory"},
		{"disk", glovebox.Limits{Disk: mib}, func(s *glove.Script) { fill(s, "/tmp/a", mib); fill(s, "/tmp/b", mib) }, "exit", "disk"},
		{"processes", glovebox.Limits{Processes: 8, Wall: time.Second}, func(s *glove.Script) {
			fork(s, 7, func(s *glove.Script) {})
			child := s.Label()
			s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).IfError(child)
			s.Place(child)
			pause(s)
		}, "wall", "processes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			flavours(t, func(t *testing.T, tr *Tier) {
				box := open(t, tr, tc.limits, program(tc.program))
				out := box.Run(context.Background(), run)
				// A process that is not the command may be the one that the
				// kernel takes, so the end is not always told by the cause.
				if tc.cause != "" && out.Cause != tc.cause {
					t.Errorf("ended with %+v, want %s", out, tc.cause)
				}
				got := slices.ContainsFunc(out.Hits, func(h glovebox.Hit) bool { return h.Limit == tc.hit })
				if tc.hit != "" && !got || tc.hit == "" && len(out.Hits) > 0 {
					t.Errorf("hits are %+v, want %s", out.Hits, tc.hit)
				}
			})
		})
	}
}

// Read-only files stay what they are, whatever a command does to them and the
// directories above.
func TestReadOnly(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		want := map[string]string{"top": "top", "a/b/deep": "deep"}
		attack := program(func(s *glove.Script) {
			at := func(nr uintptr, args ...any) { s.Call("try", nr, args...).Ignore() }
			for name := range want {
				at(unix.SYS_FCHMODAT, unix.AT_FDCWD, name, 0o777)
				fd := s.Buffer(8)
				s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, name, unix.O_WRONLY|unix.O_TRUNC, 0).To(fd).Ignore()
				s.CallOn(fd, "write", unix.SYS_WRITE, "forged", 6).Ignore()
				at(unix.SYS_RENAMEAT2, unix.AT_FDCWD, name, unix.AT_FDCWD, name+".old", 0)
				at(unix.SYS_UNLINKAT, unix.AT_FDCWD, name, 0)
				at(unix.SYS_SYMLINKAT, "/etc/passwd", unix.AT_FDCWD, name)
				at(unix.SYS_RENAMEAT2, unix.AT_FDCWD, "program", unix.AT_FDCWD, name, 0)
				at(unix.SYS_MKDIRAT, unix.AT_FDCWD, "mine", 0o777)
				at(unix.SYS_RENAMEAT2, unix.AT_FDCWD, "mine", unix.AT_FDCWD, filepath.Dir(name), unix.RENAME_EXCHANGE)
			}
			for _, dir := range []string{"a/b", "a"} {
				at(unix.SYS_FCHMODAT, unix.AT_FDCWD, dir, 0o777)
				at(unix.SYS_RENAMEAT2, unix.AT_FDCWD, dir, unix.AT_FDCWD, "gone", 0)
				at(unix.SYS_UNLINKAT, unix.AT_FDCWD, dir, unix.AT_REMOVEDIR)
			}
		})
		files := []glovebox.File{attack}
		for name, data := range want {
			files = append(files, glovebox.File{Path: name, Data: []byte(data), ReadOnly: true})
		}
		box := open(t, tr, glovebox.Limits{}, files...)
		if out := box.Run(context.Background(), run); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			t.Fatalf("ended with %+v", out)
		}
		fsys, err := box.Workspace()
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range want {
			if got, err := fs.ReadFile(fsys, name); err != nil || string(got) != data {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
	})
}

// No path of the host shows in what a box can read about itself.
func TestHostPaths(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		files := []string{"mountinfo", "mounts", "mountstats", "maps", "environ", "cmdline", "cgroup", "status"}
		root := emptyRoot(t)
		box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: glovebox.DefaultLimits, Files: []glovebox.File{program(func(s *glove.Script) {
			for _, name := range files {
				for _, pid := range []string{"self", "1"} {
					fd, buf, n, failed := s.Buffer(8), s.Scratch(64<<10), s.Buffer(8), s.Label()
					s.Call("open", unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/"+pid+"/"+name, unix.O_RDONLY, 0).To(fd).IfError(failed)
					s.CallOn(fd, "read", unix.SYS_READ, buf, 64<<10).To(n).IfError(failed)
					count := s.Load(n)
					count.To(s.Call("write", unix.SYS_WRITE, 1, buf, 0).Arg(2))
					s.Place(failed)
				}
			}
		})}})
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		var stdout bytes.Buffer
		cmd := run
		cmd.Stdout = &stdout
		if out := box.Run(context.Background(), cmd); out.ExitCode != 0 || !bytes.Contains(stdout.Bytes(), []byte(" /workspace ")) {
			t.Fatalf("%+v, %s", out, &stdout)
		}
		secrets := []string{root.Tree, filepath.Base(filepath.Dir(root.Tree)), "glovebox-box-"}
		own, _ := os.ReadFile("/proc/self/cgroup")
		for line := range strings.Lines(string(own)) {
			if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 && len(f[2]) > 1 {
				secrets = append(secrets, f[2])
			}
		}
		for _, secret := range secrets {
			if bytes.Contains(stdout.Bytes(), []byte(secret)) {
				t.Errorf("%q shows in\n%s", secret, &stdout)
			}
		}
	})
}

func TestDescriptors(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		toBox, in, _ := os.Pipe()
		out, fromBox, _ := os.Pipe()
		box, err := tr.Open(context.Background(), tier.Spec{
			Root: emptyRoot(t), Limits: glovebox.DefaultLimits, Descriptors: []*os.File{toBox, nil, fromBox},
			Files: []glovebox.File{program(func(s *glove.Script) {
				buf := s.Buffer(5)
				s.Call("read", unix.SYS_READ, 3, buf, 5)
				s.Call("closed", unix.SYS_FCNTL, 4, unix.F_GETFD).IfOther(-int64(unix.EBADF), exits(s))
				s.Call("write", unix.SYS_WRITE, 5, buf, 5)
			})},
		})
		toBox.Close()
		fromBox.Close()
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		in.WriteString("hello")
		if o := box.Run(context.Background(), run); o.ExitCode != 0 {
			t.Errorf("ended with %+v", o)
		}
		got := make([]byte, 5)
		if _, err := out.Read(got); err != nil || string(got) != "hello" {
			t.Errorf("got %q, %v", got, err)
		}
		in.Close()
		out.Close()
	})
}

func exits(s *glove.Script) *glove.Label {
	end, on := s.Label(), s.Label()
	s.Jump(on)
	s.Place(end)
	s.Call("exit", unix.SYS_EXIT_GROUP, 1)
	s.Place(on)
	return end
}

// tables are what a box must leave as it was. Package tiertest looks at mounts
// too, and waits for those of other programs.
func tables(t *testing.T) map[string][]string {
	t.Helper()
	runtime.GC() // closes what was dropped
	m := map[string][]string{}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink("/proc/self/fd/" + fd.Name())
		if !strings.Contains(to, "/proc/") {
			m["descriptors"] = append(m["descriptors"], fd.Name()+" "+to)
		}
	}
	children, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range children {
		data, _ := os.ReadFile(f)
		m["children"] = append(m["children"], strings.Fields(string(data))...)
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "glovebox-*"))
	m["files"] = left
	return m
}

func TestNothingLeft(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		root := emptyRoot(t)
		t.Setenv("TMPDIR", t.TempDir())
		spec := tier.Spec{Root: root, Limits: glovebox.Limits{Wall: 50 * time.Millisecond}.WithDefaults()}
		kinds := map[string]func(){
			"never used": func() {
				box, err := tr.Open(context.Background(), spec)
				if err != nil {
					t.Fatal(err)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			},
			"timeout": func() {
				s := spec
				s.Files = []glovebox.File{program(pause)}
				box, err := tr.Open(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				if out := box.Run(context.Background(), run); out.Cause != glovebox.CauseWall {
					t.Errorf("ended with %+v", out)
				}
				if err := errors.Join(box.Close(), box.Close()); err != nil {
					t.Error(err)
				}
			},
			"closed while it runs": func() {
				s := spec
				s.Limits.Wall = time.Minute
				s.Files = []glovebox.File{program(func(s *glove.Script) { s.Call("write", unix.SYS_WRITE, 1, "up", 2); pause(s) })}
				box, err := tr.Open(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				r, w, _ := os.Pipe()
				cmd, done := run, make(chan glovebox.Outcome)
				cmd.Stdout = w
				go func() { done <- box.Run(context.Background(), cmd) }()
				r.Read(make([]byte, 2))
				if err := box.Close(); err != nil {
					t.Error(err)
				}
				if out := <-done; out.Cause != glovebox.CauseBox {
					t.Errorf("ended with %+v", out)
				}
				r.Close()
				w.Close()
			},
			"closed while it forks": func() {
				s := spec
				s.Limits.Wall = time.Minute
				s.Files = []glovebox.File{program(func(s *glove.Script) {
					again := s.Label()
					s.Call("write", unix.SYS_WRITE, 1, "up", 2)
					s.Place(again)
					s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).Ignore()
					s.Jump(again)
				})}
				box, err := tr.Open(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				up, done := make(chan bool, 1), make(chan glovebox.Outcome)
				cmd := run
				cmd.Stdout = writer(func(p []byte) (int, error) { up <- true; return len(p), nil })
				go func() { done <- box.Run(context.Background(), cmd) }()
				<-up
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
				if err := box.Close(); err != nil {
					t.Error(err)
				}
				if out := <-done; out.Cause != glovebox.CauseBox {
					t.Errorf("ended with %+v", out)
				}
			},
			"wrong root": func() {
				s := spec
				s.Root = &rootfs.Root{Tree: filepath.Join(root.Tree, "nothing")}
				if box, err := tr.Open(context.Background(), s); err == nil {
					box.Close()
					t.Error("a box without a root opened")
				}
			},
			"wrong file": func() {
				s := spec
				s.Files = []glovebox.File{{Path: "../../etc/passwd"}}
				if box, err := tr.Open(context.Background(), s); err == nil {
					box.Close()
					t.Error("a box with a file outside of it opened")
				}
			},
			"cancelled": func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(5000))*time.Microsecond)
				defer cancel()
				box, err := tr.Open(ctx, spec)
				if err == nil {
					box.Close()
				} else if !tier.IsKind(err, tier.KindBroken) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("cancelled: %v", err)
				}
			},
		}
		kinds["never used"]() // what is made once per process
		before, goroutines := tables(t), runtime.NumGoroutine()
		for name, f := range kinds {
			for range 5 {
				f()
			}
			for kind, want := range before {
				if got := tables(t)[kind]; !slices.Equal(got, want) {
					t.Errorf("%s: %s are\n%q, were\n%q", name, kind, got, want)
				}
			}
		}
		for range 100 {
			if runtime.NumGoroutine() <= goroutines {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 64<<10)
		t.Errorf("%d goroutines, were %d\n%s", runtime.NumGoroutine(), goroutines, buf[:runtime.Stack(buf, true)])
	})
}

// writer is a function that is written to.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestManyAtOnce(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		root := emptyRoot(t)
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				want := fmt.Sprintf("box %d", i)
				box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: glovebox.DefaultLimits, Files: []glovebox.File{
					program(func(s *glove.Script) { s.Call("write", unix.SYS_WRITE, 1, want, len(want)) }),
				}})
				if err != nil {
					t.Error(err)
					return
				}
				var stdout bytes.Buffer
				cmd := run
				cmd.Stdout = &stdout
				if out := box.Run(context.Background(), cmd); out.Cause != glovebox.CauseExit || stdout.String() != want {
					t.Errorf("%s: %+v, %q", want, out, &stdout)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// owner opens boxes, says which processes they are, and waits to be killed.
func owner() {
	tr, err := New(Options{})
	if err != nil {
		panic(err)
	}
	root, _, err := bareRoot()
	if err != nil {
		panic(err)
	}
	fmt.Println(filepath.Dir(root.Tree))
	var wg sync.WaitGroup
	for range 8 {
		box, err := tr.Open(context.Background(), tier.Spec{
			Root: root, Limits: glovebox.DefaultLimits, Files: []glovebox.File{program(pause)},
		})
		if err != nil {
			panic(err)
		}
		wg.Go(func() { box.Run(context.Background(), run) })
	}
	var pids []string
	for len(pids) < 8 {
		pids = nil
		children, _ := filepath.Glob("/proc/self/task/*/children")
		for _, f := range children {
			data, _ := os.ReadFile(f)
			pids = append(pids, strings.Fields(string(data))...)
		}
	}
	fmt.Println(strings.Join(pids, " "))
	wg.Wait()
	os.Exit(0)
}

// The death of the owner is the death of its boxes, and the next owner removes
// what they left.
func TestOwnerKilled(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), ownerEnv+"=first")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var said []byte
	for buf := make([]byte, 4096); bytes.Count(said, []byte("\n")) < 2; {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, said)
		}
		said = append(said, buf[:n]...)
	}
	lines := strings.Split(string(said), "\n")
	defer os.RemoveAll(lines[0])
	var groups []string
	boxes := strings.Fields(lines[1])
	for _, pid := range boxes {
		groups = append(groups, groupsOf(t, pid)...)
	}
	c.Process.Kill()
	c.Wait()
	for _, pid := range boxes {
		for begin := time.Now(); syscall.Kill(number32(pid), 0) == nil; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("process %s of a box outlives its owner", pid)
			}
		}
	}
	next := exec.Command("/proc/self/exe")
	next.Env = append(os.Environ(), ownerEnv+"=next")
	if out, err := next.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, g := range groups {
		if _, err := os.Stat(g); err == nil {
			t.Errorf("%s is still there", g)
		}
	}
}

func number32(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// groupsOf returns the directories of the control groups of ours that a
// process is in.
func groupsOf(t *testing.T, pid string) []string {
	data, err := os.ReadFile("/proc/" + pid + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) == 3 && strings.Contains(f[2], "/glovebox-box-") {
			found, _ := filepath.Glob("/sys/fs/cgroup/*" + f[2])
			more, _ := filepath.Glob("/sys/fs/cgroup" + f[2])
			dirs = append(append(dirs, found...), more...)
		}
	}
	return dirs
}

func TestLack(t *testing.T) {
	for _, tc := range []struct {
		err     error
		control string
	}{
		{&glove.Fault{Call: tier.ControlNetwork + ": socket", Errno: linux.EPERM}, tier.ControlNetwork},
		{&glove.Fault{Call: "close", Errno: linux.EBADF}, ""},
		{&glove.Fault{Call: "other: thing", Errno: linux.EBADF}, ""},
		{errors.New("the glove is gone"), ""},
	} {
		var got *tier.Error
		if !errors.As(lack(tc.err), &got) || got.Control != tc.control || (got.Kind == tier.KindUnsupported) != (tc.control != "") || (got.Fix == "") != (tc.control == "") {
			t.Errorf("%v became %+v", tc.err, got)
		}
	}
}

func TestInvalid(t *testing.T) {
	tr, err := New(Options{NoControlGroups: true})
	if err != nil {
		t.Fatal(err)
	}
	root := emptyRoot(t)
	directory, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	for name, spec := range map[string]tier.Spec{
		"no root":          {Limits: glovebox.DefaultLimits},
		"relative root":    {Root: &rootfs.Root{Tree: "root"}, Limits: glovebox.DefaultLimits},
		"root of the host": {Root: &rootfs.Root{Tree: "/usr"}, Limits: glovebox.DefaultLimits},
		"no limits":        {Root: root},
		"not a pipe":       {Root: root, Limits: glovebox.DefaultLimits, Descriptors: []*os.File{directory}},
		"too many pipes":   {Root: root, Limits: glovebox.DefaultLimits, Descriptors: make([]*os.File, glove.MaxDescriptors+1)},
	} {
		box, err := tr.Open(context.Background(), spec)
		if err == nil {
			box.Close()
		}
		if !tier.IsKind(err, tier.KindInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
