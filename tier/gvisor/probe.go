package gvisor

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// glovePlan puts the glove where the guest starts it from.
func glovePlan() rootfs.Plan {
	return rootfs.Plan{Entries: []rootfs.Entry{{Path: glove.Path, Data: glove.Image(), Mode: 0o755}}}
}

// probeTime is how long a probe of a limit of time takes.
const probeTime = 200 * time.Millisecond

// probeLimits are soon hit.
var probeLimits = glovebox.Limits{
	Wall: 20 * time.Second, Memory: 64 << 20, Processes: 8, OpenFiles: 16,
	FileSize: 1 << 20, Disk: 1 << 20, Files: 16, Output: 64 << 10,
}

// Probe implements [tier.Tier]: it attacks boxes of its own, with programs that
// need no interpreter.
func (t *Tier) Probe(ctx context.Context) (report tier.Report) {
	report = tier.Report{Tier: t.Name(), Usable: true}
	unusable := func(err error) tier.Report {
		report.Usable, report.Reason = false, err.Error()
		return report
	}
	store, err := rootfs.Open("")
	if err != nil {
		return unusable(err)
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(glovePlan()))
	if err != nil {
		return unusable(err)
	}
	bait, err := newBait()
	if err != nil {
		return unusable(err)
	}
	defer bait.Close()
	p := prober{tier: t, root: root}
	defer func() {
		if err := p.close(); err != nil {
			report.Usable, report.Reason = false, err.Error()
		}
	}()
	for _, a := range attacks(bait) {
		held, detail, err := p.try(ctx, a)
		if err != nil {
			return unusable(err)
		}
		report.Controls = append(report.Controls, tier.Probe{
			Name: a.control, Proven: held, Detail: a.what + ": " + detail,
		})
		if !held {
			report.Usable = false
			report.Reason = "the control " + a.control + " does not hold: " + a.what + ": " + detail
		}
	}
	return report
}

// prober runs attacks. Those that leave the box as it was share one.
type prober struct {
	tier *Tier
	root *rootfs.Root
	box  tier.Box
}

func (p *prober) close() error {
	if p.box == nil {
		return nil
	}
	err := p.box.Close()
	p.box = nil
	return err
}

func (p *prober) try(ctx context.Context, a attack) (held bool, detail string, err error) {
	s := new(glove.Script)
	a.program(s)
	program, err := glove.Program(s)
	if err != nil {
		return false, "", err
	}
	limits := probeLimits.WithDefaults()
	if a.limits != nil {
		a.limits(&limits)
		if err := p.close(); err != nil {
			return false, "", err
		}
	}
	if p.box == nil {
		if p.box, err = p.tier.Open(ctx, tier.Spec{Root: p.root, Limits: limits}); err != nil {
			return false, "", err
		}
	}
	var stdout bytes.Buffer
	out := p.box.Run(ctx, tier.Command{
		Args:   []string{tier.Workspace + "/attack"},
		Files:  []glovebox.File{{Path: "attack", Data: program, Executable: true}},
		Stdout: &stdout,
	})
	if a.limits != nil || !p.box.Alive() {
		if err := p.close(); err != nil {
			return false, "", err
		}
	}
	if out.Cause == glovebox.CauseCancelled {
		return false, "", ctx.Err()
	}
	if !out.Started || out.Cause == glovebox.CauseBox {
		return false, "", errors.Join(errors.New(a.control+": the attack did not run"), out.Err)
	}
	held, detail = a.stopped(out, stdout.Bytes())
	return held, detail, nil
}
