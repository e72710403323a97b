//go:build linux

// Package monitor is the seam between the microvm tier and its programs for
// virtual machines: a [Monitor] starts a [Machine], and an [Instance] is a
// running machine.
//
// A monitor knows nothing of boxes: it boots a kernel with an initramfs, one
// read-only drive (/dev/vda in the guest), a serial console and one byte stream
// to the guest, and no network. A monitor is host code in the service of
// hostile guests: misuse of console, channel or devices harms only the guest's
// own machine.
package monitor

import (
	"context"
	"net"
	"time"

	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Monitor is a program that runs virtual machines. Its methods are safe for
// concurrent use.
type Monitor interface {
	// Name is the program's name, such as "qemu".
	Name() string
	// Identity distinguishes this build of the program from all builds on the
	// host: by path, version and file. Snapshots do not survive a change.
	Identity(ctx context.Context) (string, error)
	// Channel is how the guest is reached.
	Channel() Channel
	// Uncompressed reports whether Machine.Kernel is an ELF file (vmlinux)
	// rather than a bzImage.
	Uncompressed() bool
	// Start boots a machine, or restores its Snapshot. It returns after the
	// monitor has confirmed a running processor and an existing channel, not
	// after an answer of the guest. Cancelling ctx during Start undoes
	// everything; later cancellation has no effect.
	Start(ctx context.Context, m Machine) (Instance, error)
}

// Emulator is implemented by a Monitor with support for machines whose Accel is
// [Emulated].
type Emulator interface {
	// Emulates does nothing: it marks the monitor.
	Emulates()
}

// Channel is how a guest is reached.
type Channel string

// The channels.
const (
	// Serial is the port [Port] of a virtio console device, opened by the guest
	// as soon as the port exists. Reads in the guest give 0 bytes while the
	// host's end is closed.
	Serial Channel = "virtio-serial"
	// Vsock is a stream socket on which the guest listens, at [VsockPort]. The
	// monitor connects, and connects anew after a restore, so the guest must
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

// The accelerators. The tier chooses the accelerator, never the monitor.
const (
	KVM      Accel = "kvm"
	Emulated Accel = "emulated"
)

// Machine describes a machine to start. All paths are absolute; the files are
// opened by the monitor's host side, with the rights of this process.
type Machine struct {
	Kernel string
	Initrd string
	// Drive is a read-only file system image, in whole sectors of 512 bytes.
	Drive string
	// Cmdline holds the guest's own kernel arguments; the monitor adds its own
	// (console, reboot, timers).
	Cmdline string
	// Memory is the guest's memory in bytes, whole MiB.
	Memory int64
	VCPUs  int
	Accel  Accel
	// Snapshot is a directory filled by [Instance.Snapshot], or empty to boot.
	// All other fields are as at the time of the snapshot. Many machines may
	// read the files at once; they are never written.
	Snapshot string
	// Dir is an empty directory for this machine alone, mode 0700, for sockets
	// and the like. The tier removes it after Close.
	Dir string
	// Group is the control group for the monitor's processes; nil means none.
	Group *cgroup.Group
	// Console receives the output on the guest's serial console, for as long as
	// the machine lives.
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
	// Snapshot stops the guest and writes its whole state into dir, an empty
	// and private directory. Afterwards the instance can only be closed. It is
	// called at most once, while nothing is in flight on the channel.
	Snapshot(ctx context.Context, dir string) error
	// Usage measures the monitor's processes: the guest's work and the cost of
	// running it. It works until Close.
	Usage() (Usage, error)
	// Err says why the machine ended, in the monitor's own words, once Dead is
	// closed: the end of its error output. Empty where it said nothing.
	Err() string
	// Close kills, reaps and removes everything of the machine. It is
	// idempotent.
	Close() error
}

// Usage is the cost of a machine to the host. Zero means unknown.
type Usage struct {
	CPU    time.Duration // of all its processors and of the monitor itself
	Memory int64         // resident bytes now
}
