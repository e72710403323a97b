//go:build linux

package gvisor

import (
	"context"
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/attack"
)

// GlovePlan holds the needs of a root file system beside the toolchain: the
// glove, process 1 of the guest.
func GlovePlan() rootfs.Plan {
	return rootfs.Plan{Entries: []rootfs.Entry{{Path: glove.Path, Data: glove.Image(), Mode: 0o755}}}
}

// Probe implements [tier.Tier].
func (t *Tier) Probe(ctx context.Context) tier.Report {
	report, err := t.probe(ctx)
	if err != nil {
		return tier.Report{Tier: t.Name(), Reason: err.Error()}
	}
	return report
}

func (t *Tier) probe(ctx context.Context) (report tier.Report, err error) {
	store, err := rootfs.Open("")
	if err != nil {
		return report, err
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(GlovePlan()))
	if err != nil {
		return report, err
	}
	bait, err := attack.NewBait()
	if err != nil {
		return report, err
	}
	defer bait.Close()
	segment, err := newSegment()
	if err != nil {
		return report, err
	}
	defer segment.remove()
	list := append(append(attack.Walls(bait), attack.OwnKernel(), segment.attack()), attack.Limits()...)
	return attack.Probe(ctx, t, root, list), nil
}

// segment is shared memory of the host that any process may attach.
type segment struct{ key, id int }

func newSegment() (segment, error) {
	key := rand.IntN(1<<31-1) + 1
	id, err := unix.SysvShmGet(key, os.Getpagesize(), unix.IPC_CREAT|unix.IPC_EXCL|0o666)
	return segment{key, id}, err
}

func (s segment) remove() { _, _ = unix.SysvShmCtl(s.id, unix.IPC_RMID, nil) }

func (s segment) attack() attack.Attack {
	return attack.Attack{
		Control: tier.ControlIPC, What: "finding shared memory of the host's", Held: attack.Fails(linux.ENOENT),
		Program: func(p *glove.Script) { p.Call("shmget", unix.SYS_SHMGET, s.key, 0, 0) },
	}
}
