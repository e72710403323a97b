// Package kernel prepares the Linux kernel for the guests of the microvm tier,
// and finds it again.
//
// [Prepare] takes a kernel from a [Source]: Debian's archive, one pinned
// package, or the operator's own files. It keeps three parts, in a directory
// writable only by the user, each with a hash: the boot image for QEMU, the
// uncompressed image for Firecracker, and the few modules for guests
// ([Required], [Optional]). No part of a package is ever executed on the host,
// or decides where files are written.
package kernel

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Required are the modules for every guest: its devices and its root file
// system. A kernel lacking one, both as a module and built in, is refused.
var Required = []string{
	"virtio_mmio",                // the bus of a machine without PCI
	"virtio_blk",                 // the drive
	"virtio_console",             // the channel in QEMU
	"erofs",                      // the root
	"vmw_vsock_virtio_transport", // the channel in Firecracker
}

// Optional are modules kept where the kernel has them.
var Optional = []string{
	"virtio_rng",     // entropy from the host
	"virtio_balloon", // memory back to the host
	"vsock_loopback", // vsock within one guest
}

// Kernel is a prepared kernel. Its files are never changed.
type Kernel struct {
	// Version is the output of uname -r in the guest, such as
	// "6.12.107+deb13-cloud-amd64".
	Version string
	// Arch is the processor, in Go's words: "amd64" or "arm64".
	Arch string
	// Source describes the kernel's origin and the grounds for trusting it.
	Source string
	// Key identifies the kernel and its modules to the byte: a hash in hex.
	Key string
	// Dir is where its files are.
	Dir string
	// Image is the boot image as packed: a bzImage, or an arm64 Image, possibly
	// compressed.
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

// Modules returns the files of the named modules and of their dependencies,
// each once and after its dependencies: the order in which to load them.
// Modules built into the kernel have no file and are left out. Only names of
// [Required] and [Optional] are known; a missing optional module is an error
// too.
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
