//go:build linux

package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
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
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// waits is the spec of a box whose Python waits for a program.
func waits(t testing.TB) tier.Spec {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a parent needs root")
	}
	return waiting.Spec(t, func(store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
		return store.Tree(t.Context(), plan)
	})
}

// forking is a tier with a parent for boxes of the spec.
func forking(t testing.TB, o Options, spec tier.Spec) *Tier {
	t.Helper()
	tr, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := tr.openParent(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{}
	tr.parents.kinds[kindOf(&spec)] = l
	tr.parents.add(l, p)
	return tr
}

// python runs a program in a box that waits for one.
func python(t testing.TB, box tier.Box, source string) (out glovebox.Outcome, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := waiting.Becoming(t, source)
	cmd.Stdout, cmd.Stderr = &o, &e
	out = box.Run(t.Context(), cmd)
	return out, o.String(), e.String()
}

// copied opens a box as a copy of the tier's parent.
func copied(t *testing.T, tr *Tier, spec tier.Spec) tier.Box {
	t.Helper()
	box, err := tr.open(t.Context(), spec, missing{}, tr.parents.take(kindOf(&spec)))
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

// parentOf is the tier's parent.
func parentOf(tr *Tier, spec tier.Spec) *parent { return tr.parents.kinds[kindOf(&spec)].parent }

// TestParentAttacked runs programs in boxes that wait, which are started or copied.
func TestParentAttacked(t *testing.T) {
	spec := waits(t)
	for name, o := range map[string]Options{"control groups": {}, "supervisor": {NoControlGroups: true}} {
		t.Run(name, func(t *testing.T) {
			tr := forking(t, o, spec)
			pid := parentOf(tr, spec).proc.Pid
			for what, attack := range map[string]struct{ source, want string }{
				"signals": {`
for pid in [1, 2, PARENT, *range(4, 200)]:
    try:
        os.kill(pid, 9)
        print("killed", pid)
    except (ProcessLookupError, PermissionError):
        pass
print(sorted(n for n in os.listdir("/proc") if n.isdigit()))`, "['1', '3']\n"},
				"memory": {`
for pid in 1, PARENT:
    for name in "mem", "maps", "environ", "fd", "root/opt", "cwd", "exe", "map_files", "auxv", "syscall", "stack":
        try:
            path = f"/proc/{pid}/{name}"
            print(path, os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
        except OSError:
            pass
import ctypes
libc = ctypes.CDLL(None)
for pid in 1, PARENT:
    print(libc.ptrace(16, pid, 0, 0), libc.ptrace(0x4206, pid, 0, 0), libc.process_vm_readv(pid, 0, 0, 0, 0, 0))`, "-1 -1 -1\n-1 -1 -1\n"},
				"what it has": {`
def names(path): return [n for n in os.listdir(path) if n.isdigit()]
status = dict(l.split(":\t", 1) for l in open("/proc/self/status").read().splitlines())
print([status[n] for n in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Uid", "Gid", "Groups")])
maps = open("/proc/self/maps").read()
print("\n10000000-" in maps, "glove" in maps, "/root/" in maps, "deleted" in maps, os.listdir("/proc/self/fd")[:-1], names("/proc/self/task"))
print(os.readlink("/proc/self/exe").startswith("/usr/"), os.getcwd(), os.readlink("/proc/self/root"))
try: open("/proc/self/exe", "r+b")
except OSError: print("refused")
print(len(open("/proc/self/environ").read()) > 0, os.stat("/proc/self").st_uid)
import resource
print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_NOFILE)[0], open("/proc/self/oom_score_adj").read().strip())`,
					"['0000000000000000', '0000000000000000', '0000000000000000', '0000000000000000', '0000000000000000', '1', 'SECCOMP', '1000\\t1000\\t1000\\t1000', '1000\\t1000\\t1000\\t1000', ' ']\n" +
						"False False False False ['0', '1', '2'] ['3']\nTrue /workspace /\nrefused\nTrue 1000\n(1, 1) FILES 1000\n"},
				"a thread's number": {`
import threading, time
print(threading.get_native_id() == os.getpid(), time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident())) > 0)
t = threading.Thread(target=lambda: print("thread", threading.get_native_id() != os.getpid()))
t.start(); t.join()
print(threading.main_thread() is threading.current_thread(), threading.main_thread().native_id == os.getpid())`, "True True\nthread True\nTrue True\n"},
				"handlers": {`
import signal
try: os.kill(os.getpid(), signal.SIGINT); print("no")
except KeyboardInterrupt: print("interrupted")
r, w = os.pipe(); os.close(r)
try: os.write(w, b"x")
except BrokenPipeError: print("broken")`, "interrupted\nbroken\n"},
			} {
				t.Run(what, func(t *testing.T) {
					source := "import os\nPARENT = " + strconv.Itoa(pid) + "\n" + attack.source
					want := strings.NewReplacer("SECCOMP", "2", "FILES", strconv.FormatInt(spec.Limits.OpenFiles, 10)).Replace(attack.want)
					for way, from := range map[string]*parent{"copied": tr.parents.take(kindOf(&spec)), "started": nil} {
						box, err := tr.open(t.Context(), spec, missing{}, from)
						if err != nil {
							t.Fatal(err)
						}
						out, stdout, stderr := python(t, box, source)
						if out.Cause != glovebox.CauseExit || out.ExitCode != 0 || stdout != want {
							t.Errorf("%s: %+v printed\n%s%s, want\n%s", way, out, stdout, stderr, want)
						}
						if err := box.Close(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			// It lives, and was not changed.
			_, stdout, _ := python(t, copied(t, tr, spec), "print(6 * 7)")
			if stdout != "42\n" {
				t.Errorf("the next box printed %q", stdout)
			}
		})
	}
}

// TestParentApart: no two of the host, a parent and its boxes share a namespace,
// and a parent has no privileges.
func TestParentApart(t *testing.T) {
	spec := waits(t)
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_STACK, &unix.Rlimit{Cur: stack.Max, Max: stack.Max}); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_STACK, &stack)
	tr := forking(t, Options{}, spec)
	p := parentOf(tr, spec)
	before := native.Below(os.Getpid())
	copied(t, tr, spec)
	copied(t, tr, spec)
	pids := []int{os.Getpid(), p.proc.Pid}
	for _, pid := range native.Below(os.Getpid()) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		// Those that are pid 1 of a namespace.
		if _, rest, ok := strings.Cut(string(data), "NSpid:"); ok && !slices.Contains(before, pid) && strings.HasSuffix(strings.SplitN(rest, "\n", 2)[0], "\t1") {
			pids = append(pids, pid)
		}
	}
	if len(pids) != 4 {
		t.Fatalf("processes %d", pids)
	}
	for _, kind := range []string{"user", "pid", "mnt", "net", "ipc", "uts"} {
		seen := map[string]int{}
		for _, pid := range pids {
			ns, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := seen[ns]; ok && !(pid == p.proc.Pid && (kind == "user" || kind == "pid")) {
				t.Errorf("processes %d and %d are both in %s", other, pid, ns)
			}
			seen[ns] = pid
		}
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.proc.Pid))
	if err != nil {
		t.Fatal(err)
	}
	user, _, err := native.Unused(p.proc.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Threads:\t1",
		fmt.Sprintf("Uid:\t%d\t%d\t%d\t%d", user, user, user, user)} {
		if !strings.Contains(string(data), want+"\n") {
			t.Errorf("the parent has not %q in\n%s", want, data)
		}
	}
	limits, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.proc.Pid))
	if !strings.Contains(string(limits), fmt.Sprintf("Max stack size            %d ", native.Stack)) {
		t.Errorf("the parent has the limits\n%s", limits)
	}
	for _, pid := range pids[1:] {
		if info, err := os.Stat(fmt.Sprintf("/proc/%d/mem", pid)); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("process %d is dumpable: %v", pid, err)
		}
	}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.proc.Pid))
	for i := range fds {
		fds[i] = filepath.Base(fds[i])
	}
	if slices.Sort(fds); !slices.Equal(fds, []string{"0", "1", "2", "30", "31", "32", "34", "35"}) {
		t.Errorf("the parent has the descriptors %q", fds)
	}
}

