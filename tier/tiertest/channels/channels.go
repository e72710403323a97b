//go:build linux

// Package channels has the ways for two boxes of one kernel to communicate, for
// the tests of tiers with such boxes.
package channels

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// channel is a way for a box to pass information to another.
type channel struct {
	name string
	// send and receive are bodies of Python functions. The return value of send
	// is kept as long as its box lives. The return value of receive is the
	// knowledge of the receiving box.
	send, receive string
	// want is the expected knowledge with or without a sender: a regular
	// expression, or [same].
	want string
	// open explains why the box may learn more, as SECURITY.md does.
	open string
}

// OpenFiles is the boxes' limit of open files.
const OpenFiles = 2048

// same is the knowledge from before there was a sender.
const same = "the same"

// Headings of the open channels in SECURITY.md.
const (
	openLocks   = "locks"
	openPages   = "pages of the tree"
	openNumbers = "numbers"
	openHost    = "the host's memory, load and disk"
)

// refused is a system call denied to both boxes.
func refused(name, args, with string) channel {
	body := fmt.Sprintf("return call(%q, %s)", name, args)
	return channel{name: name, send: body, receive: body, want: with}
}

// quiet is a file of /proc with constant contents, whatever other boxes do, or
// a missing file. sent is the sender's work in the meantime.
func quiet(name, sent, want string) channel {
	return channel{name: name, send: sent, receive: fmt.Sprintf("return read(%q)", name), want: want + "|ENOENT"}
}

// What a sender does to be noticed.
const (
	works   = "return busy(lambda: sum(range(10**4)))"
	holds   = `return bytearray(b"x") * (32 << 20)`
	opens   = "return [open(os.__file__) for _ in range(100)]"
	readsIt = `return open(os.path.dirname(os.__file__) + "/antigravity.py").read()`
	starts  = "return [threading.Thread(target=time.sleep, args=(600,), daemon=True).start() for _ in range(20)] and 'started'"
)

// openCounts is not open to the boxes of root.
var openCounts = map[bool]string{true: openNumbers}[os.Geteuid() != 0]

