package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/tier"
)

type benchCmd struct {
	N       int      `short:"n" help:"How many requests for each figure (default 100; 40 with --quick)." placeholder:"N"`
	Tier    []string `help:"Only this tier; repeat it." placeholder:"TIER"`
	Clients []int    `help:"How many clients ask at a time, one figure for each (default 1,2,4,16; 1,4 with --quick)." placeholder:"N"`
	Quick   bool     `help:"Be done within five minutes: who is slow is asked less often."`
	GoJudge string   `name:"go-judge" help:"A go-judge server to compare with." placeholder:"URL"`
	hostFlags
	JSON bool `name:"json" help:"Print one JSON object: ratios, how each was made, and the figures."`
}

// Help is shown by glovebox bench --help.
func (benchCmd) Help() string {
	return `Times whole requests, in one run on one machine: trust the ratios, more than the milliseconds.

Contestants. bare is the interpreter (python3 -I -c) without any box: the same file that the tiers
run. fork is one warmed interpreter for each client that forks for each program, with no box either.
Each tier that this host can enforce runs the same program, from a model's reply in Markdown to the
whole observation, cold (nothing is made before the request) and warm (boxes are kept ready, one for
each run; the share of requests that got one is told). batch, where there is no rest only, is warm as
glovebox eval has it: a run waits for a box that is being made, and in gVisor programs of one batch
take turns in sandboxes. "proven" runs a function with tests that are
in a box of their own, and is compared with fork proven, which runs both in one forked process.
(wasm runs JavaScript.) Peers run the interpreter without limits of their own, where they are
installed: bubblewrap, nsjail, runc, crun, docker, podman, runsc do; and go-judge by --go-judge.

Modes. paced: each client rests 25 ms before each request. closed: back to back, in bursts of about
ten. sustained: back to back without rest, so that whoever keeps things ready must also make them.
Between two turns the host comes to rest. With N requests, a sustained figure takes N × 50 ms.

Memory is that of all processes, shared pages shared out (PSS), for one more idle box. Boxes per
second are those of the sustained runs of a tier: each is made, used once and destroyed.

Examples:
  glovebox bench
  glovebox bench --quick --json >figures.json
  glovebox bench -n 10 --tier process --clients 1
  glovebox bench --tier gvisor --tier microvm --allow-emulation
  glovebox bench --quick --go-judge http://127.0.0.1:5050`
}

// Bounds of one call.
const (
	benchMany  = 10_000 // requests for a figure
	benchCrowd = 256    // clients
	// quickAll is the whole time that --quick aims at; a busy machine takes longer.
	// quickLeast is the least time for the figures, after a long search for contestants.
	quickAll   = 250 * time.Second
	quickLeast = 60 * time.Second
	// sustainEach is how long a sustained figure takes for each request of the
	// others.
	sustainEach = 50 * time.Millisecond
	// peak is how many clients ask at a time where a ratio is one of rates.
	peak = 4
)

// benchReport is what the command prints.
type benchReport struct {
	Host   benchHost          `json:"host"`
	Ratios map[string]float64 `json:"ratios"`
	// How says of each ratio how it was made, or why it was not.
	How map[string]string `json:"how"`
	// Memory is bytes for one idle box, and Boxes are boxes made, used and
	// destroyed in a second, by contestant.
	Memory  map[string]int64   `json:"idle_box_bytes"`
	Boxes   map[string]float64 `json:"boxes_per_second"`
	Figures []bench.Figure     `json:"figures"`
	// Contestants says what is timed, and Missing what is not, and why.
	Contestants map[string]string `json:"contestants"`
	Missing     map[string]string `json:"missing"`
}

// benchHost is where figures were taken.
type benchHost struct {
	Version     string  `json:"version"`
	System      string  `json:"system"`
	Processors  int     `json:"processors"`
	Load        float64 `json:"load,omitempty"` // at the start
	Interpreter string  `json:"interpreter"`
}

// Run runs the command.
func (c *benchCmd) Run(s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	begin := time.Now()
	defer s.interruptible()()
	flags := boxFlags{own: true, Tier: string(glovebox.TierAuto), hostFlags: c.hostFlags}
	e, err := flags.engine(s)
	if err != nil {
		return err
	}
	defer e.Close()
	for _, name := range c.Tier {
		if !slices.ContainsFunc(e.Tiers(), func(t tier.Tier) bool { return string(t.Name()) == name }) {
			return usagef("--tier %s: it is none of this system's tiers; glovebox tiers lists them", name)
		}
	}
	f, err := c.field(s.ctx, e, s.stderr)
	if err != nil {
		return err
	}
	r, err := c.measure(s, f, begin)
	left := f.close() // before anything is printed: who reads it may have gone
	if s.ctx.Err() != nil {
		return errors.Join(s.ctx.Err(), left)
	}
	if err != nil {
		return errors.Join(err, left)
	}
	if c.JSON {
		return errors.Join(printJSON(s.stdout, r), left)
	}
	return errors.Join(r.print(s.stdout), left)
}

