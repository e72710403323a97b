package engine

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// missingModule is how interpreters and compilers say that a module is not
// there; the first group that is not empty is its name.
var missingModule = lazyre.New(`ModuleNotFoundError: No module named '([\w.]{1,80})'` +
	`|Cannot find (?:module|package) '(@?[A-Za-z][\w./-]{0,80})'` +
	`|cannot load such file -- ([A-Za-z][\w/-]{0,80})` +
	`|Can't locate ([A-Za-z][\w/]{0,80})\.pm in @INC` +
	`|module '([A-Za-z][\w.]{0,80})' not found` +
	`|could not import ([A-Za-z][\w./-]{0,80})` +
	`|line \d{1,9}: ([A-Za-z][\w.-]{0,60}): command not found`)

// noNetwork is how a program fails that looks for a network.
var noNetwork = lazyre.New(`Temporary failure in name resolution|Name or service not known|\bgetaddrinfo\b|\bEAI_AGAIN\b|\bENOTFOUND\b` +
	`|Could not resolve host|Network is unreachable|\bENETUNREACH\b|dial tcp: lookup|Failed to resolve`)

// hints explains a failure by what the box has and has not.
func (r *run) hints(ctx context.Context) []string {
	o := r.o
	if o.Partial && r.lang != nil && r.lang != command {
		return []string{"What the program had printed and was not flushed when it was stopped, such as a line without its end, is not in the output."}
	}
	if o.Status != glovebox.StatusRuntimeError && o.Status != glovebox.StatusTestFailed || r.lang == nil || r.lang == command {
		return nil
	}
	said := []string{o.Stderr}
	if t := o.Tests; t != nil {
		said = append(said, t.Reason)
		for _, c := range t.Cases {
			if c.Status != "passed" && len(said) < 10 {
				said = append(said, c.Message)
			}
		}
	}
	var hints []string
	for _, s := range said {
		if m := missingModule().FindStringSubmatch(s); m != nil {
			name := strings.Join(m[1:], "")
			hints = append(hints, "There is no "+name+" in the box, and nothing can be installed there.")
			if has := r.e.libraries(ctx, r); has != "" {
				hints = append(hints, "Beside the language's own library there is: "+has+".")
			}
			break
		}
	}
	for _, s := range said {
		if noNetwork().MatchString(s) {
			hints = append(hints, "The box has no network: the program can reach nothing outside of it.")
			break
		}
	}
	return hints
}

// Bounds of a hint that lists libraries.
const (
	maxLibraries  = 40
	librariesTime = 20 * time.Second
)

// libraries lists the libraries that the box of a run has, beside the
// language's own. It asks a box of that kind once, and keeps the answer.
func (e *Engine) libraries(ctx context.Context, r *run) string {
	job, ok := r.lang.LibrariesJob()
	if !ok || r.lang.Name == "bash" { // whose libraries are commands
		return ""
	}
	job.Tier, job.Image = r.job.Tier, r.job.Image
	key := libraryKey{r.lang.Name, r.job.Image, r.o.Tier}
	ask, _ := e.tools.LoadOrStore(key, sync.OnceValue(func() string {
		ctx, cancel := context.WithTimeout(ctx, librariesTime)
		defer cancel()
		if e.validate(&job) != nil {
			return ""
		}
		return listLibraries(newRun(e, &job).all(ctx))
	}))
	return ask.(func() string)()
}

type libraryKey struct {
	language, image string
	tier            glovebox.TierName
}

// listLibraries takes the names out of what a Libraries program printed.
func listLibraries(o *glovebox.Observation) string {
	if o.Status != glovebox.StatusPass {
		return ""
	}
	var names []string
	for i, line := range strings.Split(o.Stdout, "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if i == 0 || name == "" || strings.HasPrefix(name, "(") {
			continue
		}
		if len(names) == maxLibraries {
			names = append(names, "…")
			break
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
