//go:build linux

package container_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/attack"
	"github.com/gloveboxhq/glovebox/tier/container"
)

func bareRoot(t testing.TB) *rootfs.Root {
	t.Helper()
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(context.Background(), rootfs.Base().Merge((*container.Tier)(nil).TreeRoot()))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func bareSpec(t testing.TB) tier.Spec {
	return tier.Spec{Root: bareRoot(t), Limits: glovebox.Limits{Memory: 96 << 20, Processes: 16}.WithDefaults()}
}

// fake is a runtime that is a shell script, in a directory that everybody can
// search.
func fake(t *testing.T, script string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gbfake")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "fake")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

func newTier(t testing.TB, runtime string) *container.Tier {
	t.Helper()
	tr, err := container.New(container.Options{Runtime: runtime})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// lives skips where the host can make no stage at all.
func lives(t testing.TB) {
	t.Helper()
	box, err := newTier(t, real(t)).Open(context.Background(), bareSpec(t))
	if tier.IsKind(err, tier.KindUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	box.Close()
}

// real is a runtime of the host.
func real(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"runc", "crun"} {
		if _, err := container.New(container.Options{Runtime: name}); err == nil {
			return name
		}
	}
	t.Skip("this host has neither runc nor crun")
	return ""
}

// TestBrokenRuntimes: whatever a runtime does, Open says what, in bounded time
// and words, and nothing of it is left.
func TestBrokenRuntimes(t *testing.T) {
	lives(t)
	spec := bareSpec(t)
	host := filepath.Join(filepath.Dir(fake(t, "")), "written")
	if err := os.Chmod(filepath.Dir(host), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ script, want string }{
		"fails":                     {"echo no luck >&2; exit 3", `exit code 3; the runtime says "no luck"`},
		"prints garbage":            {"head -c 3000000 /dev/urandom; exit 1", "the runtime says"},
		"garbage and success":       {"head -c 3000000 /dev/urandom", "made no box"},
		"dies":                      {"kill -9 $$", "SIGKILL"},
		"makes nothing":             {"exit 0", "made no box"},
		"hangs":                     {"exec sleep 1000", "timeout"},
		"hangs and prints":          {"while :; do echo y; done", "timeout"},
		"leaves a daemon":           {"setsid sleep 1000 >/dev/null 2>&1 & exit 4", "exit code 4"},
		"a daemon and no box":       {"setsid sleep 1000 & exit 0", "timeout"},
		"speaks for the glove":      {"exec bash -c 'printf %032d 0 >&31; setsid sleep 1000 &'", "the glove sent"},
		"kills its parent":          {"kill -9 1; exit 5", "exit code 5"},
		"writes to the host":        {"echo x > " + host + " || exit 6", "exit code 6"},
		"sees the host's processes": {fmt.Sprintf("[ -e /proc/%d ] || exit 7", os.Getpid()), "exit code 7"},
		"is no program":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := fake(t, tc.script)
			if tc.script == "" {
				tc.want = "exec format error"
				if err := os.WriteFile(path, []byte("\x00"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			tr := newTier(t, path)
			if strings.Contains(tc.want, "timeout") {
				tr.SetPatience(500 * time.Millisecond)
			}
			before := leftover.Look(t, leftover.Options{})
			box, err := tr.Open(context.Background(), spec)
			if err == nil {
				box.Close()
				t.Fatal("a box opened")
			}
			if !tier.IsKind(err, tier.KindBroken) || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 40_000 {
				t.Errorf("got %d bytes: %.500v", len(err.Error()), err)
			}
			before.Same(t)
		})
	}
	if _, err := os.Stat(host); err == nil {
		t.Error("the runtime has written a file of the host")
	}
}

// TestClosedRuntime: root's own runtime is nobody's on the stage.
func TestClosedRuntime(t *testing.T) {
	lives(t)
	if os.Geteuid() != 0 {
		t.Skip("the caller's own is the stage's own where the caller is not root")
	}
	path := fake(t, "exit 0")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := newTier(t, path).Open(context.Background(), bareSpec(t))
	if !tier.IsKind(err, tier.KindBroken) || !strings.Contains(err.Error(), "where everybody may execute it") {
		t.Errorf("got %v", err)
	}
}

// TestCancelledRuntime: a runtime that hangs ends with the wish to have a box.
func TestCancelledRuntime(t *testing.T) {
	lives(t)
	tr, spec := newTier(t, fake(t, "exec sleep 1000")), bareSpec(t)
	before := leftover.Look(t, leftover.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := tr.Open(ctx, spec); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	before.Same(t)
}

// TestMonitor: what a runtime leaves running beside the box ends with it.
func TestMonitor(t *testing.T) {
	lives(t)
	tr := newTier(t, fake(t, "setsid sleep 1000 >/dev/null 2>&1 &\n"+`exec runc "$@"`))
	if real(t) != "runc" {
		t.Skip("the test needs runc")
	}
	spec := bareSpec(t)
	before := leftover.Look(t, leftover.Options{})
	box, err := tr.Open(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	before.Same(t)
}

// TestWeakRuntime: the walls of a command do not need those of the runtime. This
// one takes the filter, the masks and the read-only root out of the bundle.
func TestWeakRuntime(t *testing.T) {
	lives(t)
	if real(t) != "runc" {
		t.Skip("the test needs runc")
	}
	tr := newTier(t, fake(t, `for a; do [ "$last" = --bundle ] && bundle=$a; last=$a; done
sed -i 's/SCMP_ACT_ERRNO/SCMP_ACT_ALLOW/; s/"noNewPrivileges":true/"noNewPrivileges":false/; s/"readonly":true/"readonly":false/; s/"readonlyPaths":\[[^]]*\]/"readonlyPaths":[]/' "$bundle/config.json" || exit 9
exec runc "$@"`))
	bait, err := attack.NewBait()
	if err != nil {
		t.Fatal(err)
	}
	defer bait.Close()
	root := bareRoot(t)
	for _, a := range append(attack.Walls(bait), attack.Kernel()...) {
		if p, err := a.Try(context.Background(), tr, root); err != nil || !p.Proven {
			t.Errorf("%s: %s, %v", a.Control, p.Detail, err)
		}
	}
}

// TestLazyRuntime: one that makes not all of the namespaces makes no box. (Without
// a user namespace of its own a box has the stage's, which is as private.)
func TestLazyRuntime(t *testing.T) {
	lives(t)
	if real(t) != "runc" {
		t.Skip("the test needs runc")
	}
	for _, kind := range []string{"network", "uts", "pid", "mount"} {
		tr := newTier(t, fake(t, `for a; do [ "$last" = --bundle ] && bundle=$a; last=$a; done
sed -i 's/{"type":"`+kind+`"},*//' "$bundle/config.json" || exit 9
exec runc "$@"`))
		box, err := tr.Open(context.Background(), bareSpec(t))
		if err == nil {
			box.Close()
			t.Errorf("without a %s namespace a box opened", kind)
		}
	}
}

const ownerEnv = "GLOVEBOX_CONTAINER_OWNER"

// TestOwnerKilledWhileItOpens: a runtime at work dies with who asked for the box.
func TestOwnerKilledWhileItOpens(t *testing.T) {
	if path := os.Getenv(ownerEnv); path != "" {
		newTier(t, path).Open(context.Background(), bareSpec(t))
		return
	}
	lives(t)
	c := exec.Command("/proc/self/exe", "-test.run=^TestOwnerKilledWhileItOpens$")
	c.Env = append(os.Environ(), ownerEnv+"="+fake(t, "setsid sleep 1000 & exec sleep 1000"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	asleep := func() (pids []int) {
		for _, pid := range leftover.Below(c.Process.Pid) {
			if cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); string(cmd) == "sleep\x001000\x00" {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	for begin := time.Now(); len(asleep()) < 2; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			t.Fatal("the runtime does not come up")
		}
	}
	pids := leftover.Below(c.Process.Pid)
	c.Process.Kill()
	c.Wait()
	for _, pid := range pids {
		for begin := time.Now(); leftover.Alive(pid); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("process %d outlives its owner", pid)
			}
		}
	}
	newTier(t, "") // sweeps
}

// TestAllDescriptors: as many as there can be.
func TestAllDescriptors(t *testing.T) {
	lives(t)
	for _, name := range runtimes {
		t.Run(name, func(t *testing.T) {
			tr, err := container.New(container.Options{Runtime: name})
			if err != nil {
				t.Skip(err)
			}
			spec := bareSpec(t)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for range glove.MaxDescriptors {
				spec.Descriptors = append(spec.Descriptors, w)
			}
			s := new(glove.Script)
			for fd := 3; fd < 3+glove.MaxDescriptors; fd++ {
				s.Call("write", unix.SYS_WRITE, fd, string(rune('a'+fd-3)), 1)
			}
			program, err := glove.Program(s)
			if err != nil {
				t.Fatal(err)
			}
			spec.Files = []glovebox.File{{Path: "p", Data: program, Executable: true}}
			box, err := tr.Open(context.Background(), spec)
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			defer box.Close()
			if out := box.Run(context.Background(), tier.Command{Args: []string{tier.Workspace + "/p"}}); out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
				t.Errorf("ended with %+v", out)
			}
			got := make([]byte, 100)
			if n, err := r.Read(got); err != nil || string(got[:n]) != "abcdefghijklmnop" {
				t.Errorf("got %q, %v", got[:n], err)
			}
		})
	}
}
