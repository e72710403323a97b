//go:build linux

package microvm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

var ctx = context.Background()

// emulated are the options of most tests: KVM has no part in what they test.
var emulated = Options{AllowEmulation: true, EmulationOnly: true}

// newTier makes a tier that keeps its warnings, or skips where this host has no
// QEMU or no kernel was prepared.
func newTier(t testing.TB, o Options) (*Tier, *warnings) {
	t.Helper()
	w := new(warnings)
	o.Warn = w.add
	tr, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.prepare(ctx); tier.IsKind(err, tier.KindUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return tr, w
}

// warnings are what a tier has made good.
type warnings struct {
	mu  sync.Mutex
	all []error
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, err)
}

func (w *warnings) none(t testing.TB) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.all) > 0 {
		t.Errorf("it warns: %v", errors.Join(w.all...))
	}
}

// privateDir is a directory that is closed to others.
func privateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newRoot(t testing.TB, tr *Tier) *rootfs.Root {
	t.Helper()
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(tr.ImageRoot()))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func newSpec(t testing.TB, tr *Tier) tier.Spec {
	return tier.Spec{Root: newRoot(t, tr), Limits: glovebox.Limits{Wall: time.Minute, Memory: 96 << 20}.WithDefaults()}
}

// open opens a box that is closed with the test.
func open(t testing.TB, tr *Tier, spec tier.Spec) *box {
	t.Helper()
	b, err := tr.Open(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b.(*box)
}

// run runs a program of a few system calls and returns what it printed.
func run(t testing.TB, b *box, program func(*glove.Script)) []byte {
	t.Helper()
	s := new(glove.Script)
	program(s)
	image, err := glove.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	out := b.Run(ctx, tier.Command{
		Args:   []string{tier.Workspace + "/p"},
		Files:  []glovebox.File{{Path: "p", Data: image, Executable: true}},
		Stdout: &stdout,
	})
	if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
		t.Fatalf("ended with %+v", out)
	}
	return stdout.Bytes()
}

// TestClonesDiffer: two machines of one snapshot have random numbers of their
// own, and the host's time.
func TestClonesDiffer(t *testing.T) {
	tr, w := newTier(t, emulated)
	var seen [][]byte
	for range 2 {
		said := run(t, open(t, tr, newSpec(t, tr)), func(s *glove.Script) {
			buf := s.Buffer(32)
			s.Call("getrandom", unix.SYS_GETRANDOM, buf, 16, 0)
			s.Call("clock", unix.SYS_CLOCK_GETTIME, unix.CLOCK_REALTIME, buf.Plus(16))
			s.Call("write", unix.SYS_WRITE, 1, buf, 32)
		})
		if len(said) != 32 {
			t.Fatalf("it said %q", said)
		}
		theirs := time.Unix(int64(binary.LittleEndian.Uint64(said[16:])), 0)
		if off := time.Since(theirs).Abs(); off > time.Minute {
			t.Errorf("its clock is off by %v", off)
		}
		seen = append(seen, said[:16])
	}
	if bytes.Equal(seen[0], seen[1]) {
		t.Errorf("both have the random number %x", seen[0])
	}
	w.none(t)
}

// TestClonesWithoutEntropy is the reason: machines that go on from one snapshot
// without what a job is given first have the same random numbers.
func TestClonesWithoutEntropy(t *testing.T) {
	tr, _ := newTier(t, emulated)
	p := newPlan(t, tr)
	var seen [2]string
	for i := range seen {
		snap, err := tr.snapshot(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		defer snap.release()
		g, err := tr.start(ctx, p, snap.dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.join(nil); err != nil {
			t.Fatal(err)
		}
		s := new(glove.Script)
		buf := s.Buffer(16)
		s.Call("getrandom", unix.SYS_GETRANDOM, buf, 16, 0)
		s.Reply(buf, s.Words(16))
		number, err := g.link.Ends().Do(s, time.Now().Add(bootPatience))
		if err := g.discard(err); err != nil {
			t.Fatal(err)
		}
		seen[i] = string(number)
	}
	if seen[0] != seen[1] {
		t.Skipf("this kernel gives clones different random numbers by itself: %x, %x", seen[0], seen[1])
	}
}

// newPlan is the plan of the machines of most tests.
func newPlan(t testing.TB, tr *Tier) plan {
	t.Helper()
	g, err := tr.prepare(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tr.plan(g, newSpec(t, tr))
	if err != nil {
		t.Fatal(err)
	}
	p.accel = monitor.Emulated
	return p
}

// TestMonitorIsNobody looks at the monitor of a box from outside.
func TestMonitorIsNobody(t *testing.T) {
	tr, _ := newTier(t, emulated)
	spec := newSpec(t, tr)
	a, b := open(t, tr, spec), open(t, tr, spec)
	image, err := filepath.EvalSymlinks(spec.Root.Image)
	if err != nil {
		t.Fatal(err)
	}
	of := func(b *box) map[string]string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.ground.instance.PID()))
		if err != nil {
			t.Fatal(err)
		}
		status := map[string]string{}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			status[name] = strings.TrimSpace(value)
		}
		return status
	}
	one, other := of(a), of(b)
	for name, want := range map[string]string{"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2"} {
		if one[name] != want && (name != "CapEff" && name != "CapPrm" || os.Geteuid() == 0) {
			t.Errorf("%s is %s, not %s", name, one[name], want)
		}
	}
	if os.Geteuid() == 0 {
		if strings.HasPrefix(one["Uid"], "0\t") || one["Uid"] == other["Uid"] || one["Groups"] != "" {
			t.Errorf("the monitors are users %q and %q, with the groups %q", one["Uid"], other["Uid"], one["Groups"])
		}
	}
	for _, ns := range []string{"net", "ipc", "uts"} {
		ours, _ := os.Readlink("/proc/self/ns/" + ns)
		theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", a.ground.instance.PID(), ns))
		if os.Geteuid() == 0 && (err != nil || ours == theirs) {
			t.Errorf("it is in the host's namespace %s (%v)", ns, err)
		}
	}
	// Nothing of the host but devices and what it was given.
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", a.ground.instance.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", a.ground.instance.PID(), fd.Name()))
		if strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/") && to != image && !strings.HasPrefix(to, "/memfd:") {
			t.Errorf("it has %s open", to)
		}
	}
}

