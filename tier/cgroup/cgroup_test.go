//go:build linux

package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// The test binary is its own victim: with this variable it does what the value
// says.
const victimEnv = "GLOVEBOX_TEST_VICTIM"

func TestMain(m *testing.M) {
	switch what := os.Getenv(victimEnv); what {
	case "":
		os.Exit(m.Run())
	case "own": // makes a group, says where, and waits to be killed
		p, err := Find()
		if err != nil {
			panic(err)
		}
		g, err := p.New(Limits{})
		if err != nil {
			panic(err)
		}
		for _, n := range g.nodes {
			fmt.Println(n.path)
		}
		fmt.Println()
		time.Sleep(time.Minute)
	default:
		victim(what)
	}
}

var held [][]byte

func victim(what string) {
	switch what {
	case "memory":
		for range 512 {
			held = append(held, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "tasks":
		var procs []*exec.Cmd
		for range 64 {
			c := exec.Command("/proc/self/exe")
			c.Env = []string{victimEnv + "=sleep"}
			if c.Start() == nil {
				procs = append(procs, c)
			}
		}
		for _, c := range procs {
			c.Process.Kill()
			c.Wait()
		}
	case "cpu":
		for {
			var used syscall.Rusage
			if syscall.Getrusage(syscall.RUSAGE_SELF, &used); time.Duration(used.Utime.Nano()) > 100*time.Millisecond {
				break
			}
		}
	case "sleep":
		time.Sleep(time.Minute)
	}
}

// parents runs f with what there is on this host: the parent that Find finds,
// and a hierarchy of version 2, which has processor time without any controller.
func parents(t *testing.T, f func(t *testing.T, p *Parent)) {
	t.Run("found", func(t *testing.T) {
		p, err := Find()
		if errors.Is(err, ErrNone) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		f(t, p)
	})
	t.Run("version 2", func(t *testing.T) {
		info, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		list := mounts(string(info))
		i := slices.IndexFunc(list, func(m mount) bool { return m.v2 && writable(m.dir) })
		if i < 0 {
			t.Skip("no hierarchy of version 2 is writable")
		}
		f(t, &Parent{hierarchies: []hierarchy{{v2: true, root: list[i].dir, dir: list[i].dir, controllers: []Controller{CPU}}}})
	})
}

// start runs the test binary inside the group.
func start(t *testing.T, g *Group, what string) *exec.Cmd {
	t.Helper()
	c := exec.Command("/proc/self/exe")
	c.Env = []string{victimEnv + "=" + what}
	c.SysProcAttr = &syscall.SysProcAttr{}
	g.Spawn(c.SysProcAttr)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends
		before := threadGroups()
		err := g.Within(c.Start)
		if after := threadGroups(); after != before {
			err = errors.Join(err, fmt.Errorf("the thread was in\n%sand is in\n%s", before, after))
		}
		started <- err
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	return c
}

// threadGroups are the groups of the calling thread.
func threadGroups() string {
	data, err := os.ReadFile("/proc/thread-self/cgroup")
	return fmt.Sprint(string(data), err)
}

// TestWithin starts a process that is in the group from its first moment, and a
// killing of the group meanwhile, which kills nobody else.
func TestWithin(t *testing.T) {
	parents(t, func(t *testing.T, p *Parent) {
		g, err := p.New(Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		c := exec.Command("/proc/self/exe")
		c.Env = []string{victimEnv + "=sleep"}
		c.SysProcAttr = &syscall.SysProcAttr{}
		g.Spawn(c.SysProcAttr)
		failed := make(chan error)
		go func() {
			runtime.LockOSThread()
			failed <- g.Within(func() error {
				if err := c.Start(); err != nil {
					return err
				}
				for _, n := range g.nodes {
					pids, err := n.processes()
					pids = slices.DeleteFunc(pids, isUs)
					if err != nil || !slices.Equal(pids, []int{c.Process.Pid}) {
						t.Errorf("in %s are %v (%v), want %d", n.path, pids, err, c.Process.Pid)
					}
				}
				return g.Kill()
			})
		}()
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
		if c.Wait(); c.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("it ended with %v", c.ProcessState)
		}
	})
}

func TestLimits(t *testing.T) { parents(t, testLimits) }

func testLimits(t *testing.T, p *Parent) {
	for _, tc := range []struct {
		what   string
		limits Limits
		needs  []Controller
		want   []glovebox.LimitName
		signal syscall.Signal
	}{
		{"nothing", Limits{Memory: 256 << 20, Tasks: 64}, []Controller{Memory, Pids}, nil, -1},
		{"memory", Limits{Memory: 64 << 20}, []Controller{Memory}, []glovebox.LimitName{glovebox.LimitMemory}, syscall.SIGKILL},
		{"tasks", Limits{Tasks: 32}, []Controller{Pids}, []glovebox.LimitName{glovebox.LimitProcesses}, -1},
		{"cpu", Limits{}, []Controller{CPU}, nil, -1},
	} {
		t.Run(tc.what, func(t *testing.T) {
			if slices.ContainsFunc(tc.needs, func(c Controller) bool { return !p.Has(c) }) {
				t.Skipf("needs %v: the host has %s", tc.needs, p)
			}
			g, err := p.New(tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			c := start(t, g, tc.what)
			c.Wait()
			if got := c.ProcessState.Sys().(syscall.WaitStatus); got.Signal() != tc.signal {
				t.Errorf("ended with %v, want signal %v", c.ProcessState, tc.signal)
			}
			var got []glovebox.LimitName
			for _, h := range g.Evidence() {
				got = append(got, h.Limit)
				t.Log(h.Evidence.Fact)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("hits %v, want %v", got, tc.want)
			}
			s, err := g.Sample()
			if err != nil {
				t.Fatal(err)
			}
			if tc.what == "memory" && s.Memory < 60<<20 || tc.what == "cpu" && s.CPU < 50*time.Millisecond {
				t.Errorf("measured %+v", s)
			}
			paths := nodePaths(g)
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			gone(t, paths)
		})
	}
}

func nodePaths(g *Group) (list []string) {
	for _, n := range g.nodes {
		list = append(list, n.path)
	}
	return list
}

func gone(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// Close takes the processes with it, whoever started them.
func TestClose(t *testing.T) { parents(t, testClose) }

func testClose(t *testing.T, p *Parent) {
	g, err := p.New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, g, "sleep")
	paths := nodePaths(g)
	if s, err := g.Sample(); err != nil || p.Has(Pids) && s.Tasks == 0 {
		t.Errorf("with a process inside: %+v, %v", s, err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	<-done
	gone(t, paths)
	if err := g.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// A sweep removes what a killed owner left, and nothing of a living one.
func TestSweep(t *testing.T) {
	p, err := Find()
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	mine, err := p.New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	c := exec.Command("/proc/self/exe")
	c.Env = []string{victimEnv + "=own"}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var said []byte
	for buf := make([]byte, 512); !bytes.HasSuffix(said, []byte("\n\n")); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, said)
		}
		said = append(said, buf[:n]...)
	}
	theirs := strings.Fields(string(said))
	if err := p.Sweep(); err != nil {
		t.Error(err)
	}
	for _, path := range append(nodePaths(mine), theirs...) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a sweep took the group of a living owner: %v", err)
		}
	}
	c.Process.Kill()
	c.Wait()
	if err := p.Sweep(); err != nil {
		t.Error(err)
	}
	gone(t, theirs)
	for _, path := range nodePaths(mine) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a sweep took the group of a living owner: %v", err)
		}
	}
}

