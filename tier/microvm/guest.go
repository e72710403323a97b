//go:build linux

package microvm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/tier/microvm/kernel"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// guest is the common boot configuration of a tier's machines.
type guest struct {
	monitor  monitor.Monitor
	identity string // of the monitor
	kernel   *kernel.Kernel
	initrd   string // a file
	key      string // of the kernel and the initramfs
}

// Places in the initramfs.
const (
	modulesDir = "modules"
	rootDir    = "root"   // where the drive is mounted
	groupDir   = "cgroup" // where the control groups are
	gloveFile  = "glove"
)

// cmdline are the guest's own kernel arguments: few words on the console, and
// an end at a bug of the kernel's own.
const cmdline = "quiet oops=panic"

// newGuest makes the initramfs and keeps it in the cache.
func newGuest(m monitor.Monitor, k *kernel.Kernel, c *cache) (*guest, error) {
	names := []string{"virtio_mmio", "virtio_blk", "erofs"}
	channel := wire.Port(monitor.PortNode)
	switch m.Channel() {
	case monitor.Serial:
		names = append(names, "virtio_console")
	case monitor.Vsock:
		names = append(names, "vmw_vsock_virtio_transport")
		channel = wire.Vsock(monitor.VsockPort, wire.VsockHost)
	default:
		return nil, fmt.Errorf("the channel %q is not known", m.Channel())
	}
	modules, err := k.Modules(names...)
	if err != nil {
		return nil, err
	}
	entries := []entry{{path: "dev", mode: typeDir | 0o755}}
	for _, dir := range []string{modulesDir, rootDir, groupDir} {
		entries = append(entries, entry{path: dir, mode: typeDir | 0o755})
	}
	for _, m := range modules {
		data, err := os.ReadFile(m.Path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{modulesDir + "/" + m.Name, typeFile | 0o400, data})
	}
	relay, err := wire.Relay(wire.Config{
		Channel: channel, Glove: "/" + gloveFile,
		Before: func(s *glove.Script) { start(s, modules) },
	})
	if err != nil {
		return nil, err
	}
	entries = append(entries, entry{gloveFile, typeFile | 0o500, glove.Image()}, entry{"init", typeFile | 0o500, relay})
	var image bytes.Buffer
	if err := writeInitramfs(&image, entries); err != nil {
		return nil, err
	}
	key := sha256.New()
	io.WriteString(key, k.Key)
	key.Write(image.Bytes())
	g := &guest{monitor: m, kernel: k, key: hex.EncodeToString(key.Sum(nil))}
	g.initrd, err = c.keep(g.key[:32]+".initrd", image.Bytes())
	return g, err
}

// boot is the kernel's file in the form that the monitor takes.
func (g *guest) boot() string {
	if g.monitor.Uncompressed() {
		return g.kernel.Vmlinux
	}
	return g.kernel.Image
}

// start are the first calls of the guest: load the modules, mount the drive and
// the control groups. The guest's processes have no console: only the kernel
// ever writes to it.
func start(s *glove.Script, modules []kernel.Module) {
	s.Call("mount /dev", unix.SYS_MOUNT, "dev", "/dev", "devtmpfs", 0, 0)
	s.Call("mount the control groups", unix.SYS_MOUNT, "cgroup", "/"+groupDir, "cgroup2", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, 0)
	for _, m := range modules {
		fd := s.Buffer(8)
		s.Call("open "+m.Name, unix.SYS_OPENAT, unix.AT_FDCWD, filepath.Join("/", modulesDir, m.Name), unix.O_RDONLY|unix.O_CLOEXEC, 0).To(fd)
		s.CallOn(fd, "load "+m.Name, unix.SYS_FINIT_MODULE, "", 0)
		s.CallOn(fd, "close", unix.SYS_CLOSE)
	}
	// The drive's node appears some time later.
	again, failed, mounted := s.Label(), s.Label(), s.Label()
	tries := s.Words(driveTries)
	mount := func() *glove.Ins {
		return s.Call("mount the drive", unix.SYS_MOUNT, monitor.Drive, "/"+rootDir, "erofs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, 0)
	}
	s.Place(again)
	mount().IfError(failed)
	s.Jump(mounted)
	s.Place(failed)
	s.Call("sleep", unix.SYS_NANOSLEEP, s.Words(0, int64(drivePause)), 0)
	s.Sub(tries, 1).IfOther(0, again)
	mount() // why it fails is its word
	s.Place(mounted)
}

// The number of attempts to mount the guest's drive, and the pause between.
const (
	driveTries = 1000
	drivePause = 2 * time.Millisecond
)
