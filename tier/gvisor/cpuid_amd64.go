//go:build linux

package gvisor

import (
	"sync"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/cpuid"
)

// A sentry begins by asking the processor what it is, some of it a dozen times.
// In a virtual machine each question leaves it: 2.5 ms, where the answers are less
// than one.

//go:linkname cpuidOnce gvisor.dev/gvisor/pkg/cpuid.initOnce
var cpuidOnce sync.Once

//go:linkname hostFeatures gvisor.dev/gvisor/pkg/cpuid.hostFeatureSet
var hostFeatures cpuid.FeatureSet

//go:linkname readMaxCPUFreq gvisor.dev/gvisor/pkg/cpuid.readMaxCPUFreq
func readMaxCPUFreq()

//go:linkname initHWCap gvisor.dev/gvisor/pkg/cpuid.initHWCap
func initHWCap()

// askProcessor is cpuid.Initialize, which asks each question once. It is gVisor's
// own where that is not the version that we know.
func askProcessor(linked string) {
	if linked != sentryFilter.version {
		return
	}
	cpuidOnce.Do(func() {
		hostFeatures = cpuid.FeatureSet{Function: answers{}}.Fixed()
		readMaxCPUFreq()
		initHWCap()
	})
}

// answers are what the processor says of itself.
type answers map[cpuid.In]cpuid.Out

// Query implements [cpuid.Function].
func (a answers) Query(in cpuid.In) cpuid.Out {
	out, known := a[in]
	if !known {
		out = new(cpuid.Native).Query(in)
		a[in] = out
	}
	return out
}
