package tier

// Traits describe a tier's nature on any host: the grounds for a choice by a
// person or a policy. Controls and costs are measured; see [Tier.Probe].
type Traits struct {
	// Title names the tier in a few words, such as "gVisor, a kernel in user
	// space".
	Title string `json:"title"`
	// Kernel names the kernel that serves the code in the box.
	Kernel Kernel `json:"kernel"`
	// Native means that machine code runs: any interpreter, any package of an
	// image. Else only WebAssembly modules do.
	Native bool `json:"native"`
	// Standby reports whether the tier's boxes take a [Spec.Standby].
	Standby bool `json:"standby,omitempty"`
	// Emulated reports whether the processor too is emulated, which is slow.
	Emulated bool `json:"emulated,omitempty"`
	// Stops are the attacks stopped beyond the common ones, and Exposes the
	// attacks still possible; a short phrase each.
	Stops   []string `json:"stops"`
	Exposes []string `json:"exposes"`
	// Needs states the tier's requirements of a host, such as "runc or crun on
	// PATH".
	Needs string `json:"needs"`
}

// Kernel is the kind of kernel that serves the system calls of the code in a
// box.
type Kernel string

// The kernels, by the cost of a kernel bug: the host's own is shared with the
// whole machine; a kernel in user space, such as gVisor's, is itself confined;
// a guest's is behind a virtual machine; and a tier without a kernel has no
// system calls at all.
const (
	KernelHost  Kernel = "host"
	KernelUser  Kernel = "user_space"
	KernelGuest Kernel = "guest"
	KernelNone  Kernel = "none"
)

// Described is implemented by a Tier with Traits.
type Described interface {
	Traits() Traits
}

// Copier is implemented by a Tier that makes some boxes with a standby command
// faster than any command starts in a box.
type Copier interface {
	// Copies reports whether Open would now most likely copy a box for a Spec.
	Copies(spec Spec) bool
}

// Sharer is implemented by a Tier whose boxes of one batch may share their
// foundation; see [Spec.Batch].
type Sharer interface {
	// Shares reports whether Open would now most likely share for a Spec.
	Shares(spec Spec) bool
}

// Modules is implemented by a Tier whose commands are WebAssembly modules
// (Args[0] is the path of a .wasm file in the box) rather than programs of this
// machine.
type Modules interface {
	// Modules does nothing: it marks the tier.
	Modules()
}
