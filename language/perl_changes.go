package language

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// The effect of a program call on its arguments must not become the expected value
// of its answer: is(double($n), 2 * $n) would hold for a double that sets $n to 0
// and returns 0. So a change of arguments arrives only if the tests' text reads the
// variable back separately, as in trim($s); is($s, 'a').

var (
	perlVarName  = lazyre.New(`[$@%]#?\{?\$*([A-Za-z_]\w*)`)
	perlCallName = lazyre.New(`([A-Za-z_]\w*)\s*\(`)
	perlBareCall = lazyre.New(`^\s*([a-z_]\w*)\s+([\\$@%].*)$`)
	perlIsCheck  = lazyre.New(`\b(?:is\w*|ok|like|unlike|cmp_\w+|eq_\w+|die|exit|return|eq|ne|if|unless)\b|==|!=|=~|<|>`)
	perlLoop     = lazyre.New(`\b(?:for|foreach|while|map|grep|push|unshift)\b`)
	perlSet      = lazyre.New(`(?:^|[^=!<>~])=(?:[^=>~]|$)`)
)

// perlCall is a call in a statement: its name, the variables among its arguments,
// and the statement without the call.
type perlCall struct {
	name    string
	given   []string
	outside string
}

// If the tests' text does both, the change arrives, and the tests are
// candidate_judged.

// changes returns the subs and methods whose changed arguments the tests read back;
// unclear reports an additional comparison with such an argument.
func (t perlText) changes() (names []string, unclear bool) {
	statements := t.statements()
	first, given := map[string]int{}, map[string][]string{}
	calls := make([][]perlCall, len(statements))
	for i, s := range statements {
		calls[i] = perlCalls(s)
		for _, c := range calls[i] {
			if _, ok := first[c.name]; !ok {
				first[c.name] = i
			}
			given[c.name] = append(given[c.name], c.given...)
		}
	}
	own := t.ownSubs()
	for name, vars := range given {
		read, expected, kept := false, false, false
		for i, s := range statements {
			rest, called := s, false
			for _, c := range calls[i] {
				if c.name == name {
					rest, called = c.outside, true
					kept = kept || strings.TrimSpace(strings.Trim(strings.TrimSpace(rest), "};")) != ""
					expected = expected || perlShare(perlVars(rest), vars)
				}
			}
			if called || i < first[name] || !perlShare(perlVars(rest), vars) {
				continue
			}
			all := perlVars(rest)
			switch at := perlSet().FindStringIndex(rest); {
			case at != nil:
				expected = expected || perlShare(perlVars(rest[at[1]:]), vars)
			case perlLoop().MatchString(rest):
				expected = true
			case !perlIsCheck().MatchString(rest):
			case slices.ContainsFunc(all, func(v string) bool { return !slices.Contains(vars, v) }):
				expected = true
			default:
				read = true
			}
		}
		// An unused result of a call is never compared.
		if read || expected && !kept {
			names = append(names, name)
			known := perlWords[name] || perlValued[name] || perlAsserts().MatchString(name) || own[name]
			unclear = unclear || expected && kept && !known
		}
	}
	slices.Sort(names)
	return names, unclear
}

func (t perlText) statements() []string {
	return strings.FieldsFunc(strings.NewReplacer("{\n", ";", "\n}", ";").Replace(t.bare), func(r rune) bool { return r == ';' })
}

func perlVars(text string) []string {
	var found []string
	for _, m := range perlVarName().FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

func perlShare(a, b []string) bool {
	return slices.ContainsFunc(a, func(v string) bool { return slices.Contains(b, v) })
}

// perlCalls returns the calls with variables as arguments in a statement.
func perlCalls(s string) []perlCall {
	var found []perlCall
	add := func(name, args, outside string) {
		if vars := perlVars(args); len(vars) > 0 {
			found = append(found, perlCall{name, vars, outside})
		}
	}
	if m := perlBareCall().FindStringSubmatch(s); m != nil && m[1] != "my" {
		add(m[1], m[2], "")
	}
	for _, at := range perlCallName().FindAllStringSubmatchIndex(s, -1) {
		args, n := perlDelimited(s[at[1]-1:])
		add(s[at[2]:at[3]], args, s[:at[0]]+s[at[1]-1+n:])
	}
	return found
}