var channels = []channel{
	// Files of the root, which boxes have in common.
	{name: "flock", send: "return flock(os.__file__)", receive: "return flock(os.__file__)", want: "free"},
	{name: "POSIX lock", send: "return posix(F_SETLK, F_RDLCK)", receive: "return posix(F_GETLK, F_WRLCK)", want: "free"},
	{name: "lock of an open file", send: "return posix(F_OFD_SETLK, F_RDLCK)", receive: "return posix(F_OFD_GETLK, F_WRLCK)", want: "free"},
	{name: "lease", send: "return attempt(fcntl.fcntl, open(os.__file__), F_SETLEASE, F_RDLCK)",
		receive: "return attempt(fcntl.fcntl, open(os.__file__), F_SETLEASE, F_RDLCK)", want: "EPERM"},
	{name: "dnotify", send: readsIt, receive: "return attempt(fcntl.fcntl, os.open('/usr', os.O_RDONLY), F_NOTIFY, 1)", want: "EPERM"},
	refused("inotify_init1", "0", "ENOSYS"),
	refused("fanotify_init", "0, 0", "EPERM"),
	refused("name_to_handle_at", "-100, b'/', NULL, NULL, 0", "EPERM"),
	{name: "time of access", send: readsIt, receive: `return os.stat(os.path.dirname(os.__file__) + "/antigravity.py").st_atime_ns`, want: same},
	{name: "pages in memory (mincore)", send: readsIt, receive: "return call('mincore', NULL, 4096, buffer)", want: "ENOSYS"},
	{name: "pages in memory (cachestat)", send: readsIt, receive: "return call('cachestat', opened(os.__file__), buffer, buffer, 0)", want: "ENOSYS"},
	{name: "pages in memory (RWF_NOWAIT)", send: readsIt, receive: "return attempt(os.preadv, opened(os.__file__), [bytearray(9)], 0, os.RWF_NOWAIT)", want: "ENOTSUP|EOPNOTSUPP"},
	{name: "pages that are merged", send: "return attempt(private(4096).madvise, 12)", receive: "return attempt(private(4096).madvise, 12)", want: "EINVAL"},
	{name: "huge pages of the host", send: "return attempt(private, 2 << 20, 0x40000)", receive: "return attempt(private, 2 << 20, 0x40000)", want: "ENOMEM"},
	{name: "executable that is written to", send: "return opened(sys.executable)", receive: "return attempt(os.open, sys.executable, os.O_RDWR)", want: "EROFS|EACCES"},

	// Files of a box's own.
	{name: "files", send: "return [open(d + '/left', 'w') for d in SCRATCH]", receive: "return [n for d in SCRATCH for n in os.listdir(d) if n == 'left']", want: `\[\]`},
	{name: "numbers of files", send: "return busy(lambda: os.unlink(made('/tmp/busy')))", receive: "return numbers()", want: `\[1, 1, 1, 1, 1, 1, 1\]`},
	{name: "terminals", send: "return attempt(os.openpty)", receive: "return attempt(os.openpty)", want: "ENOENT"},
	refused("mount", "b'none', b'/tmp', b'tmpfs', 0, NULL", "EPERM"),
	refused("listmount", "buffer, buffer, 1, 0", "ENOSYS"),
	refused("unshare", "CLONE_NEWUSER", "EPERM"),
	refused("setns", "0, 0", "EPERM"),

	// Sockets.
	{name: "abstract socket", send: "return listening(socket.AF_UNIX, '\\0channel')", receive: "return connected(socket.AF_UNIX, '\\0channel')", want: "ECONNREFUSED"},
	{name: "socket with a path", send: "return listening(socket.AF_UNIX, '/tmp/channel')", receive: "return connected(socket.AF_UNIX, '/tmp/channel')", want: "ENOENT"},
	{name: "port of the loopback", send: "return listening(socket.AF_INET, ('127.0.0.1', 4321))", receive: "return connected(socket.AF_INET, ('127.0.0.1', 4321))", want: "ECONNREFUSED"},
	{name: "port that is taken", send: "return listening(socket.AF_INET, ('127.0.0.1', 4322))", receive: "return listening(socket.AF_INET, ('127.0.0.1', 4322))", want: "free"},
	{name: "port of UDP", send: "return datagrams(4323)", receive: "return attempt(lambda: datagrams(4323) and 'free')", want: "free"},
	{name: "list of sockets", send: "return listening(socket.AF_UNIX, '\\0listed')", receive: "return 'listed' in read('net/unix') + read('net/tcp')", want: "false"},
	{name: "counters of the network", send: "return busy(lambda: datagrams(0).sendto(b'x', ('127.0.0.1', 9)))", receive: "return still(lambda: read('net/dev') + read('net/snmp'))", want: "true"},
	{name: "cookies of sockets", send: "return [socket.socket() for _ in range(50)]", receive: "return attempt(socket.socket().getsockopt, socket.SOL_SOCKET, 57, 8)", want: "EPERM"},

	// IPC. Without a control group for memory, System V's is missing.
	{name: "shared memory", send: "return call('shmget', 4711, 4096, 0o1666)", receive: "return call('shmget', 4711, 0, 0)", want: "ENOENT|ENOSYS"},
	{name: "semaphores", send: "return call('semget', 4711, 1, 0o1666)", receive: "return call('semget', 4711, 0, 0)", want: "ENOENT|ENOSYS"},
	{name: "messages", send: "return call('msgget', 4711, 0o1666)", receive: "return call('msgget', 4711, 0)", want: "ENOENT|ENOSYS"},
	quiet("sysvipc/shm", "return call('shmget', 4712, 4096, 0o1666)", "[^\n]*\n?"),
	refused("mq_open", "b'channel', os.O_CREAT | os.O_RDWR, 0o666, NULL", "ENOSYS"),
	refused("add_key", "b'user', b'channel', b'x', 1, -4", "EPERM"),
	refused("keyctl", "0, -4, 0, 0, 0", "EPERM"),
	quiet("keys", "return", ""), quiet("key-users", "return", ""),

	// Processes.
	{name: "processes", send: starts, receive: "return [p for p in range(2, 5000) if call('kill', p, 0) == 0 and not ours(p)]", want: `\[\]`},
	{name: "list of processes", send: starts, receive: "return [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid(), os.getppid())]", want: `\[\]`},
	{name: "last process", send: "return busy(lambda: subprocess.run(['/nothing'], check=False))", receive: "return int(open('/proc/sys/kernel/ns_last_pid').read()) - os.getpid() if os.path.exists('/proc/sys/kernel/ns_last_pid') else 0", want: "0"},
	{name: "signal to all", send: "return busy(lambda: os.kill(-1, signal.SIGURG))", receive: "return signaled()", want: "0"},
	{name: "niceness", send: "return call('setpriority', PRIO_USER, 0, 19)", receive: "return os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_USER, 0)", want: same},
	{name: "priority of input and output", send: "return call('ioprio_set', 3, 0, 3 << 13)", receive: "return call('ioprio_get', 1, 0)", want: same},
	{name: "processors", send: "return attempt(os.sched_setaffinity, 0, [0])", receive: "return sorted(os.sched_getaffinity(0)) == list(range(os.cpu_count()))", want: "true"},
	refused("ptrace", "16, 1, 0, 0", "EPERM"),
	refused("process_vm_readv", "1, buffer, 1, buffer, 1, 0", "EPERM"),
	refused("pidfd_getfd", "0, 0, 0", "EPERM"),
	refused("kcmp", "1, 2, 0, 0, 0", "EPERM"),
	refused("userfaultfd", "0", "EPERM"),
	refused("perf_event_open", "buffer, 0, -1, -1, 0", "EPERM"),
	refused("io_uring_setup", "1, buffer", "EPERM"),
	refused("bpf", "0, buffer, 64", "EPERM"),
	refused("io_setup", "1, buffer", "ENOSYS"),
	{name: "pipes of a user", send: "return many_pipes()", receive: "return pipe_size()", want: "65536"},

	// Names and clocks.
	{name: "name of the host", send: "return call('sethostname', b'channel', 7)", receive: "return os.uname().nodename, call('sethostname', b'channel', 7)", want: `\["` + tier.Hostname + `", "EPERM"\]`},
	{name: "uname", send: "return call('setdomainname', b'channel', 7)", receive: "return list(os.uname()), read('sys/kernel/domainname')", want: same},
	refused("clock_settime", "0, buffer", "EPERM"),
	refused("adjtimex", "buffer", "EPERM"),
	{name: "offsets of clocks", send: "return attempt(lambda: open('/proc/self/timens_offsets', 'w').write('monotonic 9 0'))", receive: "return read('self/timens_offsets')", want: same},
	{name: "control groups", send: works, receive: "return sorted({l.strip().split(':', 2)[2] for l in open('/proc/self/cgroup')})", want: `\["/"\]`},

	// The kernel's counts of events on the whole host.
	quiet("loadavg", works, "0.00 0.00 0.00 1/1 1\n"),
	{name: "meminfo", send: holds, receive: "return still(lambda: read('meminfo'))", want: "true"},
	{name: "stat", send: works, receive: "return still(lambda: read('stat'))", want: "true"},
	{name: "numbers in stat", send: works, receive: "return sorted({n for l in open('/proc/stat') if not l.startswith('btime') for n in l.split()[1:]})", want: `\["0"\]`},
	{name: "uptime", send: works, receive: "return still(lambda: read('uptime')), read('uptime').split()[1]", want: `\[true, "0.00"\]`},
	quiet("vmstat", holds, ""), quiet("zoneinfo", holds, ""), quiet("buddyinfo", holds, ""), quiet("slabinfo", opens, ""),
	quiet("diskstats", readsIt, ""), quiet("swaps", holds, ""), quiet("partitions", readsIt, ""),
	quiet("interrupts", works, ""), quiet("softirqs", works, ""), quiet("schedstat", works, ""), quiet("timer_list", works, ""),
	quiet("pressure/cpu", works, ""), quiet("locks", "return flock('/dev/zero')", ""), quiet("cgroups", works, ""), quiet("crypto", works, ""),
	quiet("sys/fs/file-nr", opens, ""), quiet("sys/fs/inode-nr", opens, ""), quiet("sys/fs/inode-state", opens, ""),
	quiet("sys/fs/dentry-state", opens, ""), quiet("sys/fs/aio-nr", "return call('io_setup', 1, buffer)", ""),
	quiet("sys/kernel/random/boot_id", works, ""), quiet("sys/kernel/random/entropy_avail", works, ""), quiet("sys/kernel/pty/nr", "return attempt(os.openpty)", ""),

	// What SECURITY.md says is open.
	{name: "lock of the executable", send: "return flock('/proc/self/exe')", receive: "return flock('/proc/self/exe')", want: "free|EACCES", open: openLocks},
	{name: "lock of a device", send: "return flock('/dev/full')", receive: "return flock('/dev/full')", want: "free", open: openLocks},
	{name: "pages that others have mapped", send: "return mapped()", receive: "return pss(mapped())", want: "4", open: openPages},
	{name: "futex in a page of the tree", send: "return wake(mapped())", receive: "return wait(mapped())", want: "ETIMEDOUT", open: openPages},
	{name: "threads of the host (sysinfo)", send: starts, receive: "return threads()", want: same, open: openHost},
	{name: "space of the root", send: readsIt, receive: "return os.statvfs('/').f_bfree", want: same, open: openHost},
	{name: "numbers of pipes", send: "return busy(lambda: [os.close(fd) for fd in os.pipe()])", receive: "return still(lambda: os.fstat(os.pipe()[0]).st_ino // 4096)", want: "true", open: openNumbers},
	{name: "numbers of processes (pidfd)", send: "return busy(lambda: os.waitpid(os.posix_spawn('/proc/self/exe', ['-'], {}), 0))", receive: "return pidfd() - pidfd()", want: "-1", open: openNumbers},
	{name: "numbers of eventfd", send: "return [os.eventfd(0) for _ in range(50)]", receive: "return re.findall('eventfd-id: *([0-9]+)', read(f'self/fdinfo/{os.eventfd(0)}'))", want: same, open: openNumbers},
	{name: "numbers of sessions", send: "return busy(session)", receive: "return session() - session()", want: "-1", open: openNumbers},
	{name: "ports that the kernel chooses", send: "return busy(lambda: connected(socket.AF_INET, ('127.0.0.1', 4324)))", receive: "return ports(4324)", want: same, open: openNumbers},
	{name: "counts of TCP", send: "return [listening(socket.AF_INET, ('127.0.0.1', 0)) for _ in range(50)]", receive: "return read('net/sockstat'), read('net/protocols')", want: `\["EACCES", "EACCES"\]`, open: openCounts},
	{name: "packets of all", send: "return busy(lambda: datagrams(0).sendto(b'x', ('127.0.0.1', 9)))", receive: "return read('net/softnet_stat')", want: "EACCES", open: openCounts},
}

