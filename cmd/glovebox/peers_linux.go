package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox/bench"
)

// runtimes are OCI runtimes that time the same interpreter in the same root
// file system as the process tier does, from a bundle as plain as can be: no
// limits and no filter.
func runtimes(tree, python string) ([]bench.Contestant, func(), error) {
	bundle, err := os.MkdirTemp("", "glovebox-bench-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { os.RemoveAll(bundle) }
	spec := specs.Spec{
		Version: "1.0.2",
		Root:    &specs.Root{Path: tree, Readonly: true},
		Process: &specs.Process{Args: []string{python, "-I", "-c", pythonLine}, Cwd: "/", Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
		Mounts: []specs.Mount{
			{Destination: "/proc", Type: "proc", Source: "proc"},
			// Else the runtime makes its devices in the tree, which is shared.
			{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "mode=755", "size=64k"}},
		},
		Linux: &specs.Linux{Namespaces: []specs.LinuxNamespace{
			{Type: specs.PIDNamespace}, {Type: specs.NetworkNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace}, {Type: specs.MountNamespace},
		}},
	}
	text, err := json.Marshal(spec)
	if err == nil {
		err = os.WriteFile(filepath.Join(bundle, "config.json"), text, 0o600)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	var list []bench.Contestant
	for _, name := range []string{"runc", "crun"} {
		exe, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		n := 0
		list = append(list, bench.Contestant{
			Name: name + " run", How: name + " run, of a bundle without limits, of python3 -I -c " + pythonLine,
			Do: func(ctx context.Context) error {
				n++
				id := fmt.Sprintf("glovebox-bench-%d-%d", os.Getpid(), n)
				return prints(exec.CommandContext(ctx, exe, "--root", filepath.Join(bundle, name), "run", "--bundle", bundle, id))
			},
		})
	}
	if podman, err := podmanRun(bundle, tree, python); err == nil {
		list = append(list, podman)
	}
	return list, remove, nil
}

// podmanRun is an engine's command line with the same root: what a user of
// Docker pays. (Docker itself needs an image, and a daemon.)
func podmanRun(dir, tree, python string) (bench.Contestant, error) {
	exe, err := exec.LookPath("podman")
	if err != nil {
		return bench.Contestant{}, err
	}
	// The distribution's defaults may be above this user's own limits.
	conf := filepath.Join(dir, "containers.conf")
	if err := os.WriteFile(conf, []byte("[containers]\ndefault_ulimits = []\n"), 0o600); err != nil {
		return bench.Contestant{}, err
	}
	args := []string{
		"--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
	}
	if runc, err := exec.LookPath("runc"); err == nil {
		args = append(args, "--runtime", runc)
	}
	args = append(args, "run", "--rm", "--network", "none", "--read-only", "--ulimit", "host", "--rootfs", tree+":O", python, "-I", "-c", pythonLine)
	return bench.Contestant{Name: "podman run", How: fmt.Sprintf("podman %q", args), Do: func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, exe, args...)
		cmd.Env = append(os.Environ(), "CONTAINERS_CONF="+conf)
		return prints(cmd)
	}}, nil
}
