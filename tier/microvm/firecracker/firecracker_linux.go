// Package firecracker runs virtual machines with Firecracker, 1.8 or later, by
// its REST API on a Unix socket.
//
// Root starts Firecracker by its jailer: in a directory of its own as the whole
// file system, as a user of its own on the host. An ordinary user starts it
// directly. Firecracker's seccomp filters are always on. A machine gets a
// read-only drive, a vsock, a source of entropy and a serial console; no
// network, no metadata service, no further device.
//
// The guest is reached over vsock, which Firecracker serves on a second Unix
// socket. Both sockets are in a directory writable by a guest that has taken
// over Firecracker: links are not followed, and only bounded, regular files are
// taken.
//
// The requests to Firecracker and to its jailer are tested against doubles of
// both, with the same refusals as the originals. The package was not run on a
// host with KVM yet.
package firecracker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Names of the programs on PATH.
const (
	Program = "firecracker"
	Jailer  = "jailer"
)

// ErrKVM: Firecracker runs guests with KVM only, and KVM was not proven to work
// on this host.
var ErrKVM = errors.New("Firecracker needs KVM, which is not proven to work on this host")

// Monitor is Firecracker. It implements [monitor.Monitor].
type Monitor struct {
	path   string
	jailer string // empty for an ordinary user
	// kvm is the device that is needed.
	kvm string
}

// Find returns the Firecracker at path, or the one on PATH where path is empty.
// Root needs the jailer too, of the same version: at jailer, else beside
// Firecracker, else on PATH.
func Find(path, jailer string) (*Monitor, error) {
	if path == "" {
		path = Program
	}
	path, err := program(path)
	if err != nil {
		return nil, err
	}
	m := &Monitor{path: path, kvm: "/dev/kvm"}
	if os.Geteuid() != 0 {
		return m, nil
	}
	tries := []string{jailer}
	if jailer == "" {
		tries = []string{filepath.Join(filepath.Dir(path), Jailer), Jailer}
	}
	for _, name := range tries {
		if m.jailer, err = program(name); err == nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("root starts Firecracker by its jailer only: %w", err)
}

// program returns the real, absolute path of an executable.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// Name implements [monitor.Monitor].
func (*Monitor) Name() string { return "firecracker" }

// Channel implements [monitor.Monitor].
func (*Monitor) Channel() monitor.Channel { return monitor.Vsock }

// Uncompressed implements [monitor.Monitor].
func (*Monitor) Uncompressed() bool { return true }

// Identity implements [monitor.Monitor]: the files and when they were changed.
func (m *Monitor) Identity(context.Context) (string, error) {
	id := "firecracker"
	for _, path := range []string{m.path, m.jailer} {
		if path == "" {
			continue
		}
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			return "", &os.PathError{Op: "stat", Path: path, Err: err}
		}
		id += fmt.Sprintf(" %s dev %d ino %d size %d changed %d.%09d", path, st.Dev, st.Ino, st.Size, st.Ctim.Sec, st.Ctim.Nsec)
	}
	return id, nil
}

// instance is one Firecracker. It implements [monitor.Instance].
type instance struct {
	*monitor.Process
	home    *home
	api     *client
	channel *channel
	log     *log
	watch   *watcher

	snapshots sync.Mutex // of which there is one at most
	closeOnce sync.Once
	closeErr  error
}

// Start implements [monitor.Monitor]. The channel is connected as soon as the
// guest listens.
func (m *Monitor) Start(ctx context.Context, machine monitor.Machine) (_ monitor.Instance, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := m.checkKVM(machine.Accel); err != nil {
		return nil, err
	}
	i := &instance{}
	defer func() {
		if err == nil {
			return
		}
		said := ""
		if i.Process != nil {
			i.Process.Close() // all that it said is read now; its error comes again
			said = i.Err()
		}
		if cause := context.Cause(ctx); cause != nil {
			err = errors.Join(cause, err)
		}
		if err = errors.Join(err, i.Close()); said != "" {
			err = fmt.Errorf("%w; Firecracker says: %s", err, said)
		}
	}()
	if i.home, err = m.prepare(&machine); err != nil {
		return nil, err
	}
	if i.log, err = openLog(i.home); err != nil {
		return nil, err
	}
	if i.Process, err = monitor.Start(m.command(&machine, i.home)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, i.Kill)
	defer stop()
	if i.watch, err = watch(i.PID(), i.home); err != nil {
		return nil, err
	}
	i.api = newClient(i.home, i.Dead())
	if machine.Snapshot == "" {
		err = i.boot(ctx, &machine)
	} else {
		err = i.restore(ctx)
	}
	if err != nil {
		return nil, err
	}
	if !stop() {
		return nil, context.Cause(ctx) // it is being killed
	}
	i.channel = openChannel(i.home, i.Dead())
	return i, nil
}

// checkKVM fails unless the device can be opened and the tier chose KVM, which
// the tier does only after a guest ran on KVM.
func (m *Monitor) checkKVM(a monitor.Accel) error {
	if a != monitor.KVM {
		return fmt.Errorf("%w; it cannot emulate a processor", ErrKVM)
	}
	f, err := os.OpenFile(m.kvm, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKVM, err)
	}
	return f.Close()
}

// Channel implements [monitor.Instance].
func (i *instance) Channel() net.Conn { return i.channel }

// Err implements [monitor.Instance]: the end of the log and of standard error.
func (i *instance) Err() string { return join(i.log.end(), i.Process.Err()) }

// Close implements [monitor.Instance].
func (i *instance) Close() error {
	i.closeOnce.Do(func() {
		i.closeErr = i.watch.close()
		if i.Process != nil {
			i.closeErr = errors.Join(i.closeErr, i.Process.Close())
		}
		if i.channel != nil {
			i.channel.Close()
		}
		if i.api != nil {
			i.api.close()
		}
		if i.log != nil {
			i.log.close()
		}
		if i.home != nil {
			i.closeErr = errors.Join(i.closeErr, i.home.remove())
		}
	})
	return i.closeErr
}
