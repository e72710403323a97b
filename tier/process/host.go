//go:build linux

package process

import (
	"os"

	"github.com/gloveboxhq/glovebox/glove/native"
)

// machine holds the facts about the host behind the boot script, read once.
type machine struct {
	// root: the box may have otherwise unused host users: a user for the glove
	// and a user for the commands. Else both are our own user.
	root     bool
	landlock int // the version of its interface, 0 for none
	masked   []native.Mask
	devices  []string
	listen   int   // the flags of a filter that asks, 0 for none
	deaf     error // why there is none
}

// devices are the devices of a box, all without state.
var devices = []string{"null", "zero", "full", "random", "urandom"}

func lookAtHost() machine {
	h := machine{root: os.Geteuid() == 0, landlock: native.LandlockVersion(), masked: native.Masks(), devices: devices}
	h.listen, h.deaf = native.Listens()
	return h
}
