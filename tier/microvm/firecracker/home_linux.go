package firecracker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Names in a home. Firecracker receives the names unchanged: the home is its
// working directory, or its whole file system.
const (
	kernelFile  = "kernel"
	initrdFile  = "initrd"
	driveFile   = "drive"
	stateFile   = "state"
	memoryFile  = "memory"
	apiSocket   = "api.sock"
	vsockSocket = "vsock.sock"
	logPipe     = "log"
)

// home is the directory of a Firecracker.
type home struct {
	id    string
	path  string
	dir   *os.File
	base  string              // what the jailer makes, to remove; empty without it
	owner *syscall.Credential // who Firecracker is; nil means the caller
}

// prepare makes the home of a machine and fills it.
func (m *Monitor) prepare(machine *monitor.Machine) (_ *home, err error) {
	h := &home{id: newID(), path: machine.Dir}
	if m.jailer != "" {
		if h.owner, err = monitor.Stranger(); err != nil {
			return nil, err
		}
		h.base = filepath.Join(machine.Dir, filepath.Base(m.path))
		h.path = filepath.Join(h.base, h.id, "root") // where the jailer expects it
		if err := canJail(machine.Dir); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.remove())
		}
	}()
	if err := os.MkdirAll(h.path, 0o700); err != nil {
		return nil, err
	}
	if h.dir, err = os.Open(h.path); err != nil {
		return nil, err
	}
	files := map[string]string{driveFile: machine.Drive}
	if machine.Snapshot == "" {
		files[kernelFile], files[initrdFile] = machine.Kernel, machine.Initrd
	} else {
		files[stateFile] = filepath.Join(machine.Snapshot, stateFile)
		files[memoryFile] = filepath.Join(machine.Snapshot, memoryFile)
	}
	for name, from := range files {
		if err := h.put(from, name); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// canJail fails where the jailer could not work: its work is to make the device
// /dev/kvm in the home, and to execute a copy of Firecracker.
func canJail(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Flags&(unix.ST_NODEV|unix.ST_NOEXEC) != 0 {
		return fmt.Errorf("%s is mounted nodev or noexec: a jail there has no device and no program; choose another directory for machines", dir)
	}
	return nil
}

// put gives Firecracker a host file to read, under a name in its home. For a
// Firecracker under the caller's user, put makes a symbolic link. In a jail
// many machines share the file itself, if everyone may read it and Firecracker
// may not write it; else put makes a copy.
func (h *home) put(from, name string) error {
	to := filepath.Join(h.path, name)
	if h.owner == nil {
		return os.Symlink(from, to)
	}
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", from)
	}
	if mode := info.Mode().Perm(); mode&0o004 != 0 && mode&0o022 == 0 && info.Sys().(*syscall.Stat_t).Uid != h.owner.Uid {
		if err := os.Link(from, to); err == nil {
			return nil
		} // another file system
	}
	return copyFile(from, to, 0o444)
}

// copyFile copies a regular file, and no link to one, to a new name.
func copyFile(from, to string, mode os.FileMode) error {
	in, err := os.OpenFile(from, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", from)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// take moves Firecracker's output files out of the home, after the end of
// Firecracker. The home may contain anything: only regular files with one name
// are taken. Afterwards they belong to the user, read-only.
func (h *home) take(dir string, names ...string) error {
	for _, name := range names {
		from, to := filepath.Join(h.path, name), filepath.Join(dir, name)
		err := os.Rename(from, to)
		if errors.Is(err, unix.EXDEV) {
			err = copyFile(from, to, 0o444)
		}
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		// Check the file in its new, private directory.
		if err := own(to); err != nil {
			return errors.Join(fmt.Errorf("snapshot: %w", err), os.Remove(to))
		}
	}
	return nil
}

// own makes a plain file this user's, read-only.
func own(name string) error {
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		return &os.PathError{Op: "lstat", Path: name, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 {
		return fmt.Errorf("Firecracker left no plain file %s", filepath.Base(name))
	}
	return errors.Join(os.Lchown(name, os.Geteuid(), os.Getegid()), os.Chmod(name, 0o444))
}

// dial connects to a socket in the home, and never through a link. It works
// even where the socket's path is longer than an address may be.
func (h *home) dial(ctx context.Context, name string) (net.Conn, error) {
	fd, err := unix.Openat(int(h.dir.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	uid := uint32(os.Geteuid())
	if h.owner != nil {
		uid = h.owner.Uid
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK || st.Uid != uid {
		return nil, fmt.Errorf("%s is not the socket of Firecracker", name)
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", fmt.Sprintf("/proc/self/fd/%d", fd))
}

// notYet reports whether a dial failed because Firecracker is not ready yet.
func notYet(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EAGAIN)
}

// remove removes what is in the home. [monitor.Machine].Dir itself is the tier's.
func (h *home) remove() error {
	var err error
	if h.dir != nil {
		err = h.dir.Close()
	}
	if h.base != "" {
		return errors.Join(err, os.RemoveAll(h.base))
	}
	for _, name := range []string{kernelFile, initrdFile, driveFile, stateFile, memoryFile, apiSocket, vsockSocket, logPipe} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(h.path, name)))
	}
	return err
}

// join joins what is not empty.
func join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, "; ")
}
