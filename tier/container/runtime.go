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

// ociRuntime is a runtime's executable, and how it is spoken to.
type ociRuntime struct {
	path string // absolute
	speech
}

// speech is what is not the same in the command lines of all runtimes.
type speech struct {
	// global are arguments before the command.
	global []string
	// noHybrid: told to leave control groups alone, it looks at them all the
	// same, and refuses a host that has both versions.
	noHybrid bool
	// guest: the container has a kernel of its own, gVisor's. Descriptors are
	// named one by one.
	guest bool
}

// speeches are those of the runtimes that we know, by name. The control group is
// ours: the glove enters it by itself, so that it counts the box and not the
// runtime, and the runtime finds none that it may write.
var speeches = map[string]speech{
	"runc":  {global: []string{"--rootless=true"}},
	"crun":  {global: []string{"--cgroup-manager=disabled"}, noHybrid: true},
	"youki": {},
	"runsc": {guest: true, global: []string{
		"--network=none", "--ignore-cgroups", "--platform=systrap", "--overlay2=none",
		"--host-settings=ignore", "--host-uds=none", "--host-fifo=none",
	}},
}

// preferred are the names that are tried where none was asked for. crun starts a
// box in about half the time.
var preferred = []string{"crun", "runc"}

// adminDirs are where administrators have their programs, which an ordinary
// user's PATH may leave out.
var adminDirs = []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin"}

// findRuntime finds a runtime by its name or path, or one of the preferred ones.
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

// strangers are runtimes that cannot make these boxes, and why.
var strangers = map[string]string{
	"kata": "it is spoken to by containerd and not by a command line; use it through an engine",
}

func newRuntime(path string) (ociRuntime, error) {
	// A name like crun-1.20 or runc.amd64 says what it is.
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
// descriptors beside the streams: a range from 3 on for most. The runtime ends
// when it has done so.
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
