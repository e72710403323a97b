//go:build linux

package gvisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// obedient is a Python that executes its orders. Its descriptors follow those of
// the Spec, of which there are none.
var obedient = &tier.Command{
	Args: []string{"/usr/local/bin/python3", "-I", "-B", "-c", `
import os, time
began = time.monotonic()
while True:
    os.write(4, b'!')
    code = part = os.read(3, 65536)
    if part != b'\n': break
while part:
    part = os.read(3, 65536)
    code += part
exec(code)
`},
	Env: []string{"PATH=/usr/local/bin:/usr/bin", "HOME=/workspace", "LANG=C.UTF-8"},
}

// whole is what open makes of a spec.
func whole(t testing.TB, spec tier.Spec) tier.Spec {
	t.Helper()
	if spec.Root == nil {
		spec.Root = needPython(t).root
	}
	spec.Limits = spec.Limits.WithDefaults()
	if spec.Standby == nil {
		spec.Standby = obedient
	}
	return spec
}

// take waits for the template of a kind, and takes what a copy needs.
func take(tr *Tier, spec tier.Spec) (*origin, error) {
	kind, err := kindOf(spec)
	if err != nil {
		return nil, err
	}
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if from := tr.templates.take(kind); from != nil {
			return from, nil
		}
		tr.templates.want(kind, spec)
	}
	return nil, errors.New("there is no template")
}

// copyOf opens a box that is a copy.
func copyOf(t testing.TB, tr *Tier, spec tier.Spec) (tier.Box, *ground) {
	t.Helper()
	spec = whole(t, spec)
	from, err := take(tr, spec)
	if err != nil {
		t.Fatal(err)
	}
	b, g, err := tr.open(ctx, spec, from)
	from.state.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b, g
}

