//go:build linux

package tiertest_test

import (
	"context"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/gvisor"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
	"github.com/gloveboxhq/glovebox/tier/process"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

func TestMain(m *testing.M) { os.Exit(statictest.Main(m)) }

func tree(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
	return store.Tree(ctx, p)
}

func processKind(o process.Options) tiertest.Kind {
	return tiertest.Kind{New: func() (tier.Tier, error) { return process.New(o) }, Root: tree, Kernel: true}
}

func TestProcess(t *testing.T) { tiertest.Run(t, processKind(process.Options{})) }

func TestProcessWithoutControlGroups(t *testing.T) {
	tiertest.Run(t, processKind(process.Options{NoControlGroups: true}))
}

func TestGVisor(t *testing.T) {
	tiertest.Run(t, tiertest.Kind{
		New: func() (tier.Tier, error) { return gvisor.New(gvisor.Config{}) },
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Image(ctx, p.Merge(gvisor.GlovePlan()))
		},
	})
}
