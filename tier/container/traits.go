//go:build linux

package container

import "github.com/gloveboxhq/glovebox/tier"

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
	if t.runtime.guest {
		return tier.Traits{
			Title: "a container of an OCI runtime with a kernel of its own, gVisor's", Kernel: tier.KernelUser, Native: true,
			Stops:   []string{"a bug in the host's kernel that only its own system calls reach"},
			Exposes: []string{"a bug in gVisor and then in the host's kernel", "the processor: what leaks by timing and caches"},
			Needs:   "runsc, and Linux 5.12 or newer with user namespaces, or root",
		}
	}
	return tier.Traits{
		Title: "a container of an OCI runtime, with the walls of the process tier inside", Kernel: tier.KernelHost, Native: true,
		Stops: []string{
			"mistakes, and attacks that need a system call outside of the list",
			"a bug in one of the two that make the walls, the runtime and Glovebox",
		},
		Exposes: []string{
			"a bug in the host's kernel that an allowed system call reaches",
			"the processor: what leaks by timing and caches",
		},
		Needs: "runc or crun, and Linux 5.12 or newer with user namespaces, or root",
	}
}

// Missing says why the host has no runtime; nil where it has one.
func (t *Tier) Missing() error { return t.noRuntime }