// prelude is what the bodies use.
const prelude = `
import ctypes, errno, fcntl, json, mmap, os, re, signal, socket, struct, subprocess, sys, threading, time
from fcntl import F_GETLK, F_SETLK, F_RDLCK, F_WRLCK, F_UNLCK
F_OFD_GETLK, F_OFD_SETLK, F_SETLEASE, F_NOTIFY = 36, 37, 1024, 1026
CLONE_NEWUSER, PRIO_USER, NULL = 0x10000000, 2, None
SCRATCH = "/workspace", "/tmp", "/dev/shm"
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
kept = []

def call(name, *args):
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    got = libc.syscall(ctypes.c_long(NUMBERS[name]), *args)
    return got if got >= 0 else errno.errorcode[ctypes.get_errno()]

def attempt(f, *args):
    try: return f(*args)
    except OSError as e: return errno.errorcode[e.errno]

def read(name):
    return attempt(lambda: open("/proc/" + name).read())

def opened(path):
    kept.append(open(path, "rb"))
    return kept[-1].fileno()

def made(path):
    open(path, "w").close()
    return path

def numbers():
    all = []
    for i in range(8):
        all.append(os.stat(made(f"/tmp/number{i}")).st_ino)
        time.sleep(0.01)
    return [b - a for a, b in zip(all, all[1:])]

def flock(path):
    return attempt(lambda: fcntl.flock(opened(path), fcntl.LOCK_EX | fcntl.LOCK_NB)) or "free"

def posix(what, type):
    lock = struct.pack("hhqqi4x", type, 0, 0, 0, 0)
    got = attempt(fcntl.fcntl, opened(os.__file__), what, lock)
    if isinstance(got, str): return got
    return "free" if struct.unpack("hhqqi4x", got)[0] == F_UNLCK else "held"

def listening(family, address):
    s = socket.socket(family)
    kept.append(s)
    return attempt(s.bind, address) or attempt(s.listen) or "free"

def connected(family, address):
    return attempt(socket.socket(family).connect, address)

def datagrams(port):
    s = socket.socket(type=socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", port))
    return s

# Does something again and again.
def busy(f):
    def loop():
        while True:
            try: f()
            except OSError: pass
            time.sleep(0.002)
    threading.Thread(target=loop, daemon=True).start()

def still(f):
    before = f()
    for _ in range(10):
        time.sleep(0.02)
        if f() != before: return False
    return True

def signaled():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    time.sleep(0.1)
    return len(signal.sigpending())

# Tells whether a process is this one, or a thread of the box's first.
def ours(pid):
    got = re.search("Tgid:\\s*([0-9]+)", read(f"{pid}/status"))
    return not got or int(got[1]) in (1, os.getpid())

def many_pipes():
    pipes = []
    for _ in range(100):
        pipes.append(attempt(os.pipe))
        if isinstance(pipes[-1], tuple): attempt(fcntl.fcntl, pipes[-1][0], 1031, 1 << 20)
    return pipes

def pipe_size():
    return fcntl.fcntl(os.pipe()[0], 1032)

def private(size, flags=0):
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | flags)

def mapped():
    libc.mmap.restype = ctypes.c_void_p
    fd = os.open(os.path.dirname(os.__file__) + "/this.py", os.O_RDONLY)
    at = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
    os.close(fd)
    ctypes.string_at(at, 1)
    return at

def wake(at):
    return busy(lambda: call("futex", at, 1, 1000, NULL, NULL, 0))

def wait(at):
    word = ctypes.c_uint.from_address(at).value
    return call("futex", at, 0, word, struct.pack("qq", 0, 300000000), NULL, 0)

def pidfd():
    child = os.fork()
    if not child: os._exit(0)
    number = os.fstat(os.pidfd_open(child)).st_ino
    os.waitpid(child, 0)
    return number

# The number of a new session.
def session():
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        os.write(write, open("/proc/self/autogroup", "rb").read())
        os._exit(0)
    os.waitpid(child, 0)
    got = os.read(read, 99)
    os.close(read), os.close(write)
    return int(re.search(b"[0-9]+", got)[0])

# How far the ports of connections to one port are from each other.
def ports(to):
    chosen = []
    for _ in range(5):
        s = socket.socket()
        kept.append(s)
        listening(socket.AF_INET, ("127.0.0.1", to))
        s.connect(("127.0.0.1", to))
        chosen.append(s.getsockname()[1])
        time.sleep(0.05)
    return [b - a for a, b in zip(chosen, chosen[1:])]

def pss(_):
    return re.findall("this.py.*?Pss: *([0-9]+)", read("self/smaps"), re.S)[-1]

def threads():
    libc.sysinfo(buffer)
    return struct.unpack_from("H", buffer, 80)[0]
`

