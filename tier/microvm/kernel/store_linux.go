package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Options say what to prepare.
type Options struct {
	// From is the source; nil means [Debian] as it is.
	From Source
	// Dir is where kernels are kept; empty means [DefaultDir].
	Dir string
	// Arch is the guest's processor, "amd64" or "arm64"; empty means this one.
	Arch string
	// Progress, if not nil, receives the progress now and then, on the caller's
	// goroutine.
	Progress func(Progress)
}

// ErrNone is in the error of [Find] where no kernel was prepared.
var ErrNone = errors.New("no kernel was prepared for guests")

// DefaultDir returns where kernels are kept: $GLOVEBOX_KERNEL, else the
// directory kernel in [rootfs.DefaultDir].
func DefaultDir() (string, error) {
	if dir := os.Getenv("GLOVEBOX_KERNEL"); dir != "" {
		return dir, nil
	}
	dir, err := rootfs.DefaultDir()
	return filepath.Join(dir, "kernel"), err
}

// open returns dir or the default, writable only by this user.
func open(dir string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return "", err
		}
	}
	dir, err := rootfs.Private(dir)
	if err != nil {
		return "", fmt.Errorf("kernels: %w", err)
	}
	return dir, nil
}

// Each kernel is a directory ARCH-VERSION-KEY; a file current-ARCH names the
// current kernel; an unfinished one is part-*, and the writer holds the lock of
// the file lock.

var homes = lazyre.New(`^(amd64|arm64)-[0-9][0-9A-Za-z.+~_-]{0,63}-[0-9a-f]{12}$`)

// Find returns the kernel most recently prepared in dir, after comparing every
// file with its hash. Empty means [DefaultDir] and this processor. If none
// exists, the error is [ErrNone] and names the remedy.
func Find(dir string) (*Kernel, error) {
	dir, err := open(dir)
	if err != nil {
		return nil, err
	}
	name, err := current(dir, runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, fmt.Errorf("%w: %s has none for %s; run: glovebox image kernel", ErrNone, dir, runtime.GOARCH)
	}
	k, err := load(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("the prepared kernel is damaged: %w; run: glovebox image kernel", err)
	}
	return k, nil
}

// current returns the name of the kernel to use, or nothing.
func current(dir, arch string) (string, error) {
	text, err := readFile(filepath.Join(dir, "current-"+arch), 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !homes().MatchString(name) {
		return "", fmt.Errorf("%s names %q", filepath.Join(dir, "current-"+arch), name)
	}
	return name, nil
}

// Prepare gets a kernel, checks it, and keeps the parts for guests. The result
// appears whole or not at all; the previous kernel is kept, older kernels are
// removed. Prepare takes some seconds, mostly for getting and unpacking 35 MB.
func Prepare(ctx context.Context, o Options) (*Kernel, error) {
	if o.Arch == "" {
		o.Arch = runtime.GOARCH
	}
	if o.Arch != "amd64" && o.Arch != "arm64" {
		return nil, fmt.Errorf("no guests for the processor %q", o.Arch)
	}
	if o.From == nil {
		o.From = Debian{}
	}
	dir, err := open(o.Dir)
	if err != nil {
		return nil, err
	}
	p := &progress{tell: o.Progress}
	t, from, err := o.From.fetch(ctx, o.Arch, p)
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	p.begin("writing", 0)
	unlock, err := lock(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	defer unlock()
	k, err := keep(dir, t, from, o.Arch)
	if err != nil {
		return nil, fmt.Errorf("kernel from %s: %w", from, err)
	}
	return k, nil
}

// keep writes the parts of a tree for guests into a new directory, as the
// current kernel.
func keep(dir string, t *tree, from, arch string) (*Kernel, error) {
	b, err := readBoot(t.image)
	if err != nil {
		return nil, err
	}
	if t.version == "" { // files do not say it
		t.version = b.version
	}
	switch {
	case b.arch != arch:
		return nil, fmt.Errorf("it is for %s, not for %s", b.arch, arch)
	case b.version != t.version || !versions().MatchString(b.version):
		return nil, fmt.Errorf("its boot image is version %q, its name says %q", b.version, t.version)
	}
	m := manifest{Format: manifestFormat, Version: b.version, Arch: arch, Source: from, Image: "vmlinuz", Vmlinux: "vmlinux", Whole: t.whole}
	var mods []taken
	if !t.whole {
		if mods, err = choose(t); err != nil {
			return nil, err
		}
	}
	sweep(dir)
	part, err := os.MkdirTemp(dir, "part-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(part)
	if err := m.write(part, m.Image, t.image); err != nil {
		return nil, err
	}
	if bytes.Equal(t.image, b.vmlinux) { // nothing was compressed
		m.Vmlinux = m.Image
	} else if err := m.write(part, m.Vmlinux, b.vmlinux); err != nil {
		return nil, err
	}
	for _, mod := range mods {
		m.Modules = append(m.Modules, mod.module)
		if mod.File != "" {
			if err := m.write(part, mod.File, mod.ko); err != nil {
				return nil, err
			}
		}
	}
	key, err := m.seal(part)
	if err != nil {
		return nil, err
	}
	name := arch + "-" + m.Version + "-" + key[:12]
	home := filepath.Join(dir, name)
	before, _ := current(dir, arch) // damaged, it is replaced
	if k, err := load(home); err == nil {
		return k, choice(dir, arch, name)
	}
	if err := os.RemoveAll(home); err != nil { // damaged
		return nil, err
	}
	if err := os.Rename(part, home); err != nil {
		return nil, err
	}
	if err := choice(dir, arch, name); err != nil {
		return nil, err
	}
	prune(dir, arch, name, before)
	return load(home)
}

// choice makes a kernel the current one, atomically.
func choice(dir, arch, name string) error {
	part := filepath.Join(dir, "part-current")
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := writeSynced(part, []byte(name+"\n")); err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(dir, "current-"+arch))
}

// prune removes all kernels of a processor but the named ones. Failures are
// ignored: leftovers do no harm.
func prune(dir, arch string, keep ...string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if !homes().MatchString(name) || !strings.HasPrefix(name, arch+"-") || name == keep[0] || name == keep[1] {
			continue
		}
		_ = os.RemoveAll(filepath.Join(dir, name))
	}
}

// sweep removes what a crash left; the lock is held.
func sweep(dir string) {
	parts, _ := filepath.Glob(filepath.Join(dir, "part-*"))
	for _, p := range parts {
		_ = os.RemoveAll(p)
	}
}

// lock waits for the exclusive right to write into dir. The lock ends with the
// process, too.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
