// Package kernel prepares the Linux kernel that the guests of the microvm tier
// boot, and finds it again.
//
// [Prepare] takes a kernel from a [Source]: Debian's archive, one pinned package,
// or files of the operator's own. It keeps three things of it, in a directory
// that only this user can write, each with its hash: the boot image as QEMU takes
// it, the same uncompressed as Firecracker takes it, and the few modules that a
// guest needs ([Required], [Optional]). Nothing of a package is ever executed on
// the host, and nothing in it decides where anything is written.
package kernel

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Required are the modules that every guest needs: its devices and its root file
// system. A kernel that has one of them neither as a module nor built in is
// refused.
var Required = []string{
	"virtio_mmio",                // the bus of a machine without PCI
	"virtio_blk",                 // the drive
	"virtio_console",             // the channel in QEMU
	"erofs",                      // the root
	"vmw_vsock_virtio_transport", // the channel in Firecracker
}

// Optional are modules that are taken where the kernel has them.
var Optional = []string{
	"virtio_rng",     // entropy from the host
	"virtio_balloon", // memory back to the host
	"vsock_loopback", // vsock within one guest
}

// Kernel is a prepared kernel. Its files are never changed.
type Kernel struct {
	// Version is what uname -r says in the guest, such as "6.12.107+deb13-cloud-amd64".
	Version string
	// Arch is the processor, in Go's words: "amd64" or "arm64".
	Arch string
	// Source says where it came from and by which right it was taken.
	Source string
	// Key identifies the kernel and its modules to the byte: a hash in hex.
	Key string
	// Dir is where its files are.
	Dir string
	// Image is the boot image as it was packed: a bzImage, or an arm64 Image,
	// which may be compressed.
	Image string
	// Vmlinux is the same uncompressed: an ELF file on amd64, an Image on arm64.
	Vmlinux string

	modules []module
	whole   bool // came without modules: all is built in
}

// Module is a file to load into the kernel.
type Module struct {
	Name string // as lsmod says it, with "_" and never "-"
	Path string // an uncompressed .ko file
}

// Modules returns the files of the named modules and of all that they need, each
// once and after what it needs: the order in which to load them. What is built
// into the kernel has no file and is left out. Only names of [Required] and
// [Optional] are known; that an optional one is missing is an error too.
func (k *Kernel) Modules(names ...string) ([]Module, error) {
	if k.whole {
		return nil, nil
	}
	var list []Module
	seen := map[string]bool{}
	var add func(name string) error
	add = func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		i := slices.IndexFunc(k.modules, func(m module) bool { return m.Name == name })
		if i < 0 {
			return fmt.Errorf("kernel %s was prepared without the module %s", k.Version, name)
		}
		m := k.modules[i]
		for _, need := range m.Needs {
			if err := add(need); err != nil {
				return err
			}
		}
		if m.File != "" {
			list = append(list, Module{m.Name, filepath.Join(k.Dir, filepath.FromSlash(m.File))})
		}
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return list, nil
}