// TestAlone: only who is alone in a group may hand it down.
func TestAlone(t *testing.T) {
	for list, want := range map[string]bool{
		fmt.Sprintln(os.Getpid()):           true,
		fmt.Sprintf("%d\n2\n", os.Getpid()): false,
		"2\n":                               false,
		"":                                  false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		fd, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer fd.Close()
		if got := (node{fd: fd}).alone(); got != want {
			t.Errorf("in a group of %q we are alone: %v", list, got)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		newName():                     true,
		"glovebox-box-":               false,
		"glovebox-box-worker.service": false,
		"glovebox-box-aaaaaaaaaaaaaaaaaaaaaaaaaa": false,
		"x" + newName():        false,
		newName() + ".service": false,
	} {
		if isName(name) != want {
			t.Errorf("%q is ours: %v, want %v", name, !want, want)
		}
	}
}

// find on hierarchies of plain files.
func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name  string
		dirs  map[string]string // directory → its cgroup.subtree_control
		own   string
		mount string // DIR stands for the directory of the test
		want  []hierarchy
	}{
		{
			name:  "v1",
			dirs:  map[string]string{"memory/a": "", "pids": "", "cpu,cpuacct/b": ""},
			own:   "5:memory:/a\n4:pids:/\n3:cpu,cpuacct:/b\n0::/\n",
			mount: v1("memory", "memory") + v1("pids", "pids") + v1("cpu,cpuacct", "cpu,cpuacct"),
			want: []hierarchy{
				{root: "memory", dir: "memory/a", controllers: []Controller{Memory}},
				{root: "pids", dir: "pids", controllers: []Controller{Pids}},
				{root: "cpu,cpuacct", dir: "cpu,cpuacct/b", controllers: []Controller{CPU}},
			},
		},
		{
			name:  "v2, the slice above",
			dirs:  map[string]string{"u": "memory pids", "u/user.slice": "cpu memory pids", "u/user.slice/session": ""},
			own:   "0::/user.slice/session\n",
			mount: "30 23 0:26 / DIR/u rw - cgroup2 cgroup2 rw\n",
			want:  []hierarchy{{v2: true, root: "u", dir: "u/user.slice", controllers: []Controller{Memory, Pids, CPU}}},
		},
		{
			name:  "v2, half of the controllers",
			dirs:  map[string]string{"u": "pids", "u/s": "pids"},
			own:   "0::/s\n",
			mount: "30 23 0:26 / DIR/u rw - cgroup2 cgroup2 rw\n",
		},
		{
			name:  "hybrid: version 1 has the memory",
			dirs:  map[string]string{"memory": "", "u": "memory pids"},
			own:   "5:memory:/\n0::/\n",
			mount: v1("memory", "memory") + "30 23 0:26 / DIR/u rw - cgroup2 cgroup2 rw\n",
			want: []hierarchy{
				{root: "memory", dir: "memory", controllers: []Controller{Memory}},
				{v2: true, root: "u", dir: "u", controllers: []Controller{Pids, CPU}},
			},
		},
		{
			name:  "a container that sees only its own part",
			dirs:  map[string]string{"memory": ""},
			own:   "5:memory:/docker/x\n",
			mount: "30 23 0:26 /docker/x DIR/memory rw - cgroup cgroup rw,memory\n",
			want:  []hierarchy{{root: "memory", dir: "memory", controllers: []Controller{Memory}}},
		},
		{name: "none", own: "", mount: "21 1 8:1 / / rw - ext4 /dev/sda rw\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := t.TempDir()
			for dir, control := range tc.dirs {
				dir = filepath.Join(base, dir)
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				for name, data := range map[string]string{"cgroup.subtree_control": control, "cgroup.procs": "", "tasks": ""} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			got := find(mounts(strings.ReplaceAll(tc.mount, "DIR", base)), paths(tc.own))
			for i := range tc.want {
				tc.want[i].root = filepath.Join(base, tc.want[i].root)
				tc.want[i].dir = filepath.Join(base, tc.want[i].dir)
			}
			if !reflect.DeepEqual(got.hierarchies, tc.want) {
				t.Errorf("got %+v\nwant %+v", got.hierarchies, tc.want)
			}
		})
	}
}

