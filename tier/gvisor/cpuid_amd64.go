//go:build linux

package gvisor

import (
	"sync"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/cpuid"
)

// A sentry begins by asking the processor for its features, for some a dozen
// times. In a virtual machine each question traps to the hypervisor: 2.5 ms in
// all, less than one with remembered answers.

//go:linkname cpuidOnce gvisor.dev/gvisor/pkg/cpuid.initOnce
var cpuidOnce sync.Once

//go:linkname hostFeatures gvisor.dev/gvisor/pkg/cpuid.hostFeatureSet
var hostFeatures cpuid.FeatureSet

//go:linkname readMaxCPUFreq gvisor.dev/gvisor/pkg/cpuid.readMaxCPUFreq
func readMaxCPUFreq()

//go:linkname initHWCap gvisor.dev/gvisor/pkg/cpuid.initHWCap
func initHWCap()

// askProcessor is cpuid.Initialize, but asks each question once. With an
// unknown version of gVisor it stays gVisor's own.
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

// answers are the processor's replies to CPUID.
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
