//go:build linux

package container

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ociRuntime is a runtime's executable, and the form of its command line.
type ociRuntime struct {
	path string // absolute
	speech
}

// speech holds the differences between the command lines of runtimes.
type speech struct {
	// global are arguments before the command.
	global []string
	// noHybrid: the runtime examines control groups even when told to leave
	// them alone, and refuses a host with both versions.
	noHybrid bool
	// guest: the container has a kernel of its own, gVisor's. Descriptors are
	// named one by one.
	guest bool
}

// speeches are the known runtimes, by name. The control group is ours: the
// glove enters by itself, so the group counts the box and not the runtime, and
// the runtime finds no writable group.
var speeches = map[string]speech{
	"runc":  {global: []string{"--rootless=true"}},
	"crun":  {global: []string{"--cgroup-manager=disabled"}, noHybrid: true},
	"youki": {},
	"runsc": {guest: true, global: []string{
		"--network=none", "--ignore-cgroups", "--platform=systrap", "--overlay2=none",
		"--host-settings=ignore", "--host-uds=none", "--host-fifo=none",
	}},
}

// preferred are the default names, in order. crun starts a box in about half
// the time.
var preferred = []string{"crun", "runc"}

// adminDirs are directories of administrators' programs, which an ordinary
// user's PATH may leave out.
var adminDirs = []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin"}

// findRuntime finds a runtime by its name or path, or a preferred runtime.
func findRuntime(name string) (ociRuntime, error) {
	if name == "" {
		for _, name := range preferred {
			if r, err := findRuntime(name); err == nil {
				return r, nil
			}
		}
		return ociRuntime{}, fmt.Errorf("there is no %s", strings.Join(preferred, " and no "))
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) && !strings.Contains(name, "/") {
		for _, dir := range adminDirs {
			if path, err = exec.LookPath(filepath.Join(dir, name)); err == nil {
				break
			}
		}
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return ociRuntime{}, fmt.Errorf("the runtime %s: %w", name, err)
	}
	return newRuntime(path)
}

// strangers are runtimes unable to make these boxes, with the reasons.
var strangers = map[string]string{
	"kata": "it is spoken to by containerd and not by a command line; use it through an engine",
}

func newRuntime(path string) (ociRuntime, error) {
	// Names like crun-1.20 or runc.amd64 identify the runtime.
	name := strings.FieldsFunc(filepath.Base(path), func(r rune) bool { return r == '-' || r == '.' || r == '_' })
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ociRuntime{}, errors.Join(fmt.Errorf("the runtime %s is not a program", path), err)
	}
	r := ociRuntime{path: path}
	if len(name) > 0 {
		if why := strangers[name[0]]; why != "" {
			return r, fmt.Errorf("the runtime %s: %s", path, why)
		}
		r.speech = speeches[name[0]]
	}
	return r, nil
}

// boxID is the container's ID. Its runtime knows no other.
const boxID = "box"

// run returns the arguments that make and start the container of a bundle, with
// descriptors beside the streams: a range from 3 on for most. The runtime then
// ends.
func (r ociRuntime) run(state, bundle string, descriptors []int) []string {
	args := append([]string{r.path, "--root", state}, r.global...)
	args = append(args, "run", "--detach", "--bundle", bundle)
	if r.guest {
		for _, n := range descriptors {
			args = append(args, fmt.Sprintf("--pass-fd=%d:%d", n, n))
		}
		return append(args, boxID)
	}
	return append(args, "--no-new-keyring", "--preserve-fds", strconv.Itoa(len(descriptors)), boxID)
}
