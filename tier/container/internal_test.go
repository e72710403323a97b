//go:build linux

package container

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process/seccomp"
)

func TestArguments(t *testing.T) {
	for name, want := range map[string]string{
		"runc":       "--root S --rootless=true run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
		"runc.amd64": "--root S --rootless=true run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
		"crun":       "--root S --cgroup-manager=disabled run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
		"crun-1.20":  "--root S --cgroup-manager=disabled run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
		"youki":      "--root S run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
		"runsc": "--root S --network=none --ignore-cgroups --platform=systrap --overlay2=none --host-settings=ignore --host-uds=none --host-fifo=none " +
			"run --detach --bundle B --pass-fd=3:3 --pass-fd=4:4 --pass-fd=5:5 --pass-fd=30:30 box",
		"crunch": "--root S run --detach --bundle B --no-new-keyring --preserve-fds 4 box",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		r, err := findRuntime(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := strings.Join(r.run("S", "B", []int{3, 4, 5, 30}), " "); got != path+" "+want {
			t.Errorf("got  %s\nwant %s %s", got, path, want)
		}
	}
}

func TestFindRuntime(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	defer func(dirs []string) { adminDirs = dirs }(adminDirs)
	adminDirs = []string{filepath.Join(dir, "sbin")}
	if err := os.Mkdir(adminDirs[0], 0o755); err != nil {
		t.Fatal(err)
	}

	// A host without a runtime.
	tr, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	spec := tier.Spec{Root: &rootfs.Root{Tree: "/x/y"}, Limits: glovebox.Limits{}.WithDefaults()}
	for what, err := range map[string]error{
		"open":  func() error { _, err := tr.Open(context.Background(), spec); return err }(),
		"probe": probeError{tr.Probe(context.Background())},
	} {
		if !strings.Contains(err.Error(), "install runc or crun") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := tr.Open(context.Background(), spec); !tier.IsKind(err, tier.KindUnsupported) {
		t.Errorf("without a runtime: %v", err)
	}

	write := func(path string, mode os.FileMode) string {
		path = filepath.Join(dir, path)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	runc := write("sbin/runc", 0o755)
	plain := write("plain", 0o644)
	kata := write("kata-runtime", 0o755)
	for name, want := range map[string]string{"": runc, "runc": runc, runc: runc} {
		if tr, err := New(Options{Runtime: name}); err != nil || tr.runtime.path != want {
			t.Errorf("%q is not %s: %v", name, want, err)
		}
	}
	for name, want := range map[string]string{
		"crun": "crun", plain: "permission denied", dir: dir, dir + "/nothing": "no such file",
		kata: "through an engine",
	} {
		if _, err := New(Options{Runtime: name}); !tier.IsKind(err, tier.KindInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	crun := write("crun", 0o755)
	if tr, err := New(Options{}); err != nil || tr.runtime.path != crun {
		t.Errorf("crun is not preferred: %v", err)
	}
}

type probeError struct{ tier.Report }

func (e probeError) Error() string { return e.Reason }

func TestProfile(t *testing.T) {
	p := profile()
	if p.DefaultAction != specs.ActErrno || len(p.Architectures) == 0 {
		t.Errorf("the profile begins with %+v", p)
	}
	named := map[string]bool{}
	for _, c := range p.Syscalls {
		if c.Action != specs.ActAllow {
			t.Errorf("%v: %s", c.Names, c.Action)
		}
		for _, n := range c.Names {
			if n == "" || named[n] && len(c.Args) == 0 {
				t.Errorf("the name %q is wrong or there twice", n)
			}
			named[n] = true
		}
	}
	for _, c := range seccomp.Calls(seccomp.Policy{Metered: true}) {
		if callNames[c.NR] == "" {
			t.Errorf("system call %d has no name", c.NR)
		}
		// What a command may do the runtime's profile must not refuse, and
		// what it may never do only where the glove does it.
		allowed := c.Else == seccomp.Allow || slices.ContainsFunc(c.Rules, func(r seccomp.Rule) bool { return r.Then == seccomp.Allow })
		if name := callNames[c.NR]; named[name] != (allowed || slices.Contains(gloveCalls, c.NR)) {
			t.Errorf("%s: in the profile %v", name, named[name])
		}
	}
	for _, name := range []string{"ptrace", "bpf", "setns", "keyctl", "clone3", "io_uring_setup", "kexec_load", "open_by_handle_at"} {
		if named[name] {
			t.Errorf("the profile allows %s", name)
		}
	}
}

func TestBundle(t *testing.T) {
	for _, root := range []bool{true, false} {
		p := &plan{tier: &Tier{root: root}, spec: &tier.Spec{Limits: glovebox.Limits{}.WithDefaults()}}
		spec := p.bundle()
		if _, err := json.Marshal(spec); err != nil {
			t.Error(err)
		}
		kinds := map[specs.LinuxNamespaceType]bool{}
		for _, n := range spec.Linux.Namespaces {
			kinds[n.Type] = n.Path == ""
		}
		for _, k := range []specs.LinuxNamespaceType{
			specs.UserNamespace, specs.PIDNamespace, specs.MountNamespace, specs.NetworkNamespace, specs.IPCNamespace, specs.UTSNamespace, specs.CgroupNamespace,
		} {
			if !kinds[k] {
				t.Errorf("the container has no %s namespace of its own", k)
			}
		}
		if !spec.Root.Readonly || !spec.Process.NoNewPrivileges || spec.Process.Terminal || spec.Hooks != nil || len(spec.Linux.Devices) > 0 || len(spec.Process.Env) > 0 {
			t.Errorf("the container is open: %+v", spec)
		}
		for _, m := range spec.Mounts {
			if m.Type != "tmpfs" && m.Type != "proc" || !slices.Contains(m.Options, "nosuid") {
				t.Errorf("mount %+v", m)
			}
		}
		if n := len(spec.Linux.UIDMappings); n != 1 && !root || n != 2 && root {
			t.Errorf("root %v: %d users", root, n)
		}
	}
}
