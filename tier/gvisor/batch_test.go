//go:build linux

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/hostarch"
	"gvisor.dev/gvisor/pkg/sentry/kernel"
	"gvisor.dev/gvisor/pkg/sentry/pgalloc"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// TestBatchConforms: a box in a nest that had a box before keeps every promise that
// a box keeps.
func TestBatchConforms(t *testing.T) {
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	open(t, newTier(t), tier.Spec{}).Close() // or skip
	var again atomic.Bool
	tiertest.Run(t, tiertest.Kind{
		New: func() (tier.Tier, error) {
			tr, err := New(Config{})
			return batcher{tr, tools.Exe, &again}, err
		},
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Image(ctx, p.Merge(tools.Root).Merge(GlovePlan()))
		},
	})
	if !again.Load() {
		t.Error("no nest was used again")
	}
}

// batcher makes each box in a nest that had one before. What waits in it ends
// first, so that the box is for other commands.
type batcher struct {
	*Tier
	exe   string
	again *atomic.Bool // a box was not the first of its nest
}

func (c batcher) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if spec.Standby != nil || spec.Check() != nil || ctx.Err() != nil {
		return c.Tier.Open(ctx, spec)
	}
	plain := spec
	spec.Standby = &tier.Command{Args: []string{c.exe, "-I", "-c", waiting.Nobody, strconv.Itoa(len(spec.Descriptors))}}
	spec.Forks, spec.Batch = true, "conforms"
	if !c.Shares(spec) {
		return c.Tier.Open(ctx, plain)
	}
	first := spec
	first.Files = nil
	b, err := c.wait(ctx, first)
	if err != nil {
		return nil, err
	}
	if err := b.(kept).lentBox.Close(); err != nil {
		return nil, err
	}
	if b, err = c.wait(ctx, spec); err == nil && b.(kept).l.nest.lent > 1 {
		c.again.Store(true)
	}
	return b, err
}

func (c batcher) wait(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	b := c.openLent(ctx, spec)
	if b == nil {
		return nil, &tier.Error{Tier: c.Name(), Op: "open", Kind: tier.KindBroken, Err: errors.Join(errors.New("there is no nest"), ctx.Err())}
	}
	if out := b.Run(context.Background(), tier.Command{Orders: []byte("{}")}); out.ExitCode != 0 {
		return nil, errors.Join(fmt.Errorf("the command that waited ended with %+v", out), b.Close())
	}
	return kept{b.(*lentBox), c.Tier}, nil
}

// kept is a box whose nest ends with it.
type kept struct {
	*lentBox
	t *Tier
}

func (k kept) Close() error {
	err := k.lentBox.Close()
	k.t.nests.empty()
	return err
}

