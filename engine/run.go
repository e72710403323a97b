package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/extract"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/redact"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// run is one Job on its way. Each step is a method; it fills in the
// Observation, and tells whether the way goes on.
type run struct {
	e      *Engine
	job    *glovebox.Job
	o      *glovebox.Observation
	redact *redact.Redactor
	watch  *watch // nil where nobody watches
	// submission is the Job as a Governor sees it; nil without one.
	submission *Submission

	program *glovebox.Program
	tests   []glovebox.File
	lang    *language.Language
	image   *image.Image // nil means the host's own toolchains

	// tools is the toolchain in use; tiers are those, strongest first, that
	// may still be the run's, and passed is why others are not. See settle.
	tools  *language.Toolchain
	tiers  []tier.Tier
	passed []error
	unmet  bool // some of them for a need of the Job

	// cold: the boxes are made for this run alone; see again.
	cold bool
	// turns: the box shares its sandbox with the other boxes of the batch.
	turns bool
	rest  func()     // the run does nothing for a while
	over  []tier.Box // see leave

	// wrong is what is wrong with the Job, where only the run could find out.
	wrong *Error

	// nonce is known to this run alone; an in-process harness proves its end
	// with it.
	nonce     string
	streams   []*streamCapture
	artifacts []glovebox.Artifact
}

func newRun(e *Engine, job *glovebox.Job) *run {
	return &run{
		e: e, job: job,
		o:      &glovebox.Observation{ID: newID("run")},
		redact: redact.New(redact.Config{Secrets: job.Secrets}),
		nonce:  rand.Text(),
	}
}

// all is the way of a run.
func (r *run) all(ctx context.Context) *glovebox.Observation {
	begin := time.Now()
	defer r.part()
	if r.e.pool != nil {
		r.rest = r.e.pool.Busy()
		defer func() { r.rest() }()
	}
	go redact.Prepare()
	for _, step := range []struct {
		phase glovebox.Phase
		do    func(context.Context) bool
	}{
		{glovebox.PhaseExtract, r.extract}, {glovebox.PhaseAdmit, r.admit}, {glovebox.PhaseStage, r.stage},
		{"", r.execute}, // whose phases begin in the boxes
	} {
		r.watch.begin(step.phase, 0)
		if !step.do(ctx) {
			break
		}
	}
	r.observe(ctx)
	r.o.Timings.Total = since(begin)
	return r.o
}

// verdict takes over what was classified.
func (r *run) verdict(v classify.Verdict) {
	r.o.Status, r.o.Phase, r.o.Limit = v.Status, v.Phase, v.Limit
	r.o.Message, r.o.Evidence, r.o.Partial = v.Message, append(v.Evidence, r.o.Evidence...), v.Partial
}

// end ends the run before anything was executed.
func (r *run) end(s glovebox.Status, p glovebox.Phase, source, format string, args ...any) bool {
	message := fmt.Sprintf(format, args...)
	r.verdict(classify.Verdict{Status: s, Phase: p, Message: message,
		Evidence: []glovebox.Evidence{{Source: source, Fact: message}}})
	return false
}

// broke ends the run with our own failure, or the caller's cancel.
func (r *run) broke(ctx context.Context, phase glovebox.Phase, err error) bool {
	if ctx.Err() != nil {
		return r.end(glovebox.StatusCancelled, phase, "supervisor", "The caller cancelled the run.")
	}
	v := classify.Classify(classify.Facts{Broken: err})
	v.Phase = phase
	r.verdict(v)
	return false
}

// refused ends a run for which this host has no place: a person has to see to it.
// Where tiers were passed over for what the Job needs, it is the Job that asks for
// more than there is.
func (r *run) refused(ctx context.Context, err error) bool {
	if r.unmet && ctx.Err() == nil {
		r.wrong = &Error{Field: "needs", Err: err}
		return false
	}
	r.o.NextAction = glovebox.ActionAskHuman
	return r.broke(ctx, glovebox.PhaseStage, err)
}

