package glovebox

import (
	"fmt"
	"strings"
	"time"
)

// Need is something that a Job, or a policy, wants of the tier it runs in: one
// of the constants, or [NeedStart] followed by a duration, such as
// "start_under=50ms".
type Need string

// The needs.
const (
	// NeedKernelBoundary: a bug in the host's kernel is not enough to get out.
	NeedKernelBoundary Need = "kernel_boundary"
	// NeedOwnKernel: no kernel is shared, not even a confined one in user
	// space: a virtual machine, or no system calls at all.
	NeedOwnKernel Need = "no_shared_kernel"
	// NeedNative: machine code runs, so any package of an image.
	NeedNative Need = "native_packages"
	// NeedNetwork: a way out to the network, as the policy allows it.
	NeedNetwork Need = "network"
	// NeedStart, with a duration: what the tier costs on this host, from the
	// request to the end of a program that does nothing, is less.
	NeedStart Need = "start_under="
)

// Within returns the duration of a [NeedStart], and false for other needs.
func (n Need) Within() (time.Duration, bool) {
	text, ok := strings.CutPrefix(string(n), string(NeedStart))
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// Validate tells whether n is a need.
func (n Need) Validate() error {
	switch n {
	case NeedKernelBoundary, NeedOwnKernel, NeedNative, NeedNetwork:
		return nil
	}
	if _, ok := n.Within(); ok {
		return nil
	}
	return fmt.Errorf("%q is none of %s, %s, %s, %s, %s50ms (or another duration)", n,
		NeedKernelBoundary, NeedOwnKernel, NeedNative, NeedNetwork, NeedStart)
}
