// Package inspect reads what code is about to do, without running it: whether it starts
// processes, opens connections, evaluates text as code, imports packages.
//
// A file is split into tokens. Names are followed through the file's imports, so that
// "run" after "from subprocess import run" is subprocess.run, and compared with rules.
// The rules of a language are data, in the folder rules, each with examples that are its
// tests. The time grows with the length of the code, also for code that does not parse.
//
// Findings are evidence, and never the boundary: a program that wants to hide what it does
// can. The box is the boundary.
package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// Bounds.
const (
	maxFindings = 200
	maxFile     = 1 << 20 // bytes of a file; a longer one is a finding
	maxTotal    = 4 << 20 // bytes of all files
	maxExcerpt  = 200
)

// The rules that every language has. Those of the languages are in the folder rules.
const (
	// RuleSize: a file is too long to be read.
	RuleSize = "size"
	// RuleThirdParty: a package that is not in the standard library is imported.
	RuleThirdParty = "third_party"
)

// Program returns what is found in a program, the most severe first, at most 200 of them.
func Program(ctx context.Context, p *glovebox.Program) []glovebox.Finding {
	if p == nil {
		return nil
	}
	var all []glovebox.Finding
	total := 0
	local := localNames(p)
	for i := range p.Files {
		f := &p.Files[i]
		l := languageOf(p, f)
		if l == nil || ctx.Err() != nil {
			continue
		}
		if total += len(f.Data); len(f.Data) > maxFile || total > maxTotal {
			all = append(all, glovebox.Finding{Rule: RuleSize, Severity: glovebox.SeverityHigh, File: f.Path,
				Message: fmt.Sprintf("The file has %d bytes, so it was not read.", len(f.Data))})
			continue
		}
		all = append(all, l.file(f, local)...)
	}
	slices.SortStableFunc(all, func(a, b glovebox.Finding) int {
		return cmp.Or(cmp.Compare(weight(b.Severity), weight(a.Severity)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	all = slices.CompactFunc(all, func(a, b glovebox.Finding) bool {
		return a.Rule == b.Rule && a.File == b.File && a.Line == b.Line && a.Column == b.Column && a.Package == b.Package
	})
	return all[:min(len(all), maxFindings)]
}

func weight(s glovebox.Severity) int {
	return slices.Index([]glovebox.Severity{glovebox.SeverityInfo, glovebox.SeverityLow, glovebox.SeverityMedium, glovebox.SeverityHigh}, s)
}

// finder gathers the findings of one file.
type finder struct {
	*language
	path  string
	src   string
	local map[string]bool
	found []glovebox.Finding
	count map[*rule]int
	lines []int // offsets
	named map[reference][]*rule
}

// reference is a chain as far as rules look at names.
type reference struct {
	full             string
	known, call, own bool
}

// file returns the findings of a file.
func (l *language) file(f *glovebox.File, local map[string]bool) []glovebox.Finding {
	d := &finder{language: l, path: f.Path, src: string(f.Data), local: local, count: map[*rule]int{}, named: map[reference][]*rule{}}
	d.lines = append(d.lines, 0)
	for i := 0; i < len(d.src); i++ {
		if d.src[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	tokens := lex(l.syntax, d.src)
	names := &scope{aliases: map[string]string{}, own: map[string]bool{}}
	imports := l.imports(tokens, names)
	for _, i := range imports {
		d.imported(i)
	}
	for _, c := range chains(l, tokens) {
		d.chain(c, names)
	}
	for _, t := range tokens {
		if t.kind == textToken && t.text != "" {
			d.text(t)
		}
	}
	if l.name == "bash" {
		all := commands(d.src)
		for _, c := range all[:min(len(all), maxCommands)] {
			d.command(c)
		}
		if len(all) > maxCommands {
			d.found = append(d.found, glovebox.Finding{Rule: RuleSize, Severity: glovebox.SeverityHigh, File: d.path, Line: 1, Column: 1,
				Message: fmt.Sprintf("The script has %d commands, and only the first %d were read.", len(all), maxCommands)})
		}
	}
	return d.found
}

func (d *finder) add(r *rule, offset int, pkg string) {
	if d.count[r]++; d.count[r] > maxFindings {
		return
	}
	line, found := slices.BinarySearch(d.lines, offset)
	if !found {
		line--
	}
	d.found = append(d.found, glovebox.Finding{
		Rule: r.Name, Severity: r.Severity, File: d.path, Line: line + 1, Column: offset - d.lines[line] + 1,
		Message: r.Message, Excerpt: excerpt(d.src[d.lines[line]:]), Package: pkg,
	})
}

// excerpt is the first line of a text, bounded and without what a terminal would obey.
func excerpt(text string) string {
	line, _, _ := strings.Cut(text[:min(len(text), 4*maxExcerpt)], "\n")
	line = strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(line), "\ufffd"))
	if len(line) > maxExcerpt {
		line = strings.ToValidUTF8(line[:maxExcerpt-3], "") + "…"
	}
	return line
}
