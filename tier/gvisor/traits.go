//go:build linux

package gvisor

import "github.com/gloveboxhq/glovebox/tier"

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
	return tier.Traits{
		Title: "gVisor: a kernel of the box's own, in user space", Kernel: tier.KernelUser, Native: true, Standby: true,
		Stops: []string{"what gets out through a bug in the host's system calls: the code never makes one"},
		Exposes: []string{
			"a bug in gVisor and, behind it, in the few system calls that its own filter lets through",
			"the processor: what leaks by timing and caches",
		},
		Needs: "Linux with user namespaces, or root",
	}
}
