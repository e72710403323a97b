//go:build linux

package gvisor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/attack"
)

// GlovePlan is what a root file system must hold beside the toolchain: the
// glove, which the guest starts as its process 1.
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
	list := append(append(attack.Walls(bait), kernelAttack, segment.attack()), attack.Limits()...)
	return attack.Probe(ctx, t, root, list), nil
}

// kernelAttack asks the kernel who it is.
var kernelAttack = attack.Attack{
	Control: tier.ControlSyscalls, What: "asking for the host's kernel",
	Program: func(s *glove.Script) {
		var name unix.Utsname
		size := 6 * len(name.Release)
		buf := s.Buffer(size)
		s.Call("uname", unix.SYS_UNAME, buf)
		s.Call("write", unix.SYS_WRITE, 1, buf.Plus(2*len(name.Release)), len(name.Release))
	},
	Held: func(_ glovebox.Outcome, stdout []byte) (bool, string) {
		var host unix.Utsname
		if err := unix.Uname(&host); err != nil {
			return false, err.Error()
		}
		theirs, ours := unix.ByteSliceToString(stdout), unix.ByteSliceToString(host.Release[:])
		return theirs != "" && theirs != ours, fmt.Sprintf("the guest has %s, the host %s", theirs, ours)
	},
}

// segment is shared memory of the host that anybody may attach.
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
