package agent

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/redact"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// PatchLimits bound what a candidate may change. Zero fields mean the fields of
// [DefaultPatchLimits].
type PatchLimits struct {
	Files int
	// Lines is the most lines added and removed together.
	Lines int
	// Bytes is the largest new content of a file.
	Bytes int
}

// DefaultPatchLimits are what a person can review.
var DefaultPatchLimits = PatchLimits{Files: 40, Lines: 3000, Bytes: 1 << 20}

func (l PatchLimits) withDefaults() PatchLimits {
	if l.Files <= 0 {
		l.Files = DefaultPatchLimits.Files
	}
	if l.Lines <= 0 {
		l.Lines = DefaultPatchLimits.Lines
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultPatchLimits.Bytes
	}
	return l
}

// policy reads the change without running it.
func (s *solver) policy(changes []workcopy.Change, o *glovebox.Observation) Signal {
	out := Signal{Name: SignalPolicy}
	block := func(format string, args ...any) { out.Reasons = append(out.Reasons, fmt.Sprintf(format, args...)) }
	limits := s.c.Patch
	if len(changes) == 0 {
		block("nothing is changed")
	}
	if len(changes) > limits.Files {
		block("%d files are changed: at most %d", len(changes), limits.Files)
	}
	twins := s.twins(changes)
	lines := 0
	for _, c := range changes {
		name := observe.Line(c.Path)
		added, removed := c.Lines()
		lines += added + removed
		switch {
		case len(s.task.Allow) > 0 && !under(c.Path, s.task.Allow):
			block("%s may not change: only %s may", name, strings.Join(s.task.Allow, ", "))
		case len(c.New) > limits.Bytes:
			block("%s has %d bytes: at most %d", name, len(c.New), limits.Bytes)
		case c.Kind != workcopy.Deleted && workcopy.IsBinary(c.New):
			block("%s is binary", name)
		case c.Executable && !c.OldExecutable:
			block("%s becomes executable", name)
		case hidden(c.Path, s.task.Allow):
			block("%s: what begins with a dot steers tools of the host, and no test runs it: it may change only where it is allowed by name", name)
		}
		if twin := twins[c.Path]; twin != "" {
			block("%s: %s", name, twin)
		}
		if controls(c.New) > controls(c.Old) {
			block("%s has new characters that steer a terminal or the direction of text", name)
		}
		for _, rule := range s.newSecrets(c) {
			block("%s has a secret that was not there before (%s)", name, rule)
		}
	}
	if lines > limits.Lines {
		block("%d lines are added and removed: at most %d", lines, limits.Lines)
	}
	for _, f := range o.Findings {
		block("%s:%d: %s (%s)", observe.Line(f.File), f.Line, observe.Line(f.Message), f.Rule)
	}
	out.OK = len(out.Reasons) == 0
	out.Detail = fmt.Sprintf("files changed: %d, lines: %d", len(changes), lines)
	return out
}

// newSecrets are the rules with more matches in the new content than in the
// old, or with a match in a new name.
func (s *solver) newSecrets(c workcopy.Change) []string {
	if bytes.Equal(c.Old, c.New) || len(c.New) == 0 {
		return nil
	}
	count := func(texts ...[]byte) map[string]int {
		r := redact.New(redact.Config{Secrets: s.task.Secrets})
		for _, text := range texts {
			r.Bytes("file", text)
		}
		found := map[string]int{}
		for _, n := range r.Counts() {
			found[n.Rule] += n.Count
		}
		return found
	}
	texts := [][]byte{c.New}
	if c.Kind == workcopy.Added {
		texts = append(texts, []byte(c.Path))
	}
	before, after := count(c.Old), count(texts...)
	var more []string
	for rule, n := range after {
		if n > before[rule] {
			more = append(more, rule)
		}
	}
	slices.Sort(more)
	return more
}

// hidden reports whether an element of a path begins with a dot, and no allowed
// path names the element.
func hidden(p string, allow []string) bool {
	dot := func(p string) bool { return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") }
	for _, prefix := range allow {
		if prefix = path.Clean(prefix); prefix != "." && under(p, []string{prefix}) && !dot(p[len(prefix):]) {
			return false
		}
	}
	return dot(p)
}

// controls counts the characters that disguise a text.
func controls(text []byte) (n int) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for i, r := range string(text) {
		switch r {
		case '\n', '\t', '\f':
		case '\r':
			if i+1 == len(text) || text[i+1] != '\n' {
				n++
			}
		default:
			if observe.Control(r) {
				n++
			}
		}
	}
	return n
}

// twins explains for added files why their names could be taken for others, by
// a person or by a file system that ignores case. Existing names of folders are
// no concern.
func (s *solver) twins(changes []workcopy.Change) map[string]string {
	found := map[string]string{}
	known, spelled := map[string]bool{}, map[string]string{}
	learn := func(p string) {
		for ; p != "."; p = path.Dir(p) {
			known[p], spelled[strings.ToLower(p)] = true, p
		}
	}
	for _, p := range s.subject.start().Paths() {
		learn(p)
	}
	for _, c := range changes {
		if c.Kind != workcopy.Added {
			continue
		}
		for p := c.Path; p != "." && !known[p]; p = path.Dir(p) {
			other := spelled[strings.ToLower(p)]
			switch {
			case other != "":
				found[c.Path] = fmt.Sprintf("its name differs from %s by case alone", observe.Line(other))
			case strings.ContainsFunc(path.Base(p), func(r rune) bool { return r > unicode.MaxASCII }):
				found[c.Path] = "a new name has letters beyond ASCII, which may look like others"
			}
		}
		learn(c.Path)
	}
	return found
}
