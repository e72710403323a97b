package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// hostFlags say what of a host the tiers may use.
type hostFlags struct {
	Runtime string `env:"GLOVEBOX_RUNTIME" help:"The container tier's runtime: runc, crun, a path, docker, podman or an engine's socket." placeholder:"RUNTIME"`
	Emulate bool   `env:"GLOVEBOX_ALLOW_EMULATION" name:"allow-emulation" help:"Let the microvm tier emulate the processor where there is no KVM; it is slow."`
}

// boxFlags say how programs are run, in every command that runs some.
type boxFlags struct {
	RequireProof string   `env:"GLOVEBOX_REQUIRE_PROOF" help:"The weakest proof that makes a pass: out_of_process, compared_outside, candidate_judged or in_process." placeholder:"PROOF"`
	Tier         string   `env:"GLOVEBOX_TIER" default:"auto" help:"How to isolate: auto, gvisor, microvm, process, container or wasm (see glovebox tiers)." placeholder:"TIER"`
	Need         []string `env:"GLOVEBOX_NEED" help:"What the tier must give: kernel_boundary, no_shared_kernel, native_packages, start_under=50ms; repeat it." placeholder:"NEED"`
	Image        string   `env:"GLOVEBOX_IMAGE" short:"i" help:"Run in this image's file system (see glovebox image)." placeholder:"IMAGE"`
	hostFlags
	Allow     []string      `help:"Go on where this host cannot enforce this control: proc, network, ipc, hostname or landlock; repeat it." placeholder:"CONTROL"`
	Timeout   time.Duration `env:"GLOVEBOX_TIMEOUT" help:"Wall clock limit of a run (default 10s)." placeholder:"10s"`
	CPU       time.Duration `env:"GLOVEBOX_CPU" help:"Processor time limit, all processes together (default: the wall clock limit)." placeholder:"10s"`
	Memory    size          `env:"GLOVEBOX_MEMORY" help:"Memory limit, all processes together (default 512M)." placeholder:"512M"`
	Processes int64         `env:"GLOVEBOX_PROCESSES" help:"Limit of processes and threads (default 64)." placeholder:"64"`
	Disk      size          `env:"GLOVEBOX_DISK" help:"Limit of bytes written to the workspace (default 64M)." placeholder:"64M"`
	Output    size          `env:"GLOVEBOX_OUTPUT" help:"Limit of bytes of each of stdout and stderr (default 8M)." placeholder:"8M"`
	governFlags

	// own: the programs are Glovebox's own, which no policy governs.
	own bool
}

// limits are those that the flags give; zero fields are the defaults.
func (f *boxFlags) limits() glovebox.Limits {
	return glovebox.Limits{
		Wall: f.Timeout, CPU: f.CPU, Memory: int64(f.Memory), Processes: f.Processes,
		Disk: int64(f.Disk), Output: int64(f.Output),
	}
}

// engine makes the engine that the flags ask for.
func (f *boxFlags) engine(s *streams) (*engine.Engine, error) { return f.engineWith(s, nil) }

// engineWith makes the engine with boxes that are kept ready, for a command that
// runs many programs.
func (f *boxFlags) engineWith(s *streams, warm *engine.Warm) (*engine.Engine, error) {
	if f.Runtime != "" && f.tier() != glovebox.TierContainer {
		return nil, usagef("--runtime %s is the container tier's, and --tier is %s", f.Runtime, f.Tier)
	}
	c := engine.Config{
		Allow: f.Allow, Runtime: f.Runtime, AllowEmulation: f.Emulate, Image: f.Image, Needs: f.needs(), Warm: warm,
	}
	if !f.own {
		var err error
		if c.Govern, err = f.governor(s); err != nil {
			return nil, err
		}
	}
	e, err := engine.New(c)
	var wrong *engine.Error
	if errors.As(err, &wrong) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	if err := f.check(e); err != nil {
		return nil, usageError{errors.Join(err, e.Close())}
	}
	return e, nil
}

