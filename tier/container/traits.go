//go:build linux

package container

import "github.com/gloveboxhq/glovebox/tier"

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
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
