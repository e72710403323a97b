//go:build linux

package microvm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

const (
	// guestOverhead is the memory of a guest beside its commands': the kernel,
	// and the cached part of the drive.
	guestOverhead = 128 << 20
	// memoryStep is the unit of a guest's memory, so that jobs of similar
	// limits share a snapshot. The guest's own control group keeps the limit to
	// the byte.
	memoryStep = 128 << 20
	// monitorOverhead is the memory of the monitor itself.
	monitorOverhead = 256 << 20
	// monitorTasks is the maximum of threads of a monitor with one processor.
	monitorTasks = 128
)

// plan is the common description of the machines of one kind.
type plan struct {
	guest  *guest
	image  string // the drive
	drive  string // what identifies it
	memory int64
	vcpus  int
	accel  monitor.Accel
}

// plan determines the machine for a box.
func (t *Tier) plan(g *guest, spec tier.Spec) (plan, error) {
	p := plan{guest: g, image: spec.Root.Image, vcpus: t.o.VCPUs}
	var st unix.Stat_t
	if err := unix.Stat(p.image, &st); err != nil {
		return p, &os.PathError{Op: "stat", Path: p.image, Err: err}
	}
	p.drive = fmt.Sprint(spec.Root.Key, st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
	p.memory = (spec.Limits.Memory + guestOverhead + memoryStep - 1) / memoryStep * memoryStep
	return p, nil
}

// key identifies the state of a booted machine: a snapshot is valid for all
// machines with the same key, and for no other.
func (p plan) key() string {
	parts := []string{"template 3", p.guest.identity, p.guest.key, p.drive, fmt.Sprint(p.memory, p.vcpus), string(p.accel)}
	if p.accel == monitor.KVM {
		// The processor's features are the host's, and may differ after the
		// next boot.
		parts = append(parts, bootID())
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// bootID tells the boots of this host apart.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// start starts a machine, from a snapshot if given.
func (t *Tier) start(ctx context.Context, p plan, snapshot string) (_ *ground, err error) {
	g := &ground{console: new(monitor.Console)}
	defer func() {
		if err != nil && g.group != nil {
			err = errors.Join(err, g.group.Close())
		}
		if err != nil && g.den != nil {
			err = errors.Join(err, g.den.Close())
		}
	}()
	if g.den, err = t.home.New(); err != nil {
		return nil, err
	}
	if t.groups != nil {
		l := cgroup.Limits{}
		if t.groups.Has(cgroup.Memory) {
			l.Memory = p.memory + monitorOverhead
		}
		if t.groups.Has(cgroup.Pids) {
			l.Tasks = monitorTasks + int64(p.vcpus)
		}
		if g.group, err = t.groups.New(l); err != nil {
			return nil, err
		}
	}
	g.instance, err = p.guest.monitor.Start(ctx, monitor.Machine{
		Kernel: p.guest.boot(), Initrd: p.guest.initrd, Drive: p.image, Cmdline: cmdline,
		Memory: p.memory, VCPUs: p.vcpus, Accel: p.accel,
		Snapshot: snapshot, Dir: g.den.Dir, Group: g.group, Console: g.console,
	})
	return g, err
}

// bootPatience bounds each script of the boot of a box: an emulated guest on a
// host under load takes half a minute.
const bootPatience = 2 * time.Minute

// do runs a script of the boot.
func (g *ground) do(ctx context.Context, s *glove.Script, patience time.Duration) error {
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	_, err := g.link.Ends().Do(s, time.Now().Add(patience))
	if !stop() {
		return errors.Join(context.Cause(ctx), err) // it is being killed
	}
	if err == nil {
		return nil
	}
	return g.explain(err)
}

// explain adds the output of the guest and the monitor.
func (g *ground) explain(err error) error {
	if e := g.link.Err(); e != nil {
		err = fmt.Errorf("%w: %w", err, e)
	}
	select {
	case <-g.instance.Dead():
		if said := g.instance.Err(); said != "" {
			err = fmt.Errorf("%w: the monitor says: %.1000s", err, said)
		}
	case <-time.After(100 * time.Millisecond):
	}
	if said := strings.TrimSpace(string(g.console.Bytes())); said != "" {
		err = fmt.Errorf("%w: the guest's console ends with: %q", err, said[max(0, len(said)-1000):])
	}
	return err
}

// discard closes the remains of a machine that failed with err.
func (g *ground) discard(err error) error {
	errs := []error{err}
	if g.link != nil {
		errs = append(errs, g.link.Ends().Close())
	}
	return errors.Join(append(errs, g.Close())...)
}

// boot starts a machine anew, up to where all boxes are alike.
func (t *Tier) boot(ctx context.Context, p plan, descriptors []*os.File, patience time.Duration) (*ground, error) {
	g, err := t.start(ctx, p, "")
	if err != nil {
		return nil, err
	}
	if err = g.join(descriptors); err == nil {
		err = g.do(ctx, templateScript(), patience)
	}
	if err != nil {
		return nil, g.discard(fmt.Errorf("boot a guest: %w", err))
	}
	return g, nil
}

// restore starts a machine from the state common to all boxes.
func (t *Tier) restore(ctx context.Context, p plan, descriptors []*os.File, limits glovebox.Limits) (*ground, error) {
	s, err := t.snapshot(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("take a snapshot: %w", err)
	}
	defer s.release()
	g, err := t.start(ctx, p, s.dir)
	if err == nil {
		if err = g.join(descriptors); err == nil {
			err = g.do(ctx, jobScript(g.link, limits), bootPatience)
		}
		if err != nil {
			err = g.discard(err)
		}
	}
	if err != nil {
		if ctx.Err() == nil {
			// It may be the reason. The next box makes a new one.
			err = errors.Join(err, s.spoil())
		}
		return nil, fmt.Errorf("restore a snapshot: %w", err)
	}
	return g, nil
}

// open boots a box.
func (t *Tier) open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	guest, err := t.prepare(ctx)
	if err != nil {
		return nil, err
	}
	p, err := t.plan(guest, spec)
	if err != nil {
		return nil, err
	}
	select {
	case t.starts <- struct{}{}:
		defer func() { <-t.starts }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.accel, err = t.accelerator(ctx, p); err != nil {
		return nil, err
	}
	var g *ground
	var cold error // why
	if !t.o.NoSnapshots {
		if g, cold = t.restore(ctx, p, spec.Descriptors, spec.Limits); cold != nil {
			if ctx.Err() != nil {
				return nil, cold
			}
			t.o.Warn(fmt.Errorf("microvm: a box boots from the start: %w", cold))
		}
	}
	if g == nil {
		if g, err = t.boot(ctx, p, spec.Descriptors, bootPatience); err != nil {
			return nil, err
		}
		if err = g.do(ctx, jobScript(g.link, spec.Limits), bootPatience); err != nil {
			return nil, g.discard(err)
		}
	}
	b, err := glove.NewBox(glove.Config{
		Tier: t.Name(), Spec: spec, Ends: g.link.Ends(), Ground: g,
		Prologue: prologue(spec.Limits), Owner: true, HostTime: true, Controls: t.controls(p, cold),
	})
	if err != nil {
		return nil, err
	}
	return &box{b, g}, nil
}

// box is a box whose memory is measured by the guest's kernel.
type box struct {
	*glove.Box
	ground *ground
}

// Run implements [tier.Box].
func (b *box) Run(ctx context.Context, cmd tier.Command) glovebox.Outcome {
	out := b.Box.Run(ctx, cmd)
	if peak := b.ground.memoryPeak(); out.Started && peak > 0 {
		out.Usage.MemoryPeak = peak
	}
	return out
}
