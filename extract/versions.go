package extract

import (
	"fmt"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

// part is a block that is in the program for now.
type part struct {
	*block
	*outline
}

// versions puts the blocks of one language together, in their order: each is a
// part, a newer version of parts, or to be left. Its indexes make the cost of
// a block its own size and that of what it replaces.
type versions struct {
	*finder
	lang  *language.Language
	parts []*part          // nil where replaced
	lines map[string]int   // significant lines of the parts, and in how many
	binds map[string]int   // names bound at the top level, and the last part
	defs  map[string]int   // of these, functions, classes and types
	users map[string][]int // parts that need a name
	usage []*part          // what only calls the rest
	left  func(b *block, reason string)
	notes []string
}

func newVersions(f *finder, l *language.Language, left func(*block, string)) *versions {
	return &versions{
		finder: f, lang: l, left: left,
		lines: map[string]int{}, binds: map[string]int{}, defs: map[string]int{}, users: map[string][]int{},
	}
}

// another is how prose announces an alternative.
var another = lazyre.New(`(?i)\balternativ|\b(?:another|different|second|third|other|simpler|better|shorter) (?:way|approach|version|option|solution|method|implementation)|\b(?:method|option|approach|version|solution|alternative) #?(?:[2-9]|two|three|b)\b`)

// lateBinding are the languages in which a function may be defined twice and
// the later one counts.
var lateBinding = []string{"python", "javascript", "ruby", "perl", "lua", "bash"}

// add takes the next block.
func (v *versions) add(b *block) {
	p := &part{b, v.outlined(b)}
	if len(v.lines) == 0 || b.cell {
		v.push(p)
		return
	}
	same := 0
	for l := range p.sig {
		if v.lines[l] > 0 {
			same++
		}
	}
	covers := float64(same) / float64(len(v.lines))        // of what is there
	repeats := float64(same) / float64(max(1, len(p.sig))) // of the block
	again := v.redefines(p)
	whole := len(v.defs) > 0 && len(again) >= len(v.defs) && 2*len(p.sig) >= len(v.lines)
	needs := v.needed(p)
	calls := slices.ContainsFunc(needs, func(n string) bool { _, ok := v.defs[n]; return ok })
	conflict := v.conflicts(p)

	switch {
	case len(again) > 0 && (wrong().MatchString(b.before) || wrong().MatchString(b.heading)):
		v.left(b, "shown as what not to do")
	case covers == 1 && len(p.sig) >= len(v.lines):
		v.replace(p, v.all(), "it repeats all of the earlier code")
	case repeats == 1 && !whole, repeats >= 0.8 && len(p.sig) < len(v.lines) && !whole:
		v.left(b, "a part of the code that was taken")
	case b.cut && (len(p.defs) == 0 || len(again) > 0):
		v.left(b, "cut off by the end of the reply; the last complete version was taken")
	case p.fragment != "" && !v.fragments():
		v.left(b, "a fragment: "+p.fragment)
	case p.methods && v.holdsClass():
		v.left(b, "a fragment: methods without their class")
	case v.fragments() && p.fragment == "" && len(needs) == 0:
		v.replace(p, v.all(), "the earlier code was no program by itself")
	case covers >= 0.8:
		v.replace(p, v.all(), "it repeats nearly all of the earlier code")
	case len(p.defs) == 0 && calls && !p.main:
		v.usage = append(v.usage, p)
	case len(again) > 0 && len(needs) > 0 && slices.Contains(lateBinding, v.lang.Name) && !whole:
		v.note("line %d: defines %s again and was added after the earlier code", b.line, list(again))
		v.push(p)
	case len(again) > 0:
		v.replace(p, conflict, "it defines "+list(again)+" again")
	case len(needs) > 0:
		v.push(p)
	case v.tested && len(conflict) > 0 && len(p.defs) > 0 && v.define(conflict) && slices.Contains(lateBinding, v.lang.Name) && v.lang.Name != "javascript":
		v.note("line %d: sets the same names as the earlier code and was added after it", b.line)
		v.push(p)
	case len(conflict) > 0:
		v.replace(p, conflict, "it sets the same names and needs nothing of the earlier code")
	case v.tested && len(p.defs) > 0:
		v.push(p) // the tests may be for either
	case another().MatchString(b.before) || another().MatchString(b.heading):
		v.replace(p, v.all(), "it is announced as an alternative")
	default:
		v.push(p)
	}
}

// wrong is how prose announces code that is not to be used.
var wrong = lazyre.New(`(?i)^\W*(?:(?:\d+\.|step \d+:?)\s*)?(?:❌|🚫|(?:avoid|don['’]?t|do not|never|wrong|incorrect|bad|not this|anti-?pattern|common mistakes?|a common mistake|the mistake|this (?:is wrong|will not work|won['’]t work))\b)`)

// define reports whether each of the parts defines something.
func (v *versions) define(parts []int) bool {
	for _, i := range parts {
		if len(v.parts[i].defs) == 0 {
			return false
		}
	}
	return true
}

// settle decides what becomes of code that only uses the rest: it is left, but
// for a program that is run by itself and that nothing else would start.
func (v *versions) settle(alone bool) {
	for _, p := range v.parts {
		alone = alone && (p == nil || !p.starts)
	}
	for _, p := range v.usage {
		if alone {
			v.note("line %d: nothing else starts the program, so what uses it was added", p.line)
			v.push(p)
		} else {
			v.left(p.block, "usage of the code that was taken")
		}
	}
}

func list(names []string) string {
	const most = 3
	slices.Sort(names)
	s := ""
	for i, n := range names {
		if i == most {
			return s + " and others"
		}
		if i > 0 {
			s += ", "
		}
		s += short(n)
	}
	return s
}

func (v *versions) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// push adds a part at the end.
func (v *versions) push(p *part) {
	i := len(v.parts)
	v.parts = append(v.parts, p)
	for l := range p.sig {
		v.lines[l]++
	}
	for n := range p.imports {
		v.binds[n] = i
	}
	for n := range p.vars {
		v.binds[n] = i
	}
	for n := range p.defs {
		v.binds[n], v.defs[n] = i, i
	}
	for n := range p.needs {
		v.users[n] = append(v.users[n], i)
	}
}

// replace drops parts, and those that need what is dropped, for p.
func (v *versions) replace(p *part, drop []int, why string) {
	seen := map[int]bool{}
	name, names := "", 0
	for len(drop) > 0 {
		i := drop[len(drop)-1]
		drop = drop[:len(drop)-1]
		if seen[i] || v.parts[i] == nil {
			continue
		}
		seen[i] = true
		old := v.parts[i]
		if old.name != name || names == 0 {
			name = old.name
			names++
		}
		v.parts[i] = nil
		for l := range old.sig {
			if v.lines[l]--; v.lines[l] == 0 {
				delete(v.lines, l)
			}
		}
		for _, names := range []map[string]bool{old.imports, old.vars, old.defs} {
			for n := range names {
				if v.binds[n] != i {
					continue
				}
				delete(v.binds, n)
				delete(v.defs, n)
				for _, u := range v.users[n] {
					if u > i {
						drop = append(drop, u)
					}
				}
			}
		}
		v.left(old.block, fmt.Sprintf("an earlier version: line %d was taken in its place", p.line))
	}
	v.note("of several versions the last complete one was taken: line %d, %s", p.line, why)
	if p.name == "" && names == 1 {
		p.name = name // a new version of that file
	}
	v.push(p)
}

// all returns the indexes of the parts.
func (v *versions) all() []int {
	var is []int
	for i, p := range v.parts {
		if p != nil {
			is = append(is, i)
		}
	}
	return is
}

// redefines returns the functions, classes and types of p that are there.
func (v *versions) redefines(p *part) (names []string) {
	for n := range p.defs {
		if _, ok := v.defs[n]; ok {
			names = append(names, n)
		}
	}
	return names
}

// needed returns the names that p needs and that are there.
func (v *versions) needed(p *part) (names []string) {
	for n := range p.needs {
		if _, ok := v.binds[n]; ok && !p.imports[n] && !p.defs[n] {
			names = append(names, n)
		}
	}
	return names
}

// conflicts returns the parts that bind a name that p binds too, imports
// aside.
func (v *versions) conflicts(p *part) (parts []int) {
	for _, names := range []map[string]bool{p.defs, p.vars} {
		for n := range names {
			if i, ok := v.binds[n]; ok && !v.parts[i].imports[n] {
				parts = append(parts, i)
			}
		}
	}
	return parts
}

// fragments reports whether nothing that is there is a program by itself.
func (v *versions) fragments() bool {
	for _, p := range v.parts {
		if p != nil && p.fragment == "" {
			return false
		}
	}
	return true
}

// holdsClass reports whether a class is there that methods could belong to.
func (v *versions) holdsClass() bool {
	for _, p := range v.parts {
		if p != nil && len(p.defs) > 0 && !p.methods {
			return true
		}
	}
	return false
}
