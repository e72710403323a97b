//go:build linux

package gvisor

import "github.com/gloveboxhq/glovebox/rootfs"

// ImageRoot implements [tier.ImageRoot].
func (t *Tier) ImageRoot() rootfs.Plan { return GlovePlan() }
