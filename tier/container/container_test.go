//go:build linux

package container_test

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

// runtimes are those that the tests run with, where the host has them.
var runtimes = []string{"runc", "crun", "runsc"}

func TestConformance(t *testing.T) {
	for _, name := range runtimes {
		if _, err := container.New(container.Options{Runtime: name}); err != nil {
			t.Run(name, func(t *testing.T) { t.Skip(err) })
			continue
		}
		t.Run(name, func(t *testing.T) { tiertest.Run(t, kind(container.Options{Runtime: name})) })
		if name == "runsc" {
			continue // metered in the same way with control groups
		}
		t.Run(name+" without control groups", func(t *testing.T) {
			tiertest.Run(t, kind(container.Options{Runtime: name, NoControlGroups: true}))
		})
	}
}

func kind(o container.Options) tiertest.Kind {
	return tiertest.Kind{
		New: func() (tier.Tier, error) { return container.New(o) },
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Tree(ctx, p.Merge((*container.Tier)(nil).TreeRoot()))
		},
		Kernel: o.Runtime != "runsc", Silent: o.Runtime == "runsc",
	}
}
