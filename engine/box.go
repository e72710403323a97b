package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cost"
)

// open makes a box in the wished tier, or in the strongest that this host can
// enforce, and says in the Observation which, and why.
func (r *run) open(ctx context.Context, files []glovebox.File, fds []*os.File, limits glovebox.Limits) (tier.Box, error) {
	begin := time.Now()
	box, t, refused, err := r.boot(ctx, files, fds, limits)
	r.o.Timings.Boot += since(begin)
	if err != nil {
		return nil, err
	}
	r.turns = false
	r.o.Warm, r.o.Tier, r.o.Isolation = false, t.Name(), box.Controls()
	r.o.TierReason = reason(r.job.Tier, refused)
	return box, nil
}

// boot is open without a word in the Observation, so that two boxes can be
// made at a time. Only tiers with the toolchain in use are tried.
func (r *run) boot(ctx context.Context, files []glovebox.File, fds []*os.File, limits glovebox.Limits) (tier.Box, tier.Tier, error, error) {
	refused := distinct(r.passed)
	for _, t := range r.tiers {
		if tools, err := r.toolchain(ctx, t); err != nil || tools != r.tools {
			break
		}
		root, err := r.root(ctx, t)
		if err != nil {
			return nil, nil, nil, err
		}
		box, err := t.Open(ctx, tier.Spec{
			Root: root, Files: files, Limits: limits, Descriptors: fds, Allow: r.e.c.Allow,
		})
		if err == nil {
			r.e.refusals.Delete(t.Name())
			return box, t, refused, nil
		}
		if !tier.IsKind(err, tier.KindUnsupported) {
			return nil, nil, nil, err
		}
		r.e.refusals.Store(t.Name(), refusal{err, time.Now()})
		refused = errors.Join(refused, err)
	}
	if refused == nil {
		refused = errors.New("there is no tier to run it in")
	}
	return nil, nil, nil, refused
}

func reason(wish glovebox.TierName, refused error) string {
	switch {
	case wish != glovebox.TierAuto:
		return "the caller chose it"
	case refused == nil:
		return "the strongest tier of this host"
	}
	return fmt.Sprintf("the strongest tier that fits and that this host can enforce (%v)", refused)
}

// rootAge is how long a root is taken for the right one. To look again costs
// milliseconds: the size and time of every file of the toolchain.
const rootAge = 2 * time.Second

// rootKey is what a root file system depends on, beside the host's files.
type rootKey struct {
	tier  glovebox.TierName
	tools *language.Toolchain
	image string // its digest
}

// knownRoot is a root that somebody looked at lately.
type knownRoot struct {
	mu    sync.Mutex // one builds, the others wait
	root  *rootfs.Root
	until time.Time
}

// root builds the root file system in the form that the tier boots from.
func (r *run) root(ctx context.Context, t tier.Tier) (*rootfs.Root, error) {
	key, plan, what := rootKey{tier: t.Name(), tools: r.tools}, r.tools.Root, r.lang.Title
	if r.image != nil {
		key.image, plan, what = r.image.Digest(), r.image.Plan().Merge(plan), r.job.Image
	}
	found, _ := r.e.roots.LoadOrStore(key, &knownRoot{})
	known := found.(*knownRoot)
	known.mu.Lock()
	defer known.mu.Unlock()
	if time.Now().Before(known.until) {
		return known.root, nil
	}
	root, err := cost.Root(ctx, t, r.e.c.Roots, plan)
	if err != nil {
		return nil, fmt.Errorf("build the root file system of %s: %w", what, err)
	}
	known.root, known.until = root, time.Now().Add(rootAge)
	return root, nil
}

// command makes a tier's command of a language's step for the program.
func (r *run) command(s language.Step, args ...string) tier.Command {
	cmd := r.ours(s)
	cmd.Args = append(cmd.Args, args...)
	cmd.Env = withEnv(cmd.Env, r.job.Env)
	return cmd
}

// withEnv sets variables in an environment, in the order of their names. What it
// had of a name goes: of two, interpreters and shells do not take the same.
func withEnv(env []string, set map[string]string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, ours := set[name]
		return ours
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, name+"="+set[name])
	}
	return env
}

