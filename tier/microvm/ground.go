//go:build linux

package microvm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
	"github.com/gloveboxhq/glovebox/tier/den"
	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// ground is one machine and the link to its glove. ground implements
// [glove.Ground].
type ground struct {
	instance monitor.Instance
	console  *monitor.Console
	link     *wire.Link    // nil until it is there
	group    *cgroup.Group // nil where there is none
	den      *den.Den

	killed atomic.Bool

	mu     sync.Mutex
	closed bool
	hits   []glovebox.Hit // the last evidence
	peak   int64          // the most memory of the commands so far

	closeOnce sync.Once
	closeErr  error
}

// join links the machine to the host's ends of the glove. A guest that breaks
// the rules of the channel is killed.
func (g *ground) join(descriptors []*os.File) error {
	link, err := wire.Attach(g.instance.Channel(), descriptors)
	if err != nil {
		return err
	}
	g.link = link
	go func() {
		<-link.Done()
		g.Kill()
	}()
	return nil
}

// Kill implements [glove.Ground].
func (g *ground) Kill() {
	g.killed.Store(true)
	g.instance.Kill()
}

// Dead implements [glove.Ground].
func (g *ground) Dead() <-chan struct{} { return g.instance.Dead() }

// Sample implements [glove.Ground]: the processor time of the whole machine,
// including the monitor's own. Only the guest's kernel can attribute the
// guest's memory; it also enforces the limit. See Evidence.
func (g *ground) Sample() (glove.Sample, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return glove.Sample{}, os.ErrClosed
	}
	u, err := g.instance.Usage()
	return glove.Sample{CPU: u.CPU}, err
}

// evidencePatience bounds the answer of a glove that is idle.
const evidencePatience = 10 * time.Second

// Evidence implements [glove.Ground]. Called when the glove is idle, it asks
// the glove for the report of the guest's kernel. The last words of a dead
// machine's kernel are on the console.
func (g *ground) Evidence(glove.Sample) []glovebox.Hit {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return g.hits
	}
	if !g.killed.Load() {
		if said, err := ask(g.link.Ends()); err == nil {
			g.peak = max(g.peak, said.peak)
			g.hits = said.hits()
			return g.hits
		}
		// The glove died, or its replies are out of step.
		g.Kill()
	}
	select {
	case <-g.instance.Dead():
	case <-time.After(evidencePatience):
	}
	g.hits = merge(g.hits, lastWords(g.console.Bytes()))
	return g.hits
}

// memoryPeak is the peak memory of the commands, as far as known.
func (g *ground) memoryPeak() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.peak
}

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() {
		g.Kill()
		errs := []error{g.instance.Close()}
		if g.link != nil {
			errs = append(errs, g.link.Close())
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.closed = true
		if g.group != nil {
			errs = append(errs, g.group.Close())
		}
		g.closeErr = errors.Join(append(errs, g.den.Close())...)
	})
	return g.closeErr
}

// word is the report of the guest's kernel on the commands' control group.
type word struct {
	oom   int64 // times that they met their limit of memory
	kills int64 // processes that were killed for it
	forks int64 // processes that were refused
	peak  int64 // the most bytes at once
}

// ask reads the files of the control group.
func ask(ends glove.Ends) (word, error) {
	s := new(glove.Script)
	const size = 1 << 10
	buf, at := s.Buffer(3*size), 0
	for _, fd := range []int{fdMemoryEvents, fdPidsEvents, fdMemoryPeak} {
		s.Call("read", unix.SYS_PREAD64, fd, buf.Plus(at), size-1, 0)
		at += size
	}
	s.Reply(buf, s.Words(3*size))
	raw, err := ends.Do(s, time.Now().Add(evidencePatience))
	if err != nil {
		return word{}, err
	}
	return parseWord(raw, size)
}

// parseWord reads three files of size bytes each.
func parseWord(raw []byte, size int) (w word, err error) {
	if len(raw) != 3*size {
		return w, fmt.Errorf("the guest's kernel said %d bytes", len(raw))
	}
	text := func(i int) string {
		t, _, _ := bytes.Cut(raw[i*size:(i+1)*size], []byte{0})
		return string(t)
	}
	number := func(s string) int64 {
		n, e := strconv.ParseInt(s, 10, 64)
		if e != nil || n < 0 {
			err = errors.Join(err, fmt.Errorf("the guest's kernel said %.20q", s))
		}
		return n
	}
	for line := range strings.Lines(text(0)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "oom":
			w.oom = number(value)
		case "oom_kill":
			w.kills = number(value)
		}
	}
	for line := range strings.Lines(text(1)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == "max" {
			w.forks = number(value)
		}
	}
	w.peak = number(strings.TrimSpace(text(2)))
	return w, err
}

// hits are the limits that were met. All memory of the machine is the box's, so
// a kill for want of memory is always the box's own doing.
func (w word) hits() []glovebox.Hit {
	var list []glovebox.Hit
	if w.kills > 0 {
		list = append(list, kernelSays(glovebox.LimitMemory, fmt.Sprintf("memory.events of the guest's control group: oom %d, oom_kill %d", w.oom, w.kills)))
	}
	if w.forks > 0 {
		list = append(list, kernelSays(glovebox.LimitProcesses, fmt.Sprintf("pids.events of the guest's control group: max %d", w.forks)))
	}
	return list
}

func kernelSays(l glovebox.LimitName, fact string) glovebox.Hit {
	return glovebox.Hit{Limit: l, Evidence: glovebox.Evidence{Source: "kernel", Fact: fact}}
}

// oomLine matches the kernel's line about a kill for want of memory. Only the
// kernel writes to the console. Of a program's text at most its own name gets
// printed, too short for the line.
var oomLine = lazyre.New(`(?m)^\[ *\d+\.\d+\] (?:Memory cgroup out of memory|Out of memory(?: \([^)]*\))?): Killed process \d+`)

// lastWords finds on a console why the machine ended.
func lastWords(console []byte) []glovebox.Hit {
	if line := oomLine().Find(console); line != nil {
		_, fact, _ := strings.Cut(string(line), "] ")
		return []glovebox.Hit{kernelSays(glovebox.LimitMemory, "the guest's console: "+fact)}
	}
	return nil
}

// merge adds the hits on limits that list lacks.
func merge(list, more []glovebox.Hit) []glovebox.Hit {
	for _, h := range more {
		known := false
		for _, k := range list {
			known = known || k.Limit == h.Limit
		}
		if !known {
			list = append(list, h)
		}
	}
	return list
}
