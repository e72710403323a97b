package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/pool"
	"github.com/gloveboxhq/glovebox/tier"
)

// Warm bounds what an Engine keeps ready: boxes that are booted, each with an
// interpreter that waits for a program. One is taken, used once and destroyed.
// How many there are of a kind follows the demand; where none is ready, a run
// makes its own box at once.
type Warm struct {
	// Memory is the most bytes that waiting boxes hold together; 0 means a
	// quarter of what the machine has available when the Engine is made.
	Memory int64
	// Most is the most boxes, or pairs of boxes, that wait; 0 means 64.
	Most int
	// Patience is how long a run waits for a box that is being made ready
	// rather than make its own: for batches, to which the rate matters and not
	// the time of one run.
	Patience time.Duration
}

// kind is what ready boxes are told apart by: of one kind, each is as good as
// the others. Nothing of a Job is in it.
type kind struct {
	tier   glovebox.TierName
	lang   *language.Language
	tools  *language.Toolchain
	limits glovebox.Limits
	exam   bool // a candidate's and a harness's box, with their link
	batch  string
}

// ready is a box that waits, or the pair of them of an exam.
type ready struct {
	candidate tier.Box
	parser    *report // of the candidate's box
	harness   tier.Box
	tests     *report // of the harness's
	warm      bool    // it was made before its run came
}

// waitingBytes is what a waiting box holds, its interpreter included, measured
// with room to spare; see docs/performance.md.
const waitingBytes = 24 << 20

func (e *Engine) newPool(w Warm) *pool.Pool[kind, *ready] {
	return pool.New(pool.Config[kind, *ready]{
		Make: e.makeReady, Drop: func(s *ready) { e.left(s.close()) }, Dead: (*ready).dead,
		Cost: func(k kind) int64 {
			if k.exam {
				return 2 * waitingBytes
			}
			return waitingBytes
		},
		Memory: w.Memory, Most: w.Most,
	})
}

// makeReady makes one of a kind.
func (e *Engine) makeReady(ctx context.Context, k kind) (*ready, error) {
	return e.makeIf(ctx, k, func(tier.Spec) bool { return true })
}

var errLater = errors.New("it would take as long as any box")

// makeIf is makeReady where may allows all its boxes.
func (e *Engine) makeIf(ctx context.Context, k kind, may func(tier.Spec) bool) (_ *ready, err error) {
	s := &ready{warm: true}
	defer func() {
		if err != nil {
			e.left(s.close())
		}
	}()
	t := e.tier(k.tier)
	// A run without a Job: it knows how boxes are made.
	r := &run{e: e, job: &glovebox.Job{}, lang: k.lang, tools: k.tools}
	root, err := r.root(ctx, t)
	if err != nil {
		return nil, err
	}
	steps := k.lang.Standby(k.tools)
	spec := func(step *language.Step, fds ...*os.File) tier.Spec {
		cmd := r.ours(*step)
		return tier.Spec{Root: root, Limits: k.limits, Descriptors: fds, Allow: e.c.Allow, Standby: &cmd, Forks: steps.Forks, Batch: k.batch}
	}
	if s.parser, err = newReport(firstEvent); err != nil {
		return nil, err
	}
	if !k.exam {
		program := spec(steps.Program, nil, nil, s.parser.w)
		if !may(program) {
			return nil, errLater
		}
		s.candidate, err = t.Open(ctx, program)
		return s, err
	}
	if s.tests, err = newReport(maxEvents); err != nil {
		return nil, err
	}
	link, err := newLink()
	if err != nil {
		return nil, err
	}
	defer link.close()
	candidate := spec(steps.Candidate, link.toCandidate.r, link.toHarness.w, s.parser.w)
	harness := spec(steps.Harness, link.toHarness.r, link.toCandidate.w, s.tests.w)
	if k.batch != "" { // the proof rests on what is between the two
		candidate.Batch, harness.Batch = k.batch+" candidates", k.batch+" harnesses"
	}
	if !may(candidate) || !may(harness) {
		return nil, errLater
	}
	err = both(func() (err error) {
		s.candidate, err = t.Open(ctx, candidate)
		return err
	}, func() (err error) {
		s.harness, err = t.Open(ctx, harness)
		return err
	})
	if err == nil && k.batch != "" && !slices.Equal(s.candidate.Controls(), s.harness.Controls()) {
		err = errUnlike
	}
	return s, err
}

// errUnlike: what is said of the candidate's box would not hold for the other.
var errUnlike = errors.New("the boxes of an exam are not alike")

// close destroys the boxes.
func (s *ready) close() error {
	var errs []error
	for _, b := range []tier.Box{s.candidate, s.harness} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	for _, p := range []*report{s.parser, s.tests} {
		if p != nil {
			p.close()
		}
	}
	return errors.Join(errs...)
}

// end destroys a box of an exam. The run does not wait for the end of a box that was
// ready.
func (s *ready) end(b tier.Box) {
	if s.warm {
		go b.Close()
	} else {
		b.Close()
	}
}

// dead is closed when one of the boxes has ended.
func (s *ready) dead() <-chan struct{} {
	type mortal interface{ Dead() <-chan struct{} }
	candidate, ok := s.candidate.(mortal)
	if !ok {
		return nil
	}
	harness, ok := s.harness.(mortal)
	if !ok {
		return candidate.Dead()
	}
	either := make(chan struct{})
	go func() { // ends with the boxes, which somebody closes
		select {
		case <-candidate.Dead():
		case <-harness.Dead():
		}
		close(either)
	}()
	return either
}