// copyTier makes a tier whose boxes can be copies, or skips.
func copyTier(t testing.TB) *Tier {
	t.Helper()
	tr := newTier(t)
	open(t, tr, tier.Spec{}).Close()
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// order runs the standby command.
func order(b tier.Box, code string, change ...func(*tier.Command)) result {
	var stdout, stderr bytes.Buffer
	cmd := tier.Command{Orders: []byte(code), Stdout: &stdout, Stderr: &stderr}
	for _, f := range change {
		f(&cmd)
	}
	return result{b.Run(ctx, cmd), stdout.String(), stderr.String()}
}

func TestCopy(t *testing.T) {
	tr := copyTier(t)
	spec := tier.Spec{Limits: smallLimits, Files: []glovebox.File{{Path: "fixed", Data: []byte("fixed "), ReadOnly: true}}}
	b, g := copyOf(t, tr, spec)
	confined(t, g)
	for fd := range sentryExe {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", g.sentry.Process.Pid, fd))
		if strings.HasPrefix(to, "/memfd:"+stateName) {
			t.Errorf("the sentry keeps %s", to)
		}
	}
	r := order(b, "print(open('f').read() + open('fixed').read() + input(), os.listdir())", func(c *tier.Command) {
		c.Files, c.Stdin = []glovebox.File{{Path: "f", Data: []byte("staged ")}}, []byte("typed")
	})
	if r.Cause != glovebox.CauseExit || r.stdout != "staged fixed typed ['fixed', 'f']\n" && r.stdout != "staged fixed typed ['f', 'fixed']\n" {
		t.Errorf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
	}
	if r.Usage.CPU <= 0 || r.Usage.MemoryPeak <= 0 || len(r.Hits) > 0 {
		t.Errorf("usage %+v, hits %v", r.Usage, r.Hits)
	}
}

// TestCopyLimits: a copy is held to the limits.
func TestCopyLimits(t *testing.T) {
	tr := copyTier(t)
	testLimits(t, func(t *testing.T, limits glovebox.Limits, code string) result {
		b, _ := copyOf(t, tr, tier.Spec{Limits: limits})
		return order(b, code)
	})
}

// TestCopySees: a copy knows its own limits, and its time is the host's.
func TestCopySees(t *testing.T) {
	tr := copyTier(t)
	spec := whole(t, tier.Spec{Limits: smallLimits})
	from, err := take(tr, spec)
	if err != nil {
		t.Fatal(err)
	}
	from.state.Close()
	time.Sleep(2 * time.Second) // the template is older than a clock may be wrong
	b, _ := copyOf(t, tr, spec)
	before := time.Now()
	r := order(b, `
import resource
now, ticks = time.time(), time.monotonic() - began
mem = int(open('/proc/meminfo').readline().split()[1]) << 10
time.sleep(.1)
print(now, ticks, time.monotonic() - began - ticks, mem, resource.getrlimit(resource.RLIMIT_NPROC)[1],
    os.statvfs('/workspace').f_blocks * os.statvfs('/workspace').f_frsize, os.getuid())`)
	after := time.Now()
	var now, ticks, slept float64
	var memory, processes, disk int64
	var uid int
	if _, err := fmt.Sscan(r.stdout, &now, &ticks, &slept, &memory, &processes, &disk, &uid); err != nil {
		t.Fatalf("%v in %+v, %q, %q", err, r.Outcome, r.stdout, r.stderr)
	}
	const wrong = 500 * time.Millisecond
	if at := time.UnixMicro(int64(now * 1e6)); at.Before(before.Add(-wrong)) || at.After(after.Add(wrong)) {
		t.Errorf("it is %v, in the box it was %v", after, at)
	}
	if ticks < 0 || slept < .1 {
		t.Errorf("its clock said %v since it began to wait and %v for a tenth of a second", ticks, slept)
	}
	if memory != smallLimits.Memory || processes != smallLimits.Processes || disk != smallLimits.Disk || uid != tier.UID {
		t.Errorf("memory %d, processes %d, disk %d, user %d", memory, processes, disk, uid)
	}
}

// TestCopiesDiffer: what must not be equal in two boxes is not.
func TestCopiesDiffer(t *testing.T) {
	tr := copyTier(t)
	seen, maps := map[string]int{}, map[string]bool{}
	const boxes = 3
	for range boxes {
		b, g := copyOf(t, tr, tier.Spec{})
		m, err := os.ReadFile(fmt.Sprintf("/proc/%d/uid_map", g.sentry.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		maps[string(m)] = true
		r := order(b, "import random, uuid\nprint(os.urandom(8).hex(), os.getrandom(8).hex(), open('/dev/urandom','rb').read(8).hex(), random.random(), uuid.uuid4())")
		words := strings.Fields(r.stdout)
		if len(words) != 5 {
			t.Fatalf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
		}
		for _, w := range words {
			seen[w]++
		}
	}
	for w, n := range seen {
		if n > 1 {
			t.Errorf("%d boxes had %s", n, w)
		}
	}
	if os.Geteuid() == 0 && len(maps) != boxes { // one time in a thousand two share a range
		t.Errorf("the users of %d boxes are %v", boxes, maps)
	}
}

// TestTemplateIsBare: nothing of the box that a template is made for is in it.
func TestTemplateIsBare(t *testing.T) {
	tr := copyTier(t)
	secret := strings.Repeat("Rosebud", 1000)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.WriteString(secret); err != nil {
		t.Fatal(err)
	}
	command := *obedient
	command.Args = append([]string{}, command.Args...)
	last := len(command.Args) - 1
	command.Args[last] = strings.NewReplacer("4", "5", "(3", "(4").Replace(command.Args[last])
	spec := whole(t, tier.Spec{
		Files: []glovebox.File{{Path: "secret", Data: []byte(secret)}}, Descriptors: []*os.File{r}, Standby: &command,
	})
	b := open(t, tr, spec)
	from, err := take(tr, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer from.state.Close()
	data, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", from.state.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("Rosebud")) {
		t.Error("the secret is in the template")
	}
	if !bytes.Contains(data, []byte("began = time.monotonic()")) {
		t.Error("the test would not find it")
	}
	// The pipe is the box's that it was given to.
	if got := order(b, "print(len(os.read(3, 100000)))"); got.stdout != strconv.Itoa(len(secret))+"\n" {
		t.Errorf("got %+v, %q, %q", got.Outcome, got.stdout, got.stderr)
	}
}

// TestSealed: who reaches the files of a template cannot change them.
func TestSealed(t *testing.T) {
	attacks := map[string]func(f *os.File) error{
		"write":    func(f *os.File) error { _, err := f.WriteAt([]byte("poison"), 0); return err },
		"append":   func(f *os.File) error { _, err := f.WriteAt([]byte("poison"), 6); return err },
		"truncate": func(f *os.File) error { return f.Truncate(1) },
		"grow":     func(f *os.File) error { return f.Truncate(1 << 20) },
		"punch": func(f *os.File) error {
			return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 6)
		},
		"map": func(f *os.File) error {
			m, err := unix.Mmap(int(f.Fd()), 0, 6, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			if err == nil {
				err = unix.Munmap(m)
			}
			return err
		},
		"seal": func(f *os.File) error {
			_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, 0x10 /* F_SEAL_FUTURE_WRITE */)
			return err
		},
	}
	for name, attack := range attacks {
		for _, sealed := range []bool{false, true} {
			s, err := newState()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.WriteString("poison"); err != nil {
				t.Fatal(err)
			}
			// Somebody opened it while that was possible.
			early, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", s.Fd()), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if sealed {
				if _, err := seal(s); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range []*os.File{s, early} {
				if err := attack(f); (err != nil) != sealed {
					t.Errorf("%s, sealed %v: %v", name, sealed, err)
				}
			}
			early.Close()
			s.Close()
		}
	}
	// What somebody still has mapped is not taken for sealed.
	s, err := newState()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.WriteString("poison")
	m, err := unix.Mmap(int(s.Fd()), 0, 6, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if _, err := seal(s); err == nil {
		t.Error("a file that is mapped for writing is sealed")
	}
}

// poisoned makes a template whose state is what change makes of another's.
func poisoned(t *testing.T, from *origin, change func(data []byte) []byte) *template {
	t.Helper()
	s, err := newState()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", from.state.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(change(data)); err != nil {
		t.Fatal(err)
	}
	return &template{state: s, waiting: from.template.waiting, made: time.Now()}
}

// TestPoisoned: from what is no template of its kind no box comes; who asks for
// one gets it, made the long way.
func TestPoisoned(t *testing.T) {
	tr := copyTier(t)
	spec := whole(t, tier.Spec{Limits: smallLimits})
	limits := smallLimits
	limits.Memory *= 2
	limits.Processes *= 2
	large := whole(t, tier.Spec{Limits: limits})
	from, err := take(tr, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer from.state.Close()
	other, err := take(tr, large)
	if err != nil {
		t.Fatal(err)
	}
	defer other.state.Close()
	same := func(data []byte) []byte { return data }
	before := snapshot(t, tr)
	for name, forged := range map[string]*template{
		"of another kind": poisoned(t, other, same),
		"empty":           poisoned(t, from, func([]byte) []byte { return nil }),
		"truncated":       poisoned(t, from, func(data []byte) []byte { return data[:len(data)/2] }),
		"a byte short":    poisoned(t, from, func(data []byte) []byte { return data[:len(data)-1] }),
		"garbage":         poisoned(t, from, func(data []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(data)) }),
		"part garbage":    poisoned(t, from, func(data []byte) []byte { clear(data[100<<10 : 200<<10]); return data }),
		"nobody waits":    func() *template { p := poisoned(t, from, same); p.waiting = 4321; return p }(),
	} {
		t.Run(name, func(t *testing.T) {
			tr.templates.mu.Lock()
			s := tr.templates.kinds[from.kind]
			s.drop()
			s.template, s.failures = forged, 0
			tr.templates.mu.Unlock()
			origin := tr.templates.take(from.kind)
			b, _, err := tr.open(ctx, spec, origin)
			origin.state.Close()
			if err == nil {
				// It waits for the process that is to end, so the run is not taken for one.
				r := order(b, "print(1)", func(c *tier.Command) { c.Wall = 2 * time.Second })
				b.Close()
				if name != "nobody waits" || r.Cause == glovebox.CauseExit {
					t.Errorf("a box came of it: %+v", r)
				}
				return
			}
			t.Logf("%.200v", err)
			got, err := tr.Open(ctx, spec)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Close()
			r := order(got, "print(int(open('/proc/meminfo').readline().split()[1]) << 10)")
			if r.stdout != fmt.Sprintln(spec.Limits.Memory) {
				t.Errorf("got %+v, %q, %q", r.Outcome, r.stdout, r.stderr)
			}
			// It is not tried for ever.
			for range maxFailures {
				if b, err := tr.Open(ctx, spec); err != nil {
					t.Error(err)
				} else {
					b.Close()
				}
			}
			if o := tr.templates.take(from.kind); o != nil && o.template == forged {
				t.Error("it is still taken for a template")
			}
		})
	}
	tr.templates.close()
	if now := snapshot(t, tr); len(now.children) > len(before.children) || len(now.dens) > len(before.dens) {
		t.Errorf("left: processes %v, directories %v", now.children, now.dens)
	}
}

// TestTemplatesClose: nothing is left of a template, made or half made.
func TestTemplatesClose(t *testing.T) {
	for _, made := range []bool{true, false} {
		tr := copyTier(t)
		before := snapshot(t, tr)
		spec := whole(t, tier.Spec{})
		if made {
			from, err := take(tr, spec)
			if err != nil {
				t.Fatal(err)
			}
			from.state.Close()
		} else {
			tr.templates.want("half made", spec)
			time.Sleep(20 * time.Millisecond) // in the midst of it, or else before
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		before.same(t)
		tr.templates.want("late", spec)
		if len(tr.templates.kinds) > 0 {
			t.Error("a tier that is closed makes templates")
		}
	}
}

// TestKinds: boxes that differ in anything that a copy cannot change are of
// different kinds.
func TestKinds(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	base := func() tier.Spec {
		return tier.Spec{Root: &rootfs.Root{Key: "k", Image: image}, Limits: smallLimits,
			Standby:     &tier.Command{Args: []string{"/a", "b"}, Env: []string{"A=b"}, Dir: "/tmp"},
			Descriptors: []*os.File{r, nil, w}}
	}
	kind := func(spec tier.Spec) string {
		k, err := kindOf(spec)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := kind(base())
	for _, tc := range []struct {
		name   string
		same   bool
		change func(s *tier.Spec)
	}{
		{"nothing", true, func(s *tier.Spec) {}},
		{"wall, processor time and output", true, func(s *tier.Spec) { s.Limits.Wall++; s.Limits.CPU++; s.Limits.Output++ }},
		{"files", true, func(s *tier.Spec) { s.Files = []glovebox.File{{Path: "a"}} }},
		{"other pipes", true, func(s *tier.Spec) {
			a, b, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { a.Close(); b.Close() })
			s.Descriptors = []*os.File{a, nil, b}
		}},
		{"memory", false, func(s *tier.Spec) { s.Limits.Memory++ }},
		{"processes", false, func(s *tier.Spec) { s.Limits.Processes++ }},
		{"open files", false, func(s *tier.Spec) { s.Limits.OpenFiles++ }},
		{"file size", false, func(s *tier.Spec) { s.Limits.FileSize++ }},
		{"disk", false, func(s *tier.Spec) { s.Limits.Disk++ }},
		{"number of files", false, func(s *tier.Spec) { s.Limits.Files++ }},
		{"root", false, func(s *tier.Spec) { s.Root.Key = "l" }},
		{"image", false, func(s *tier.Spec) { s.Root.Image = os.Args[0] }},
		{"arguments", false, func(s *tier.Spec) { s.Standby.Args = []string{"/a", "c"} }},
		{"arguments that read the same", false, func(s *tier.Spec) { s.Standby.Args = []string{"/a b"} }},
		{"bytes that are no text", false, func(s *tier.Spec) { s.Standby.Args[1] = "\xff" }},
		{"environment", false, func(s *tier.Spec) { s.Standby.Env = nil }},
		{"directory", false, func(s *tier.Spec) { s.Standby.Dir = "" }},
		{"fewer pipes", false, func(s *tier.Spec) { s.Descriptors = s.Descriptors[:1] }},
		{"pipes elsewhere", false, func(s *tier.Spec) { s.Descriptors = []*os.File{nil, r, w} }},
		{"pipes the other way", false, func(s *tier.Spec) { s.Descriptors = []*os.File{w, nil, r} }},
		{"the image's content", false, func(s *tier.Spec) {
			if err := os.WriteFile(image, []byte("b"), 0o600); err != nil {
				t.Fatal(err)
			}
			then := time.Now().Add(time.Hour)
			if err := os.Chtimes(image, then, then); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		spec := base()
		tc.change(&spec)
		if got := kind(spec); (got == first) != tc.same {
			t.Errorf("%s: same kind %v", tc.name, got == first)
		}
	}
	both, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", r.Fd()), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	spec := base()
	spec.Descriptors = []*os.File{both}
	if _, err := kindOf(spec); err == nil {
		t.Error("a pipe that is read and written is of a kind")
	}
}

// TestTemplates: which templates there are.
func TestTemplates(t *testing.T) {
	var made atomic.Int64
	var fail atomic.Bool
	size := int64(1)
	ts := newTemplates(func(ctx context.Context, _ tier.Spec) (*template, error) {
		if fail.Load() {
			return nil, errors.New("fails")
		}
		made.Add(1)
		s, err := newState()
		s.WriteString("x")
		return &template{state: s, waiting: 7, size: size, made: time.Now()}, err
	})
	spec := tier.Spec{Root: &rootfs.Root{}, Standby: obedient}
	// want waits, other than the real one, until all are made.
	want := func(kind string) {
		ts.want(kind, spec)
		ts.all.Wait()
	}
	has := func(kind string) bool {
		o := ts.take(kind)
		if o != nil {
			o.state.Close()
		}
		return o != nil
	}
	makes := func(n int64, f func()) {
		t.Helper()
		before := made.Load()
		if f(); made.Load()-before != n {
			t.Errorf("%d were made, want %d", made.Load()-before, n)
		}
	}
	change := func(kind string, f func(s *shelf)) {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		f(ts.kinds[kind])
	}

	if has("a") {
		t.Error("there is one that nobody wanted")
	}
	makes(1, func() { want("a"); want("a") })

	// It has so many copies and no more, and a successor before that.
	for i := range maxCopies {
		if !has("a") {
			t.Fatalf("%d copies", i)
		}
	}
	if has("a") {
		t.Error("a copy too many")
	}
	makes(1, func() { want("a") })
	for range renewCopies {
		has("a")
	}
	makes(1, func() { want("a"); want("a") })
	change("a", func(s *shelf) { s.template.made = time.Now().Add(-renewAge) })
	makes(1, func() { want("a"); want("a") })
	change("a", func(s *shelf) { s.template.made = time.Now().Add(-maxAge) })
	if has("a") {
		t.Error("a template that is too old")
	}
	makes(1, func() { want("a") })

	// Failures in a row end it, for a while.
	for i := range 2 * maxFailures {
		o := ts.take("a")
		ts.tell(o, map[bool]error{true: errors.New("failed")}[i%2 == 0])
		o.state.Close()
	}
	for range maxFailures {
		o := ts.take("a")
		ts.tell(o, errors.New("failed"))
		o.state.Close()
	}
	if has("a") {
		t.Error("a template that always fails")
	}
	makes(0, func() { want("a") })
	change("a", func(s *shelf) { s.rest = time.Time{} })
	fail.Store(true)
	want("a")
	fail.Store(false)
	makes(0, func() { want("a") })
	change("a", func(s *shelf) { s.rest = time.Time{} })
	makes(1, func() { want("a") })

	// What was not wanted for the longest time goes first.
	for i := range maxTemplates {
		want(fmt.Sprint(i))
	}
	if has("a") || !has("0") {
		t.Errorf("there are %v and %v", has("a"), has("0"))
	}
	size = maxTemplateBytes
	want("large")
	if has(fmt.Sprint(maxTemplates-1)) || !has("large") {
		t.Error("they are too large together")
	}
	for i := range 2 * maxKinds {
		fail.Store(true)
		want(fmt.Sprint("kind", i))
	}
	fail.Store(false)
	size = 1
	want("b")
	if len(ts.kinds) > maxKinds {
		t.Errorf("%d kinds", len(ts.kinds))
	}

	ts.close()
	makes(0, func() { want("c") })
	if has("b") {
		t.Error("there is one after the end")
	}
}
