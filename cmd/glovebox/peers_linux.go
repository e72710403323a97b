package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox/bench"
)

// sandboxes are the peers that are installed. Each runs the same interpreter
// in the tree of our boxes, and without limits or filter beyond its defaults.
func (f *field) sandboxes(ctx context.Context, stderr io.Writer, py python) ([]bench.Contestant, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	var list []bench.Contestant
	for _, p := range []struct {
		name, program string
		make          func(ctx context.Context, name, exe, dir string, py python) (bench.Contestant, error)
	}{
		{"bubblewrap", "bwrap", bubblewrap},
		{"nsjail", "nsjail", nsjail},
		{"runc run", "runc", bundleRun},
		{"crun run", "crun", bundleRun},
		{"podman run", "podman", podmanRun},
		{"docker run", "docker", f.dockerRun},
		{runscDo, "runsc", runsc},
	} {
		exe, err := exec.LookPath(p.program)
		if err != nil {
			f.missing[p.name] = p.program + " is not on PATH"
			continue
		}
		own := filepath.Join(dir, p.program)
		if err := os.Mkdir(own, 0o700); err != nil {
			return nil, err
		}
		c, err := p.make(ctx, p.name, exe, own, py)
		if err != nil {
			f.leave(stderr, p.name, err)
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

func bubblewrap(_ context.Context, name, exe, _ string, py python) (bench.Contestant, error) {
	return hostCommand(name, "in a box's tree", append([]string{exe, "--unshare-all", "--die-with-parent", "--ro-bind", py.tree, "/",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"}, py.inTree()...)...), nil
}

func nsjail(_ context.Context, name, exe, _ string, py python) (bench.Contestant, error) {
	return hostCommand(name, "in a box's tree", append([]string{exe, "--mode", "o", "--quiet", "--chroot", py.tree, "--"}, py.inTree()...)...), nil
}

// runsc is gVisor's own way to run one command.
func runsc(_ context.Context, name, exe, dir string, py python) (bench.Contestant, error) {
	args := []string{exe, "--root", dir, "--network=none", "--ignore-cgroups"}
	if os.Geteuid() != 0 {
		args = append(args, "--rootless")
	}
	args = append(args, "do", "-root", py.tree, "-cwd", "/")
	return hostCommand(name, gvisorVersions(exe)+", in a box's tree", append(args, py.inTree()...)...), nil
}

// gvisorVersions says whether a runsc is of the version that we are built with.
func gvisorVersions(exe string) string {
	const module = "gvisor.dev/gvisor"
	theirs, ours := "unknown", "unknown"
	if info, err := buildinfo.ReadFile(exe); err == nil && info.Main.Path == module {
		theirs = info.Main.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if i := slices.IndexFunc(info.Deps, func(d *debug.Module) bool { return d.Path == module }); i >= 0 {
			ours = info.Deps[i].Version
		}
	}
	if theirs == ours && ours != "unknown" {
		return "of the same version of gVisor, " + ours
	}
	return fmt.Sprintf("gVisor's version is %s, and ours %s", theirs, ours)
}

// bundleRun is an OCI runtime, of a bundle as plain as can be.
func bundleRun(_ context.Context, name, exe, dir string, py python) (bench.Contestant, error) {
	spec := specs.Spec{
		Version: "1.0.2",
		Root:    &specs.Root{Path: py.tree, Readonly: true},
		Process: &specs.Process{Args: py.inTree(), Cwd: "/", Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
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
		err = os.WriteFile(filepath.Join(dir, "config.json"), text, 0o600)
	}
	if err != nil {
		return bench.Contestant{}, err
	}
	var n atomic.Int64
	return bench.Contestant{
		Name: name, How: fmt.Sprintf("%s, of a bundle without limits in a box's tree, of %q", name, py.inTree()),
		Do: func(ctx context.Context) (bool, error) {
			id := fmt.Sprintf("glovebox-bench-%d-%d", os.Getpid(), n.Add(1))
			return false, prints(exec.CommandContext(ctx, exe, "--root", filepath.Join(dir, "state"), "run", "--bundle", dir, id))
		},
	}, nil
}

func podmanRun(_ context.Context, name, exe, dir string, py python) (bench.Contestant, error) {
	// The distribution's defaults may be above this user's own limits.
	conf := filepath.Join(dir, "containers.conf")
	if err := os.WriteFile(conf, []byte("[containers]\ndefault_ulimits = []\n"), 0o600); err != nil {
		return bench.Contestant{}, err
	}
	args := []string{
		exe, "--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
	}
	if runc, err := exec.LookPath("runc"); err == nil {
		args = append(args, "--runtime", runc)
	}
	args = append(args, "run", "--rm", "--network", "none", "--read-only", "--ulimit", "host", "--rootfs", py.tree+":O")
	return commandWith(name, "in a box's tree", []string{"CONTAINERS_CONF=" + conf}, append(args, py.inTree()...)...), nil
}

// engineWait bounds what an engine is asked before anything is timed.
const engineWait = time.Minute

// dockerRun is an engine's command line, with an image made of a box's tree,
// which is removed when the field is closed.
func (f *field) dockerRun(ctx context.Context, name, exe, _ string, py python) (bench.Contestant, error) {
	ctx, cancel := context.WithTimeout(ctx, engineWait)
	defer cancel()
	if out, err := exec.CommandContext(ctx, exe, "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		return bench.Contestant{}, fmt.Errorf("its engine does not answer: %w: %.200s", err, bytes.TrimSpace(out))
	}
	image := fmt.Sprintf("glovebox-bench:%d", os.Getpid())
	imported := exec.CommandContext(ctx, exe, "import", "-", image)
	in, err := imported.StdinPipe()
	if err != nil {
		return bench.Contestant{}, err
	}
	var said strings.Builder
	imported.Stderr = &said
	if err := imported.Start(); err != nil {
		return bench.Contestant{}, err
	}
	f.closers = append(f.closers, exec.Command(exe, "image", "rm", "--force", image).Run)
	w := tar.NewWriter(in)
	err = errors.Join(w.AddFS(os.DirFS(py.tree)), w.Close(), in.Close())
	if failed := imported.Wait(); failed != nil {
		return bench.Contestant{}, fmt.Errorf("import a box's tree: %w: %.200s", failed, said.String())
	}
	if err != nil {
		return bench.Contestant{}, err
	}
	return hostCommand(name, "in an image of a box's tree", append([]string{exe, "run", "--rm", "--network", "none", "--read-only", image}, py.inTree()...)...), nil
}