// check fills in what the flags leave out.
func (c *benchCmd) check() error {
	if c.N == 0 {
		c.N = 100
		if c.Quick {
			c.N = 40
		}
	}
	if c.Clients == nil {
		c.Clients = []int{1, 2, 4, 16}
		if c.Quick {
			c.Clients = []int{1, 4}
		}
	}
	if c.N < 1 || c.N > benchMany {
		return usagef("-n %d: it must be from 1 to %d", c.N, benchMany)
	}
	for _, n := range c.Clients {
		if n < 1 || n > benchCrowd {
			return usagef("--clients %d: it must be from 1 to %d", n, benchCrowd)
		}
	}
	slices.Sort(c.Clients)
	c.Clients = slices.Compact(c.Clients)
	if c.GoJudge != "" {
		_, err := judgeURL(c.GoJudge)
		return err
	}
	return nil
}

// workers is how many programs of one caller run at a time in a batch, as in
// glovebox eval.
func workers() int { return runtime.NumCPU() }

// plan says how much is timed.
func (c *benchCmd) plan(spent time.Duration, progress func(bench.Mode, int, int, int)) bench.Plan {
	p := bench.Plan{Clients: c.Clients, Requests: c.N, Sustain: time.Duration(c.N) * sustainEach, Settle: settle, Begin: progress}
	p.Sustained = []int{workers(), peak} // where ratios are of rates
	if !c.Quick {
		p.Sustained = append(p.Sustained, c.Clients...)
	}
	slices.Sort(p.Sustained)
	p.Sustained = slices.Compact(p.Sustained)
	if c.Quick {
		p.Within = max(quickAll-spent, quickLeast)
	}
	return p
}

// measure times the field, and weighs its boxes, of a command that began when it
// says.
func (c *benchCmd) measure(s *streams, f *field, begin time.Time) (*benchReport, error) {
	r := &benchReport{Host: hostNow(), Memory: map[string]int64{}, Boxes: map[string]float64{}, Contestants: map[string]string{}, Missing: f.missing}
	r.Host.Interpreter = f.interpreter
	if busy := r.Host.Load; busy > float64(r.Host.Processors)/2 {
		fmt.Fprintf(s.stderr, "glovebox: this machine is busy (load %.1f, %d processors): trust the ratios only, and run it again\n", busy, r.Host.Processors)
	}
	show := newTicker(s.stderr)
	for _, b := range f.boxes {
		show.say("weighing idle boxes: " + b.name)
		bytes, err := b.weigh(s.ctx)
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(s.stderr, "glovebox: the memory of %s is left out: %v\n", b.name, err)
			continue
		}
		if bytes > 0 {
			r.Memory[b.name] = bytes
		}
	}
	plan := c.plan(time.Since(begin), func(mode bench.Mode, clients, n, all int) {
		show.say(fmt.Sprintf("timing %d contestants, %s, clients: %d (%d of %d)", len(f.list), mode, clients, n, all))
	})
	figures, err := plan.Run(s.ctx, f.list)
	show.stop()
	if err != nil {
		return nil, err
	}
	r.Figures = figures
	for _, c := range f.list {
		r.Contestants[c.Name] = c.How
	}
	for _, g := range figures {
		if g.Mode == bench.Sustained && f.single[g.Name] && g.Error == "" {
			r.Boxes[g.Name] = max(r.Boxes[g.Name], g.Rate)
		}
		if g.Error != "" {
			fmt.Fprintf(s.stderr, "glovebox: %s, %s, clients: %d: failed %s\n", g.Name, g.Mode, g.Clients, g.Error)
		}
	}
	r.Ratios, r.How = bench.Ratios(figures, f.ratios(), r.Contestants, f.missing)
	return r, nil
}

// ticker says on a terminal, in one line that changes, what is being done; else
// in a line for each thing.
type ticker struct {
	w        io.Writer
	terminal bool
}

func newTicker(w io.Writer) ticker {
	f, ok := w.(*os.File)
	return ticker{w, ok && isTerminal(f)}
}

func (t ticker) say(what string) {
	if t.terminal {
		fmt.Fprintf(t.w, "\r\x1b[K%s…", what)
	} else {
		fmt.Fprintf(t.w, "glovebox: %s\n", what)
	}
}

func (t ticker) stop() {
	if t.terminal {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
}

// hostNow says what machine this is.
func hostNow() benchHost {
	h := benchHost{Version: version(), System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU()}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		h.System += " " + strings.TrimSpace(string(b))
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(b), &h.Load)
	}
	return h
}
