package lazyre

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Matcher returns a function that reports whether a text matches the
// expression. Most texts match few of many expressions, and lack the words of a
// match: searching for these words is far cheaper than matching, and than
// compiling.
func Matcher(expr string) func(text string) bool {
	m := &matcher{expr: expr}
	if inTest {
		m.compiled()
	}
	return m.match
}

type matcher struct {
	expr           string
	parse, compile sync.Once
	words          []string
	re             *regexp.Regexp
}

func (m *matcher) match(text string) bool {
	m.parse.Do(func() { m.words = needs(m.expr) })
	if m.words != nil && !hasAny(text, m.words) {
		return false
	}
	return m.compiled().MatchString(text)
}

func (m *matcher) compiled() *regexp.Regexp {
	m.compile.Do(func() { m.re = regexp.MustCompile(m.expr) })
	return m.re
}

func hasAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// needs returns words of which every matching text has at least one; nil if no
// such words are known.
func needs(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return words(re)
}

func words(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		// To an expression a byte that is not UTF-8 is a replacement character.
		if re.Flags&syntax.FoldCase == 0 && !slices.Contains(re.Rune, utf8.RuneError) {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return words(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return words(re.Sub[0])
		}
	case syntax.OpConcat: // all of its parts are there: the rarest words tell most
		var best []string
		for _, sub := range re.Sub {
			if w := words(sub); w != nil && (best == nil || shortest(w) > shortest(best)) {
				best = w
			}
		}
		return best
	case syntax.OpAlternate: // one of its parts is there
		var all []string
		for _, sub := range re.Sub {
			w := words(sub)
			if w == nil {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	return nil
}

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
}
