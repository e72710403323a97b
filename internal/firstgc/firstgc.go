// Package firstgc delays the first garbage collection of a program that imports it.
//
// Initialising the packages of this program allocates some 5 MiB, and Go collects at 4 MiB
// first: a third of a start's processor time went into finding nothing. With this package,
// the first collection is at 16 MiB. From then on the collector works as usual.
package firstgc

import (
	"os"
	"runtime"
	"runtime/debug"
)

// grown is four times Go's default, whose first collection is at 4 MiB.
const grown = 400

func init() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(grown)
	// The first collection finds this value unused.
	runtime.AddCleanup(new([64]byte), func(usual int) {
		// A setting that came later stays.
		if now := debug.SetGCPercent(usual); now != grown {
			debug.SetGCPercent(now)
		}
	}, 100)
}
