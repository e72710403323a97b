//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

func TestMain(m *testing.M) {
	testscript.Main(static{m}, map[string]func(){"glovebox": main})
}

// static runs the tests in a binary that gVisor can be started from.
type static struct{ *testing.M }

func (s static) Run() int { return statictest.Main(s.M) }

// containerFilter is the part of Docker's default seccomp profile, which Kubernetes's
// RuntimeDefault is too, that matters to boxes: no namespaces and no mounts. See
// https://github.com/moby/profiles/blob/main/seccomp/default.json.
func containerFilter() []byte {
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	refused := seccomp.Errno(linux.EPERM)
	calls := []seccomp.Call{
		{NR: unix.SYS_CLONE3, Else: seccomp.Errno(linux.ENOSYS)},
		{NR: unix.SYS_CLONE, Rules: []seccomp.Rule{{When: []seccomp.Cond{{Arg: 0, Mask: namespaces, Value: 0}}, Then: seccomp.Allow}}, Else: refused},
	}
	for _, nr := range []uintptr{unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE,
		unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP} {
		calls = append(calls, seccomp.Call{NR: nr, Else: refused})
	}
	return seccomp.Assemble(seccomp.Arch, calls, seccomp.Allow)
}

// TestScripts runs the command line as its users do. UPDATE=1 rewrites what
// the scripts compare with.
func TestScripts(t *testing.T) {
	bug, right := example(t, "shipping_bug.md"), example(t, "shipping.md")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			// The scripts share the user's cache of root file systems.
			if dir, err := os.UserCacheDir(); err == nil {
				env.Setenv("XDG_CACHE_HOME", dir)
			}
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PATH", env.Getenv("PATH"))
			server := modeltest.Start(models(bug, right))
			env.Defer(server.Close)
			env.Setenv("MODEL_URL", server.BaseURL(model.ProviderOpenAI))
			if err := os.WriteFile(filepath.Join(env.WorkDir, "container.bpf"), containerFilter(), 0o644); err != nil {
				return err
			}
			env.Setenv("ANTHROPIC_URL", server.BaseURL(model.ProviderAnthropic))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "userns": // namespaces of users can be made here
				return exec.Command("unshare", "-Ur", "true").Run() == nil, nil
			case "mounts": // and we are root, who can mount without one
				return exec.Command("unshare", "-m", "true").Run() == nil, nil
			case "static": // this executable needs no loader, as gVisor demands
				info, ok := debug.ReadBuildInfo()
				return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}), nil
			}
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
	})
}
