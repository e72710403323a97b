//go:build linux

package microvm_test

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/microvm"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

// TestConformance holds the tier to the contract, on an emulated processor.
func TestConformance(t *testing.T) {
	tiertest.Run(t, tiertest.Kind{
		Slow: true,
		New: func() (tier.Tier, error) {
			return microvm.New(microvm.Options{AllowEmulation: true, EmulationOnly: true})
		},
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Image(ctx, p.Merge(new(microvm.Tier).ImageRoot()))
		},
	})
}
