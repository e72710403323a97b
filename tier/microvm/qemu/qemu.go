//go:build linux

// Package qemu runs virtual machines with QEMU, of the machine type microvm.
//
// QEMU receives all files as open descriptors. Started by root, QEMU runs as a
// user of its own. The seccomp sandbox of QEMU is on. The process has a session
// and a control group of its own, without a network device. The control socket
// and the guest's channel are inherited socket pairs: neither has a name.
package qemu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Program is QEMU's name on PATH.
const Program = "qemu-system-x86_64"

// Monitor is QEMU. It implements [monitor.Monitor].
type Monitor struct{ path string }

// Find returns the QEMU at path, or the one on PATH where path is empty.
func Find(path string) (*Monitor, error) {
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("QEMU has no machine type microvm for %s", runtime.GOARCH)
	}
	if path == "" {
		path = Program
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	return &Monitor{path}, nil
}

// Name implements [monitor.Monitor].
func (*Monitor) Name() string { return "qemu" }

// Channel implements [monitor.Monitor].
func (*Monitor) Channel() monitor.Channel { return monitor.Serial }

// Uncompressed implements [monitor.Monitor].
func (*Monitor) Uncompressed() bool { return false }

// Emulates implements [monitor.Emulator].
func (*Monitor) Emulates() {}

// Identity implements [monitor.Monitor]: the file, followed through links, and
// its modification time. A package's new version is another file.
func (m *Monitor) Identity(context.Context) (string, error) {
	real, err := filepath.EvalSymlinks(m.path)
	if err != nil {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Stat(real, &st); err != nil {
		return "", &os.PathError{Op: "stat", Path: real, Err: err}
	}
	return fmt.Sprintf("qemu %s dev %d ino %d size %d changed %d.%09d", real, st.Dev, st.Ino, st.Size, st.Ctim.Sec, st.Ctim.Nsec), nil
}

// instance is one QEMU. It implements [monitor.Instance].
type instance struct {
	*monitor.Process
	channel net.Conn

	mu      sync.Mutex
	control *control // nil once closed

	closeOnce sync.Once
	closeErr  error
}

// Start implements [monitor.Monitor].
func (m *Monitor) Start(ctx context.Context, machine monitor.Machine) (_ monitor.Instance, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	files, err := open(&machine)
	if err != nil {
		return nil, err
	}
	forget := sync.OnceFunc(func() {
		for _, f := range files {
			f.Close()
		}
	})
	defer forget()
	conn, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	files[fdControl] = theirs
	channel, theirs, err := pair()
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	files[fdChannel] = theirs

	i := &instance{channel: channel}
	i.Process, err = m.process(&machine, files)
	if err != nil {
		return nil, errors.Join(err, conn.Close(), channel.Close())
	}
	forget() // so that its end is seen
	stop := context.AfterFunc(ctx, i.Kill)
	defer stop()
	i.control, err = openControl(conn)
	if err == nil && machine.Snapshot != "" {
		err = i.restore(machine.Snapshot)
	}
	if !stop() {
		err = errors.Join(context.Cause(ctx), err) // it is being killed
	}
	if err != nil {
		err = errors.Join(err, i.Close())
		if said := i.Err(); said != "" {
			err = fmt.Errorf("%w: QEMU says: %s", err, said)
		}
		return nil, err
	}
	return i, nil
}

// process starts QEMU with its descriptors.
func (m *Monitor) process(machine *monitor.Machine, files map[int]*os.File) (*monitor.Process, error) {
	var groups []uint32
	if machine.Accel == monitor.KVM {
		var st unix.Stat_t
		if err := unix.Stat("/dev/kvm", &st); err != nil {
			return nil, &os.PathError{Op: "stat", Path: "/dev/kvm", Err: err}
		}
		groups = append(groups, st.Gid)
	}
	identity, err := monitor.Stranger(groups...)
	if err != nil {
		return nil, err
	}
	c := monitor.Command{
		Path: m.path, Args: arguments(machine, hostClock()), Output: machine.Console,
		Identity: identity, Group: machine.Group, Limits: limits(machine),
	}
	for fd := fdControl; fd < fdControl+len(files); fd++ {
		c.Files = append(c.Files, files[fd])
	}
	return monitor.Start(c)
}

// limits are the last resort against a QEMU taken over by its guest. QEMU
// writes a file only for a snapshot.
func limits(m *monitor.Machine) map[int]uint64 {
	size := uint64(0)
	if m.Snapshot == "" {
		size = uint64(m.Memory) + 64<<20
	}
	return map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: size, unix.RLIMIT_NOFILE: 128}
}

// open opens the files of a machine, by QEMU's number. A snapshot already
// contains the kernel.
func open(m *monitor.Machine) (map[int]*os.File, error) {
	paths := map[int]string{fdDrive: m.Drive}
	if m.Snapshot == "" {
		paths[fdKernel], paths[fdInitrd] = m.Kernel, m.Initrd
	}
	files := map[int]*os.File{}
	for fd, path := range paths {
		f, err := os.Open(path)
		if err == nil && fd != fdDrive {
			f, err = public(f)
		}
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files[fd] = f
	}
	return files, nil
}

// public returns f, or a copy in memory if f is not readable by all: QEMU opens
// its kernel anew, by the descriptor, with QEMU's own rights.
func public(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err != nil || info.Mode()&0o004 != 0 || os.Geteuid() != 0 {
		return f, err
	}
	defer f.Close()
	fd, err := unix.MemfdCreate("file", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	c := os.NewFile(uintptr(fd), f.Name())
	if _, err := c.ReadFrom(f); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(c.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, errors.Join(fmt.Errorf("seal a copy of %s: %w", f.Name(), err), c.Close())
	}
	return c, nil
}

// Channel implements [monitor.Instance].
func (i *instance) Channel() net.Conn { return i.channel }

// Close implements [monitor.Instance].
func (i *instance) Close() error {
	i.closeOnce.Do(func() {
		i.closeErr = i.Process.Close()
		if err := i.channel.Close(); !errors.Is(err, net.ErrClosed) {
			i.closeErr = errors.Join(i.closeErr, err)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.control != nil {
			i.closeErr = errors.Join(i.closeErr, i.control.Close())
			i.control = nil
		}
	})
	return i.closeErr
}

// hostClock is the frequency of the processor's time stamps in kHz: the
// frequency in the processor's name, or a common value. An emulated processor
// counts at the host's frequency.
var hostClock = sync.OnceValue(func() int {
	const common = 2_000_000
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return common
	}
	for _, pattern := range []string{`model name.*@ ([0-9.]+)GHz`, `cpu MHz\s*: ([0-9.]+)`} {
		m := regexp.MustCompile(pattern).FindSubmatch(info)
		if m == nil {
			continue
		}
		f, err := strconv.ParseFloat(string(m[1]), 64)
		if strings.Contains(pattern, "GHz") {
			f *= 1000
		}
		if err == nil && f > 100 && f < 10_000 {
			return int(f * 1000)
		}
	}
	return common
})
