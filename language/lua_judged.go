package language

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A program call may receive an earlier result of the program, while an assertion
// only checks the truth of the call. The verdict is then the program's own
// judgement: assert(near(area(2), 12.5)). Such a call is marked by the tests' text
// alone, and its case is candidate_judged.

var (
	luaTruth   = lazyre.New(`(?i)(?:^assert|\.assert_?(?:is_?)?(?:true|false|eval.*|not_?nil|nil)?|\bassert\b.*[._](?:true|false|truthy|falsy|true_|false_|is_true|is_false|is_not_nil|not_nil|is_truthy|is_falsy))$`)
	luaEqual   = lazyre.New(`(?i)assert_?equals?$|\bassert\b.*(?:equals?|same)$`)
	luaTextual = luaSet(`byte find format gmatch gsub len lower match rep reverse sub upper new`)
)

// judged returns the calls to mark. ours reports whether a path begins with the
// program.
func (t *luaText) judged(ours func(root string) bool) []luaLent {
	program := func(c luaCall) bool {
		name := c.path[strings.LastIndexByte(c.path, '.')+1:]
		if c.method && c.path == "" {
			for k := c.begin; k < c.end; k++ {
				if t.words[k].text == ":" {
					name = t.words[k+1].text
				}
			}
		}
		if luaTextual[name] || luaPascal().MatchString(name) {
			return false
		}
		return c.root != "" && ours(c.root) || c.method && !luaOwn[c.root] && !strings.HasPrefix(c.root, "@") && !luaLibraries[c.root]
	}
	var calls []luaCall
	for _, c := range t.scope.calls {
		if program(c) {
			calls = append(calls, c)
		}
	}
	tainted := t.tainted(calls)
	var found []luaLent
	for _, c := range calls {
		holds := false
		for _, a := range c.args {
			holds = holds || slices.ContainsFunc(calls, func(d luaCall) bool { return a.begin <= d.begin && d.end <= a.end })
			for k := a.begin; k < a.end; k++ {
				holds = holds || t.scope.refs[k] != nil && tainted[t.scope.refs[k]]
			}
		}
		if !holds {
			continue
		}
		looked := t.truth(c.begin, c.end)
		for _, set := range t.scope.sets {
			if set.values.begin > c.begin || set.values.end < c.end {
				continue
			}
			for k, of := range t.scope.refs {
				looked = looked || slices.Contains(set.vars, of) && t.truth(k, k+1)
			}
		}
		if looked {
			found = append(found, luaLent{"unclear", t.words[c.begin].begin, t.words[c.end-1].end})
		}
	}
	return found
}

// truth reports whether the tests only look at the truth of an expression.
func (t *luaText) truth(begin, end int) bool {
	for t.words[begin-min(begin, 1)].text == "(" && t.words[end].text == ")" && begin > 1 && t.words[begin-2].kind == 'o' && t.words[begin-2].text != ")" && t.words[begin-2].text != "]" {
		begin, end = begin-1, end+1
	}
	next, before := t.words[end].text, t.words[begin-min(begin, 1)].text
	if compares := next == "==" || next == "~="; compares {
		return t.words[end+1].text == "true" || t.words[end+1].text == "false"
	}
	if t.words[end].kind == 'o' && slices.Contains(luaBinary, next) || next == "." || next == "[" || next == ":" ||
		slices.Contains([]string{"==", "~=", "<", ">", "<=", ">=", "+", "-", "*", "/", "//", "%", "^", "..", "#"}, before) {
		return false
	}
	inner := luaCall{begin: -1}
	for _, c := range t.scope.calls {
		for i, a := range c.args {
			if a.begin <= begin && end <= a.end && (inner.begin < 0 || c.end-c.begin < inner.end-inner.begin) && (i == 0 || luaEqual().MatchString(c.path)) {
				inner = c
			}
		}
	}
	st := luaInner(t.scope.statements, begin)
	if inner.begin < 0 || inner.begin < st.begin {
		word := t.words[max(st.begin-1, 0)].text
		return word == "if" || word == "elseif" || word == "while" || word == "until" || before == "not" || before == "return"
	}
	if luaEqual().MatchString(inner.path) {
		return slices.ContainsFunc(inner.args, func(a luaSpan) bool {
			return a.end-a.begin == 1 && slices.Contains([]string{"true", "false", "nil"}, t.words[a.begin].text)
		})
	}
	return luaTruth().MatchString(inner.path)
}