// tier is the wished tier. A runtime without a tier means the container tier.
func (f *boxFlags) tier() glovebox.TierName {
	if f.Runtime != "" && f.Tier == string(glovebox.TierAuto) {
		return glovebox.TierContainer
	}
	return glovebox.TierName(f.Tier)
}

func (f *boxFlags) needs() []glovebox.Need {
	var needs []glovebox.Need
	for _, n := range f.Need {
		needs = append(needs, glovebox.Need(n))
	}
	return needs
}

// check looks for what no run would take, before a model is paid or a file is
// written.
func (f *boxFlags) check(e *engine.Engine) error {
	tiers := []string{string(glovebox.TierAuto)}
	for _, t := range e.Tiers() {
		tiers = append(tiers, string(t.Name()))
	}
	if !slices.Contains(tiers, f.Tier) {
		return &engine.Error{Field: "tier", Err: fmt.Errorf("%q is none of %s", f.Tier, strings.Join(tiers, ", "))}
	}
	if err := glovebox.Proof(f.RequireProof).Validate(); err != nil {
		return &engine.Error{Field: "require_proof", Err: err}
	}
	for _, n := range f.needs() {
		if err := n.Validate(); err != nil {
			return &engine.Error{Field: "need", Err: err}
		}
	}
	if err := f.limits().Validate(); err != nil {
		return &engine.Error{Field: "limits", Err: err}
	}
	return nil
}

// overwrites is an error where the file out is another one of a command. What
// is no regular file, such as /dev/stdout, is not overwritten.
func overwrites(out string, others ...string) error {
	there, err := os.Stat(out)
	if err == nil && !there.Mode().IsRegular() {
		return nil
	}
	for _, name := range others {
		same := name != "" && filepath.Clean(name) == filepath.Clean(out)
		if other, failed := os.Stat(name); err == nil && failed == nil {
			same = os.SameFile(there, other)
		}
		if same {
			return fmt.Errorf("%s would be overwritten: it is also another file of this command", out)
		}
	}
	return nil
}

// size is a number of bytes on the command line, such as 512M.
type size int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *size) UnmarshalText(b []byte) error {
	text := strings.ToUpper(strings.TrimSpace(string(b)))
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
	unit := int64(1)
	for suffix, n := range map[string]int64{"K": glovebox.KiB, "M": glovebox.MiB, "G": glovebox.GiB} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = rest, n
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n*float64(unit) > 1<<62 || n != n {
		return fmt.Errorf("%q is not a size; write it as 512M, 1.5G or 65536", b)
	}
	*s = size(n * float64(unit))
	return nil
}

// languageOf tells the language of code: by its name, by the file's ending, or
// by the look of it.
func languageOf(name, file, code string) *language.Language {
	if name != "" {
		return language.ByName(name)
	}
	if l := language.All().ByPath(filepath.ToSlash(file)); l != nil {
		return l
	}
	var best *language.Language
	score := 0
	for _, l := range language.All() {
		if s := l.Score(code); s > score {
			best, score = l, s
		}
	}
	return best
}

// oneLanguage refuses tests of several languages: those of the other one would
// not run, and a program would seem tested. --lang says which one is meant.
func oneLanguage(tests []glovebox.File) error {
	kin := map[string]string{language.TypeScript.Name: language.JavaScript.Name}
	var first *language.Language
	for _, f := range tests {
		l := languageOf("", f.Path, "")
		if l == nil || strings.Contains(f.Path, "/") && !l.IsTest(f) { // a folder has data and helpers, too
			continue
		}
		if first == nil {
			first = l
		}
		if cmp.Or(kin[l.Name], l.Name) != cmp.Or(kin[first.Name], first.Name) {
			return usagef("the tests are in %s and in %s, and only one of them would run: say with --lang which it is", first.Name, l.Name)
		}
	}
	return nil
}

// secrets reads the values of environment variables that must not come out.
func secrets(names []string) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range names {
		value, ok := os.LookupEnv(name)
		if !ok || value == "" {
			return nil, usagef("--secret %s: there is no such variable in the environment, or it is empty", name)
		}
		values[name] = value
	}
	return values, nil
}