// TestSiblings: two boxes of one parent see nothing of each other, and draw other
// numbers; of two parents, they hash otherwise.
func TestSiblings(t *testing.T) {
	spec := waits(t)
	tr := forking(t, Options{}, spec)
	const leave = `
import os, random, secrets, uuid, tempfile, socket
for d in "/workspace", "/tmp", "/dev/shm":
    open(d + "/left", "w").write("x")
s = socket.socket(socket.AF_UNIX); s.bind("\0left"); s.listen()
n = socket.socket(); n.bind(("127.0.0.1", 4321)); n.listen()
print(random.random(), secrets.token_hex(), uuid.uuid4(), os.urandom(8).hex(), tempfile.mktemp(), hash("a"))
print("up", flush=True)
`
	const look = `
import os, socket
print(*[sorted(set(os.listdir(d)) - {"main.py"}) for d in ("/workspace", "/tmp", "/dev/shm")])
for s, to in (socket.socket(socket.AF_UNIX), "\0left"), (socket.socket(), ("127.0.0.1", 4321)):
    try: s.connect(to); print("connected")
    except ConnectionRefusedError: pass
`
	first, second := copied(t, tr, spec), copied(t, tr, spec)
	up, done, w := make(chan string, 1), make(chan glovebox.Outcome), new(bytes.Buffer)
	go func() {
		cmd := waiting.Becoming(t, leave+"import time; time.sleep(60)")
		cmd.Wall = time.Minute
		cmd.Stdout = writer(func(p []byte) (int, error) {
			if w.Write(p); strings.Contains(w.String(), "up\n") {
				up <- w.String()
			}
			return len(p), nil
		})
		done <- first.Run(t.Context(), cmd)
	}()
	var said string
	select {
	case said = <-up:
	case out := <-done:
		t.Fatalf("the first ended: %+v, %q", out, w)
	}
	if _, stdout, stderr := python(t, second, look); stdout != "[] [] []\n" {
		t.Errorf("one sees of the other: %s%s", stdout, stderr)
	}
	first.Close()
	<-done
	_, other, _ := python(t, copied(t, tr, spec), leave)
	_, third, _ := python(t, copied(t, forking(t, Options{}, spec), spec), leave)
	one, two, three := strings.Fields(said), strings.Fields(other), strings.Fields(third)
	if len(one) < 6 || len(one) != len(two) || len(one) != len(three) {
		t.Fatalf("%q, %q, %q", said, other, third)
	}
	hash := slices.Index(one, "up") - 1
	for i := range hash {
		if one[i] == two[i] || one[i] == three[i] {
			t.Errorf("two boxes have the same %s", one[i])
		}
	}
	if one[hash] != two[hash] || one[hash] == three[hash] {
		t.Errorf("hashes %s and %s of one parent, %s of another", one[hash], two[hash], three[hash])
	}
}

