// Package prove is the operator's own test of a host: a few dozen hostile
// programs, each in a box of each tier, through the whole of a run. Where
// package attack tries walls with single system calls, this tries what a model
// would write, and asks of the observation: was the limit named, did nothing
// come out, was nothing forged, is nothing left.
package prove

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
)

//go:embed attacks
var programs embed.FS

// Report is what came of one tier.
type Report struct {
	Tier glovebox.TierName `json:"tier"`
	// Held: every attack was stopped, and nothing is left. It is false if no
	// attack could be tried.
	Held bool `json:"held"`
	// Unusable explains why the tier cannot be used on this host.
	Unusable string   `json:"unusable,omitempty"`
	Language string   `json:"language,omitempty"`
	Attacks  []Result `json:"attacks,omitempty"`
	// Left are the new remains after all boxes were closed.
	Left     []string `json:"left,omitempty"`
	Duration float64  `json:"duration_ms"`
}

// Result is what came of one attack.
type Result struct {
	Name string `json:"name"`
	// Tries says what it tries.
	Tries string          `json:"tries"`
	Held  bool            `json:"held"`
	Saw   glovebox.Status `json:"saw"`
	// Why explains a failure to hold, or else the grounds of the verdict.
	Why string `json:"why"`
}

// attack is a program and the expected observation.
type attack struct {
	name, tries string
	want        []glovebox.Status
	limit       glovebox.LimitName
	limits      func(*glovebox.Limits)
	// tested: the program is a solution that must not pass the given tests.
	tested bool
	// silent are texts that must not come out; for each attack they include the
	// secrets of the baits.
	silent []string
}

var (
	ends    = []glovebox.Status{glovebox.StatusPass}
	failing = []glovebox.Status{glovebox.StatusTestFailed, glovebox.StatusRuntimeError, glovebox.StatusUnproven}
)

// attacks are all attacks. A tier's language has the attacks with a file of the
// same name and the language's suffix.
var attacks = []attack{
	{name: "loop", tries: "to run without end", want: []glovebox.Status{glovebox.StatusTimeout}, limit: glovebox.LimitCPU,
		limits: func(l *glovebox.Limits) { l.CPU = time.Second }},
	{name: "sleep", tries: "to wait without end, deaf to signals", want: []glovebox.Status{glovebox.StatusTimeout}, limit: glovebox.LimitWall,
		limits: func(l *glovebox.Limits) { l.Wall = 2 * time.Second }},
	{name: "memory", tries: "to take all memory", want: []glovebox.Status{glovebox.StatusMemoryLimit}},
	{name: "processes", tries: "to make processes without end", want: []glovebox.Status{glovebox.StatusProcessLimit}},
	{name: "disk", tries: "to fill the disk", want: []glovebox.Status{glovebox.StatusDiskLimit}},
	{name: "output", tries: "to print without end", want: []glovebox.Status{glovebox.StatusOutputLimit}},
	{name: "file", tries: "to read a file of the host, also by links and artifacts", want: ends},
	{name: "write", tries: "to write to the root file system, to the kernel, to become root", want: ends},
	{name: "network", tries: "to connect to the host and beyond", want: ends},
	{name: "environment", tries: "to find the host's environment and processes", want: ends},
	{name: "secret", tries: "to print a secret that it was given, also encoded, and to steer a terminal", want: ends, silent: []string{"\x1b"}},
	{name: "orphan", tries: "to leave processes behind", want: ends},
	{name: "exit", tries: "to end well before the tests end", want: failing, tested: true},
	{name: "report", tries: "to report a pass itself", want: failing, tested: true},
	{name: "equal", tries: "to be equal to everything", want: failing, tested: true},
	{name: "honest", tries: "nothing: it is right, and must pass", want: ends, tested: true},
}

// languages are the languages of the attacks, the one with most first.
var languages = []string{"python", "javascript"}

var endings = map[string]string{"python": ".py", "javascript": ".js"}

// workers is how many attacks run at a time.
const workers = 2

