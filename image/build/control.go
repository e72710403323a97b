package build

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// paragraph is one package in a control file of Debian's: field by field.
type paragraph map[string]string

// Bounds of control files.
const (
	maxParagraphs = 200_000
	maxFields     = 200
)

// parseControl reads paragraphs of fields (deb-control(5)). A continued line
// keeps its line feed.
func parseControl(text string) ([]paragraph, error) {
	var list []paragraph
	var p paragraph
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
			p, last = nil, ""
		case line[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			if last == "" {
				return nil, errors.New("a line continues nothing")
			}
			p[last] += "\n" + line
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok || name == "" || strings.ContainsAny(name, " \t") {
				return nil, fmt.Errorf("%.100q is no field", line)
			}
			if p == nil {
				if p = (paragraph{}); len(list) >= maxParagraphs {
					return nil, fmt.Errorf("more than %d packages", maxParagraphs)
				}
				list = append(list, p)
			}
			if _, twice := p[name]; twice || len(p) >= maxFields {
				return nil, fmt.Errorf("the field %.50q is there twice, or there are too many", name)
			}
			p[name], last = strings.TrimSpace(value), name
		}
	}
	return list, nil
}

var debName = lazyre.New(`^[a-z0-9][a-z0-9+.-]{0,199}$`)

// needs are the dependencies of a package: for each, the alternative names.
// Versions are the resolver's concern, not ours.
func (p paragraph) needs() [][]string {
	var out [][]string
	for _, field := range []string{"Pre-Depends", "Depends"} {
		for clause := range strings.SplitSeq(p[field], ",") {
			var any []string
			for alternative := range strings.SplitSeq(clause, "|") {
				if name := bareName(alternative); name != "" {
					any = append(any, name)
				}
			}
			if len(any) > 0 {
				out = append(out, any)
			}
		}
	}
	return out
}

// provides are the names by which a package may be requested.
func (p paragraph) provides() []string {
	names := []string{p["Package"]}
	for name := range strings.SplitSeq(p["Provides"], ",") {
		if name = bareName(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// bareName is a dependency without its version and architecture.
func bareName(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n([:", r) })
	if len(fields) == 0 || !debName().MatchString(fields[0]) {
		return ""
	}
	return fields[0]
}

// unmet are the dependencies that no package of the list fulfils, as text.
func unmet(list []paragraph, also map[string]bool) []string {
	have := map[string]bool{}
	for _, p := range list {
		for _, name := range p.provides() {
			have[name] = true
		}
	}
	var out []string
	for _, p := range list {
		for _, any := range p.needs() {
			if !slices.ContainsFunc(any, func(name string) bool { return have[name] || also[name] }) {
				out = append(out, fmt.Sprintf("%s needs %s", p["Package"], strings.Join(any, " or ")))
			}
		}
	}
	return out
}
