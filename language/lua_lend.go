package language

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// The effect of a program call on its arguments must not become the expected value
// of its result: assertEquals(M.sort(xs), sorted(xs)) would hold for a sort that
// empties xs. If the tests compute with such an argument, it is lent: the change
// does not arrive. If the tests also assert on the argument itself, or pass it to
// the program again, the change arrives, and the case is candidate_judged.

// luaCall is a call in the words of a file.
type luaCall struct {
	path string
	root string
	// first is the path of the first argument.
	first      string
	method     bool
	statement  bool
	begin, end int
	args       []luaSpan
}

// luaScope is the parser's record for this purpose: the variable behind each name,
// the place of each declaration, and the spans of statements, loops and functions.
type luaScope struct {
	refs       map[int]*string
	declared   map[*string]int
	globals    map[string]*string
	calls      []luaCall
	statements []luaSpan
	bodies     []luaSpan
	loops      []luaSpan
	functions  []luaSpan
	sets       []luaGiven
	// named maps the start of a function to its own variable, params to its
	// parameters.
	named  map[int]*string
	params map[int][]*string
}

// luaGiven is a statement assigning values to variables.
type luaGiven struct {
	vars   []*string
	values luaSpan
	// targets are the assigned expressions, nil for declarations; listed are the
	// values; loop means a loop assigns them.
	targets, listed []luaSpan
	loop            bool
}

// luaLent is an argument to mark.
type luaLent struct {
	how        string
	begin, end int
}

var (
	luaAssertion = lazyre.New(`(?i)(?:^|[.@])assert(?:$|[._A-Z])`)
	luaIdentity  = lazyre.New(`(?i)assert_?(?:not_?)?is$|\bassert\b.*[._]?equals?$|rawequal$`)
)

