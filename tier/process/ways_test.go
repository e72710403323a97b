//go:build linux

package process

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// A way is a program that tries to hold memory, or to use processor time, that
// nobody counts. It says how much it has, and that it was refused where it was. It
// takes its time, so that what is tested is what is counted, not how often.
type way struct {
	name, program string
	memory        int64 // the limit, 0 for waysMemory
}

// The limits of the boxes, and what a program may say that it has.
const (
	waysMemory = 64 << 20
	waysCPU    = time.Second
	waysFactor = 1.5
	waysWall   = 3 * time.Minute // ample: the machine may be busy
)

const waysPrelude = `
import ctypes, errno, fcntl, mmap, os, resource, select, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
total, said = 0, 0
def held(n):
    """We hold n bytes more, and take the time for that."""
    global total, said
    total += n
    if total - said >= 1 << 19:
        os.write(1, b"has %d\n" % total)
        time.sleep((total - said) / (200 << 20))
        said = total
def refused(*why):
    os.write(1, b"has %d\n" % total)
    os.write(1, f"refused {why}\n".encode())
    os._exit(0)
sys.excepthook = lambda kind, e, trace: refused(e) if kind in (OSError, PermissionError) else sys.__excepthook__(kind, e, trace)
def call(nr, *args):
    r = libc.syscall(NR[nr], *args)
    if r < 0:
        refused(os.strerror(ctypes.get_errno()))
    return r
def fill(s, part=1 << 16, flags=socket.MSG_DONTWAIT):
    n = 0
    while part:
        try:
            sent = s.send(b"x" * part, flags)
            n += sent
        except OSError:
            part //= 2
    return n
def many(f, processes=40):
    """f in many processes, one after the other; each says when it can have no more."""
    global total
    for i in range(processes):
        r, w = os.pipe()
        if not os.fork():
            os.close(r)
            before = total
            try:
                f()
            except OSError:
                pass
            os.write(w, struct.pack("q", total - before))
            signal.pause()
        os.close(w)
        n = struct.unpack("q", os.read(r, 8))[0]
        os.close(r)
        total += n
    refused("that is all")
def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end: pass
def used(ms):
    global total
    total += ms
    os.write(1, b"has %d\n" % total)
def short(ms, end, *args, wait=False):
    """Children that use so much and come to their end, one after the other."""
    r, w = os.pipe()
    while True:
        if not os.fork():
            burn(ms)
            os.write(w, b"x")
            end(*args)
        os.read(r, 1)
        if wait: os.wait()
        used(ms)
`