// ours makes a tier's command of a step that is not the program's: the job's
// environment is not for it. A variable that steers an interpreter must not
// steer the one that judges.
func (r *run) ours(s language.Step) tier.Command {
	env := []string{"PATH=" + r.tools.Path, "HOME=" + tier.Workspace, "LANG=C.UTF-8"}
	env = append(append(env, r.tools.Env...), s.Env...)
	return tier.Command{Args: append([]string(nil), s.Args...), Env: env, Stdin: s.Stdin, Files: s.Files}
}

// check runs the parser's own step, where there is one.
func (r *run) check(ctx context.Context, box tier.Box, step *language.Step, main string) (*glovebox.SyntaxError, *glovebox.Outcome) {
	if step == nil {
		return nil, nil
	}
	begin := time.Now()
	r.watch.begin(glovebox.PhaseCheck, 0)
	defer func() { r.o.Timings.Check += since(begin) }()
	var stdout, stderr bytes.Buffer
	cmd := r.command(*step)
	cmd.Stdout, cmd.Stderr = &bounded{b: &stdout}, &bounded{b: &stderr}
	out := box.Run(ctx, cmd)
	if out.Cause != glovebox.CauseExit {
		return nil, &out
	}
	return r.lang.ReadSyntax(language.CheckOutput{
		Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: out.ExitCode, Main: main,
	}), nil
}

// bounded keeps the first bytes of what is written to it.
type bounded struct{ b *bytes.Buffer }

const maxCheck = 256 << 10

func (w *bounded) Write(p []byte) (int, error) {
	if room := maxCheck - w.b.Len(); room > 0 {
		w.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// Bounds of a report.
const (
	maxReport = 32 << 20
	maxLine   = 1 << 20
	maxEvents = 100_000
	// firstEvent is all that is read where only the parser's word counts.
	firstEvent = 1
)

// report collects the events of a descriptor 5. The far end may be in the
// candidate's hands: everything is bounded, and what is not an event makes the
// report unusable.
type report struct {
	r, w *os.File
	most int // events; those that come after them are not read
	tap  *tap.Tap

	line    []byte
	total   int
	list    []language.Event
	invalid string
}

func newReport(most int) (*report, error) {
	r, w, err := tap.Pipe()
	if err != nil {
		return nil, err
	}
	return &report{r: r, w: w, most: most}, nil
}

// start begins to read. The write end is in the box now.
func (p *report) start() {
	p.w.Close()
	p.tap = tap.Open(p.r, p)
}

// stop ends the reading and returns the events.
func (p *report) stop() []language.Event {
	if p.tap != nil {
		p.tap.Stop()
		p.tap = nil
	}
	if len(p.line) > 0 {
		p.refuse("its last line is not whole")
	}
	return p.list
}

// syntax ends the reading and returns what the parser refused. Only the first
// event is the parser's: the program's code had not started then.
func (p *report) syntax() *glovebox.SyntaxError {
	if events := p.stop(); len(events) > 0 && events[0].Type == "syntax" {
		return events[0].Syntax
	}
	return nil
}

func (p *report) close() {
	p.w.Close()
	if p.tap != nil {
		p.tap.Stop()
	}
	p.r.Close()
}

func (p *report) refuse(why string) {
	if p.invalid == "" {
		p.invalid = why
	}
}

// Write implements [io.Writer] for the tap.
func (p *report) Write(b []byte) (int, error) {
	n := len(b)
	p.total += n
	if p.total > maxReport {
		p.refuse("it is too long")
	}
	for p.invalid == "" && len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte{'\n'})
		p.line = append(p.line, line...)
		b = rest
		switch {
		case len(p.line) > maxLine:
			p.refuse("a line of it is too long")
		case whole:
			p.take()
		}
	}
	return n, nil
}

func (p *report) take() {
	var e language.Event
	if err := json.Unmarshal(p.line, &e); err != nil {
		p.refuse("a line of it is not an event")
	}
	p.line = p.line[:0]
	if len(p.list) == p.most {
		p.refuse("it has too many events")
		return
	}
	p.list = append(p.list, e)
}