// extract finds the program.
func (r *run) extract(ctx context.Context) bool {
	begin := time.Now()
	defer func() { r.o.Timings.Extract = since(begin) }()
	r.tests = r.job.Tests
	if r.job.Command != nil {
		r.program, r.lang = &glovebox.Program{}, command
		return true
	}
	if r.program = r.job.Program; r.program == nil {
		if int64(len(r.job.Reply)) > r.job.Limits.Reply {
			r.end(glovebox.StatusNoCode, glovebox.PhaseExtract, "extractor",
				"The reply has %d bytes and at most %d are read.", len(r.job.Reply), r.job.Limits.Reply)
			r.o.Limit = glovebox.LimitReply
			return false
		}
		found, err := extract.Extract(r.job.Reply, extract.Options{
			Languages: r.e.c.Languages, Language: r.job.Language, MaxBytes: r.job.Limits.Reply, Tests: paths(slices.Concat(r.job.Tests, r.job.Inputs)), Alone: len(r.job.Tests) == 0,
		})
		if err != nil {
			return r.end(glovebox.StatusNoCode, glovebox.PhaseExtract, "extractor", "The reply cannot be read: %v.", err)
		}
		r.o.Extraction = &found.Extraction
		if found.Program == nil {
			return r.end(glovebox.StatusNoCode, glovebox.PhaseExtract, "extractor", "There is no code in the reply%s.", r.leftOver(found.Extraction))
		}
		r.program = found.Program
	}
	r.lang = r.e.c.Languages.ByName(r.program.Language)
	if r.lang == nil {
		return r.end(glovebox.StatusNoCode, glovebox.PhaseExtract, "extractor",
			"The code is in %q, which cannot be run here; there are %s.", r.program.Language, r.e.c.Languages.Names())
	}
	r.o.Language = r.lang.Name
	return true
}

// leftOver says why the first piece of a reply with no program was not taken,
// and which languages would be.
func (r *run) leftOver(x glovebox.Extraction) string {
	for _, p := range x.Left {
		if p.Reason != "" {
			return fmt.Sprintf(" that can be run (line %d: %s); the languages are %s", p.Line, p.Reason, r.e.c.Languages.Names())
		}
	}
	return ""
}

// stage finds the toolchain. What has no room in a box is the program's fault,
// and known before there is a box.
func (r *run) stage(ctx context.Context) bool {
	if limit, why := r.crowded(); why != "" {
		r.end(glovebox.StatusDiskLimit, glovebox.PhaseStage, "supervisor", "%s", why)
		r.o.Limit = limit
		return false
	}
	if r.job.Image != "" {
		if !r.findImage(ctx) {
			return false
		}
	}
	for _, c := range r.e.Choose(ctx, r.job.Tier, r.job.Needs) {
		if !r.allows(c.Tier.Name()) {
			r.passed = append(r.passed, fmt.Errorf("%s: the policy does not allow this tier", c.Tier.Name()))
		} else if c.Why == nil {
			r.tiers = append(r.tiers, c.Tier)
		} else {
			r.passed = append(r.passed, c.Why)
			r.unmet = r.unmet || len(r.job.Needs) > 0
		}
	}
	if err := r.settle(ctx); err != nil {
		if errors.As(err, &r.wrong) {
			return false
		}
		return r.refused(ctx, err) // to try again will not install it
	}
	if len(r.tests) > 0 && r.lang.Exam == nil {
		r.o.NextAction = glovebox.ActionAskHuman
		return r.broke(ctx, glovebox.PhaseStage, fmt.Errorf("there is no way to run test files in %s; use input/output cases", r.lang.Title))
	}
	return true
}

// crowded tells which limit the program's files are over, before it does
// anything.
func (r *run) crowded() (glovebox.LimitName, string) {
	const page = 4 << 10 // of a file system in memory
	var bytes int64
	files := slices.Concat(r.program.Files, r.job.Inputs)
	folders := map[string]bool{}
	for _, f := range files {
		for d := path.Dir(f.Path); d != "." && !folders[d]; d = path.Dir(d) {
			folders[d] = true
		}
		bytes += (int64(len(f.Data)) + page - 1) / page * page
	}
	l := r.job.Limits
	var names, most int64
	if r.lang != command {
		names, most = r.lang.Told(r.program)
	}
	switch {
	case int64(len(files)+len(folders)) > l.Files:
		return glovebox.LimitFiles, fmt.Sprintf("The program and its inputs are %d files and folders, and the limit is %d.", len(files)+len(folders), l.Files)
	case names > most:
		return glovebox.LimitFiles, fmt.Sprintf("The names of the program's files have %d bytes together: at most %d.", names, most)
	case bytes > l.Disk:
		return glovebox.LimitDisk, fmt.Sprintf("The program and its inputs have %d bytes, and the disk limit is %d.", bytes, l.Disk)
	}
	return "", ""
}

