package build

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// alternative is what update-alternatives would make: link → /etc/alternatives/name
// → file.
type alternative struct {
	link, name, file string
	priority         int
	slaves           []alternative
}

// readAlternatives finds the alternatives in a maintainer script. The script is
// read, not run: only commands with literal words are understood, and the
// number of others is returned.
func readAlternatives(script string) (found []alternative, unknown int) {
	for line := range strings.SplitSeq(strings.ReplaceAll(script, "\\\n", " "), "\n") {
		at := strings.Index(line, "update-alternatives ")
		if at < 0 || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		command, _, _ := strings.Cut(line[at:], ";")
		words := strings.Fields(command)
		install := slices.Index(words, "--install")
		if install < 0 {
			continue
		}
		if a, ok := parseAlternative(words[install+1:]); ok {
			found = append(found, a)
		} else {
			unknown++
		}
	}
	return found, unknown
}

func parseAlternative(words []string) (alternative, bool) {
	literal := func(w ...string) bool {
		return !slices.ContainsFunc(w, func(s string) bool { return strings.ContainsAny(s, "$`'\"*?(){}<>|&~") })
	}
	ok := func(a alternative) bool {
		return literal(a.link, a.name, a.file) && path.IsAbs(a.link) && path.IsAbs(a.file) &&
			valid(path.Clean(a.link)) == nil && valid(path.Clean(a.file)) == nil &&
			a.name != "" && a.name != "." && a.name != ".." && !strings.Contains(a.name, "/")
	}
	if len(words) < 4 {
		return alternative{}, false
	}
	a := alternative{link: words[0], name: words[1], file: words[2]}
	var err error
	if a.priority, err = strconv.Atoi(words[3]); err != nil || !ok(a) {
		return a, false
	}
	for rest := words[4:]; len(rest) >= 4 && rest[0] == "--slave"; rest = rest[4:] {
		s := alternative{link: rest[1], name: rest[2], file: rest[3]}
		if !ok(s) {
			return a, false
		}
		a.slaves = append(a.slaves, s)
	}
	return a, true
}

// alternatives makes the links of the best alternatives.
func (t *tree) alternatives(list []alternative) error {
	best := map[string]alternative{}
	for _, a := range list {
		if old, ok := best[a.name]; (!ok || a.priority > old.priority) && t.stat(a.file) != nil {
			best[a.name] = a
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best)) {
		for _, a := range append([]alternative{best[name]}, best[name].slaves...) {
			if t.stat(a.file) == nil || unneeded(a.file) {
				continue
			}
			if n := t.nodes[path.Clean(a.link)]; n != nil && n.mode.Type() == 0 {
				continue // as update-alternatives: a file is not replaced
			}
			at := "/etc/alternatives/" + a.name
			if err := t.symlink(at, "alternatives", path.Clean(a.file)); err != nil {
				return err
			}
			if err := t.symlink(path.Clean(a.link), "alternatives", at); err != nil {
				return err
			}
		}
	}
	return nil
}
