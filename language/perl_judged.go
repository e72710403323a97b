package language

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A program call may receive an earlier result of the program, while an assertion
// only checks the truth of the call. The verdict is then the program's own
// judgement: ok(near(area(2), 12.5)). The tests' text alone shows such calls, and
// their script is candidate_judged.

var (
	perlAnyCall   = lazyre.New(`(->\s*)?([A-Za-z_][\w:]*)\s*\(`)
	perlBlockCall = lazyre.New(`([A-Za-z_]\w*)\s*\{[^{};]*\}\s*([@$(\\][^;)]*)`)
	perlOpenCall  = lazyre.New(`([A-Za-z_]\w*)\s+([\\$@%][^;)]*)`)
	perlNewObject = lazyre.New(`[A-Za-z_][\w:]*\s*->\s*new\b|\bnew\s+[A-Z][\w:]*`)
	perlAssign    = lazyre.New(`^[^=]*?(?:my|our|local|state)?\s*\(?\s*([$@%][^=!<>~]*?)(?:[-+*/.|&x]|\|\||//|&&)?=([^=~>].*)$`)
	perlOperator  = lazyre.New(`^\s*(?:==|!=|<=>|[<>]=?|=~|!~|(?:eq|ne|lt|gt|le|ge|cmp|x)\b|[-+*/%]|\.[^.]|->|\[)`)
	perlOperated  = lazyre.New(`(?:==|!=|[^-=]>=?|<=?|=~|\b(?:eq|ne|lt|gt|le|ge|cmp|x)|[-+*/%.])\s*$`)
	perlBoolean   = lazyre.New(`^\s*(?:(?:==|!=|eq|ne)\s*|(?:,|=>)\s*(?:""\s*,\s*)?)(?:!*[01]\b|undef\b)\s*(?:[,;)]|$)`)
	perlDecides   = lazyre.New(`\b(?:ok|die|croak|confess|if|unless|while|until|or|and|not|exit|return|fail|BAIL_OUT|assert\w*)\b|&&|\|\||[!?]`)
	perlCompares  = lazyre.New(`^(?:is|isnt|is_\w+|like|unlike|cmp_\w+|eq_\w+|eq_or_diff)$`)
	perlBareIs    = lazyre.New(`^\s*(?:is|isnt|is_\w+|like|unlike|cmp_\w+|eq_\w+)\s+[^(=\s]`)
	perlOwnSub    = lazyre.New(`\bsub\s+([A-Za-z_]\w*)`)
	perlArrow     = lazyre.New(`->\s*[A-Za-z_]`)
	perlVarUse    = lazyre.New(`\$([A-Za-z_]\w*)`)
	perlAsserts   = lazyre.New(`^(?:ok|is|isnt|is_\w+|isa_ok|can_ok|new_ok|use_ok|require_ok|like|unlike|cmp_\w+|eq_\w+|pass|fail|diag|note|explain|skip|todo|plan|done_testing|subtest|BAIL_OUT|throws_ok|dies_ok|lives_\w+|dies|lives|exception|warning\w*|warns|no_warnings|assert\w*|refute\w*|expect\w*|bag|set|re|num|superhashof|subhashof|hash|array|field|item|etc|end|string|number|object|call|prop)$`)
)

// perlValued are the language's functions from values to a value; perlWords are its
// other words before a parenthesis or a variable.
var (
	perlValued = words(`abs atan2 chr cos defined each exists exp hex index int join keys lc lcfirst length log oct ord pack
		pop pos quotemeta ref reverse rindex scalar shift sin sort splice split sprintf sqrt substr uc ucfirst unpack values
		wantarray grep map`)
	perlWords = words(`my our local state if unless while until for foreach and or not xor eq ne lt gt le ge cmp x return die
		warn print printf say do eval sub qw qr q qq m s tr y push unshift delete undef exit use no require package bless chomp
		chop lock rand srand sleep time localtime gmtime else elsif last next redo given when default isa in`)
	// perlLibrary are words of the standard library. If the program is expected to
	// define such a word, its answer about a result is the program's judgement.
	perlLibrary = words(`sum sum0 all any none notall first max min maxstr minstr reduce product uniq uniqnum uniqint uniqstr
		shuffle pairs pairkeys pairvalues floor ceil fmod fabs pow looks_like_number blessed reftype refaddr dclone`)
)

// perlJudge is a call in a statement.
type perlJudge struct {
	name, args string
	method     bool
	from, to   int
}

