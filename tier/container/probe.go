//go:build linux

package container

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
	// Landlock is a second wall behind the others: reported, not required.
	if t.landlock == 0 && !t.runtime.guest {
		report.Controls = append(report.Controls, tier.Probe{
			Name: tier.ControlLandlock, Detail: "this kernel has none", Fix: fixes[tier.ControlLandlock],
		})
	}
	return report
}

func (t *Tier) probe(ctx context.Context) (report tier.Report, err error) {
	store, err := rootfs.Open("")
	if err != nil {
		return report, err
	}
	root, err := store.Tree(ctx, rootfs.Base().Merge(t.TreeRoot()))
	if err != nil {
		return report, err
	}
	bait, err := attack.NewBait()
	if err != nil {
		return report, err
	}
	defer bait.Close()
	list := append(attack.Walls(bait), attack.Limits()...)
	if t.runtime.guest {
		return attack.Probe(ctx, t, root, append(attack.Silent(list), attack.OwnKernel())), nil
	}
	list = append(list, append(attack.Kernel(), attack.OwnFiles(), attack.Load())...)
	if t.landlock > 0 {
		list = append(list, attack.Landlock())
	}
	return attack.Probe(ctx, t, root, list), nil
}
