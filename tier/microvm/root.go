//go:build linux

package microvm

import (
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// ImageRoot implements [tier.ImageRoot]: the mount points of the guest.
func (t *Tier) ImageRoot() rootfs.Plan {
	var p rootfs.Plan
	for _, d := range []string{"/dev", "/proc", "/sys", tier.Temp, tier.Workspace} {
		p.Add(rootfs.Entry{Path: d, Dir: true})
	}
	return p
}