// inTurn runs programs one after the other, in boxes of one batch, and returns
// what each said. All must be in one nest if same.
func inTurn(t *testing.T, same bool, sources ...string) []string {
	t.Helper()
	tr, spec := forBatch(t)
	// More memory than so many processes take, as a nest that met its limit is not used again.
	spec.Limits = glovebox.Limits{Memory: 1 << 30, Processes: 32, OpenFiles: 64, CPU: time.Minute, Wall: time.Minute}.WithDefaults()
	var said []string
	var nest *nest
	for i, source := range sources {
		box := tr.openLent(ctx, spec)
		if box == nil {
			t.Fatal("there is no nest")
		}
		l := box.(*lentBox).l
		if nest != nil && (l.nest == nest) != same {
			t.Errorf("program %d: the same nest: %t", i, l.nest == nest)
		}
		nest = l.nest
		out, stdout, stderr := batchPython(t, box, source)
		said = append(said, fmt.Sprintf("%s %d %s|%s", out.Cause, out.ExitCode, stdout, stderr))
		for _, h := range out.Hits {
			t.Logf("program %d: %s: %s", i, h.Limit, h.Evidence.Fact)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}
	return said
}

// marker is in what one program is, and not in another.
const marker = "marker-17"

// fine is what a program says that finds all as it should be.
const fine = "exit 0 fine\n|"

// TestBatchLeavesNothing: what one program does, the next does not see.
func TestBatchLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct{ first, second string }{
		"files": {`
import os
for d in "/workspace", "/tmp", "/dev/shm":
    open(d + "/left", "w").write("x" * 1000)
os.symlink("/etc", "/tmp/link"); os.mkfifo("/tmp/fifo")`, `
import os
left = {d: os.listdir(d) for d in ("/tmp", "/dev/shm", "/workspace")}
print("fine" if left == {"/tmp": [], "/dev/shm": [], "/workspace": ["main.py"]} else left)`},
		"orphans": {`
import os, time, signal
for i in range(8):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for s in range(1, 65):
                try: signal.signal(s, signal.SIG_IGN)
                except (OSError, ValueError): pass
            while True: time.sleep(1)
        os._exit(0)
time.sleep(.1)`, `
import os
pids = [p for p in os.listdir("/proc") if p.isdigit()]
print("fine" if len(pids) == 2 and os.getppid() == 1 else pids)`},
		"sockets": {`
import socket, os
a = socket.socket(); a.bind(("127.0.0.1", 4000)); a.listen(); c = socket.create_connection(("127.0.0.1", 4000)); a.accept()[0].close()
b = socket.socket(socket.AF_UNIX); b.bind("\0name"); b.listen()
if os.fork() == 0:
    import time
    time.sleep(100)`, `
import socket
a = socket.socket(); a.bind(("127.0.0.1", 4000))
b = socket.socket(socket.AF_UNIX); b.bind("\0name")
print("fine")`},
		"ipc": {`
import ctypes
c = ctypes.CDLL(None, use_errno=True)
print(c.shmget(77, 1 << 20, 0o1666), c.semget(77, 2, 0o1666), c.msgget(77, 0o1666), c.syscall(240, b"q", 0o102, 0o666, None))`, `
import ctypes
c = ctypes.CDLL(None, use_errno=True)
got = c.shmget(77, 1, 0), c.semget(77, 1, 0), c.msgget(77, 0), c.syscall(240, b"q", 0, 0, None)
print("fine" if got == (-1,) * 4 else got)`},
		"streams": {`
import os, fcntl, sys, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
for fd in 1, 2:
    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    for call in (lambda: fcntl.flock(fd, fcntl.LOCK_EX), lambda: os.fchmod(fd, 0), lambda: os.fchown(fd, 1000, 1000),
                 lambda: os.chmod(f"/proc/self/fd/{fd}", 0), lambda: os.utime(fd), lambda: os.ftruncate(fd, 0)):
        try: call()
        except OSError: pass
sys.stdout.write("x" * 50000)`, `
import os, fcntl
flags = [fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_ASYNC | os.O_APPEND) for fd in (1, 2)]
modes = [os.fstat(fd).st_mode & 0o777 for fd in (1, 2)]
print("fine" if flags == [0, 0] and modes == [0o600] * 2 else (flags, modes))`},
		"the parent's memory": {`
import sys, json, random, os, builtins
sys.modules["json"].evil = 1; builtins.evil = 1; sys.path.insert(0, "/tmp"); os.environ["EVIL"] = "1"; random.seed(1)
sys.setrecursionlimit(50)
sys.modules["sitecustomize"] = None`, `
import sys, json, os, builtins
print("fine" if not hasattr(json, "evil") and not hasattr(builtins, "evil") and "/tmp" not in sys.path and "EVIL" not in os.environ and sys.getrecursionlimit() >= 1000 else "changed")`},
		"pid 1": {`
import os, signal, ctypes
c = ctypes.CDLL(None, use_errno=True)
for s in 9, 19, 15, 2, 18:
    for pid in 1, -1, 0:
        if pid == 1:
            try:
                os.kill(pid, s); print("signalled", pid, s)
            except OSError: pass
print(c.ptrace(16, 1, 0, 0), c.ptrace(0x4206, 1, 0, 0))
for f in "mem", "maps", "environ", "fd/30", "root/x", "cwd/x", "exe":
    try: open("/proc/1/" + f, "rb+" if f == "mem" else "rb").read(1); print("opened", f)
    except OSError: pass
for nr, args in (308, (-1, 0)), (272, (0x20000000,)), (56, (0x6C020011, 0, 0, 0, 0)), (165, (b"t", b"/tmp", b"tmpfs", 0, 0)), (155, (b".", b".")):
    if c.syscall(nr, *args) != -1: print("did", nr)`, `
import os
print("fine" if os.getpid() != 1 and os.getppid() == 1 else "?")`},
		"names and limits": {`
import ctypes, resource, os
c = ctypes.CDLL(None)
print(c.sethostname(b"evil", 4), c.setdomainname(b"evil", 4))
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
os.nice(19); os.umask(0o777); os.sched_setaffinity(0, {0})
try: open("/proc/sys/kernel/hostname", "w").write("x")
except OSError: pass`, `
import os, resource, socket
got = socket.gethostname(), resource.getrlimit(resource.RLIMIT_NOFILE)[0], resource.getrlimit(resource.RLIMIT_NPROC)[0], os.nice(0), os.umask(0), os.cpu_count() == len(os.sched_getaffinity(0))
print("fine" if got == ("glovebox", 64, 32, 0, 0o22, True) else got)`},
		"processes": {`
import os, time, threading
try:
    while True:
        if os.fork() == 0: time.sleep(100)
except OSError as e: print(e.errno)
try:
    while True: threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
except RuntimeError: print("threads")
os._exit(0)`, `
import os
n = 0
try:
    while n < 20:
        if os.fork() == 0: os._exit(0)
        os.wait(); n += 1
except OSError: pass
print("fine" if n == 20 else n)`},
		"all that can be had": {`
import ctypes, os, resource
c = ctypes.CDLL(None)
makes = {"inotify": lambda: c.inotify_init(), "eventfd": lambda: c.eventfd(0, 0), "epoll": lambda: c.epoll_create1(0),
         "timer": lambda: c.timerfd_create(1, 0), "pipe": lambda: os.pipe()[0]}
for name, make in makes.items():
    fds = []
    try:
        while True:
            fd = make()
            if fd < 0: break
            fds.append(fd)
            if name == "inotify": c.inotify_add_watch(fd, b"/tmp", 0xfff)
    except OSError: pass
    if os.fork():
        for fd in fds: os.close(fd)
    else:
        import time
        time.sleep(100)
for name in b"a", b"b", None:
    c.syscall(250, 1, name)
    c.syscall(248, b"user", b"key", b"value", 5, -3)
    c.syscall(248, b"user", b"key", b"value", 5, -4)
timer = ctypes.c_void_p()
for i in range(5000):
    if c.timer_create(0, None, ctypes.byref(timer)) != 0: break`, `
import ctypes, os
c = ctypes.CDLL(None)
got = [c.inotify_init() > 2, c.epoll_create1(0) > 2, len([c.eventfd(0, 0) for _ in range(50)]), c.syscall(249, b"user", b"key", None, 0)]
print("fine" if got == [True, True, 50, -1] else got)`},
		"keys": {`
import ctypes
c = ctypes.CDLL(None, use_errno=True)
for i in range(300):
    c.syscall(250, 1, b"answer=%d" % i)
c.syscall(248, b"user", b"left", b"x", 1, -4)`, `
import ctypes
c = ctypes.CDLL(None, use_errno=True)
got = c.syscall(250, 1, b"answer=1"), ctypes.get_errno()
print("fine" if got == (-1, 38) else got)`},
		"what the glove was told": {`
secret = "the first one's ` + marker + `"`, `
import re
at = []
for l in open("/proc/self/maps"):
    a, b = (int(x, 16) for x in l.split()[0].split("-"))
    if l.split()[1][0] != "r" or "[v" in l: continue
    with open("/proc/self/mem", "rb", 0) as f:
        f.seek(a)
        if re.search(b"the first one.s marke[r]-17", f.read(b - a)): at.append(l)
print("fine" if not at else at)`},
		"memory": {`
x = bytearray(100 << 20)
open("/dev/shm/x", "wb").write(x[:20 << 20])
import os
os.memfd_create("x")`, `
x = bytearray(100 << 20)
print("fine")`},
		"an end that is late": {`
import os, sys, time
if os.fork() == 0:
    os.close(0)
    while True:
        try: os.write(1, b"late\n" * 100); os.write(2, b"late\n")
        except OSError: pass
os._exit(3)`, `
print("fine")`},
		"forged replies": {`
import os
for fd in range(3, 64):
    try: os.write(fd, (1).to_bytes(8, "little") * 64); print("wrote", fd)
    except OSError: pass
for pid in 1, os.getpid():
    for fd in range(20, 41):
        try: os.write(os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY), b"x" * 512); print("wrote", pid, fd)
        except OSError: pass`, `
print("fine")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := inTurn(t, true, `print("fine")`, c.first, c.second, c.second)
			if strings.Contains(said[1], "Traceback") || strings.Contains(said[1], "wrote") || strings.Contains(said[1], "opened") ||
				strings.Contains(said[1], "did") || strings.Contains(said[1], "signalled") {
				t.Errorf("the attack said %.2000q", said[1])
			}
			t.Logf("%.300q", said[1])
			for _, i := range []int{0, 2, 3} {
				if said[i] != fine {
					t.Errorf("program %d said %.2000q", i, said[i])
				}
			}
		})
	}
}

// TestBatchKept: a sandbox goes on by the tier's own clock too, which other tests
// stop, at least where programs do nothing.
func TestBatchKept(t *testing.T) {
	tr, spec := forBatch(t)
	tr.nests.comesBack, tr.nests.leaves = comesBack, leaves
	most := 0
	for range 8 {
		box := tr.openLent(ctx, spec)
		if box == nil {
			t.Fatal("there is no nest")
		}
		most = max(most, box.(*lentBox).l.lent)
		if out, stdout, stderr := batchPython(t, box, "print(1)"); stdout != "1\n" {
			t.Errorf("%+v %q %q", out, stdout, stderr)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}
	if most < 2 {
		t.Error("no box had a nest that had one before")
	}
}

// TestBatchBreaks: what ends one program does not end the next.
func TestBatchBreaks(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		cause  glovebox.Cause
	}{
		"memory":    {"x = []\nwhile True: x.append(bytearray(1 << 20))", glovebox.CauseMemory},
		"files":     {"for i in range(99): open(f'/tmp/{i}', 'wb').write(bytes(32 << 20))", glovebox.CauseMemory},
		"processor": {"import os\nos.fork()\nwhile True: pass", glovebox.CauseCPU},
		"output":    {"while True: print('x' * 1000)", glovebox.CauseOutput},
	} {
		t.Run(name, func(t *testing.T) {
			tr, spec := forBatch(t)
			spec.Limits = glovebox.Limits{Memory: 128 << 20, CPU: time.Second, Disk: 1 << 30, Output: 1 << 20}.WithDefaults()
			for i := range 4 {
				box := tr.openLent(ctx, spec)
				if box == nil {
					t.Fatal("there is no nest")
				}
				source := c.source
				if i%2 == 1 {
					source = "print(1)"
				}
				out, stdout, stderr := batchPython(t, box, source)
				switch {
				case i%2 == 0 && out.Cause != c.cause:
					t.Errorf("%d: it ended with %+v %.200q %q", i, out, stdout, stderr)
				case i%2 == 1 && (out.Cause != glovebox.CauseExit || stdout != "1\n" || len(out.Hits) > 0):
					t.Errorf("%d: the next ended with %+v %q", i, out, stderr)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestBatchInFlight: what a program sent from one socket to another and back lives on
// in gVisor, with all that it carries; so the next program is elsewhere.
func TestBatchInFlight(t *testing.T) {
	const cycle = `
import socket, os, fcntl, sys, ctypes
def keep(*fds):
    a, b = socket.socketpair()
    for s in a, b:
        socket.send_fds(s, [b"x"], [a.fileno(), b.fileno(), *fds])
`
	for name, c := range map[string]struct{ first, second string }{
		"sockets": {`keep()`, `print("fine")`},
		"a timer": {`
c = ctypes.CDLL(None)
fd = c.timerfd_create(1, 0)
c.timerfd_settime(fd, 0, (ctypes.c_long * 4)(0, 1, 0, 200_000_000), None)
keep(fd)`, `
import time
time.sleep(0.5)
print("fine" if time.process_time() < 5 else time.process_time())`},
		"a lock": {`
fd = os.open(sys.executable, os.O_RDONLY)
fcntl.flock(fd, fcntl.LOCK_EX)
keep(fd)`, `
import fcntl, os, sys
fcntl.flock(os.open(sys.executable, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
print("fine")`},
		"a terminal": {`keep(*os.openpty())`, `
import os
print("fine" if not [n for n in os.listdir("/dev/pts") if n.isdigit()] else os.listdir("/dev/pts"))`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := inTurn(t, false, cycle+c.first, c.second)
			if said[1] != fine {
				t.Errorf("%q", said)
			}
		})
	}
}

// TestBatchClosed: who still holds a box that was closed does not reach the next one
// of its nest.
func TestBatchClosed(t *testing.T) {
	tr, spec := forBatch(t)
	first := tr.openLent(ctx, spec)
	if _, stdout, stderr := batchPython(t, first, `open("mine", "w").write("x")`); stdout+stderr != "" {
		t.Fatal(stdout, stderr)
	}
	held, err := first.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := tr.openLent(ctx, spec)
	if second.(*lentBox).l.nest != first.(*lentBox).l.nest {
		t.Fatal("they do not share a nest")
	}
	if list, err := fs.ReadDir(held, "."); err == nil {
		t.Errorf("the first sees %v", list)
	}
	if out := first.Run(ctx, tier.Command{Orders: []byte("{}")}); out.Cause != glovebox.CauseBox {
		t.Errorf("the first runs: %+v", out)
	}
	if _, stdout, stderr := batchPython(t, second, `print("fine")`); stdout != "fine\n" {
		t.Errorf("the second said %q, %q", stdout, stderr)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestBatchFields: gVisor has what we take from it that has no name.
func TestBatchFields(t *testing.T) {
	_, number := field[hostarch.Addr](new(kernel.Task), "cleartid")
	_, releaser := field[sync.Cond](new(pgalloc.MemoryFile), "releaseCond")
	_, waste := field[bool](new(pgalloc.MemoryFile), "haveWaste")
	if !number || !releaser || !waste {
		t.Errorf("there are a thread's number: %t, a releaser: %t, waste: %t", number, releaser, waste)
	}
}

// TestBatchTerminals: the guest's kernel numbers them, and the next program does not
// see it.
func TestBatchTerminals(t *testing.T) {
	const source = "import os\nprint(os.ttyname(os.openpty()[1]))"
	said := inTurn(t, false, source, source, source)
	if said[0] != said[1] || said[1] != said[2] {
		t.Errorf("%q", said)
	}
}

// TestBatchTurns: a nest serves so many boxes and no more, each reports what the
// kernel refused it, and the descriptors of one are not another's.
func TestBatchTurns(t *testing.T) {
	tr, spec := forBatch(t)
	seen := map[*nest]int{}
	for i := range maxLent + 2 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		spec.Descriptors = []*os.File{nil, nil, w}
		box := tr.openLent(ctx, spec)
		if box == nil {
			t.Fatal("there is no nest")
		}
		w.Close()
		seen[box.(*lentBox).l.nest]++
		batchPython(t, box, fmt.Sprint("print(", i, ")"))
		if err := box.Close(); err != nil {
			t.Fatal(err)
		}
		if said, _ := io.ReadAll(r); string(said) != `{"type":"checked"}`+"\n" {
			t.Fatalf("box %d: its descriptor said %q", i, said)
		}
		r.Close()
	}
	if len(seen) != 2 {
		t.Errorf("%d boxes were in %d nests", maxLent+2, len(seen))
	}
}

// TestBatchCopied: a nest that is a copy of another serves boxes as any.
func TestBatchCopied(t *testing.T) {
	tr, spec := forBatch(t)
	kind, err := kindOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	first := tr.openLent(ctx, spec) // or there is none
	if first == nil {
		t.Fatal("there is no nest")
	}
	var from *origin
	for begin := time.Now(); from == nil && time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		tr.nests.templates.want(kind, spec)
		from = tr.nests.templates.take(kind)
	}
	if from == nil {
		t.Fatal("there is no template")
	}
	from.state.Close()
	const source = `
import os, socket, time
a = socket.socket(); a.bind(("127.0.0.1", 4000)); a.listen(); socket.create_connection(("127.0.0.1", 4000))
print(sorted(p for p in os.listdir("/proc") if p.isdigit()), os.listdir("/tmp"), abs(time.time() - NOW) < 60)
open("/tmp/x", "w")`
	for range 3 {
		box := tr.openLent(ctx, spec).(*lentBox)
		out, stdout, stderr := batchPython(t, box, strings.Replace(source, "NOW", fmt.Sprint(time.Now().Unix()), 1))
		if out.ExitCode != 0 || !strings.HasPrefix(stdout, "['1', '") || !strings.HasSuffix(stdout, "'] [] True\n") {
			t.Errorf("%+v %q %q", out, stdout, stderr)
		}
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
}

// TestBatchApart: another batch, another kind, a box that reads what we could not
// stop to, and one without a batch, share nothing.
func TestBatchApart(t *testing.T) {
	tr, spec := forBatch(t)
	first := tr.openLent(ctx, spec).(*lentBox)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	other := spec
	other.Batch = "another"
	smaller := spec
	smaller.Limits.Memory /= 2
	for name, spec := range map[string]tier.Spec{"batch": other, "limits": smaller} {
		b := tr.openLent(ctx, spec).(*lentBox)
		if b.l.nest == first.l.nest {
			t.Errorf("another %s is in the same nest", name)
		}
		b.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	r2, w2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r2.Close()
	defer w2.Close()
	reads, twice, alone := spec, spec, spec
	r.Fd() // makes it block
	reads.Descriptors = []*os.File{r}
	twice.Descriptors = []*os.File{r2, r2}
	alone.Batch = ""
	for name, spec := range map[string]tier.Spec{"a box that reads what blocks": reads, "a box that reads two": twice, "no batch": alone} {
		if tr.Shares(spec) {
			t.Errorf("%s is shared", name)
		}
	}
}

// TestBatchKilled: a box that is killed or closed while it runs ends its nest, and
// an old box does nothing to a new one.
func TestBatchKilled(t *testing.T) {
	tr, spec := forBatch(t)
	old := tr.openLent(ctx, spec).(*lentBox)
	old.Close()
	b := tr.openLent(ctx, spec).(*lentBox)
	if b.l.nest != old.l.nest {
		t.Error("another nest")
	}
	old.l.Kill()
	old.Close()
	if _, err := old.Workspace(); err == nil {
		t.Error("a closed box has a workspace")
	}
	if out := old.Run(ctx, tier.Command{Args: []string{"/x"}}); out.Cause != glovebox.CauseBox {
		t.Errorf("a closed box ran: %+v", out)
	}
	if out, stdout, _ := batchPython(t, b, "print(1)"); stdout != "1\n" {
		t.Errorf("%+v", out)
	}
	b.Close()
	b = tr.openLent(ctx, spec).(*lentBox)
	time.AfterFunc(300*time.Millisecond, func() { b.Close() })
	out, _, _ := batchPython(t, b, "while True: pass")
	if out.Cause != glovebox.CauseBox {
		t.Errorf("a box that was closed while it ran: %+v", out)
	}
	last := tr.openLent(ctx, spec).(*lentBox)
	if last.l.nest == b.l.nest {
		t.Error("a nest that was killed has a box")
	}
	last.Close()
	// One that ends while it has no box.
	if n := last.l.nest; n.isDead() {
		t.Error("it was not kept")
	} else {
		n.ground.Kill()
	}
	after := tr.openLent(ctx, spec)
	if after == nil {
		t.Fatal("there is no nest after one ended")
	}
	if out, stdout, _ := batchPython(t, after, "print(2)"); stdout != "2\n" {
		t.Errorf("%+v", out)
	}
	after.Close()
}

// reading makes a box in a nest that reads what is written to w.
func reading(t *testing.T, tr *Tier, spec tier.Spec) (b *lentBox, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	spec.Descriptors[0] = r
	box := tr.openLent(ctx, spec)
	if box == nil {
		t.Fatal("there is no nest")
	}
	return box.(*lentBox), w
}

// TestBatchReads: a box reads what was written for it, and its end, and nothing that
// was written for another one of its nest.
func TestBatchReads(t *testing.T) {
	tr, spec := forBatch(t)
	limits := spec.Limits
	limits.OpenFiles = 256
	spec.Limits = limits
	const open = `
import os, sys
def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
print([fd for fd in range(256) if is_open(fd)])
for pid in "1", str(os.getppid()):
    try: print(os.listdir(f"/proc/{pid}/fd"))
    except OSError as e: print(e.strerror)
    for fd in range(60, 140):
        try: print("read", fd, os.read(os.open(f"/proc/{pid}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK), 99))
        except OSError: pass
`
	const none = "[0, 1, 2, 3]\nPermission denied\nPermission denied\n"
	var nest *nest
	for i, c := range []struct {
		written, source, said string
		ends                  bool
	}{
		{"for one, ", open + "print(os.read(3, 3))", none + "b'for'\n", false}, // it leaves the rest
		{"", open + "print(os.read(3, 99))", none + "b''\n", true},
		{"three", open + "print(sys.stdin.read(), os.read(3, 99), os.read(3, 99))", none + " b'three' b''\n", true},
		{"", "import os\nos.set_blocking(3, False)\ntry: os.read(3, 99)\nexcept BlockingIOError: print('waits')", "waits\n", false},
		{"five", "import os\nprint(os.get_blocking(3), os.read(3, 99))", "True b'five'\n", false},
		{strings.Repeat("x", 1<<20), "import os\nn = 0\nwhile d := os.read(3, 1 << 20): n += len(d)\nprint(n)", "1048576\n", true},
	} {
		box, w := reading(t, tr, spec)
		if i > 0 && box.l.nest != nest {
			t.Errorf("box %d is in another nest", i)
		}
		nest = box.l.nest
		done := make(chan bool)
		go func() {
			w.WriteString(c.written)
			if c.ends {
				w.Close()
			}
			close(done)
		}()
		if out, stdout, stderr := batchPython(t, box, c.source); stdout != c.said || stderr != "" {
			t.Errorf("box %d: %+v %q %q, want %q", i, out, stdout, stderr, c.said)
		}
		<-done
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		if n, err := w.WriteString("x"); err == nil {
			t.Errorf("box %d is closed, and takes %d bytes", i, n)
		}
		w.Close()
	}
}

// TestBatchReadsTurns: a nest serves as many boxes that read as it has pipes.
func TestBatchReadsTurns(t *testing.T) {
	tr, spec := forBatch(t)
	seen := map[*nest]int{}
	for i := range maxRead + 2 {
		box, w := reading(t, tr, spec)
		seen[box.l.nest]++
		want := fmt.Sprintln(i)
		w.WriteString(want)
		w.Close()
		if _, stdout, stderr := batchPython(t, box, "import os\nprint(os.read(3, 99).decode(), end='')"); stdout != want {
			t.Fatalf("box %d: %q %q", i, stdout, stderr)
		}
		if err := box.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d boxes were in %d nests", maxRead+2, len(seen))
	}
}

// TestBatchReadsNothing: a box that does not read what is written to it is closed as
// any, by several at once.
func TestBatchReadsNothing(t *testing.T) {
	tr, spec := forBatch(t)
	box, w := reading(t, tr, spec)
	written := make(chan error, 1)
	go func() {
		_, err := w.Write(make([]byte, 1<<20))
		written <- err
	}()
	if out, stdout, stderr := batchPython(t, box, "print(1)"); stdout != "1\n" {
		t.Errorf("%+v %q", out, stderr)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := <-written; err == nil {
		t.Error("a closed box takes a megabyte")
	}
	w.Close()
	if box.l.isDead() {
		t.Error("its nest has ended")
	}
}