// TestParentGone: boxes live on, and others are started at once.
func TestParentGone(t *testing.T) {
	spec := waits(t)
	tr := forking(t, Options{}, spec)
	kind := kindOf(&spec)
	p := parentOf(tr, spec)
	box, err := tr.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if plain := (tier.Spec{Root: spec.Root, Limits: spec.Limits, Standby: spec.Standby}); !tr.Copies(spec) || tr.Copies(plain) {
		t.Error("it copies what cannot be copied, or not what can")
	}
	p.proc.Kill()
	for _, b := range []tier.Box{box, nil} {
		if b == nil {
			if b, err = tr.Open(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			defer b.Close()
		}
		if out, stdout, stderr := python(t, b, "print(6 * 7)"); stdout != "42\n" {
			t.Errorf("%+v printed %q, %q", out, stdout, stderr)
		}
	}
	tr.parents.all.Wait()
	if next := parentOf(tr, spec); next == nil || next == p {
		t.Fatal("it has no successor")
	}
	// Each is there for few boxes and a short time.
	next := parentOf(tr, spec)
	next.taken = maxCopies
	if tr.Copies(spec) || tr.parents.take(kind) != nil {
		t.Error("a parent that is used up makes more boxes")
	}
	tr.parents.want(kind, &spec)
	tr.parents.all.Wait()
	parentOf(tr, spec).made = time.Now().Add(-2 * maxAge)
	if tr.parents.take(kind) != nil {
		t.Error("a parent that is too old makes more boxes")
	}
	tr.parents.want(kind, &spec)
	tr.parents.all.Wait()
	last := parentOf(tr, spec)
	last.taken = renewCopies
	tr.parents.want(kind, &spec)
	tr.parents.all.Wait()
	if parentOf(tr, spec) != last {
		t.Error("a parent that can make more boxes was ended")
	}
	last.taken = maxCopies
	if next := tr.parents.take(kind); !tr.Copies(spec) || next == nil || next == last {
		t.Error("no successor was made before the end")
	}
}

// answers checks that a box runs a program.
func answers(t *testing.T, box tier.Box) {
	t.Helper()
	if out, stdout, stderr := python(t, box, "print(6 * 7)"); stdout != "42\n" {
		t.Errorf("%+v printed %q, %q", out, stdout, stderr)
	}
}

// TestParentStuck: nobody waits for a parent that does nothing longer than he
// wants, it is used no more, and what it left is reaped.
func TestParentStuck(t *testing.T) {
	spec := waits(t)
	children := native.Below(os.Getpid())
	tr := forking(t, Options{}, spec)
	p := parentOf(tr, spec)
	if err := p.proc.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	begin := time.Now()
	for range 3 {
		all.Go(func() {
			if box, err := tr.Open(ctx, spec); err == nil {
				box.Close() // it was started
			}
		})
	}
	all.Wait()
	if d := time.Since(begin); d > bootPatience/2 {
		t.Errorf("Open took %v", d)
	}
	p.proc.Signal(syscall.SIGCONT)
	tr.parents.all.Wait()
	if parentOf(tr, spec) == p {
		t.Error("it is still in use")
	}
	for range 2 {
		box, err := tr.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		answers(t, box)
		box.Close()
	}
	tr.Close()
	for _, pid := range native.Below(os.Getpid()) {
		if !slices.Contains(children, pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

// TestLateReply: what a parent says of another copy is not taken for the next
// box's, and that copy is reaped.
func TestLateReply(t *testing.T) {
	spec := waits(t)
	children := native.Below(os.Getpid())
	tr := forking(t, Options{}, spec)
	p := parentOf(tr, spec)
	ends, inner, err := glove.Pipes()
	if err != nil {
		t.Fatal(err)
	}
	defer ends.Close()
	defer inner.Close()
	var numbers, fds []int
	for _, n := range slices.Sorted(maps.Keys(inner)) {
		if n >= firstSlot {
			numbers, fds = append(numbers, n), append(fds, int(inner[n].Fd()))
		}
	}
	if err := unix.Sendmsg(int(p.sends.Fd()), []byte{1}, unix.UnixRights(fds...), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := p.ends.Send(forkScript(numbers, 7), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	box, err := tr.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	answers(t, box)
	box.Close()
	tr.parents.all.Wait()
	if parentOf(tr, spec) == p {
		t.Error("it is still in use")
	}
	tr.Close()
	for _, pid := range native.Below(os.Getpid()) {
		if !slices.Contains(children, pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

// TestParentReplaced: who waits for a parent that ends gets a copy of its successor.
func TestParentReplaced(t *testing.T) {
	spec := waits(t)
	tr := forking(t, Options{}, spec)
	old, l := parentOf(tr, spec), tr.parents.kinds[kindOf(&spec)]
	old.turn <- struct{}{}
	opened := make(chan error)
	go func() {
		box, err := tr.Open(t.Context(), spec)
		if err == nil {
			answers(t, box)
			err = box.Close()
		}
		opened <- err
	}()
	for begin, waits := time.Now(), false; !waits; time.Sleep(time.Millisecond) {
		tr.parents.mu.Lock()
		waits = old.taken > 0
		tr.parents.mu.Unlock()
		if time.Since(begin) > 10*time.Second {
			t.Fatal("nobody waits for the parent")
		}
	}
	next, err := tr.openParent(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	tr.parents.mu.Lock()
	tr.parents.drop(l)
	tr.parents.add(l, next)
	tr.parents.mu.Unlock()
	old.torn = true // as drop does, when it has its turn
	<-old.turn
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	if !next.proven {
		t.Error("the box is no copy")
	}
}

// TestParentsMemory: boxes of a command that shares memory have no parent.
func TestParentsMemory(t *testing.T) {
	spec := waits(t)
	args := slices.Clone(spec.Standby.Args)
	i := slices.Index(args, "-c") + 1
	args[i] = "import mmap; mmap.keep = mmap.mmap(-1, 4096); " + args[i]
	spec.Standby.Args = args
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for i := range 3 {
		box, err := tr.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		out, stdout, stderr := python(t, box, `
import ctypes
at = [l.split("-")[0] for l in open("/proc/self/maps") if l.split()[1] == "rw-s"]
print([ctypes.string_at(int(a, 16)) for a in at])
for a in at: ctypes.memmove(int(a, 16), b"left", 4)`)
		if stdout != "[b'']\n" {
			t.Errorf("box %d: %+v printed %q, %q", i, out, stdout, stderr)
		}
		box.Close()
		tr.parents.all.Wait()
	}
}

// fakes are parents of kinds by their name, without a process; making is called
// before each. The test fails where one is left after close.
func fakes(t *testing.T, making func(kind string)) (ps *parents, end func()) {
	var pipes sync.Map
	ps = newParents(func(_ context.Context, spec tier.Spec) (*parent, error) {
		making(spec.Root.Key)
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		r.Close()
		pipes.Store(w, spec.Root.Key)
		return &parent{sends: w, made: time.Now(), turn: make(chan struct{}, 1)}, nil
	})
	return ps, func() {
		ps.close()
		pipes.Range(func(w, kind any) bool {
			if err := w.(*os.File).Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("a parent of kind %s outlives its tier", kind)
			}
			return true
		})
	}
}

func kindNamed(name string) *tier.Spec {
	return &tier.Spec{Root: &rootfs.Root{Key: name}, Standby: &tier.Command{}}
}

// TestTooManyParents: one that is being made while its kind is the oldest of too
// many ends with its tier, as any.
func TestTooManyParents(t *testing.T) {
	entered, goOn := make(chan struct{}), make(chan struct{})
	made := map[string]int{}
	var mu sync.Mutex
	ps, end := fakes(t, func(kind string) {
		mu.Lock()
		made[kind]++
		successor := made[kind] == 2
		mu.Unlock()
		if successor {
			close(entered)
			<-goOn
		}
	})
	want := func(name string) *line {
		ps.want(name, kindNamed(name))
		ps.mu.Lock()
		defer ps.mu.Unlock()
		return ps.kinds[name]
	}
	want("first")
	ps.all.Wait()
	ps.take("first").taken = renewCopies
	want("first")
	<-entered
	var others []*line
	for i := range maxParents {
		others = append(others, want(strconv.Itoa(i)))
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		ps.mu.Lock()
		ready := !slices.ContainsFunc(others, func(l *line) bool { return l.making != nil })
		ps.mu.Unlock()
		if ready {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatal("the others are not made")
		}
	}
	close(goOn)
	ps.all.Wait()
	end()
}

// TestBlame: a parent is dropped for what it does not do, and a kind whose parents
// never do it has none for longer and longer.
func TestBlame(t *testing.T) {
	refused := &tier.Error{Kind: tier.KindUnsupported}
	ps, end := fakes(t, func(string) {})
	begin := time.Now()
	take := func(wanted bool) *parent {
		t.Helper()
		ps.want("kind", kindNamed("kind"))
		ps.all.Wait()
		p := ps.take("kind")
		if (p != nil) != wanted {
			t.Fatalf("there is a parent: %v", p != nil)
		}
		return p
	}
	// rested checks how long the respite is, and ends it.
	rested := func(want time.Duration) {
		t.Helper()
		l := ps.kinds["kind"]
		if got := l.rest.Sub(begin); got < want || got > want+want/2 {
			t.Errorf("it rests for %v, want %v", got, want)
		}
		if want > 0 {
			take(false)
		}
		l.rest = begin
	}
	p := take(true)
	take(true) // another box, at the same time
	ps.tried("kind", p, errors.New("there is no group"))
	if take(true) != p {
		t.Error("a box's failure is blamed on the parent")
	}
	ps.tried("kind", p, errBarren)
	ps.tried("kind", p, errBarren)
	rested(respite)
	ps.tried("kind", take(true), refused)
	rested(2 * respite)
	p = take(true)
	ps.tried("kind", p, nil)
	ps.tried("kind", p, refused)
	if take(true) != p {
		t.Error("a box's failure is blamed on the parent")
	}
	ps.tried("kind", p, errBarren)
	rested(0)
	ps.tried("kind", take(true), errBarren)
	rested(respite)
	end()
}

// TestNoParent: a command that cannot be one is started in each box.
func TestNoParent(t *testing.T) {
	spec := waits(t)
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	args := slices.Clone(spec.Standby.Args)
	i := slices.Index(args, "-c") + 1
	// Without ctypes.
	args[i] = "import sys; sys.modules['ctypes'] = None; " + args[i]
	spec.Standby.Args = args
	for range 2 {
		box, err := tr.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if out, stdout, stderr := python(t, box, "print(6 * 7)"); stdout != "42\n" {
			t.Errorf("%+v printed %q, %q", out, stdout, stderr)
		}
		box.Close()
		tr.parents.all.Wait()
		if p := parentOf(tr, spec); p != nil {
			t.Error("it has a parent")
		}
	}
}

// TestParentDies: the death of the owner is the death of its parents.
func TestParentDies(t *testing.T) {
	spec := waits(t)
	if os.Getenv(ownerEnv) == "parent" {
		tr := forking(t, Options{}, spec)
		if _, err := tr.open(t.Context(), spec, missing{}, tr.parents.take(kindOf(&spec))); err != nil {
			t.Fatal(err)
		}
		fmt.Println("\nowner of", native.Below(os.Getpid()))
		select {}
	}
	c := exec.Command("/proc/self/exe", "-test.run=^TestParentDies$")
	c.Env = append(os.Environ(), ownerEnv+"=parent")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	var pids []string
	for lines := bufio.NewScanner(out); pids == nil && lines.Scan(); {
		if list, ok := strings.CutPrefix(lines.Text(), "owner of ["); ok {
			pids = strings.Fields(strings.TrimSuffix(list, "]"))
		}
	}
	if len(pids) < 3 { // the parent, a glove and its command
		t.Fatalf("the owner has the processes %q", pids)
	}
	c.Process.Kill()
	for _, pid := range pids {
		for begin := time.Now(); syscall.Kill(number32(pid), 0) == nil; time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("process %s outlives its owner", pid)
			}
		}
	}
}
