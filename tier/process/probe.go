//go:build linux

package process

import (
	"context"
	"os"
	"path/filepath"

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
	if t.host.landlock == 0 {
		report.Controls = append(report.Controls, tier.Probe{
			Name: tier.ControlLandlock, Detail: "this kernel has none", Fix: fixes[tier.ControlLandlock],
		})
	}
	return report
}

func (t *Tier) probe(ctx context.Context) (tier.Report, error) {
	root, remove, err := bareRoot()
	if err != nil {
		return tier.Report{}, err
	}
	defer remove()
	bait, err := attack.NewBait()
	if err != nil {
		return tier.Report{}, err
	}
	defer bait.Close()
	list := append(append(attack.Walls(bait), attack.Kernel()...), append(attack.Limits(), attack.OwnFiles(), attack.Load())...)
	if t.host.landlock > 0 {
		list = append(list, attack.Landlock())
	}
	return attack.Probe(ctx, t, root, list), nil
}

// bareRoot makes a root with nothing but mount points: attacks bring all that
// they need.
func bareRoot() (*rootfs.Root, func(), error) {
	dir, err := os.MkdirTemp("", "glovebox-probe-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { os.RemoveAll(dir) }
	tree := filepath.Join(dir, "root")
	for _, d := range []string{"", "dev", "proc", "sys", "tmp", "workspace"} {
		if err := os.Mkdir(filepath.Join(tree, d), 0o755); err != nil {
			remove()
			return nil, nil, err
		}
	}
	return &rootfs.Root{Key: "bare", Tree: tree}, remove, nil
}
