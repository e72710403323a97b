//go:build linux

package microvm

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
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
	store, err := rootfs.Open("")
	if err != nil {
		return tier.Report{}, err
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(t.ImageRoot()))
	if err != nil {
		return tier.Report{}, err
	}
	bait, err := attack.NewBait()
	if err != nil {
		return tier.Report{}, err
	}
	defer bait.Close()
	list := append(append(attack.Walls(bait), t.kernelAttack()), attack.Limits()...)
	return attack.Probe(ctx, t, root, list), nil
}

// kernelAttack asks the kernel for its identity.
func (t *Tier) kernelAttack() attack.Attack {
	var name unix.Utsname
	field := len(name.Release)
	return attack.Attack{
		Control: tier.ControlSyscalls, What: "asking for the host's kernel",
		Program: func(s *glove.Script) {
			buf := s.Buffer(6 * field)
			s.Call("uname", unix.SYS_UNAME, buf)
			s.Call("write", unix.SYS_WRITE, 1, buf.Plus(2*field), 2*field)
		},
		Held: func(_ glovebox.Outcome, stdout []byte) (bool, string) {
			if len(stdout) != 2*field {
				return false, fmt.Sprintf("%d bytes", len(stdout))
			}
			var host unix.Utsname
			if err := unix.Uname(&host); err != nil {
				return false, err.Error()
			}
			// The release alone may be equal: the guest's kernel is a
			// distribution's, too. The version includes the time of its build.
			theirs := unix.ByteSliceToString(stdout[:field]) + " " + unix.ByteSliceToString(stdout[field:])
			ours := unix.ByteSliceToString(host.Release[:]) + " " + unix.ByteSliceToString(host.Version[:])
			t.mu.Lock()
			defer t.mu.Unlock()
			return t.guest != nil && unix.ByteSliceToString(stdout[:field]) == t.guest.kernel.Version,
				fmt.Sprintf("the guest has %s, the host %s", theirs, ours)
		},
	}
}
