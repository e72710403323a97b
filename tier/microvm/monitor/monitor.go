//go:build linux

// Package monitor is the seam between the microvm tier and the programs that
// run virtual machines: a [Monitor] starts a [Machine], and an [Instance] is one
// that runs.
//
// A monitor knows nothing of boxes: it boots a kernel with an initramfs, one
// read-only drive (/dev/vda in the guest), a serial console and one byte stream
// to the guest, and no network. It is host code that serves hostile guests:
// what a guest does to its console, its channel or its devices harms only its
// own machine.
package monitor

import (
	"context"
	"net"
	"time"

	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Monitor is a program that runs virtual machines. Its methods may be called
// from many goroutines.
type Monitor interface {
	// Name is the program's name, such as "qemu".
	Name() string
	// Identity tells this build of the program apart from any other on this
	// host: its path, version and file. Snapshots do not survive a change.
	Identity(ctx context.Context) (string, error)
	// Channel is how the guest is reached.
	Channel() Channel
	// Uncompressed tells that Machine.Kernel is an ELF file (vmlinux) and not a
	// bzImage.
	Uncompressed() bool
	// Start starts a machine: it boots, or goes on from its Snapshot. It
	// returns once the monitor has confirmed that the guest's processor runs
	// and the channel is there, not once the guest has answered. Cancelling ctx
	// during Start undoes everything; afterwards it no longer matters.
	Start(ctx context.Context, m Machine) (Instance, error)
}

// Emulator is implemented by a Monitor that can run machines whose Accel is
// [Emulated].
type Emulator interface {
	// Emulates does nothing: it marks the monitor.
	Emulates()
}

// Channel is how a guest is reached.
type Channel string

// The channels.
const (
	// Serial is the port [Port] of a virtio console device, which the guest
	// opens as soon as it is there. Reads in the guest give 0 bytes while the
	// host's end is closed.
	Serial Channel = "virtio-serial"
	// Vsock is a stream socket that the guest listens on, at [VsockPort]. The
	// monitor connects; after a restore it connects anew, so the guest must
	// accept again when a connection ends.
	Vsock Channel = "vsock"
)

// Where the guest's end of the channel is.
const (
	Port      = "glovebox.0" // in /sys/class/virtio-ports/*/name
	PortNode  = "/dev/vport0p1"
	VsockPort = 1024
)

// Drive is where the guest finds [Machine].Drive.
const Drive = "/dev/vda"

// Accel is what executes the guest's instructions.
type Accel string

// The accelerators. Which one is used is decided by the tier, never by the
// monitor.
const (
	KVM      Accel = "kvm"
	Emulated Accel = "emulated"
)

// Machine says what to start. All paths are absolute; the files are opened by
// the monitor's host side, with the rights of this process.
type Machine struct {
	Kernel string
	Initrd string
	// Drive is a read-only file system image, in whole sectors of 512 bytes.
	Drive string
	// Cmdline holds the guest's own kernel arguments; the monitor adds what it
	// needs itself (console, reboot, timers).
	Cmdline string
	// Memory is the guest's memory in bytes, whole MiB.
	Memory int64
	VCPUs  int
	Accel  Accel
	// Snapshot is a directory that [Instance.Snapshot] filled, or empty to
	// boot. All other fields are as they were then. Its files may be read by
	// many machines at once and are never written.
	Snapshot string
	// Dir is an empty directory for this machine alone, mode 0700, for sockets
	// and the like. The tier removes it after Close.
	Dir string
	// Group is what the monitor's processes are to live in; nil means none.
	Group *cgroup.Group
	// Console takes what the guest's serial console prints, for as long as the
	// machine lives.
	Console *Console
}

// Instance is a machine that was started. Kill, Dead, Usage and Close may be
// called from any goroutine.
type Instance interface {
	// Channel is the byte stream to the guest; the Instance closes it.
	Channel() net.Conn
	// PID is the monitor's process.
	PID() int
	// Kill kills the monitor at once (SIGKILL). It is idempotent and does not
	// wait.
	Kill()
	// Dead is closed when the monitor's process has ended and is reaped: the
	// guest shut down, crashed or was killed.
	Dead() <-chan struct{}
	// Snapshot stops the guest and writes its whole state into dir, which is
	// empty and private. Afterwards the instance can only be closed. It is
	// called at most once, while nothing is in flight on the channel.
	Snapshot(ctx context.Context, dir string) error
	// Usage measures the monitor's processes: what the guest did and what it
	// cost to run it. It works until Close.
	Usage() (Usage, error)
	// Err says why the machine ended, in the monitor's own words, once Dead is
	// closed: the end of its error output. Empty where it said nothing.
	Err() string
	// Close kills, reaps and removes everything of the machine. It is
	// idempotent.
	Close() error
}

// Usage is what a machine costs the host. Zero means unknown.
type Usage struct {
	CPU    time.Duration // of all its processors and of the monitor itself
	Memory int64         // resident bytes now
}
