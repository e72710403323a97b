package main

import (
	"context"
	"encoding/json"
	"errors"
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
				out, err := exec.CommandContext(ctx, exe, "--root", filepath.Join(bundle, name), "run", "--bundle", bundle, id).Output()
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					err = fmt.Errorf("%w: %.200s", err, exit.Stderr)
				}
				if err == nil && string(out) != "1\n" {
					err = fmt.Errorf("printed %q", out)
				}
				return err
			},
		})
	}
	return list, remove, nil
}
