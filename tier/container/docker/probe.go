package docker

import (
	"context"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/attack"
)

// Probe implements [tier.Tier].
func (t *Tier) Probe(ctx context.Context) tier.Report {
	report, err := t.probe(ctx)
	if err != nil {
		return tier.Report{Tier: t.Name(), Reason: err.Error()}
	}
	return report
}

func (t *Tier) probe(ctx context.Context) (tier.Report, error) {
	// A store finds the same root again, and so does the engine.
	store, err := rootfs.Open("")
	if err != nil {
		return tier.Report{}, err
	}
	root, err := store.Tree(ctx, rootfs.Base().Merge(t.TreeRoot()))
	if err != nil {
		return tier.Report{}, err
	}
	bait, err := attack.NewBait()
	if err != nil {
		return tier.Report{}, err
	}
	defer bait.Close()
	list := append(append(attack.Walls(bait), attack.Kernel()...), attack.Limits()...)
	return attack.Probe(ctx, t, root, list), nil
}
