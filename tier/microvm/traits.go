//go:build linux

package microvm

import (
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Traits implements [tier.Described]. Until a guest has tried KVM, Emulated
// reports the tier's fallback.
func (t *Tier) Traits() tier.Traits {
	t.mu.Lock()
	defer t.mu.Unlock()
	title, emulated := "a virtual machine: a kernel of the box's own behind the processor's walls", t.accel == monitor.Emulated || t.o.EmulationOnly
	if emulated {
		title = "a virtual machine on an emulated processor, with a kernel of the box's own"
	}
	return tier.Traits{
		Title: title, Kernel: tier.KernelGuest, Native: true, Emulated: emulated,
		Stops: []string{"what gets out through a bug in a kernel's system calls: the host's kernel serves none of them"},
		Exposes: []string{
			"a bug in the monitor or in KVM, and behind it an ordinary user's reach into the host",
			"the processor: what leaks by timing and caches",
		},
		Needs: "QEMU, a kernel (glovebox image kernel), and KVM or --allow-emulation",
	}
}