// judges returns the subs, and as "->" the methods, with which the program judges
// its own earlier results.
func (t perlText) judges() []string {
	statements := t.statements()
	own := t.ownSubs()
	calls := make([][]perlJudge, len(statements))
	for i, s := range statements {
		calls[i] = perlAllCalls(s)
	}
	// said are the variables holding program values; handed reports that subs of
	// the tests receive such values.
	said, handed := map[string]bool{}, false
	holds := func(text string) bool {
		text = perlNewObject().ReplaceAllString(text, " ")
		if handed && (strings.Contains(text, "@_") || strings.Contains(text, "$_[") || strings.Contains(text, "shift")) {
			return true
		}
		return len(perlAllCalls(text)) > 0 || perlArrow().MatchString(text) || slices.ContainsFunc(perlVars(text), func(v string) bool { return said[v] })
	}
	for changed := true; changed; {
		changed = false
		for i, s := range statements {
			if m := perlAssign().FindStringSubmatch(s); m != nil && holds(m[2]) {
				for _, v := range perlVars(m[1]) {
					changed = changed || !said[v]
					said[v] = true
				}
			}
			for _, c := range calls[i] {
				if own[c.name] && !c.method && !handed && holds(c.args) {
					handed, changed = true, true
				}
			}
		}
	}
	found := map[string]bool{}
	for i, s := range statements {
		for _, c := range calls[i] {
			if own[c.name] && !c.method || !holds(c.args) {
				continue
			}
			name := c.name
			if c.method {
				name = "->"
			}
			switch {
			case perlLibrary[c.name] && !c.method, perlTruth(s, c.from, c.to):
				found[name] = true
			default:
				// The answer may be stored, and checked later.
				m := perlAssign().FindStringSubmatchIndex(s)
				if m == nil || m[4] > c.from || perlOperator().MatchString(s[c.to:]) {
					continue
				}
				for _, v := range perlVars(s[m[2]:m[3]]) {
					for _, other := range statements {
						for _, at := range perlVarUse().FindAllStringSubmatchIndex(other, -1) {
							if other[at[2]:at[3]] == v && perlTruth(other, at[0], at[1]) {
								found[name] = true
							}
						}
					}
				}
			}
		}
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ownSubs returns the names of the subs defined by the tests.
func (t perlText) ownSubs() map[string]bool {
	own := map[string]bool{}
	for _, m := range perlOwnSub().FindAllStringSubmatch(t.bare, -1) {
		own[m[1]] = true
	}
	return own
}

// perlTruth reports whether a part of a statement is used only for its truth.
func perlTruth(s string, from, to int) bool {
	for {
		if perlBoolean().MatchString(s[to:]) && !strings.HasPrefix(strings.TrimSpace(s[to:]), ",") && !strings.HasPrefix(strings.TrimSpace(s[to:]), "=>") {
			return true
		}
		if perlOperator().MatchString(s[to:]) || perlOperated().MatchString(s[:from]) {
			return false
		}
		open, depth := from-1, 0
		for ; open >= 0; open-- {
			if c := s[open]; c == ')' {
				depth++
			} else if c == '(' {
				if depth--; depth < 0 {
					break
				}
			}
		}
		if open < 0 {
			if perlBareIs().MatchString(s) {
				return perlBoolean().MatchString(s[to:])
			}
			m := perlAssign().FindStringSubmatchIndex(s)
			return (m == nil || m[4] > from) && perlDecides().MatchString(s) || m != nil && strings.Contains(s[to:], "?")
		}
		before := strings.TrimRight(s[:open], " \t\n")
		word := before[len(before)-len(perlLastWord().FindString(before)):]
		_, n := perlDelimited(s[open:])
		switch {
		case perlCompares().MatchString(word):
			return perlBoolean().MatchString(s[to:])
		case word == "" || perlValued[word]:
			from, to = open-len(word), open+n
			if word != "" {
				from = len(before) - len(word)
			}
		case perlWords[word] || perlAsserts().MatchString(word):
			return true
		default:
			return false // the answer of the outer call counts
		}
	}
}

var perlLastWord = lazyre.New(`[A-Za-z_]\w*$`)

// perlAllCalls returns the calls in a text that are neither built-in nor
// assertions.
func perlAllCalls(s string) []perlJudge {
	var found []perlJudge
	add := func(c perlJudge) {
		known := perlValued[c.name] || perlWords[c.name] || perlAsserts().MatchString(c.name)
		if c.from > 0 && strings.IndexByte("$@%&:", s[c.from-1]) >= 0 || !c.method && known || c.method && (c.name == "new" || c.name == "isa" || c.name == "can") {
			return
		}
		if !slices.ContainsFunc(found, func(o perlJudge) bool { return o.name == c.name && o.from == c.from }) {
			found = append(found, c)
		}
	}
	for _, at := range perlAnyCall().FindAllStringSubmatchIndex(s, -1) {
		args, n := perlDelimited(s[at[1]-1:])
		add(perlJudge{s[at[4]:at[5]], args, at[2] >= 0, at[0], at[1] - 1 + n})
	}
	for _, re := range []func() *regexp.Regexp{perlBlockCall, perlOpenCall} {
		for _, at := range re().FindAllStringSubmatchIndex(s, -1) {
			if strings.HasSuffix(strings.TrimRight(s[:at[0]], " "), "->") || at[0] > 0 && (s[at[0]-1] == '_' || perlLetter(s[at[0]-1])) {
				continue
			}
			add(perlJudge{s[at[2]:at[3]], s[at[4]:at[5]], false, at[0], at[1]})
		}
	}
	return found
}