// lent returns the arguments to mark. ours reports whether a path begins with the
// program.
func (t *luaText) lent(ours func(root string) bool) []luaLent {
	s := &t.scope
	program := func(c luaCall) bool {
		if c.root == "" {
			return c.method
		}
		return ours(c.root) || c.method && !luaOwn[c.root] && !strings.HasPrefix(c.root, "@") && !luaLibraries[c.root]
	}
	var calls []luaCall
	for _, c := range s.calls {
		if (c.path == "pcall" || c.path == "xpcall") && len(c.args) > 1 && ours(luaRoot(c.first)) || program(c) {
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	tainted := t.tainted(calls)
	// exact maps the start of an argument consisting only of a variable's path to
	// its call.
	exact := map[int]luaCall{}
	for _, c := range calls {
		for _, a := range c.args {
			if t.isPath(a) {
				exact[a.begin] = c
			}
		}
	}
	places := map[*string][]int{}
	for k, of := range s.refs {
		places[of] = append(places[of], k)
	}
	var lent []luaLent
	for _, c := range calls {
		if c.statement {
			continue
		}
		for _, a := range c.args {
			of := s.refs[a.begin]
			if of == nil || !t.isPath(a) || a.end-a.begin == 1 && (ours(t.words[a.begin].text) || luaOwn[t.words[a.begin].text]) {
				continue
			}
			made, read, again := false, false, tainted[of]
			for _, k := range places[of] {
				if k == a.begin || !t.sameWords(a, k) || !t.after(c, k, s.declared[of]) {
					continue
				}
				if d, ok := exact[k]; ok && t.pathEnd(k) == k+a.end-a.begin {
					again = again || d.begin != c.begin
					continue
				}
				if t.words[t.pathEnd(k)].text == ":" {
					again = true // the argument is used as an object
					continue
				}
				switch t.use(k, of, tainted, calls) {
				case 'a':
					read = true
				case 'c':
					made = true
				}
			}
			if how := "lend"; made {
				if read || again {
					how = "unclear"
				}
				lent = append(lent, luaLent{how, t.words[a.begin].begin, t.words[a.end-1].end})
			}
		}
	}
	slices.SortFunc(lent, func(a, b luaLent) int { return a.begin - b.begin })
	return slices.Compact(lent)
}

// tainted returns the variables that may hold program values.
func (t *luaText) tainted(calls []luaCall) map[*string]bool {
	tainted := map[*string]bool{}
	for changed := true; changed; {
		changed = false
		for _, set := range t.scope.sets {
			holds := slices.ContainsFunc(calls, func(c luaCall) bool { return set.values.begin <= c.begin && c.end <= set.values.end })
			for k := set.values.begin; k < set.values.end && !holds; k++ {
				holds = t.scope.refs[k] != nil && tainted[t.scope.refs[k]]
			}
			for _, v := range set.vars {
				if holds && v != nil && !tainted[v] {
					tainted[v], changed = true, true
				}
			}
		}
	}
	return tainted
}

// use classifies the use of a variable at a word: 'a' is an assertion without a
// comparison with the program; 'c' is a computation; 0 is neither.
func (t *luaText) use(k int, of *string, tainted map[*string]bool, calls []luaCall) byte {
	st := luaInner(t.scope.statements, k)
	end := t.pathEnd(k)
	next := t.words[end].text
	if k == st.begin && end < len(t.words) && next == "=" && end == k+1 {
		return 0 // the variable is assigned again
	}
	path, asserts := "", t.words[max(st.begin-1, 0)].text == "if"
	for _, c := range t.scope.calls {
		if c.begin == st.begin && c.end == st.end {
			path, asserts = c.path, luaAssertion().MatchString(c.path)
		}
	}
	if !asserts {
		return 'c'
	}
	shares := slices.ContainsFunc(calls, func(c luaCall) bool {
		return st.begin <= c.begin && c.end <= st.end && !(c.method && t.scope.refs[c.begin] == of)
	})
	for i := st.begin; i < st.end; i++ {
		shares = shares || t.scope.refs[i] != nil && t.scope.refs[i] != of && tainted[t.scope.refs[i]]
	}
	before := t.words[max(k-1, 0)].text
	switch {
	case !shares:
		return 'a'
	case luaIdentity().MatchString(path) && !strings.Contains(strings.ToLower(path), "assertequal") && (before == "(" || before == ",") && (next == ")" || next == ","),
		next == "==" || next == "~=" || before == "==" || before == "~=":
		return 'a'
	}
	return 'c'
}

// after reports whether a word is reached after a call began.
func (t *luaText) after(c luaCall, k, declared int) bool {
	if k > c.begin || luaInner(t.scope.functions, k) != luaInner(t.scope.functions, c.begin) {
		return true
	}
	for _, b := range t.scope.bodies {
		if b.begin > declared && b.begin <= k && k < b.end && b.begin <= c.begin && c.begin < b.end {
			return true
		}
	}
	return false
}

func luaRoot(path string) string {
	root, _, _ := strings.Cut(path, ".")
	return root
}

// luaInner returns the smallest span containing a word.
func luaInner(spans []luaSpan, k int) luaSpan {
	var found luaSpan
	for _, s := range spans {
		if s.begin <= k && k < s.end && (found.end == 0 || s.end-s.begin < found.end-found.begin) {
			found = s
		}
	}
	return found
}

// isPath reports whether an argument is a variable, or a field of one.
func (t *luaText) isPath(a luaSpan) bool {
	return t.scope.refs[a.begin] != nil && t.pathEnd(a.begin) == a.end
}

// pathEnd returns the end of a variable with its fields.
func (t *luaText) pathEnd(k int) int {
	end := k + 1
	for end+1 < len(t.words) {
		switch w := t.words[end]; {
		case w.kind == 'o' && w.text == "." && t.words[end+1].kind == 'n':
			end += 2
		case w.kind == 'o' && w.text == "[" && end+2 < len(t.words) && t.words[end+2].text == "]":
			end += 3
		default:
			return end
		}
	}
	return end
}

// sameWords reports whether the words of a also occur at k.
func (t *luaText) sameWords(a luaSpan, k int) bool {
	for i := 1; i < a.end-a.begin; i++ {
		if k+i >= len(t.words) || t.words[k+i].text != t.words[a.begin+i].text {
			return false
		}
	}
	return true
}