// execute runs the program, its tests or its cases. Where every tier of one
// toolchain refuses, it goes on with the next.
func (r *run) execute(ctx context.Context) bool {
	facts, err := r.attempt(ctx)
	for err != nil && r.elsewhere(ctx, err) {
		r.forget()
		facts, err = r.attempt(ctx)
	}
	verdict := classify.Classify(facts)
	if r.again(ctx, &facts, verdict.Status, err) {
		facts, err = r.attempt(ctx)
		verdict = classify.Classify(facts)
	}
	if errors.As(err, &r.wrong) {
		return false
	}
	if hopeless(err) {
		return r.refused(ctx, distinct(append(r.passed, err)))
	}
	if err != nil {
		return r.broke(ctx, glovebox.PhaseStage, distinct(append(r.passed, err)))
	}
	r.o.Syntax, r.o.Tests = facts.Syntax, facts.Tests
	r.verdict(verdict)
	if p := facts.Program; p.Started && facts.Syntax == nil {
		r.o.Usage = p.Usage
		r.o.Usage.DurationMS = float64(p.Usage.Duration.Microseconds()) / 1000
		r.o.Usage.CPUMS = float64(p.Usage.CPU.Microseconds()) / 1000
		r.o.Signal = p.Signal
		if p.Signal == "" && p.ExitCode >= 0 {
			code := p.ExitCode
			r.o.ExitCode = &code
		}
	}
	return true
}

// hopeless reports an error of this host that to try again does not change.
func hopeless(err error) bool {
	return tier.IsKind(err, tier.KindUnsupported) || errors.Is(err, rootfs.ErrReadOnly)
}

// again reports whether the run starts over, once, because a box broke. The program's
// work is gone with the box.
func (r *run) again(ctx context.Context, f *classify.Facts, status glovebox.Status, err error) bool {
	if r.cold || ctx.Err() != nil {
		return false
	}
	why := err
	switch {
	case err == nil && status == glovebox.StatusSandboxError:
		if why = f.Program.Err; why == nil && f.Harness != nil {
			why = f.Harness.Err
		}
	case err == nil && r.turns && status == glovebox.StatusMemoryLimit:
		why = errors.New("it had not enough memory") // others may have left less
	case !tier.IsKind(err, tier.KindBroken), hopeless(err):
		return false
	}
	r.o.Evidence = append(r.o.Evidence, glovebox.Evidence{Source: "supervisor",
		Fact: fmt.Sprintf("a box broke (%v): the program was run again in another", why)})
	r.forget()
	r.cold, r.o.NextAction = true, ""
	return true
}

// attempt is execute with one toolchain.
func (r *run) attempt(ctx context.Context) (classify.Facts, error) {
	facts := classify.Facts{Limits: r.job.Limits, Required: r.job.RequireProof}
	var err error
	switch {
	case len(r.tests) > 0:
		err = r.exam(ctx, &facts)
		if err == nil && len(r.job.Cases) > 0 && facts.Tests != nil && facts.Tests.Complete && facts.Tests.Failed == 0 {
			err = r.examAndCases(ctx, &facts)
		}
	case len(r.job.Cases) > 0:
		err = r.cases(ctx, &facts)
	default:
		err = r.plain(ctx, &facts)
	}
	return facts, err
}

// observe makes the Observation fit to leave: streams, redaction, feedback.
func (r *run) observe(ctx context.Context) {
	begin := time.Now()
	o := r.o
	if o.NextAction == "" {
		o.NextAction = o.Status.Next()
	}
	if o.Evidence == nil {
		o.Evidence = []glovebox.Evidence{}
	}
	for _, s := range r.streams {
		s.finish(o)
	}
	o.Evidence = append(o.Evidence, r.watch.evidence()...)
	if r.lang != nil && o.Failure == nil && (o.Status == glovebox.StatusRuntimeError || o.ExitCode != nil && *o.ExitCode != 0 && o.Status != glovebox.StatusPass) {
		o.Failure = r.lang.ReadFailure([]byte(o.Stderr))
	}
	o.Artifacts = append(o.Artifacts, r.artifacts...)
	r.redact.Observation(o)
	if r.clean(o) {
		r.redact.Observation(o) // what stood between the parts of a secret is gone
	}
	o.Hints = r.hints(ctx)
	for i := range o.Hints {
		o.Hints[i] = r.redact.String("hints", o.Hints[i])
	}
	o.Feedback = r.redact.String("feedback", observe.Feedback(o, r.job.Limits))
	o.Redactions = r.redact.Counts()
	o.Timings.Redact = since(begin)
}