// side is the program of one side. The program prints the results of its
// functions, by the number of the channel.
func side(which func(channel) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "NUMBERS = {")
	for _, name := range slices.Sorted(maps.Keys(callNumbers)) {
		fmt.Fprintf(&text, "%q: %d, ", name, callNumbers[name])
	}
	fmt.Fprintf(&text, "}\n%s\nsaid, done = {}, {}\n", prelude)
	for i, c := range channels {
		body := which(c)
		fmt.Fprintf(&text, `
def f():
    %s
try: said[%d] = done[%[3]q] if %[3]q in done else f()
except Exception as e: said[%[2]d] = "failed: " + repr(e)
done[%[3]q] = said[%[2]d]
`, body, i, body)
	}
	return text.String() + "print(json.dumps({i: v if len(str(v)) < 9999 else 'much' for i, v in said.items()}, default=str), flush=True)\n"
}

// callNumbers are the system calls that the channels use by name.
var callNumbers = map[string]int{
	"inotify_init1": unix.SYS_INOTIFY_INIT1, "fanotify_init": unix.SYS_FANOTIFY_INIT, "name_to_handle_at": unix.SYS_NAME_TO_HANDLE_AT,
	"futex": unix.SYS_FUTEX, "mincore": unix.SYS_MINCORE, "cachestat": unix.SYS_CACHESTAT, "mount": unix.SYS_MOUNT, "listmount": 458, "unshare": unix.SYS_UNSHARE, "setns": unix.SYS_SETNS,
	"shmget": unix.SYS_SHMGET, "semget": unix.SYS_SEMGET, "msgget": unix.SYS_MSGGET, "mq_open": unix.SYS_MQ_OPEN, "add_key": unix.SYS_ADD_KEY, "keyctl": unix.SYS_KEYCTL,
	"kill": unix.SYS_KILL, "setpriority": unix.SYS_SETPRIORITY, "ioprio_set": unix.SYS_IOPRIO_SET, "ioprio_get": unix.SYS_IOPRIO_GET,
	"ptrace": unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV, "pidfd_getfd": unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP,
	"userfaultfd": unix.SYS_USERFAULTFD, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "io_uring_setup": unix.SYS_IO_URING_SETUP,
	"bpf": unix.SYS_BPF, "io_setup": unix.SYS_IO_SETUP, "sethostname": unix.SYS_SETHOSTNAME, "setdomainname": unix.SYS_SETDOMAINNAME,
	"clock_settime": unix.SYS_CLOCK_SETTIME, "adjtimex": unix.SYS_ADJTIMEX,
}

