//go:build linux

package gvisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

func TestMain(m *testing.M) {
	if os.Getenv(ownerEnv) != "" {
		ownerMain()
	}
	os.Exit(statictest.Main(m))
}

// newTier makes a tier, in a directory where nobody else has boxes.
func newTier(t testing.TB) *Tier {
	t.Helper()
	place, err := os.MkdirTemp("/tmp", "own") // short, for sockets in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	tr, err := New(Config{Dir: place})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// python is a root with the host's Python, built once.
var python = sync.OnceValues(func() (*toolchain, error) {
	h := host.New()
	exe, err := h.LookPath("python3")
	if err != nil {
		return nil, err
	}
	out, err := h.Ask(ctx, exe, "-I", "-c", "import sysconfig, sys; print(sys.executable, sysconfig.get_path('stdlib'), 'python%d.%d' % sys.version_info[:2])")
	if err != nil {
		return nil, err
	}
	said := strings.Fields(out)
	if len(said) != 3 {
		return nil, fmt.Errorf("%s says %q", exe, out)
	}
	modules, err := filepath.Glob(said[1] + "/lib-dynload/*.so")
	if err != nil {
		return nil, err
	}
	libraries, err := h.Libraries(append(modules, said[0])...)
	if err != nil {
		return nil, err
	}
	plan := rootfs.Base()
	plan.Add(rootfs.Entry{Path: "/usr/local/bin/python3", Source: said[0]},
		rootfs.Entry{Path: "/usr/local/lib/" + said[2], Source: said[1], SkipKey: "no packages", Skip: func(rel string, _ fs.DirEntry) bool {
			return rel == "site-packages" || rel == "dist-packages" || rel == "test"
		}})
	for _, l := range libraries {
		plan.Add(rootfs.Entry{Path: l, Source: l})
	}
	store, err := rootfs.Open("")
	if err != nil {
		return nil, err
	}
	root, err := store.Image(ctx, plan.Merge(GlovePlan()))
	return &toolchain{root}, err
})

type toolchain struct{ root *rootfs.Root }

func needPython(t testing.TB) *toolchain {
	t.Helper()
	tc, err := python()
	if err != nil {
		t.Skipf("no Python on this host: %v", err)
	}
	return tc
}

// smallLimits are quick to hit.
var smallLimits = glovebox.Limits{
	Wall: time.Minute, CPU: 20 * time.Second, Memory: 192 << 20, Processes: 16, OpenFiles: 32,
	FileSize: 1 << 20, Disk: 4 << 20, Files: 50, Output: 64 << 10,
}

// open opens a box with a Python for a test.
func open(t testing.TB, tr *Tier, spec tier.Spec) tier.Box {
	t.Helper()
	if spec.Root == nil {
		spec.Root = needPython(t).root
	}
	spec.Limits = spec.Limits.WithDefaults()
	b, err := tr.Open(ctx, spec)
	if tier.IsKind(err, tier.KindUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

type result struct {
	glovebox.Outcome
	stdout, stderr string
}

// hit tells whether the run touched a limit.
func (r result) hit(l glovebox.LimitName) bool {
	return slices.ContainsFunc(r.Hits, func(h glovebox.Hit) bool { return h.Limit == l })
}

// runPython runs code in a box.
func runPython(t testing.TB, ctx context.Context, b tier.Box, code string, change ...func(*tier.Command)) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := tier.Command{
		Args: []string{"/usr/local/bin/python3", "-I", "-c", code}, Env: []string{"PATH=/usr/local/bin:/usr/bin", "HOME=/workspace", "LANG=C.UTF-8"},
		Stdout: &stdout, Stderr: &stderr,
	}
	for _, f := range change {
		f(&cmd)
	}
	return result{b.Run(ctx, cmd), stdout.String(), stderr.String()}
}

func TestRun(t *testing.T) {
	tr := newTier(t)
	b := open(t, tr, tier.Spec{Files: []glovebox.File{
		{Path: "sub/data.txt", Data: []byte("inside")},
		{Path: "fixed.txt", Data: []byte("fixed"), ReadOnly: true},
	}})
	for _, tc := range []struct {
		name, code     string
		change         func(*tier.Command)
		stdout, stderr string
		exit           int
		signal         string
	}{
		{name: "streams", code: "import sys; print('out'); print('err', file=sys.stderr)", stdout: "out\n", stderr: "err\n"},
		{name: "exit code", code: "raise SystemExit(7)", exit: 7},
		{name: "signal", code: "import os; os.kill(os.getpid(), 11)", exit: -1, signal: "SIGSEGV"},
		{name: "stdin", code: "import sys; print(sys.stdin.read()[::-1])", stdout: "cba\n",
			change: func(c *tier.Command) { c.Stdin = []byte("abc") }},
		{name: "no stdin", code: "import sys; print(repr(sys.stdin.read()))", stdout: "''\n"},
		{name: "staged file", code: "print(open('sub/data.txt').read())", stdout: "inside\n"},
		{name: "a file of the command", code: "print(open('late.txt').read())", stdout: "late\n",
			change: func(c *tier.Command) { c.Files = []glovebox.File{{Path: "late.txt", Data: []byte("late")}} }},
		{name: "directory", code: "import os; print(os.getcwd())", stdout: "/workspace/sub\n",
			change: func(c *tier.Command) { c.Dir = "/workspace/sub" }},
		{name: "environment", code: "import os; print(sorted(os.environ.items()))", stdout: "[('A', 'b'), ('LC_ALL', 'C')]\n",
			change: func(c *tier.Command) { c.Env = []string{"A=b", "LC_ALL=C"} }},
		{name: "read-only file", exit: 0, stdout: "fixed\n", code: `
import os
for f in (lambda: open('fixed.txt','w'), lambda: os.remove('fixed.txt'), lambda: os.rename('fixed.txt','x'), lambda: os.chmod('fixed.txt',0o777)):
    try: f()
    except OSError: continue
    raise SystemExit(1)
print(open('fixed.txt').read())`},
		{name: "a child that stays", code: "import os\nif os.fork()==0:\n  import time; os.setsid(); time.sleep(60)\nprint('done')", stdout: "done\n"},
		{name: "and is gone", code: "import os; print(len([p for p in os.listdir('/proc') if p.isdigit()]))", stdout: "2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			change := tc.change
			if change == nil {
				change = func(*tier.Command) {}
			}
			r := runPython(t, ctx, b, tc.code, change)
			if r.Cause != glovebox.CauseExit || r.ExitCode != tc.exit || r.Signal != tc.signal || r.stdout != tc.stdout || r.stderr != tc.stderr {
				t.Errorf("got %+v, stdout %q, stderr %q", r.Outcome, r.stdout, r.stderr)
			}
		})
	}
}

var limitTests = []struct {
	name, code string
	limit      func(*glovebox.Limits)
	cause      glovebox.Cause
	hit        glovebox.LimitName
}{
	{name: "wall clock", code: "import time; time.sleep(600)", limit: func(l *glovebox.Limits) { l.Wall = time.Second / 2 },
		cause: glovebox.CauseWall, hit: glovebox.LimitWall},
	{name: "processor time", code: "while True: pass", limit: func(l *glovebox.Limits) { l.CPU = time.Second },
		cause: glovebox.CauseCPU, hit: glovebox.LimitCPU},
	{name: "processor time of many", code: "import os,time\nfor i in range(3):\n  if os.fork()==0:\n    while True: pass\ntime.sleep(600)",
		limit: func(l *glovebox.Limits) { l.CPU = time.Second }, cause: glovebox.CauseCPU, hit: glovebox.LimitCPU},
	{name: "memory", code: "x=[]\nwhile True: x.append(bytearray(1<<20))", cause: glovebox.CauseMemory, hit: glovebox.LimitMemory},
	{name: "memory of many", code: "import os,time\nfor i in range(8):\n  if os.fork()==0:\n    x=bytearray(40<<20); time.sleep(600)\ntime.sleep(600)",
		cause: glovebox.CauseMemory, hit: glovebox.LimitMemory},
	{name: "memory of the kernel", code: "import fcntl,os,time\nfor i in range(12):\n  if os.fork()==0:\n    for j in range(40):\n      r,w=os.pipe(); os.set_blocking(w,False); fcntl.fcntl(w,1031,1<<20); os.write(w,bytes(1<<20))\n    time.sleep(600)\ntime.sleep(600)",
		cause: glovebox.CauseMemory, hit: glovebox.LimitMemory, limit: func(l *glovebox.Limits) { l.OpenFiles = 256 }},
	{name: "memory in files without a name", code: "import os\nfds=[]\nwhile True:\n  fd=os.memfd_create('x'); fds.append(fd)\n  for i in range(1): os.write(fd, bytes(1<<20))\n  if len(fds) > 20:\n    if os.fork()==0:\n      fds=[]",
		cause: glovebox.CauseMemory, hit: glovebox.LimitMemory, limit: func(l *glovebox.Limits) { l.OpenFiles = 1000; l.Memory = 64 << 20 }},
	{name: "processes", code: "import os,time\nfor i in range(100):\n  if os.fork()==0: time.sleep(600)",
		cause: glovebox.CauseExit, hit: glovebox.LimitProcesses},
	{name: "threads", code: "import threading,time\nfor i in range(100): threading.Thread(target=time.sleep,args=(600,),daemon=True).start()",
		cause: glovebox.CauseExit, hit: glovebox.LimitProcesses},
	{name: "fork bomb", code: "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", limit: func(l *glovebox.Limits) { l.Wall = 4 * time.Second },
		cause: glovebox.CauseWall, hit: glovebox.LimitProcesses},
	{name: "open files", code: "x=[]\nwhile True: x.append(open('/dev/null'))", cause: glovebox.CauseExit, hit: glovebox.LimitOpenFiles},
	{name: "file size", code: "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen('big','wb').write(bytes(2<<20))", cause: glovebox.CauseExit, hit: glovebox.LimitFileSize},
	{name: "disk", code: "for i in range(40): open(str(i),'wb').write(bytes(1<<19))", cause: glovebox.CauseExit, hit: glovebox.LimitDisk},
	{name: "disk of /tmp", code: "for i in range(40): open('/tmp/'+str(i),'wb').write(bytes(1<<19))", cause: glovebox.CauseExit, hit: glovebox.LimitDisk},
	{name: "disk of /dev/shm", code: "for i in range(40): open('/dev/shm/'+str(i),'wb').write(bytes(1<<19))", cause: glovebox.CauseExit, hit: glovebox.LimitDisk},
	{name: "files", code: "for i in range(400): open(str(i),'w')", cause: glovebox.CauseExit, hit: glovebox.LimitFiles},
	{name: "output", code: "while True: print('x'*1000)", cause: glovebox.CauseOutput, hit: glovebox.LimitOutput},
}

// testLimits has code meet each limit in a box of its own.
func testLimits(t *testing.T, run func(t *testing.T, limits glovebox.Limits, code string) result) {
	for _, tc := range limitTests {
		t.Run(tc.name, func(t *testing.T) {
			limits := smallLimits
			if tc.limit != nil {
				tc.limit(&limits)
			}
			r := run(t, limits, tc.code)
			if r.Cause != tc.cause || !r.hit(tc.hit) {
				t.Errorf("got %+v, stderr %q", r.Outcome, r.stderr)
			}
			if r.Cause == glovebox.CauseExit && r.ExitCode == 0 {
				t.Errorf("the limit did not stop it: %+v", r.Outcome)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	tr := newTier(t)
	testLimits(t, func(t *testing.T, limits glovebox.Limits, code string) result {
		return runPython(t, ctx, open(t, tr, tier.Spec{Limits: limits}), code)
	})
}

// TestNoHit: a run within its limits touches none.
func TestNoHit(t *testing.T) {
	b := open(t, newTier(t), tier.Spec{Limits: smallLimits})
	r := runPython(t, ctx, b, "x=bytearray(50<<20); open('f','wb').write(bytes(1000)); print(sum(x))")
	if r.Cause != glovebox.CauseExit || r.ExitCode != 0 || len(r.Hits) > 0 {
		t.Errorf("got %+v, stderr %q", r.Outcome, r.stderr)
	}
	if r.Usage.MemoryPeak < 50<<20 || r.Usage.MemoryPeak > smallLimits.Memory {
		t.Errorf("peak of memory %d", r.Usage.MemoryPeak)
	}
}

func TestDescriptors(t *testing.T) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inW.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer outR.Close()
	b := open(t, newTier(t), tier.Spec{Descriptors: []*os.File{inR, nil, outW}})
	inR.Close()
	outW.Close()
	if _, err := io.WriteString(inW, "question"); err != nil {
		t.Fatal(err)
	}
	inW.Close()
	r := runPython(t, ctx, b, "import os\nos.write(5, os.read(3, 100)[::-1])\nprint(sorted(map(int,os.listdir('/proc/self/fd')))[:5])")
	// The list itself is read through a descriptor, which takes the free number.
	if r.ExitCode != 0 || r.stdout != "[0, 1, 2, 3, 4]\n" && r.stdout != "[0, 1, 2, 3, 5]\n" {
		t.Errorf("got %+v, stdout %q, stderr %q", r.Outcome, r.stdout, r.stderr)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	got, err := io.ReadAll(outR)
	if err != nil || string(got) != "noitseuq" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCancel(t *testing.T) {
	b := open(t, newTier(t), tier.Spec{})
	ctx, cancel := context.WithCancel(ctx)
	r := runPython(t, ctx, b, "print('up', flush=True)\nwhile True: pass", func(c *tier.Command) {
		c.Stdout = writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
	})
	if r.Cause != glovebox.CauseCancelled {
		t.Errorf("got %+v", r.Outcome)
	}
}

var ctx = context.Background()

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestOpenFails(t *testing.T) {
	tr := newTier(t)
	tc := needPython(t)
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, []byte("not an image"), 0o644); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	open(t, tr, tier.Spec{}).Close() // or skip
	before := snapshot(t, tr)
	for _, tc := range []struct {
		name string
		ctx  context.Context
		root *rootfs.Root
		want func(error) bool
	}{
		{"no image", ctx, &rootfs.Root{}, func(err error) bool { return tier.IsKind(err, tier.KindInvalid) }},
		{"no root", ctx, nil, func(err error) bool { return tier.IsKind(err, tier.KindInvalid) }},
		{"missing image", ctx, &rootfs.Root{Image: "/does/not/exist"}, func(err error) bool { return tier.IsKind(err, tier.KindBroken) }},
		{"broken image", ctx, &rootfs.Root{Image: file}, func(err error) bool { return tier.IsKind(err, tier.KindBroken) }},
		{"cancelled", cancelled, tc.root, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := tr.Open(tc.ctx, tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits})
			if tier.IsKind(err, tier.KindUnsupported) {
				t.Skip(err)
			}
			if b != nil || err == nil || !tc.want(err) {
				t.Errorf("got %v, %v", b, err)
			}
		})
	}
	before.same(t)
}

// TestEight: boxes do not disturb each other, and no process of one that starts
// while the machine is busy is outside its control group.
func TestEight(t *testing.T) {
	tr := newTier(t)
	open(t, tr, tier.Spec{}).Close()
	before := snapshot(t, tr)
	ours := groupsOf(t, os.Getpid())
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			b, g, err := tr.open(ctx, tier.Spec{Root: needPython(t).root, Limits: glovebox.DefaultLimits}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			box := groupsOf(t, g.sentry.Process.Pid)
			if (g.group != nil) == (box == ours) {
				t.Errorf("the sentry is in %q and we in %q", box, ours)
			}
			for _, pid := range leftover.Below(g.sentry.Process.Pid) {
				if in := groupsOf(t, pid); in != "" && in != box {
					t.Errorf("process %d is in %q and its sentry in %q", pid, in, box)
				}
			}
			word := strings.Repeat(string(rune('a'+i)), 3)
			r := runPython(t, ctx, b, "import os; open('"+word+"','w'); print(os.listdir('.'))")
			if r.stdout != "['"+word+"']\n" {
				t.Errorf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	before.same(t)
}

// groupsOf are the control groups of a process; none, where it has just ended.
func groupsOf(t *testing.T, pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
		t.Error(err)
	}
	return string(data)
}

// TestCrash: the end of the sentry is our fault, not the code's, and leaves
// nothing.
func TestCrash(t *testing.T) {
	tr := newTier(t)
	tc := needPython(t)
	open(t, tr, tier.Spec{}).Close()
	before := snapshot(t, tr)
	spec := tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits}
	ends, g, err := tr.boot(ctx, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := glove.NewBox(glove.Config{Tier: tr.Name(), Spec: spec, Ends: ends, Ground: g, Prologue: prologue(spec.Limits, false), Owner: true})
	if err != nil {
		t.Fatal(err)
	}
	r := runPython(t, ctx, b, "print('up', flush=True)\nwhile True: pass", func(c *tier.Command) {
		c.Stdout = writer(func(p []byte) (int, error) { g.Kill(); return len(p), nil })
	})
	if r.Cause != glovebox.CauseBox || r.Err == nil {
		t.Errorf("got %+v", r.Outcome)
	}
	if b.Alive() {
		t.Error("the box is alive")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	before.same(t)
}

// TestSmallPipes: an ordinary user who has a thousand pipes gets small ones. A box
// whose reply has less room than what is looked at does without.
func TestSmallPipes(t *testing.T) {
	tr := newTier(t)
	tc := needPython(t)
	open(t, tr, tier.Spec{}).Close() // or skip
	spec := tier.Spec{Root: tc.root, Limits: glovebox.DefaultLimits}
	ends, g, err := tr.boot(ctx, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	tap.Shrink(ends.Reply)
	if room := tap.Room(ends.Reply); room != os.Getpagesize() {
		t.Fatalf("a pipe has room for %d bytes", room)
	}
	b, err := glove.NewBox(glove.Config{Tier: tr.Name(), Spec: spec, Ends: ends, Ground: g, Prologue: prologue(spec.Limits, false), Owner: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := runPython(t, ctx, b, "open('a', 'w').write('x' * 4000)", func(c *tier.Command) {
		c.Look = []string{"a", "b", "c", "d", "e", "f"}
		c.Wall = 10 * time.Second
	})
	if r.Cause != glovebox.CauseExit || r.ExitCode != 0 {
		t.Errorf("%+v %s", r.Outcome, r.stderr)
	}
	files, err := b.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(files, "a"); len(data) != 4000 || err != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
