//go:build linux

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
)

// TestCopiesConform: a box that is a copy keeps every promise that a box keeps.
func TestCopiesConform(t *testing.T) {
	// In the directory that is there anyway: the suite kills some who get here.
	tr, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	open(t, tr, tier.Spec{}).Close() // or skip
	tr.Close()
	tiertest.Run(t, tiertest.Kind{
		New: func() (tier.Tier, error) {
			tr, err := New(Config{})
			return copier{tr}, err
		},
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			for n := range glove.MaxDescriptors + 1 {
				p.Add(rootfs.Entry{Path: waiterPath(n), Data: waiter(n), Mode: 0o755})
			}
			return store.Image(ctx, p.Merge(GlovePlan()))
		},
		Kept: []string{stateName + " (deleted)"},
	})
}

// copier makes each box as the copy of one in which a command waits, which it
// then has end, so that the box is for other commands.
type copier struct{ *Tier }

func (c copier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if spec.Standby != nil || spec.Check() != nil || len(spec.Descriptors) > glove.MaxDescriptors {
		return c.Tier.Open(ctx, spec)
	}
	spec.Standby = &tier.Command{Args: []string{waiterPath(len(spec.Descriptors))}}
	if _, err := kindOf(spec); err != nil {
		spec.Standby = nil
		return c.Tier.Open(ctx, spec)
	}
	from, err := take(c.Tier, spec)
	if err != nil {
		return nil, err
	}
	b, err := box(c.open(ctx, spec, from))
	from.state.Close()
	if err != nil {
		return nil, err
	}
	if out := b.Run(context.Background(), tier.Command{Orders: []byte("{}")}); out.ExitCode != 0 {
		return nil, errors.Join(fmt.Errorf("the command that waited ended with %+v", out), b.Close())
	}
	return b, nil
}

func waiterPath(descriptors int) string { return fmt.Sprintf("/opt/waiter%d", descriptors) }

// waiter is a standby command that does nothing, after so many descriptors.
func waiter(descriptors int) []byte {
	s := new(glove.Script)
	again, buf := s.Label(), s.Buffer(8)
	s.Place(again)
	s.Call("ready", unix.SYS_WRITE, 4+descriptors, buf, 1)
	s.Call("read orders", unix.SYS_READ, 3+descriptors, buf, 8).IfEqual(1, again)
	program, err := glove.Program(s)
	if err != nil {
		panic(err)
	}
	return program
}