// Each ends at the limit of memory, or cannot have so much.
var waysOfMemory = []way{
	{"private pages", `
keep = []
while True:
    keep.append(bytearray(b"x" * (1 << 20))); held(1 << 20)`, 0},
	{"shared pages", `
while True:
    m = mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    m.write(b"x" * (1 << 20)); held(1 << 20)`, 0},
	{"memfd", `
fd = os.memfd_create("x")
while True:
    os.write(fd, b"x" * (1 << 20)); held(1 << 20)`, 0},
	{"page tables", `
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
size = 1 << 40
at = libc.mmap(None, size, 1, 0x4022, -1, 0)
libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), 15)
for i in range(size >> 21):
    ctypes.c_char.from_address(at + (i << 21)).value
    held(4096)`, 0},
	{"parts of address spaces", `
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
def f():
    at = libc.mmap(None, 1 << 28, 0, 0x4022, -1, 0)
    for i in range(30000):
        libc.mprotect(at + (i << 13), 4096, 1); held(400)
many(f)`, 0},
	{"files", `
for place in "/tmp", "/workspace", "/dev/shm":
    f = open(place + "/x", "wb")
    for i in range(60):
        f.write(b"x" * (1 << 20)); f.flush(); held(1 << 20)
refused()`, 0},
	{"files without a name, mapped", `
keep = []
for place in "/tmp", "/workspace", "/dev/shm":
    f = open(place + "/x", "w+b")
    os.unlink(f.name)
    f.truncate(60 << 20)
    m = mmap.mmap(f.fileno(), 60 << 20)
    keep.append(m)
    f.close()
    for i in range(60):
        m.write(b"x" * (1 << 20)); held(1 << 20)
refused()`, 0},
	{"empty files", `
for place in "/tmp", "/workspace", "/dev/shm":
    try:
        for i in range(1 << 20):
            os.close(os.open(f"{place}/{i}", os.O_CREAT | os.O_WRONLY)); held(1024)
    except OSError as e: os.write(1, str(e).encode())
refused()`, 0},
	{"attributes of files", `
for place in "/tmp", "/workspace", "/dev/shm":
    try:
        for i in range(1 << 20):
            os.setxattr(place, f"user.{i}", b"x" * 4096); held(4096)
    except OSError as e: os.write(1, str(e).encode())
refused()`, 0},
	{"children that hold", `
for i in range(60):
    r, w = os.pipe()
    if not os.fork():
        keep = bytearray(b"x" * (8 << 20))
        os.write(w, b"x")
        signal.pause()
    os.read(r, 1); os.close(r); os.close(w); held(8 << 20)
refused()`, 0},
	{"orphans that hold", `
r, w = os.pipe()
for i in range(60):
    if not os.fork():
        os.setsid()
        if os.fork(): os._exit(0)
        keep = bytearray(b"x" * (8 << 20))
        os.write(w, b"x")
        signal.pause()
    os.wait(); os.read(r, 1); held(8 << 20)
refused()`, 0},
	{"stacks of threads", `
threading.stack_size(32 << 20)
sys.setrecursionlimit(1 << 20)
def f():
    # The interpreter's own stack is not C's: this is.
    libc.qsort(ctypes.create_string_buffer(2), 2, 1, compare)
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    local.n = getattr(local, "n", 0) + 1
    if local.n < 1000: f()
    else: time.sleep(100)
    return 0
local = threading.local()
for i in range(60): threading.Thread(target=f).start(); held(1 << 18); time.sleep(0.02)
time.sleep(100)`, 0},
	{"pipes", `
def f():
    while True:
        r, w = os.pipe()
        os.set_blocking(w, False)
        try:
            while True: held(os.write(w, b"x" * 4096))
        except BlockingIOError: pass
        os.close(w)
many(f)`, 0},
	{"pipes of those that let nobody look", `
def f():
    libc.prctl(4, 0)
    while True:
        r, w = os.pipe()
        held(os.write(w, b"x" * (1 << 16)))
        os.close(w)
many(f)`, 0},
	{"pipes of single bytes", `
def f():
    while True:
        r, w = os.pipe2(os.O_DIRECT | os.O_NONBLOCK)
        try:
            while True: os.write(w, b"x"); held(4096)
        except BlockingIOError: pass
        os.close(w)
many(f)`, 0},
	{"pipes made large", `
def f():
    while True:
        r, w = os.pipe()
        fcntl.fcntl(w, 1031, 1 << 20)
        os.set_blocking(w, False)
        try:
            while True: held(os.write(w, b"x" * (1 << 16)))
        except BlockingIOError: pass
        os.close(w)
many(f)`, 0},
	{"pages of a file that is cut, in pipes", `
fd = os.open("/tmp/x", os.O_RDWR | os.O_CREAT)
def f():
    while True:
        r, w = os.pipe()
        os.pwrite(fd, b"x" * (1 << 16), 0)
        held(os.splice(fd, w, 1 << 16, offset_src=0))
        os.ftruncate(fd, 0)
many(f)`, 0},
	{"pages of a file that is cut, in sockets", `
fd = os.open("/tmp/x", os.O_RDWR | os.O_CREAT)
def f():
    while True:
        a, b = socket.socketpair()
        a.setblocking(False)
        try:
            while True:
                os.pwrite(fd, b"x" * (1 << 16), 0)
                for i in range(16): os.sendfile(a.fileno(), fd, i << 12, 1); held(4096)
                os.ftruncate(fd, 0)
        except BlockingIOError: pass
        keep.append((a, b))
keep = []
many(f)`, 0},
	{"unix streams", `
def f():
    while True:
        a, b = socket.socketpair(); keep.append((a, b))
        held(fill(a)); held(fill(b))
keep = []
many(f)`, 0},
	{"unix datagrams whose senders are gone", `
def f():
    while True:
        b = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); keep.append(b)
        b.bind("\0%d %d" % (os.getpid(), len(keep)))
        for i in range(11):
            a = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            a.connect(b.getsockname())
            n = 0
            try: n = a.send(b"x" * 200000, socket.MSG_DONTWAIT)
            except BlockingIOError: break
            held(n)
            a.close()
keep = []
many(f)`, 0},
	{"unix packets", `
def f():
    while True:
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); keep.append((a, b))
        held(fill(a, 200000)); held(fill(b, 200000))
keep = []
many(f)`, 0},
	{"connections that nobody accepts", `
def f():
    for j in range(100):
        l = socket.socket(socket.AF_UNIX); keep.append(l)
        l.bind("\0l %d %d" % (os.getpid(), j)); l.listen(4096)
        l.setblocking(False)
        for i in range(128):
            a = socket.socket(socket.AF_UNIX); a.setblocking(False)
            try: a.connect(l.getsockname())
            except OSError: break
            held(fill(a)); a.close()
keep = []
many(f)`, 0},
	{"passed descriptors", `
def f():
    while True:
        box = socket.socketpair(); keep.append(box)
        for i in range(20):
            a, b = socket.socketpair()
            n = fill(a) + fill(b)
            socket.send_fds(box[0], [b"x"], [a.fileno(), b.fileno()])
            a.close(); b.close(); held(n)
keep = []
many(f)`, 0},
	{"passed pipes", `
def f():
    while True:
        box = socket.socketpair(); keep.append(box)
        for i in range(20):
            a, b = os.pipe()
            os.write(b, b"x" * (1 << 16))
            socket.send_fds(box[0], [b"x"], [a])
            os.close(a); os.close(b); held(1 << 16)
keep = []
many(f)`, 0},
	{"TCP", `
l = socket.create_server(("127.0.0.1", 0))
def f():
    while True:
        a = socket.create_connection(l.getsockname()); b = l.accept()[0]; keep.append((a, b))
        b.setblocking(False)
        for i in range(100):  # so that the kernel gives it more room
            fill(a)
            try: b.recv(1 << 20)
            except BlockingIOError: pass
        held(fill(a)); time.sleep(0.01); held(fill(a))
keep = []
many(f)`, 0},
	{"TCP that nobody accepts, its senders gone", `
def f():
    l = socket.create_server(("127.0.0.1", 0), backlog=4096); keep.append(l)
    for i in range(3000):
        a = socket.create_connection(l.getsockname())
        held(fill(a)); a.close()
keep = []
many(f)`, 0},
	{"TCP over IPv6", `
l = socket.create_server(("::1", 0), family=socket.AF_INET6)
def f():
    while True:
        a = socket.create_connection(l.getsockname()[:2]); b = l.accept()[0]; keep.append((a, b))
        held(fill(a)); held(fill(b))
keep = []
many(f)`, 0},
	{"UDP", `
def f():
    while True:
        b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); keep.append(b)
        b.bind(("127.0.0.1", 0))
        a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for i in range(6):
            a.sendto(b"x" * 30000, b.getsockname()); held(30000)
        a.close()
keep = []
many(f)`, 0},
	{"netlink", `
def f():
    while True:
        s = socket.socket(16, socket.SOCK_RAW, 0); keep.append(s)
        for i in range(200):
            s.send(struct.pack("IHHIIBBHiII", 32, 18, 0x305, i, 0, 0, 0, 0, 0, 0, 0), socket.MSG_DONTWAIT)
        held(100 << 10)
keep = []
many(f)`, 0},
	{"groups of sockets", `
def f():
    while True:
        s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); keep.append(s)
        for i in range(1, 4000):
            try: s.setsockopt(41, 20, socket.inet_pton(socket.AF_INET6, f"ff02::{i:x}") + struct.pack("i", 1)); held(400)
            except PermissionError as e: refused(e)
keep = []
many(f)`, 0},
	{"options of sockets", `
def f():
    while True:
        s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); keep.append(s)
        for option in 54, 57, 59:
            try: s.setsockopt(41, option, bytes([0, 254, 1, 254]) + bytes(2036)); held(2040)
            except OSError: pass
        held(1024)
keep = []
many(f)`, 0},
	{"watches of epoll", `
polls = [select.epoll() for i in range(20)]
for i in range(100):
    file = os.eventfd(0)
    for number in range(200, 250):  # a file is watched once by each number
        os.dup2(file, number)
        for p in polls: p.register(number, 1); held(200)
refused("that is all")`, 16 << 20},
	{"locks of files", `
fds = [os.open(f"/tmp/{i}", os.O_RDWR | os.O_CREAT) for i in range(100)]
for i in range(1000, 0, -1):
    for fd in fds:
        fcntl.lockf(fd, fcntl.LOCK_EX, 1, i * 2); held(200)
refused("that is all")`, 16 << 20},
	{"timers", `
ids = []
while True:
    t = ctypes.c_int()
    if libc.timer_create(1, None, ctypes.byref(t)) < 0: refused(os.strerror(ctypes.get_errno()))
    held(300)`, 0},
	{"queued signals", `
signal.pthread_sigmask(signal.SIG_BLOCK, range(32, 65))
while True:
    if libc.sigqueue(os.getpid(), 40, ctypes.c_void_p(1)) < 0: refused(os.strerror(ctypes.get_errno()))
    held(100)`, 0},
	{"eventfds, timers and signalfds", `
def f():
    while True:
        os.eventfd(0); libc.timerfd_create(1, 0) >= 0 or os.eventfd(0); held(1024)
many(f)`, 0},
	{"System V's shared memory", `call("shmget", 0, 1 << 20, 0o1600)`, 0},
	{"System V's messages", `call("msgget", 0, 0o1600)`, 0},
	{"POSIX messages", `call("mq_open", b"/q", 0o102, 0o600, None)`, 0},
	{"keys", `call("add_key", b"user", b"x", b"x" * 1000, 1000, -2)`, 0},
	{"inotify", `call("inotify_init1", 0)`, 0},
	{"userfaultfd", `call("userfaultfd", 1)`, 0},
	{"io_uring", `call("io_uring_setup", 8, ctypes.create_string_buffer(120))`, 0},
	{"BPF", `call("bpf", 0, ctypes.create_string_buffer(120), 120)`, 0},
	{"perf", `call("perf_event_open", ctypes.create_string_buffer(120), 0, -1, -1, 0)`, 0},
	{"pages given to pipes", `
r, w = os.pipe()
buf = ctypes.create_string_buffer(4096)
call("vmsplice", w, ctypes.byref((ctypes.c_size_t * 2)(ctypes.addressof(buf), 4096)), 1, 0)`, 0},
}