func v1(dir, controllers string) string {
	return "30 23 0:26 / DIR/" + dir + " rw,nosuid - cgroup cgroup rw," + controllers + "\n"
}

func BenchmarkGroup(b *testing.B) {
	p, err := Find()
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		g, err := p.New(Limits{Memory: 64 << 20, Tasks: 16})
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// Ready finds what Find finds, and finds and sweeps no second time: a group that
// is left behind after the first is there until somebody sweeps.
func TestReady(t *testing.T) {
	p, err := Ready()
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if found, err := Find(); err != nil || !reflect.DeepEqual(found, p) {
		t.Errorf("found %v, %v, and %v is ready", found, err, p)
	}
	g, err := p.New(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	paths := nodePaths(g)
	for _, n := range g.nodes {
		n.fd.Close() // as the kernel does when the owner dies
	}
	if again, err := Ready(); again != p || err != nil {
		t.Errorf("another %v, %v", again, err)
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it was swept once more: %v", err)
		}
	}
	if err := p.Sweep(); err != nil {
		t.Error(err)
	}
	gone(t, paths)
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		if p, err := Find(); err != nil {
			b.Skip(err)
		} else if err := p.Sweep(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReady(b *testing.B) {
	for b.Loop() {
		if _, err := Ready(); err != nil {
			b.Skip(err)
		}
	}
}