// take returns ready boxes for the run's program or exam, in the tier of a cold
// run, or nil. orders are the messages to the standby commands; a nil message needs
// a start of its own.
func (r *run) take(ctx context.Context, exam bool, orders func() [][]byte) *ready {
	e := r.e
	batch := r.batch()
	r.turns = false
	switch {
	case e.pool == nil && batch == "", r.cold, r.lang.Standby == nil,
		// An image's interpreter is not trusted: nobody would meter it while it
		// waits.
		r.image != nil,
		// What an interpreter reads when it starts cannot be changed later.
		len(r.job.Env) > 0,
		slices.ContainsFunc(orders(), func(o []byte) bool { return o == nil }):
		return nil
	}
	refused := distinct(r.passed)
	for _, t := range r.tiers {
		if tools, err := r.toolchain(ctx, t); err != nil || tools != r.tools {
			return nil
		}
		if why, ok := e.refusals.Load(t.Name()); ok {
			if why := why.(refusal); time.Since(why.at) < refusalAge {
				refused = errors.Join(refused, why.err)
				continue
			}
			return nil // a box made for this run tells whether it still refuses
		}
		if d, ok := t.(tier.Described); !ok || !d.Traits().Standby {
			return nil
		}
		k := kind{tier: t.Name(), lang: r.lang, tools: r.tools, limits: r.job.Limits, exam: exam}
		k.limits.Wall = glovebox.Limits{}.WithDefaults().Wall // of each command
		s := r.share(ctx, k, batch)
		if s == nil && e.pool != nil {
			s = r.await(ctx, k)
		}
		if s == nil {
			return nil
		}
		r.o.Warm, r.o.Tier, r.o.Isolation = true, t.Name(), s.candidate.Controls()
		r.o.TierReason = reason(r.job.Tier, refused)
		return s
	}
	return nil
}

// batch names the batch to a tier: nobody else's has the name.
func (r *run) batch() string {
	if r.job.Batch == "" {
		return ""
	}
	return fmt.Sprintf("%q %q", r.job.Tenant, r.job.Batch)
}

// share makes a box of a batch where the tier has such, or returns nil.
func (r *run) share(ctx context.Context, k kind, batch string) *ready {
	t, ok := r.e.tier(k.tier).(tier.Sharer)
	if !ok || batch == "" {
		return nil
	}
	k.batch = batch
	begin := time.Now()
	defer func() { r.o.Timings.Boot += since(begin) }()
	s, err := r.e.makeIf(ctx, k, t.Shares)
	if err != nil {
		return nil
	}
	r.turns = true
	return s
}

// await takes a ready one of a kind, or nil.
func (r *run) await(ctx context.Context, k kind) *ready {
	p, patience := r.e.pool, r.e.c.Warm.Patience
	if patience <= 0 {
		s, _ := p.Take(k)
		if c, ok := r.e.tier(k.tier).(tier.Copier); ok && s == nil {
			// A copy is there before a box of the run's own has started anything.
			if made, err := r.e.makeIf(ctx, k, c.Copies); err == nil {
				s = made
			}
		}
		return s
	}
	// A waiting run leaves the machine to the makers of the box.
	r.rest()
	defer func() { r.rest = p.Busy() }()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, _ := p.Wait(ctx, k)
	return s
}

// told makes a command the run of a box's standby command, with files.
func told(cmd tier.Command, s language.Step, files []glovebox.File, wall time.Duration, args ...string) tier.Command {
	cmd.Args, cmd.Env, cmd.Orders = nil, nil, orders(s, files, args)
	cmd.Files, cmd.Wall = files, wall
	return cmd
}

// orders are what turns a standby command into a step; nil where nothing does.
func orders(s language.Step, staged []glovebox.File, args []string) []byte {
	if s.Orders == nil {
		return nil
	}
	return s.Orders(language.Told{Args: args, Files: staged})
}

// maxLeaving is how many boxes are destroyed at a time after their runs have
// ended.
const maxLeaving = 64

// leave destroys boxes whose run needs them no more: when the observation is there
// and while the caller goes on, where the boxes were ready before it came.
func (r *run) leave(boxes ...tier.Box) {
	for _, b := range boxes {
		switch {
		case b == nil:
		case r.o.Warm && !r.turns:
			r.over = append(r.over, b)
		default: // the next one of the batch wants what lies under it
			r.shut(b)
		}
	}
}

// part begins to destroy the boxes that are left for later.
func (r *run) part() {
	e := r.e
	for _, b := range r.over {
		select {
		case e.leaving <- struct{}{}:
			e.gone.Go(func() {
				defer func() { <-e.leaving }()
				e.left(b.Close())
			})
		default:
			e.left(b.Close())
		}
	}
}

// left remembers what could not be taken away, for Close to tell.
func (e *Engine) left(err error) {
	if err == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.trouble) < 100 {
		e.trouble = append(e.trouble, fmt.Errorf("a box that was kept ready: %w", err))
	}
}

// refusal is a tier that could not be had, when it was tried last.
type refusal struct {
	err error
	at  time.Time
}

// refusalAge is how long a tier is passed over without a trial.
const refusalAge = 5 * time.Second