// Each ends at the limit of processor time: it says how many milliseconds it used.
var waysOfTime = []way{
	{"a loop", `
while True: burn(20); used(20)`, 0},
	{"a loop that catches the signal", `
signal.signal(signal.SIGXCPU, lambda *a: None)
while True: burn(20); used(20)`, 0},
	{"the kernel's time", `
f = open("/dev/zero", "rb", buffering=0); buf = bytearray(1 << 20)
while True:
    t = time.process_time()
    for i in range(20): f.readinto(buf)
    used((time.process_time() - t) * 1000)`, 0},
	{"threads that end", `
def f(): burn(1)
while True:
    threads = [threading.Thread(target=f) for i in range(4)]
    t = time.process_time()
    for x in threads: x.start()
    for x in threads: x.join()
    used((time.process_time() - t) * 1000)`, 0},
	{"many children", `
r, w = os.pipe()
for i in range(60):
    if not os.fork():
        while True: burn(2); os.write(w, b"x")
while True: used(2 * len(os.read(r, 1 << 16)))`, 0},
	{"children that are waited for", `
short(7, os._exit, 0, wait=True)`, 0},
	{"children that nobody waits for", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(7, os._exit, 0)`, 0},
	{"children that nobody waits for, by the flag", `
class sigaction(ctypes.Structure): _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_char * 128), ("flags", ctypes.c_int), ("restorer", ctypes.c_void_p)]
libc.sigaction(signal.SIGCHLD, ctypes.byref(sigaction(None, b"", 2, None)), None)
short(7, os._exit, 0)`, 0},
	{"children that are killed, and nobody waits for", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(7, lambda: os.kill(os.getpid(), 9))`, 0},
	{"children that are killed when they were seen", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(27, lambda: os.kill(os.getpid(), 9))`, 0},
	{"children whose only thread ends", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(7, libc.syscall, NR["exit"], 0)`, 0},
	{"children of children", `
def f():
    if os.fork(): os._exit(0)
    burn(7); os._exit(0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(1, f)`, 0},
	{"children that execute", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
short(3, lambda: os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import os; os.kill(os.getpid(), 9)"]))`, 0},
	{"nothing but children", `
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    t = time.monotonic()
    for i in range(20):
        if not os.fork(): os._exit(0)
    used(0)`, 0},
}

// waysCalls are the numbers of system calls that have no name in Python.
func waysCalls() string {
	data, err := json.Marshal(map[string]int{
		"shmget": unix.SYS_SHMGET, "msgget": unix.SYS_MSGGET, "mq_open": unix.SYS_MQ_OPEN, "add_key": unix.SYS_ADD_KEY,
		"inotify_init1": unix.SYS_INOTIFY_INIT1, "userfaultfd": unix.SYS_USERFAULTFD, "io_uring_setup": unix.SYS_IO_URING_SETUP,
		"bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "vmsplice": unix.SYS_VMSPLICE, "exit": unix.SYS_EXIT,
	})
	if err != nil {
		panic(err)
	}
	return "NR = " + string(data) + "\n"
}

// waysBox is a box with a Python that is metered from outside.
func waysBox(t *testing.T, limits glovebox.Limits, source string) (tier.Box, tier.Command) {
	t.Helper()
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(t.Context(), tools.Root)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := New(Options{NoControlGroups: true})
	if err != nil {
		t.Fatal(err)
	}
	box, err := tr.Open(t.Context(), tier.Spec{Root: root, Limits: limits.WithDefaults(), Files: []glovebox.File{{Path: "main.py", Data: []byte(source)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	python := language.Python.Standby(tools).Program.Args[0]
	return box, tier.Command{Args: []string{python, "-I", tier.Workspace + "/main.py"}, Env: append([]string{"PATH=" + tools.Path}, tools.Env...)}
}

var waysHas = regexp.MustCompile(`(?m)^has (\d+)$`)

// runWay runs a program and returns the most that it said to have.
func runWay(t *testing.T, limits glovebox.Limits, program string) (out glovebox.Outcome, has int64, stdout string) {
	t.Helper()
	box, cmd := waysBox(t, limits, waysCalls()+waysPrelude+program)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	out = box.Run(t.Context(), cmd)
	for _, m := range waysHas.FindAllStringSubmatch(o.String(), -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		has = max(has, n)
	}
	return out, has, waysHas.ReplaceAllString(o.String(), "") + e.String()
}

// TestWaysOfMemory holds memory in all ways that we know of, in a box without a
// control group.
func TestWaysOfMemory(t *testing.T) {
	for _, w := range waysOfMemory {
		t.Run(w.name, func(t *testing.T) {
			limit := cmp.Or(w.memory, waysMemory)
			out, has, said := runWay(t, glovebox.Limits{Memory: limit, Wall: waysWall, CPU: waysWall}, w.program)
			hit := slices.ContainsFunc(out.Hits, func(h glovebox.Hit) bool {
				return slices.Contains([]glovebox.LimitName{glovebox.LimitMemory, glovebox.LimitProcesses}, h.Limit)
			})
			what := fmt.Sprintf("has %.1f MiB of %d, counted %.1f, %s %v %d\n%.1500s", float64(has)/(1<<20), limit>>20,
				float64(out.Usage.MemoryPeak)/(1<<20), out.Cause, out.Hits, out.ExitCode, said)
			t.Log(what)
			switch {
			case float64(has) > waysFactor*float64(limit):
				t.Error("too much: ", what)
			case !hit && !strings.Contains(said, "refused"):
				t.Error("nothing stopped it: ", what)
			}
		})
	}
}

// TestWaysOfTime uses processor time in all ways that we know of, in a box without a
// control group.
func TestWaysOfTime(t *testing.T) {
	for _, w := range waysOfTime {
		t.Run(w.name, func(t *testing.T) {
			out, has, said := runWay(t, glovebox.Limits{CPU: waysCPU, Wall: waysWall}, w.program)
			what := fmt.Sprintf("used %d ms, counted %v, in %v, %s %v %d\n%.1500s", has, out.Usage.CPU, out.Usage.Duration, out.Cause, out.Hits, out.ExitCode, said)
			t.Log(what)
			if out.Cause != glovebox.CauseCPU {
				t.Error("it did not end at the limit: ", what)
			}
			if time.Duration(has)*time.Millisecond > time.Duration(waysFactor*float64(waysCPU)) {
				t.Error("too much: ", what)
			}
		})
	}
}

// A copy of a parent is no way around.
func TestWaysOfCopies(t *testing.T) {
	spec := waits(t)
	tr := forking(t, Options{NoControlGroups: true}, spec)
	for _, w := range append(slices.Clone(waysOfMemory), waysOfTime...) {
		want := map[string]glovebox.Cause{"TCP": glovebox.CauseMemory, "unix streams": glovebox.CauseMemory,
			"children that nobody waits for": glovebox.CauseCPU}[w.name]
		if want == "" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			spec := spec
			spec.Limits = glovebox.Limits{Memory: waysMemory, CPU: waysWall, Wall: waysWall}.WithDefaults()
			if want == glovebox.CauseCPU {
				spec.Limits.CPU = waysCPU
			}
			out, stdout, stderr := python(t, copied(t, tr, spec), waysCalls()+waysPrelude+w.program)
			if out.Cause != want {
				t.Errorf("ended with %+v\n%.1000s\n%.1000s", out, stdout, stderr)
			}
		})
	}
}

// stoppedEnv makes the test binary an owner of a box that is going to be stopped.
const stoppedEnv = "GLOVEBOX_TEST_STOPPED"

// stopped runs a box whose processes use the processor and wait, and says how that ends.
func stopped() {
	tr, err := New(Options{NoControlGroups: true})
	if err != nil {
		panic(err)
	}
	root, remove, err := bareRoot()
	if err != nil {
		panic(err)
	}
	defer remove()
	box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: glovebox.Limits{Wall: 2 * time.Second, CPU: time.Hour}.WithDefaults(),
		Files: []glovebox.File{program(func(s *glove.Script) {
			child, again := s.Label(), s.Label()
			s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
			s.Call("fork", unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0).IfEqual(0, child)
			s.Call("write", unix.SYS_WRITE, 1, "up\n", 3)
			pause(s)
			s.Place(child)
			s.Place(again)
			s.Jump(again)
		})}})
	if err != nil {
		panic(err)
	}
	cmd := run
	cmd.Stdout = os.Stdout
	fmt.Println(box.Run(context.Background(), cmd).Cause)
	if err := box.Close(); err != nil {
		panic(err)
	}
}

// A Glovebox that is stopped looks at no clock; the box ends all the same.
func TestStopped(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), stoppedEnv+"=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := c.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// Pid 1 of the box, and what was below it.
	for begin := time.Now(); len(native.Below(c.Process.Pid)) > 1; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("the box goes on: ", native.Below(c.Process.Pid))
		}
	}
	if err := c.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if line, err := said.ReadString('\n'); line != string(glovebox.CauseWall)+"\n" {
		t.Errorf("it ended by %q, %v", line, err)
	}
}
