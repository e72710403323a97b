// Package engine wires the steps of a run together. No other package knows all
// steps.
//
//	reply → extract → inspect → admit → stage → check → execute → classify →
//	redact → collect → observe → record
//
// An [Engine] is made once and used by many goroutines:
//
//	e, err := engine.New(engine.Config{})
//	…
//	o, err := e.Run(ctx, glovebox.Job{Reply: reply})
//	fmt.Println(o.Status, o.Stdout)
//
// Run returns an error only for a Job that is wrong in itself, as an [*Error],
// where the Engine is as busy as it may be, as a [*BusyError], and where it is
// closed, as [ErrClosed]. All that can happen to any other is an Observation, our own
// failures too.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/artifact"
	"github.com/gloveboxhq/glovebox/compare"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/pool"
	"github.com/gloveboxhq/glovebox/redact"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Config says what an Engine is made of. The zero Config is a good one.
type Config struct {
	// Tiers are the ways to isolate, strongest first. Nil means all tiers of this
	// operating system.
	Tiers []tier.Tier
	// Languages are those that can be run. Nil means [language.All].
	Languages language.Registry
	// Host finds toolchains. Nil means this machine.
	Host language.Host
	// Roots builds and keeps root file systems. Nil means the user's cache.
	Roots *rootfs.Store
	// Artifacts keeps what runs leave behind. Nil means a store of the
	// Engine's own, in memory and unnamed temporary files, gone with Close.
	Artifacts artifact.Store
	// Allow names controls that may be missing on this host: an explicit
	// choice of the operator, told in every Observation.
	Allow []string
	// Runtime is the container tier's: the name or path of an OCI runtime, or
	// an engine's socket. Empty means the first runtime found.
	Runtime string
	// AllowEmulation lets the microvm tier emulate the processor where there
	// is no hardware virtualization. It is slow.
	AllowEmulation bool
	// Images keeps images. Nil means the user's store.
	Images *image.Store
	// ImagePolicy says which images may be used; nil means any of the store.
	ImagePolicy *image.Policy
	// Image and Needs are the defaults of Jobs without their own.
	Image string
	Needs []glovebox.Need
	// Warm keeps boxes ready for the runs to come. Nil keeps none: each run
	// makes its own.
	Warm *Warm
	// Runs bounds how many runs are under way at a time; 0 means no bound.
	// Waiting is how many more wait for their turn, 0 means twice as many. Who
	// comes beyond that gets a [*BusyError] at once.
	Runs, Waiting int
	// Keep is how many bytes of each stream an Observation holds; 0 means
	// 64 KiB. What is longer is an artifact as a whole.
	Keep int

	// Govern decides which Jobs may run, and records what became of them. Nil admits all
	// under the limits of the Job, and records nothing. Close closes one that is an
	// [io.Closer].
	Govern Governor
}

// Engine runs Jobs.
type Engine struct {
	c Config
	// own and ownTiers are closed with the Engine.
	own      *artifact.Memory
	ownTiers []tier.Tier
	tools    sync.Map // what it is the toolchain of → func() (*language.Toolchain, error)
	// ownImages opens the user's store of images.
	ownImages func() (*image.Store, error)

	gate     *gate
	roots    sync.Map                 // rootKey → *knownRoot
	pool     *pool.Pool[kind, *ready] // nil where none is kept
	refusals sync.Map                 // tiers that cannot be had here → refusal
	closed   atomic.Bool
	leaving  chan struct{}  // has room for boxes that are being destroyed
	gone     sync.WaitGroup // what destroys them

	mu      sync.Mutex
	trouble []error // what could not be taken away
}

// ErrClosed is what [Engine.Run] returns after [Engine.Close].
var ErrClosed = errors.New("the engine is closed")

// Error is a Job that is wrong in itself.
type Error struct {
	// Field is the field of the Job, as its JSON form spells it.
	Field string
	Err   error
}

