package tier

// Traits are what a tier is by its nature, on whatever host: what a person, or
// a policy, chooses it by. Controls and costs are measured; see [Tier.Probe].
type Traits struct {
	// Title is the tier in a few words, such as "gVisor, a kernel in user
	// space".
	Title string `json:"title"`
	// Kernel is which kernel serves the code in the box.
	Kernel Kernel `json:"kernel"`
	// Native tells that machine code runs: any interpreter, any package of an
	// image. Else only WebAssembly modules do.
	Native bool `json:"native"`
	// Standby tells that its boxes take a [Spec.Standby].
	Standby bool `json:"standby,omitempty"`
	// Emulated tells that the processor too is emulated, which is slow.
	Emulated bool `json:"emulated,omitempty"`
	// Stops are the attacks that it stops beyond what every tier does, and
	// Exposes those that it does not; one short phrase each.
	Stops   []string `json:"stops"`
	Exposes []string `json:"exposes"`
	// Needs says what it needs of a host, such as "runc or crun on PATH".
	Needs string `json:"needs"`
}

// Kernel is which kernel serves the system calls of the code in a box.
type Kernel string

// The kernels, by how much a bug in them costs: the host's own is shared with
// everything on the machine; one in user space, such as gVisor's, is itself
// confined; a guest's is behind a virtual machine; and with none there are no
// system calls at all.
const (
	KernelHost  Kernel = "host"
	KernelUser  Kernel = "user_space"
	KernelGuest Kernel = "guest"
	KernelNone  Kernel = "none"
)

// Described is implemented by a Tier that says what it is.
type Described interface {
	Traits() Traits
}

// Copier is implemented by a Tier that makes some boxes with a standby command in
// less time than it takes to start any command in one.
type Copier interface {
	// Copies tells whether Open would most likely do so for a Spec now.
	Copies(spec Spec) bool
}

// Sharer is implemented by a Tier whose boxes of one batch may share what lies
// under them; see [Spec.Batch].
type Sharer interface {
	// Shares tells whether Open would most likely make such a box of a Spec now.
	Shares(spec Spec) bool
}

// Modules is implemented by a Tier whose commands are WebAssembly modules
// (Args[0] is the path of a .wasm file in the box) rather than programs of this
// machine.
type Modules interface {
	// Modules does nothing: it marks the tier.
	Modules()
}
