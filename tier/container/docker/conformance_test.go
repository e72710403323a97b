//go:build linux

package docker_test

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container/docker"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

func TestConformance(t *testing.T) {
	host := docker.EngineHost(t)
	tiertest.Run(t, tiertest.Kind{
		New: func() (tier.Tier, error) { return docker.New(docker.Options{Host: host}) },
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Tree(ctx, p.Merge(new(docker.Tier).TreeRoot()))
		},
		Kernel: true,
		Pids:   func(t *testing.T) []int { return docker.Pids(t, host) },
	})
}