func (e *Error) Error() string { return e.Field + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// defaultKeep is the default of Config.Keep.
const defaultKeep = 64 << 10

// maxBatch is how many bytes the name of a batch has.
const maxBatch = 256

// artifactMemory is how many bytes of artifacts an Engine's own store keeps in
// memory.
const artifactMemory = 32 << 20

// New makes an Engine. Close it.
func New(c Config) (*Engine, error) {
	for _, name := range c.Allow {
		if !slices.Contains(tier.Optional, name) {
			return nil, &Error{"allow", fmt.Errorf("%q cannot be done without; what can is %s", name, strings.Join(tier.Optional, ", "))}
		}
	}
	e := &Engine{c: c, gate: newGate(c.Runs, c.Waiting)}
	if e.c.Languages == nil {
		e.c.Languages = language.All()
	}
	if e.c.Host == nil {
		e.c.Host = host.New()
	}
	if e.c.Keep <= 0 {
		e.c.Keep = defaultKeep
	}
	if e.c.Roots == nil {
		var err error
		if e.c.Roots, err = rootfs.Open(""); err != nil {
			return nil, fmt.Errorf("open the cache of root file systems: %w", err)
		}
	}
	if e.c.Tiers == nil {
		var err error
		if e.c.Tiers, err = defaultTiers(c); err != nil {
			return nil, err
		}
		e.ownTiers = e.c.Tiers
	}
	e.ownImages = sync.OnceValues(func() (*image.Store, error) { return image.Open("") })
	if e.c.Artifacts == nil {
		e.own = artifact.NewMemory(artifactMemory)
		e.c.Artifacts = e.own
	}
	e.leaving = make(chan struct{}, maxLeaving)
	if c.Warm != nil {
		e.pool = e.newPool(*c.Warm)
	}
	return e, nil
}

// Close releases what New made, and waits until the boxes of runs that have
// ended are gone. No run may be under way.
func (e *Engine) Close() error {
	e.closed.Store(true)
	var errs []error
	if e.pool != nil {
		errs = append(errs, e.pool.Close())
	}
	e.gone.Wait()
	for _, t := range e.ownTiers {
		if c, ok := t.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	if e.own != nil {
		errs = append(errs, e.own.Close())
	}
	if c, ok := e.c.Govern.(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(append(errs, e.trouble...)...)
}

// Artifacts is where the artifacts of Observations are.
func (e *Engine) Artifacts() artifact.Store { return e.c.Artifacts }

// Tiers returns the tiers, strongest first.
func (e *Engine) Tiers() []tier.Tier { return e.c.Tiers }

// Languages returns the languages.
func (e *Engine) Languages() language.Registry { return e.c.Languages }

// Toolchain finds the toolchain of a language, once.
func (e *Engine) Toolchain(ctx context.Context, l *language.Language) (*language.Toolchain, error) {
	return e.once(l.Name, func() (*language.Toolchain, error) {
		// The first caller's cancel must not be everybody's.
		return l.Find(context.WithoutCancel(ctx), e.c.Host)
	})
}

// Run implements [glovebox.Runner].
func (e *Engine) Run(ctx context.Context, job glovebox.Job) (*glovebox.Observation, error) {
	return e.run(ctx, job, nil)
}

// run is Run with a watcher, or nil.
func (e *Engine) run(ctx context.Context, job glovebox.Job, w *watch) (*glovebox.Observation, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	asked := job.Limits
	if err := e.validate(&job); err != nil {
		return nil, err
	}
	r := newRun(e, &job)
	r.submission = e.submission(job, asked)
	r.watch = w
	leave, err := e.gate.enter(ctx)
	var busy *BusyError
	if errors.As(err, &busy) {
		return nil, busy
	}
	var o *glovebox.Observation
	if err != nil {
		r.broke(ctx, glovebox.PhaseAdmit, err)
		r.observe(ctx)
		o = r.o
	} else {
		defer leave()
		o = r.all(ctx)
	}
	if r.wrong != nil {
		return nil, r.wrong
	}
	return r.record(ctx, o), nil
}

// validate checks the Job and fills in its defaults.
func (e *Engine) validate(job *glovebox.Job) error {
	if err := job.Limits.Validate(); err != nil {
		return &Error{"limits", err}
	}
	job.Limits = job.Limits.WithDefaults()
	if job.Tier == "" {
		job.Tier = glovebox.TierAuto
	}
	if job.Image == "" {
		job.Image = e.c.Image
	}
	if job.Needs == nil {
		job.Needs = e.c.Needs
	}
	if job.Tier != glovebox.TierAuto && e.tier(job.Tier) == nil {
		return &Error{"tier", fmt.Errorf("%q is none of auto, %s", job.Tier, e.tierNames())}
	}
	for i, n := range job.Needs {
		if err := n.Validate(); err != nil {
			return &Error{fmt.Sprintf("needs[%d]", i), err}
		}
	}
	if err := e.validateCommand(job); err != nil {
		return err
	}
	if err := job.RequireProof.Validate(); err != nil {
		return &Error{"require_proof", err}
	}
	if job.Language != "" && e.c.Languages.ByName(job.Language) == nil {
		return &Error{"language", fmt.Errorf("%q is not known; there are %s", job.Language, e.c.Languages.Names())}
	}
	if p := job.Program; p != nil {
		if err := e.validateProgram(p, job); err != nil {
			return err
		}
	}
	// The caller's slices stay as they are: a Job may be used again, and by two
	// at a time.
	job.Tests, job.Inputs = slices.Clone(job.Tests), slices.Clone(job.Inputs)
	for name, files := range map[string][]glovebox.File{"tests": job.Tests, "inputs": job.Inputs} {
		if err := cleanFiles(files, job.Limits); err != nil {
			return &Error{name, err}
		}
	}
	if p := job.Program; p != nil {
		if named(job.Tests, p.Main) {
			return &Error{"tests", fmt.Errorf("%q is the program's main file", p.Main)}
		}
		if err := crossing(slices.Concat(p.Files, job.Inputs)); err != nil {
			return &Error{"inputs", err}
		}
	}
	for i := range job.Inputs {
		job.Inputs[i].ReadOnly = true
	}
	for i, c := range job.Cases {
		if _, err := compare.ParseMatch(string(c.Match)); err != nil {
			return &Error{fmt.Sprintf("cases[%d].match", i), err}
		}
		if c.Tolerance < 0 {
			return &Error{fmt.Sprintf("cases[%d].tolerance", i), errors.New("it is negative")}
		}
		if err := noNUL(c.Args); err != nil {
			return &Error{fmt.Sprintf("cases[%d].args", i), err}
		}
	}
	if len(job.Batch) > maxBatch {
		return &Error{"batch", fmt.Errorf("it has %d bytes: at most %d", len(job.Batch), maxBatch)}
	}
	for name, value := range job.Secrets {
		if len(value) < redact.MinSecret {
			return &Error{"secrets", fmt.Errorf("the value of %s has %d bytes: what is shorter than %d cannot be told from other text", name, len(value), redact.MinSecret)}
		}
	}
	for name, value := range job.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return &Error{"env", fmt.Errorf("%q is not a name of an environment variable, or its value has a NUL", name)}
		}
	}
	if err := noNUL(job.Args); err != nil {
		return &Error{"args", err}
	}
	if int64(len(job.Stdin)) > job.Limits.Reply {
		return &Error{"stdin", fmt.Errorf("it has %d bytes: at most %d", len(job.Stdin), job.Limits.Reply)}
	}
	return nil
}

// noNUL refuses arguments that no program can be given: each ends at a NUL.
func noNUL(args []string) error {
	for i, a := range args {
		if strings.Contains(a, "\x00") {
			return fmt.Errorf("argument %d has a NUL", i+1)
		}
	}
	return nil
}

func (e *Engine) validateProgram(p *glovebox.Program, job *glovebox.Job) error {
	l := e.c.Languages.ByName(p.Language)
	if l == nil {
		return &Error{"program.language", fmt.Errorf("%q is not known; there are %s", p.Language, e.c.Languages.Names())}
	}
	q := *p
	q.Language = l.Name
	q.Files = append([]glovebox.File(nil), p.Files...)
	if err := cleanFiles(q.Files, job.Limits); err != nil {
		return &Error{"program.files", err}
	}
	if q.Main == "" && len(q.Files) == 1 {
		q.Main = q.Files[0].Path
	}
	if q.Main == "" && len(job.Tests) > 0 && len(job.Cases) == 0 && len(q.Files) > 0 {
		job.Program = &q
		return nil
	}
	main, err := glovebox.CleanPath(q.Main)
	if err != nil {
		return &Error{"program.main", err}
	}
	q.Main = main
	if strings.HasPrefix(main, "-") {
		return &Error{"program.main", fmt.Errorf("%q begins with a dash: an interpreter takes it for an option", main)}
	}
	if !named(q.Files, main) {
		return &Error{"program.main", fmt.Errorf("%q is not one of the program's files", p.Main)}
	}
	job.Program = &q
	return nil
}

// named tells whether one of the files has the path.
func named(files []glovebox.File, path string) bool {
	return slices.ContainsFunc(files, func(f glovebox.File) bool { return f.Path == path })
}

// cleanFiles checks the files' names and sizes, and that no two have one name.
func cleanFiles(files []glovebox.File, l glovebox.Limits) error {
	seen := map[string]bool{}
	for i := range files {
		f := &files[i]
		clean, err := glovebox.CleanPath(f.Path)
		if err != nil {
			return err
		}
		if seen[clean] {
			return fmt.Errorf("there are two files named %q", clean)
		}
		seen[clean] = true
		f.Path = clean
		if int64(len(f.Data)) > l.Reply {
			return fmt.Errorf("%s has %d bytes: at most %d", clean, len(f.Data), l.Reply)
		}
	}
	return crossing(files)
}

// crossing finds a name that is a file's and a directory's.
func crossing(files []glovebox.File) error {
	dirs := map[string]bool{}
	for _, f := range files {
		for d := path.Dir(f.Path); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	for _, f := range files {
		if dirs[f.Path] {
			return fmt.Errorf("%q is a file and a directory", f.Path)
		}
	}
	return nil
}

func (e *Engine) tier(name glovebox.TierName) tier.Tier {
	for _, t := range e.c.Tiers {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

func (e *Engine) tierNames() string {
	var names []string
	for _, t := range e.c.Tiers {
		names = append(names, string(t.Name()))
	}
	return strings.Join(names, ", ")
}

// newID returns a name that nobody can guess.
func newID(prefix string) string { return prefix + "_" + strings.ToLower(rand.Text()) }

// since returns the milliseconds since t.
func since(t time.Time) float64 { return float64(time.Since(t).Microseconds()) / 1000 }