// TestUnsupported: what a host lacks is said, with what to do.
func TestUnsupported(t *testing.T) {
	tr, _ := newTier(t, emulated)
	spec := newSpec(t, tr)
	for _, tc := range []struct {
		name, fix string
		o         Options
	}{
		{"no kernel", "glovebox image kernel", Options{AllowEmulation: true, EmulationOnly: true, KernelDir: privateDir(t)}},
		{"no KVM", "--allow-emulation", Options{EmulationOnly: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, err := New(tc.o)
			if err != nil {
				t.Fatal(err)
			}
			box, err := tr.Open(ctx, spec)
			if err == nil {
				box.Close()
			}
			if !tier.IsKind(err, tier.KindUnsupported) || !strings.Contains(err.Error(), tc.fix) {
				t.Errorf("got %v", err)
			}
			if report := tr.Probe(ctx); report.Usable || !strings.Contains(report.Reason, tc.fix) {
				t.Errorf("the probe says %+v", report)
			}
		})
	}
}

// sick is a monitor whose guests do not answer on KVM.
type sick struct {
	monitor.Monitor
	starts int
}

func (s *sick) Emulates() {}

func (s *sick) Start(ctx context.Context, m monitor.Machine) (monitor.Instance, error) {
	if m.Accel == monitor.KVM {
		s.starts++
		m.Accel, m.Cmdline, m.Snapshot = monitor.Emulated, "quiet rdinit=/nothing", ""
	}
	return s.Monitor.Start(ctx, m)
}

// TestKVMThatHangs: the device's node says nothing.
func TestKVMThatHangs(t *testing.T) {
	if f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0); err != nil {
		t.Skip(err)
	} else {
		f.Close()
	}
	healthy, _ := newTier(t, emulated)
	spec := newSpec(t, healthy)
	cache := privateDir(t)
	m := &sick{Monitor: healthy.guest.monitor}
	for range 2 { // the second time it knows
		tr, err := New(Options{Monitor: m, Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		box, err := tr.Open(ctx, spec)
		if err == nil {
			box.Close()
		}
		if !tier.IsKind(err, tier.KindUnsupported) || !strings.Contains(err.Error(), "did not answer on KVM") {
			t.Errorf("got %v", err)
		}
	}
	if m.starts != 1 {
		t.Errorf("KVM was tried %d times", m.starts)
	}
	tr, err := New(Options{Monitor: m, Cache: cache, AllowEmulation: true})
	if err != nil {
		t.Fatal(err)
	}
	run(t, open(t, tr, spec), func(*glove.Script) {})
	if !tr.Traits().Emulated {
		t.Error("it does not say that it emulates")
	}
}

// TestNoEmulator: what a monitor cannot do is not tried.
func TestNoEmulator(t *testing.T) {
	healthy, _ := newTier(t, emulated)
	only := struct{ monitor.Monitor }{healthy.guest.monitor}
	tr, err := New(Options{Monitor: only, AllowEmulation: true, EmulationOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	box, err := tr.Open(ctx, newSpec(t, healthy))
	if err == nil {
		box.Close()
	}
	if !tier.IsKind(err, tier.KindUnsupported) || !strings.Contains(err.Error(), "cannot emulate") {
		t.Errorf("got %v", err)
	}
}

// TestCold: a box without a snapshot is a box like any other.
func TestCold(t *testing.T) {
	o := emulated
	o.NoSnapshots, o.Cache = true, privateDir(t)
	tr, w := newTier(t, o)
	run(t, open(t, tr, newSpec(t, tr)), func(*glove.Script) {})
	if list, _ := filepath.Glob(filepath.Join(o.Cache, "*", "state")); len(list) > 0 {
		t.Errorf("it made %q", list)
	}
	w.none(t)
}
