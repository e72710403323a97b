//go:build linux

package gvisor

import (
	_ "unsafe" // for go:linkname

	_ "gvisor.dev/gvisor/runsc/boot" // has the variable
)

// gVisor's tmpfs knows nr_inodes, but the loader refuses the option in a spec.
// This is the loader's list of permitted options.
//
//go:linkname tmpfsOptions gvisor.dev/gvisor/runsc/boot.tmpfsAllowedData
var tmpfsOptions []string

// allowInodeLimit lets the specs of this sentry bound the number of files.
// TestLimits proves the effect.
func allowInodeLimit() { tmpfsOptions = append(tmpfsOptions, "nr_inodes") }
