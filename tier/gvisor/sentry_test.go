//go:build linux

package gvisor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

// TestSentryConfined: who breaks out of the guest's kernel is in a process
// without power over anything of the host's.
func TestSentryConfined(t *testing.T) {
	tr := newTier(t)
	open(t, tr, tier.Spec{}).Close()
	ends, g, err := tr.boot(ctx, tier.Spec{Root: needPython(t).root, Limits: smallLimits}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ends.Close()
	defer g.Close()
	confined(t, g)
}

func confined(t *testing.T, g *ground) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.sentry.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	none := strings.Repeat("0", 16)
	// It traces the guest's processes, in its own user namespace.
	ptrace := fmt.Sprintf("%016x", 1<<unix.CAP_SYS_PTRACE)
	want := map[string]string{"CapInh": none, "CapPrm": ptrace, "CapEff": ptrace, "CapBnd": ptrace, "CapAmb": none, "NoNewPrivs": "1", "Seccomp": "2"}
	for name, value := range want {
		if fields[name] != value {
			t.Errorf("%s is %q, want %q", name, fields[name], value)
		}
	}
	if uid, err := strconv.Atoi(strings.Fields(fields["Uid"])[0]); os.Geteuid() == 0 && (err != nil || uid == 0 ||
		native.HasIDs(native.FreeUsers, native.FreeUsersCount) && uid < native.FreeUsers) {
		t.Errorf("the sentry is user %d, %v", uid, err)
	}
	for _, ns := range []string{"user", "mnt", "pid", "net", "ipc", "uts"} {
		theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", g.sentry.Process.Pid, ns))
		if err != nil {
			t.Error(err)
		}
		if ours, _ := os.Readlink("/proc/self/ns/" + ns); ours == theirs {
			t.Errorf("the sentry is in our %s namespace", ns)
		}
	}
	root, err := os.ReadDir(fmt.Sprintf("/proc/%d/root", g.sentry.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range root {
		if e.Name() != "etc" && e.Name() != "proc" {
			t.Errorf("the sentry sees /%s", e.Name())
		}
	}
	if inside, _ := os.ReadDir(fmt.Sprintf("/proc/%d/root/proc", g.sentry.Process.Pid)); len(inside) > 0 {
		t.Errorf("the sentry has a /proc: %v", inside)
	}
	score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", g.sentry.Process.Pid))
	if err != nil || string(score) != "1000\n" {
		t.Errorf("oom_score_adj %q, %v", score, err)
	}
}

// TestSentryDescriptors: what its owner happens to have open, and would pass on
// to every child, a sentry has not.
func TestSentryDescriptors(t *testing.T) {
	tr := newTier(t)
	open(t, tr, tier.Spec{}).Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(secret, unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for _, at := range []int{100, sentryExe + 45} {
		if err := unix.Dup3(fd, at, 0); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(at)
	}
	ends, g, err := tr.boot(ctx, tier.Spec{Root: needPython(t).root, Limits: smallLimits}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ends.Close()
	defer g.Close()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", g.sentry.Process.Pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("%q, %v", links, err)
	}
	exe, err := os.Readlink(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if name, _ := os.Readlink(link); name == secret || name == exe {
			t.Errorf("the sentry has %s open, as %s", name, filepath.Base(link))
		}
	}
}

// TestExecutable: an executable that nobody else may run makes boxes too, and
// what lies beside it is not run.
func TestExecutable(t *testing.T) {
	open(t, newTier(t), tier.Spec{}).Close() // or skip
	for _, mode := range []os.FileMode{0o755, 0o700} {
		t.Run(fmt.Sprintf("%o", mode), func(t *testing.T) {
			place, err := os.MkdirTemp("/tmp", "exe")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(place)
			exe, mark := filepath.Join(place, "program"), filepath.Join(place, "mark")
			copyFile(t, self, exe, mode)
			planted := filepath.Join(place, "gvisor-bin")
			if err := os.Mkdir(planted, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"gvisor_sentry", "gvisor-sentry-prewarmer"} {
				if err := os.WriteFile(filepath.Join(planted, name), []byte("#!/bin/sh\necho >"+mark+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			owner := exec.Command(exe)
			owner.Env = append(os.Environ(), ownerEnv+"="+place)
			owner.Stderr = os.Stderr
			stdout, err := owner.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := owner.Start(); err != nil {
				t.Fatal(err)
			}
			up := false
			for lines := bufio.NewScanner(stdout); !up && lines.Scan(); {
				up = lines.Text() == "up"
			}
			owner.Process.Kill()
			owner.Wait()
			if !up {
				t.Error("no box")
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a planted executable was run")
			}
		})
	}
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	if err := dst.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDispatch: what a user types never makes a program a part of a box.
func TestDispatch(t *testing.T) {
	for _, args := range [][]string{
		{"glovebox"}, {"glovebox", "boot"}, {"/usr/bin/glovebox", "umount", "--sync-fd=3", "/proc"},
		{"/proc/self/exe"}, {"/proc/self/exe", "boot"}, {"runsc", "boot"}, {"runsc-sandbox"}, {"./runsc-sandbox", "boot"},
		{"runsc-gofer", "gofer"}, {},
	} {
		if part := partOfBox(args); part != nil {
			t.Errorf("%q is part of a box", args)
		}
	}
	for _, args := range [][]string{
		{sentryName, "--root=/x", "boot"}, append([]string{umounterName}, umounterArgs...),
	} {
		if part := partOfBox(args); part == nil {
			t.Errorf("%q is no part of a box", args)
		}
	}
}
