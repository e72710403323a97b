package gvisor

import (
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// glovePlan puts the glove where the guest starts it from.
func glovePlan() rootfs.Plan {
	return rootfs.Plan{Entries: []rootfs.Entry{{Path: glove.Path, Data: glove.Image(), Mode: 0o755}}}
}
