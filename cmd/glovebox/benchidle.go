package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cost"
)

// idleBox is a kind of box whose memory is weighed while it idles.
type idleBox struct {
	name string
	// weigh returns the memory of one box, in bytes; 0 where this system does
	// not tell.
	weigh func(ctx context.Context) (int64, error)
}

// weighed is how many boxes idle at a time when one of them is weighed: what
// they share counts once.
const weighed = 6

// idle adds the kinds of boxes: an empty one of each tier that runs here, and
// one that is kept warm, in which the interpreter waits for a program.
func (f *field) idle(tc *language.Toolchain) error {
	roots, err := rootfs.Open("")
	if err != nil {
		return err
	}
	for _, t := range f.tiers {
		if f.missing[contestantName(t, cold, false)] != "" {
			continue
		}
		add := func(what string, plan rootfs.Plan, standby *tier.Command) {
			f.boxes = append(f.boxes, idleBox{string(t.Name()) + what, func(ctx context.Context) (int64, error) {
				root, err := cost.Root(ctx, t, roots, plan)
				if err != nil {
					return 0, err
				}
				// The last descriptor before those of the standby command.
				r, w, err := os.Pipe()
				if err != nil {
					return 0, err
				}
				defer r.Close()
				defer w.Close()
				return weigh(ctx, t, tier.Spec{
					Root: root, Limits: glovebox.DefaultLimits, Standby: standby, Descriptors: []*os.File{nil, nil, w},
				})
			}})
		}
		if _, modules := t.(tier.Modules); modules {
			add(" empty", rootfs.Base(), nil)
			continue
		}
		add(" empty", tc.Root, nil)
		if standsBy(t) {
			add(" warm", tc.Root, waits(tc))
		}
	}
	return nil
}

// waits is the interpreter as it waits for a program in a warm box.
func waits(tc *language.Toolchain) *tier.Command {
	step := language.Python.Standby(tc).Program
	env := append([]string{"PATH=" + tc.Path, "HOME=" + tier.Workspace, "LANG=C.UTF-8"}, tc.Env...)
	return &tier.Command{Args: step.Args, Env: append(env, step.Env...)}
}

// weigh opens some boxes and returns what each adds to the memory of this
// process and its descendants.
func weigh(ctx context.Context, t tier.Tier, spec tier.Spec) (bytes int64, err error) {
	var boxes []tier.Box
	defer func() {
		for _, b := range boxes {
			err = errors.Join(err, b.Close())
		}
	}()
	var before int64
	for i := range weighed + 1 {
		b, err := t.Open(ctx, spec)
		if err != nil {
			return 0, err
		}
		boxes = append(boxes, b)
		if i == 0 { // it pays for what is made once
			before = heldNow(ctx)
		}
	}
	return max(heldNow(ctx)-before, 0) / weighed, nil
}

// heldNow is the memory that this process and its descendants hold when all of
// them have come to rest.
func heldNow(ctx context.Context) int64 {
	settle(ctx)
	debug.FreeOSMemory()
	var sum int64
	for _, p := range family() {
		sum += p.memory()
	}
	return sum
}
