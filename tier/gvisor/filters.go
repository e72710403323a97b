//go:build linux

package gvisor

import (
	"runtime/debug"
	"slices"
	"sync"
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	_ "gvisor.dev/gvisor/runsc/boot/filter" // has the variables
)

// The sentry confines itself with a seccomp filter. gVisor compiles the filter
// from its rules at every start, which takes longer than the rest of the start.
// gVisor has a table of precompiled programs, empty in its Go module. We fill
// the table: filters_*.go hold the program for our sentries, made by gVisor's
// own compiler from gVisor's own rules. TestFilter compares the program with a
// fresh one. If it is missing, or made for a different version, gVisor compiles
// one.
//
//
//go:generate env CGO_ENABLED=0 go test -count=1 -run=^TestFilter$ . -generate

// madeFilter is what filters_*.go hold; nothing on other architectures.
type madeFilter struct {
	version string // of the gVisor module
	program precompiledseccomp.Program
}

//go:linkname filterPrograms gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var filterPrograms map[string]precompiledseccomp.Program

//go:linkname initFilterPrograms gvisor.dev/gvisor/runsc/boot/filter.registerPrecompiledProgramsOnce
var initFilterPrograms sync.Once

// takeFilter has the sentry use the precompiled program, if made for the linked
// version of gVisor.
func takeFilter(f madeFilter, linked string) {
	if f.version == "" || f.version != linked {
		return
	}
	initFilterPrograms.Do(func() {
		filterPrograms = map[string]precompiledseccomp.Program{f.program.Name: f.program}
	})
}

const gvisorModule = "gvisor.dev/gvisor"

// linkedVersion is the version of the gVisor module in this executable.
var linkedVersion = func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return versionIn(info.Deps)
}

// versionIn is the version of gVisor in a list of modules, empty if gVisor is
// missing or replaced.
func versionIn(modules []*debug.Module) string {
	i := slices.IndexFunc(modules, func(m *debug.Module) bool { return m.Path == gvisorModule })
	if i < 0 || modules[i].Replace != nil {
		return ""
	}
	return modules[i].Version
}
