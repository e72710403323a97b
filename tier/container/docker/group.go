package docker

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// group is the container's control group as seen in the box: the files with
// limits and events. An empty group is invisible.
type group struct {
	memory, pids counter
}

// counter is one limit.
type counter struct {
	limit  string // the file with the limit
	events string // the file with the count
	key    string // whose value counts the hits
}

// The files in the two versions of control groups.
var (
	memoryCounters = []counter{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.events", "oom_kill"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.oom_control", "oom_kill"},
	}
	pidsCounters = []counter{
		{"/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids.events", "max"},
		{"/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/pids/pids.events", "max"},
	}
)

// findGroup looks for the control group, and checks its limits. An invisible
// group counts as missing, unless the engine is believed.
func findGroup(ends glove.Ends, limits glovebox.Limits, believe bool) (g group, err error) {
	for _, l := range []struct {
		control string
		limit   int64
		found   *counter
		places  []counter
	}{
		{tier.ControlMemory, limits.Memory, &g.memory, memoryCounters},
		{tier.ControlProcesses, tasks(limits), &g.pids, pidsCounters},
	} {
		said := "nothing of it is to be seen"
		for _, c := range l.places {
			text, err := read(ends, c.limit)
			if err != nil {
				return g, err
			}
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n <= l.limit {
				*l.found = c
				break
			}
			said = fmt.Sprintf("%s says %q", c.limit, text)
			believe = false
		}
		if l.found.limit == "" && !believe {
			return g, &tier.Error{Tier: glovebox.TierContainer, Op: "open", Kind: tier.KindUnsupported, Control: l.control, Fix: fixGroups,
				Err: fmt.Errorf("the engine was told a limit of %d, and in the box %s", l.limit, said)}
		}
	}
	return g, nil
}

// evidence reads what limits were hit.
func (g group) evidence(ends glove.Ends) (hits []glovebox.Hit, err error) {
	for _, c := range []struct {
		limit glovebox.LimitName
		counter
	}{{glovebox.LimitMemory, g.memory}, {glovebox.LimitProcesses, g.pids}} {
		if c.events == "" {
			continue
		}
		text, err := read(ends, c.events)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if n, err := strconv.ParseInt(value, 10, 64); key == c.key && err == nil && n > 0 {
				hits = append(hits, glovebox.Hit{Limit: c.limit, Evidence: glovebox.Evidence{
					Source: "kernel", Fact: fmt.Sprintf("%s of the control group: %s %d", c.events[strings.LastIndexByte(c.events, '/')+1:], key, n),
				}})
			}
		}
	}
	return hits, nil
}

// read reads a short file of the box's kernel; empty if the file does not
// exist.
func read(ends glove.Ends, path string) (string, error) {
	const size = 4 << 10
	s := new(glove.Script)
	fd, buf, n, missing := s.Words(0), s.Buffer(size), s.Words(0), s.Label()
	s.Call("open "+path, linux.SYS_OPENAT, linux.AT_FDCWD, path, linux.O_RDONLY|linux.O_CLOEXEC, 0).To(fd).IfError(missing)
	s.CallOn(fd, "read "+path, linux.SYS_READ, buf, size).To(n)
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	s.Place(missing)
	s.Reply(buf, n)
	text, err := ends.Do(s, time.Now().Add(patience))
	return string(text), err
}