// Tier tries all attacks on a tier. An error means that the test itself could
// not be made.
func Tier(ctx context.Context, e *engine.Engine, name glovebox.TierName) (report Report, err error) {
	report.Tier = name
	begin := time.Now()
	defer func() { report.Duration = float64(time.Since(begin).Milliseconds()) }()
	b, err := newBait()
	if err != nil {
		return report, err
	}
	defer b.close()
	// The first one also makes a tier's stock: roots, snapshots.
	var unusable []string
	for _, l := range languages {
		o, err := e.Run(ctx, glovebox.Job{Tier: name, Program: program(l, "honest", "main")})
		if err != nil {
			return report, err
		}
		if o.Status == glovebox.StatusPass {
			report.Language = l
			break
		}
		unusable = append(unusable, o.Message)
	}
	if report.Language == "" {
		report.Unusable = strings.Join(slices.Compact(unusable), "; ")
		return report, ctx.Err()
	}
	before := look()
	list := slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool { return program(report.Language, a.name, "main") == nil })
	results := make([]Result, len(list))
	var wg sync.WaitGroup
	next := make(chan int)
	for range workers {
		wg.Go(func() {
			for i := range next {
				results[i] = list[i].try(ctx, e, name, report.Language, b)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return report, err
	}
	report.Attacks = results
	report.Left = before.left()
	report.Held = len(report.Left) == 0 && !slices.ContainsFunc(results, func(r Result) bool { return !r.Held })
	return report, nil
}

// program makes a program of the embedded file, or nil if none exists.
func program(language, name, main string) *glovebox.Program {
	ext := endings[language]
	code, err := programs.ReadFile("attacks/" + name + ext)
	if err != nil {
		return nil
	}
	return &glovebox.Program{Language: language, Main: main + ext, Files: []glovebox.File{{Path: main + ext, Data: code}}}
}

// try runs the attack and judges its observation.
func (a attack) try(ctx context.Context, e *engine.Engine, name glovebox.TierName, language string, b *bait) Result {
	r := Result{Name: a.name, Tries: a.tries}
	job := glovebox.Job{
		Tier: name, Program: program(language, a.name, "main"), Args: []string{b.file, strconv.Itoa(b.port)},
		Env: map[string]string{"TOKEN": b.token}, Secrets: map[string]string{"TOKEN": b.token},
		// Time enough for a busy machine: only the tested limit is met.
		Limits: glovebox.Limits{
			Wall: 30 * time.Second, CPU: 20 * time.Second, Memory: 192 * glovebox.MiB, Processes: 24,
			Disk: 16 * glovebox.MiB, Output: glovebox.MiB,
		},
	}
	if a.limits != nil {
		a.limits(&job.Limits)
	}
	if a.tested {
		job.Program = program(language, a.name, "solution")
		test := program(language, "tests", "test_solution").Files[0]
		job.Tests, job.Args = []glovebox.File{test}, nil
	}
	o, err := e.Run(ctx, job)
	if err != nil {
		r.Why = err.Error()
		return r
	}
	r.Saw = o.Status
	r.Held, r.Why = a.judge(o, b)
	return r
}

// judge reports whether the observation of an attack is as expected.
func (a attack) judge(o *glovebox.Observation, b *bait) (held bool, why string) {
	said := o.Stdout + o.Stderr + o.Feedback + o.Message
	switch {
	case !slices.Contains(a.want, o.Status):
		return false, fmt.Sprintf("the verdict is %s: %s", o.Status, o.Message)
	case a.limit != "" && o.Limit != a.limit:
		return false, fmt.Sprintf("the limit is %q and not %q", o.Limit, a.limit)
	case strings.Contains(said, "BREACH"):
		_, breach, _ := strings.Cut(said, "BREACH: ")
		line, _, _ := strings.Cut(breach, "\n")
		return false, "the program " + line
	case slices.Equal(a.want, ends) && !a.tested && !strings.Contains(o.Stdout, "held"):
		return false, "the program did not come to its end"
	case b.reached():
		return false, "a connection came in"
	}
	for _, secret := range append(slices.Clone(a.silent), b.secrets()...) {
		if strings.Contains(said, secret) {
			return false, fmt.Sprintf("%.8q… came out", secret)
		}
	}
	for _, artifact := range o.Artifacts {
		if strings.HasPrefix(artifact.Name, "stolen") || strings.HasPrefix(artifact.Name, "linked") {
			return false, "the link " + artifact.Name + " came out as an artifact"
		}
	}
	if len(o.Evidence) > 0 {
		why = o.Evidence[0].Source + ": " + o.Evidence[0].Fact
	}
	return true, why
}

// bait is what the attacks are after: on the host, reachable by anybody there.
type bait struct {
	dir, file, secret string
	token             string
	variable          string
	listener          net.Listener
	port              int
	mu                sync.Mutex
	connected         bool
}

// newBait lays out a file, a variable of our own environment and a listener.
func newBait() (*bait, error) {
	b := &bait{secret: "bait-" + rand.Text(), token: "token-" + rand.Text(), variable: "variable-" + rand.Text()}
	var err error
	if b.dir, err = os.MkdirTemp("", "glovebox-prove-"); err != nil {
		return nil, err
	}
	b.file = filepath.Join(b.dir, "bait")
	err = errors.Join(os.Chmod(b.dir, 0o755), os.WriteFile(b.file, []byte(b.secret), 0o644), os.Setenv("GLOVEBOX_BAIT", b.variable))
	if err == nil {
		b.listener, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	b.port = b.listener.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			conn, err := b.listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
			b.mu.Lock()
			b.connected = true
			b.mu.Unlock()
		}
	}()
	return b, nil
}

func (b *bait) reached() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.connected
}

func (b *bait) secrets() []string { return []string{b.secret, b.token, b.variable} }

func (b *bait) close() {
	b.listener.Close()
	os.Unsetenv("GLOVEBOX_BAIT")
	os.RemoveAll(b.dir)
}
