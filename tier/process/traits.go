//go:build linux

package process

import "github.com/gloveboxhq/glovebox/tier"

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
	return tier.Traits{
		Title: "namespaces, a filter of system calls, Landlock, control groups", Kernel: tier.KernelHost, Native: true, Standby: true,
		Stops: []string{"mistakes, and attacks that need a system call outside of the list"},
		Exposes: []string{
			"a bug in the host's kernel that an allowed system call reaches",
			"the processor: what leaks by timing and caches",
		},
		Needs: "Linux 5.12 or newer with user namespaces, or root",
	}
}
