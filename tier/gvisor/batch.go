//go:build linux

package gvisor

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
)

const batchNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// nest is a sentry whose process 1 lends itself to boxes.
type nest struct {
	ends glove.Ends
	g    *ground
}

func (t *Tier) openNest(ctx context.Context, spec tier.Spec) (_ *nest, err error) {
	ends, g, err := t.boot(ctx, spec, nil)
	if err != nil {
		return nil, err
	}
	n := &nest{ends: ends, g: g}
	deadline := time.Now().Add(patience)
	s := new(glove.Script)
	fd := s.Buffer(8)
	s.Call("open the image", unix.SYS_OPENAT, unix.AT_FDCWD, glove.Path, unix.O_RDONLY, 0).To(fd)
	s.CallOn(fd, "dup3", unix.SYS_DUP3, tier.FDImage, 0)
	s.Call("chdir", unix.SYS_CHDIR, tier.Workspace)
	cmd := spec.Standby
	s.Call("execve", unix.SYS_EXECVE, cmd.Args[0], s.Strings(cmd.Args), s.Strings(cmd.Env))
	if err := ends.Send(s, deadline); err != nil {
		return nil, err
	}
	s = new(glove.Script)
	s.Call("not dumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	s.Call("close", unix.SYS_CLOSE_RANGE, tier.FDImage, uint32(1<<32-1), 0)
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		s.Call("drop a capability", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c, 0, 0, 0).Ignore()
	}
	s.Lender(batchNamespaces)
	if _, err := ends.Do(s, deadline); err != nil {
		ends.Stderr.SetReadDeadline(time.Now())
		said, _ := io.ReadAll(io.LimitReader(ends.Stderr, 4096))
		g.Close()
		return nil, fmt.Errorf("start %q: %w: %s", cmd.Args, err, said)
	}
	if os.Getenv("PIN") != "" {
		var one unix.CPUSet
		one.Set(int(turn.Add(1) % 2))
		place(g.sentry.Process.Pid, &one)
		for _, pid := range native.Below(g.sentry.Process.Pid) {
			place(pid, &one)
		}
	}
	return n, nil
}

type lent struct {
	*ground
	n *nest
}

func (l *lent) Close() error {
	s := new(glove.Script)
	s.Exit()
	if err := l.n.ends.Send(s, time.Now().Add(time.Second)); err != nil {
		return err
	}
	return l.n.ends.Returned(time.Now().Add(time.Second))
}

func (t *Tier) lend(n *nest, spec tier.Spec) (*glove.Box, error) {
	deadline := time.Now().Add(patience)
	s := new(glove.Script)
	s.Lend()
	if err := n.ends.Send(s, deadline); err != nil {
		return nil, err
	}
	s = new(glove.Script)
	for _, at := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
		l := spec.Limits
		s.Call("mount "+at, unix.SYS_MOUNT, "tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", l.Disk, l.Files+1))
	}
	s.Call("mount /proc", unix.SYS_MOUNT, "proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, 0)
	c := glove.Config{
		Tier: t.Name(), Spec: spec, Ends: n.ends, Ground: &lent{n.g, n},
		Prologue: batchPrologue(spec.Limits), Owner: true, HostTime: true, Controls: t.controls(), Within: true, Lent: true,
	}
	c.Begin(s)
	if _, err := n.ends.Do(s, deadline); err != nil {
		return nil, err
	}
	return glove.NewBox(c)
}

var _ = os.Getpid
