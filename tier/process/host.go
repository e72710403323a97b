//go:build linux

package process

import (
	"os"

	"github.com/gloveboxhq/glovebox/glove/native"
)

// machine is what the boot script depends on; it is looked at once.
type machine struct {
	// root: we may give the box users that are nobody's on the host, one for
	// the glove and one for the commands. Else both are our own user.
	root     bool
	landlock int // the version of its interface, 0 for none
	masked   []native.Mask
	devices  []string
	listen   int   // the flags of a filter that asks, 0 for none
	deaf     error // why there is none
}

// devices are those of a box, all without state.
var devices = []string{"null", "zero", "full", "random", "urandom"}

func lookAtHost() machine {
	h := machine{root: os.Geteuid() == 0, landlock: native.LandlockVersion(), masked: native.Masks(), devices: devices}
	h.listen, h.deaf = native.Listens()
	return h
}