// Test fails if a box can learn about another. A receiver runs before the first
// sender, and again beside a sender. in returns the box and the command for a
// Python program.
func Test(t *testing.T, in func(sends bool, source string) (tier.Box, tier.Command)) {
	receive := func() (heard map[int]json.RawMessage) {
		box, cmd := in(false, side(func(c channel) string { return c.receive }))
		var stdout, stderr bytes.Buffer
		cmd.Wall, cmd.Stdout, cmd.Stderr = 2*time.Minute, &stdout, &stderr
		out := box.Run(t.Context(), cmd)
		if err := json.Unmarshal(stdout.Bytes(), &heard); err != nil {
			t.Fatalf("%v: %+v: %s", err, out, &stderr)
		}
		return heard
	}
	before := receive()

	box, cmd := in(true, side(func(c channel) string { return c.send })+"\ntime.sleep(600)\n")
	ctx, cancel := context.WithCancel(t.Context())
	sent, ended := make(chan []byte, 1), make(chan glovebox.Outcome, 1)
	var stdout, stderr bytes.Buffer
	cmd.Wall, cmd.Stderr = 5*time.Minute, &stderr
	cmd.Stdout = writer(func(p []byte) (int, error) {
		if stdout.Write(p); bytes.HasSuffix(p, []byte("\n")) {
			sent <- stdout.Bytes()
		}
		return len(p), nil
	})
	go func() { ended <- box.Run(ctx, cmd) }()
	var did map[int]json.RawMessage
	select {
	case said := <-sent:
		if err := json.Unmarshal(said, &did); err != nil {
			t.Fatal(err)
		}
	case out := <-ended:
		cancel()
		t.Fatalf("the sender ended: %+v: %s", out, &stderr)
	}
	during := receive()
	cancel()
	<-ended

	for i, c := range channels {
		if bytes.HasPrefix(did[i], []byte(`"failed`)) {
			t.Errorf("%s: the sender: %s", c.name, did[i])
		}
		want, err := regexp.Compile("^(?:" + c.want + ")$")
		if err != nil {
			t.Fatal(err)
		}
		for when, got := range map[string]json.RawMessage{"before": before[i], "while": during[i]} {
			text := string(got)
			if json.Unmarshal(got, &text) != nil {
				text = string(got)
			}
			switch {
			case c.want == same && bytes.Equal(got, before[i]) && !bytes.HasPrefix(got, []byte(`"failed`)):
			case c.want != same && want.MatchString(text):
			case c.open != "":
				t.Logf("%s is open (%s): %s there is a sender: %s", c.name, c.open, when, got)
			default:
				t.Errorf("%s: %s there is a sender (who got %.60s): %s, want %s", c.name, when, did[i], got, want)
			}
		}
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
