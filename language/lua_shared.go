package language

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A plain table crosses as a copy. So tests that depend on sharing a table with the
// program need the program in their own process. Three kinds of tests do: tests
// that change a table received from or given to the program, and query the program
// again; tests that keep a received table while the program continues; and tests
// that compare the identity of two tables. The text of the tests alone decides.

// luaHeld describes an expression's origin in the program.
type luaHeld struct {
	// kind is 's' for a definition of the program, 'o' for an object, 'p' for the
	// value of an object's field or method, 'f' for the result of a function, and 0
	// for anything else.
	kind byte
	// place is a variable with its fields, name the last word of the access, from
	// the place of the containing object.
	place, name, from string
	// call is the text of the originating call, args are its arguments.
	call string
	args []luaSpan
}

// luaStep is a prefix of an expression, up to one of its suffixes.
type luaStep struct {
	luaHeld
	end  int
	call bool
}

// luaBound is the value assigned to a place at a word.
type luaBound struct {
	at int
	luaHeld
	// table and scalar mark a literal table or scalar.
	table, scalar bool
	// param marks a parameter.
	param bool
}

type luaShared struct {
	t     *luaText
	ours  func(root string) bool
	match map[int]int
	bound map[string][]luaBound
	// asked are the places with a called function, methods the places with a called
	// method. tables and scalars are values used as such by the tests: places, and
	// names under which the program returns them.
	asked, methods, tables, scalars map[string]bool
	// roots are the words at the start of expressions, in order.
	roots []int
	calls map[luaSpan]*luaCall
	// walked and cases cache the results of walk and during after reading. named
	// are the targets of assignments.
	walked map[int][]luaStep
	cases  map[int]luaSpan
	named  map[luaSpan]bool
	// gets are the calls receiving the value at a place.
	gets map[string][]luaCall
	// looked counts the examined words, to bound the work.
	looked int
}

// Longer tests are not read to the end.
const (
	maxLuaWords = 50_000
	maxLuaLooks = 3_000_000
)

var (
	luaSorts    = luaSet(`table.insert table.remove table.sort table.move rawset`)
	luaWalks    = luaSet(`pairs ipairs next rawlen unpack table.unpack table.concat table.insert table.remove table.sort table.move`)
	luaSame     = lazyre.New(`(?i)(?:^rawequal|assert_?(?:not_?)?is)$`)
	luaEquals   = lazyre.New(`(?i)^assert\..*equals?$|^assert_?(?:not_?)?equals?$`)
	luaHolds    = lazyre.New(`(?i)assert_?(?:not_?|items_?)?equals$|\bassert\b.*same$|assert_?items_?equals$|assert_?(?:is_?)?table(?:_?contains)?$|\bassert\b.*[._]table$`)
	luaNumbered = lazyre.New(`(?i)(?:id|uuid|hash|digest|checksum|crc\d*|random|rand|roll|token|seed|size|count|len|length|time|now|sum|total)$|^(?:random|hash|to_?string|encode|is_?[A-Z_])`)
	luaOuter    = luaSet(`describe context insulate expose before_each after_each setup teardown lazy_setup lazy_teardown strict_setup strict_teardown`)
)

// shared returns the reason why the tests must share a table with the program, or
// "".
func (t *luaText) shared(src string, ours func(root string) bool) string {
	s := &luaShared{t: t, ours: ours, match: map[int]int{}, bound: map[string][]luaBound{}, asked: map[string]bool{}, methods: map[string]bool{}, tables: map[string]bool{}, scalars: map[string]bool{},
		calls: map[luaSpan]*luaCall{}, cases: map[int]luaSpan{}, named: map[luaSpan]bool{}, gets: map[string][]luaCall{}}
	if len(t.words) > maxLuaWords {
		return "the tests are too long to be read here"
	}
	s.read()
	for _, find := range []func() (string, int){s.changed, s.identity, s.kept, s.shown} {
		if why, k := find(); why != "" {
			return fmt.Sprintf(why, t.words[k].text, 1+strings.Count(src[:t.words[k].begin], "\n"))
		}
		if s.looked > maxLuaLooks {
			return "the tests are too long to be read here"
		}
	}
	return ""
}

// read finds the value of each place, and the values used as tables by the tests.
func (s *luaShared) read() {
	for i := range s.t.scope.calls {
		c := &s.t.scope.calls[i]
		s.calls[luaSpan{c.begin, c.end}] = c
	}
	for _, set := range s.t.scope.sets {
		for _, target := range set.targets {
			s.named[target] = true
		}
	}
	var open []int
	for k, w := range s.t.words {
		if s.t.scope.refs[k] != nil {
			s.roots = append(s.roots, k)
		}
		switch {
		case w.kind != 'o':
		case w.text == "(" || w.text == "[" || w.text == "{":
			open = append(open, k)
		case (w.text == ")" || w.text == "]" || w.text == "}") && len(open) > 0:
			s.match[open[len(open)-1]] = k
			open = open[:len(open)-1]
		}
	}
	// A place may depend on another place assigned further down.
	for range 3 {
		for _, k := range s.roots {
			s.walk(k)
		}
		for _, set := range s.t.scope.sets {
			s.give(set)
		}
		s.pass()
	}
	s.walked = map[int][]luaStep{}
	for _, k := range s.roots {
		steps := s.walk(k)
		for i, step := range steps[1:] {
			if !step.call && s.t.words[step.end].text != "(" && s.t.words[steps[i].end].text != ":" {
				s.note(s.tables, steps[i].luaHeld)
			}
		}
		whole := steps[len(steps)-1]
		before, next := s.t.words[max(k-1, 0)], s.t.words[whole.end]
		switch {
		case before.kind == 'o' && before.text == "#":
			s.note(s.tables, whole.luaHeld)
		case next.kind == 'o' && (next.text == "==" || next.text == "~=") && s.literal(whole.end+1),
			before.kind == 'o' && (before.text == "==" || before.text == "~=") && s.literal(k-2),
			next.kind == 'o' && slices.Contains([]string{"+", "-", "*", "/", "..", "<", ">", "<=", ">="}, next.text):
			s.note(s.scalars, whole.luaHeld)
		}
	}
	for _, c := range s.t.scope.calls {
		for i, a := range c.args {
			h := s.expression(a)
			if h.place != "" {
				s.gets[h.place] = append(s.gets[h.place], c)
			}
			other := slices.ContainsFunc(c.args, func(b luaSpan) bool { return b != a && b.end == b.begin+1 && s.literal(b.begin) })
			table := slices.ContainsFunc(c.args, func(b luaSpan) bool { return b != a && s.t.words[b.begin].text == "{" })
			switch {
			case luaWalks[c.path] && i == 0, luaHolds().MatchString(c.path) && (table || !luaEquals().MatchString(c.path)):
				s.note(s.tables, h)
			case luaEqual().MatchString(c.path) && other && i < 2:
				s.note(s.scalars, h)
			}
		}
	}
}

// literal reports whether a word is a string, a number or a boolean.
func (s *luaShared) literal(k int) bool {
	w := s.t.words[max(k, 0)]
	return w.kind == 's' || w.kind == 'd' || w.kind == 'n' && (w.text == "true" || w.text == "false")
}

// note records the use of a value as a table, or as a scalar.
func (s *luaShared) note(as map[string]bool, h luaHeld) {
	if h.place != "" {
		as[h.place] = true
	}
	if h.kind == 'p' || h.kind == 'f' {
		as["."+h.name] = true
	}
}

// table reports whether the tests use a value as a table.
func (s *luaShared) table(h luaHeld) bool {
	return h.place != "" && s.tables[h.place] || h.name != "" && s.tables["."+h.name] && !s.scalars["."+h.name]
}

// scalar reports whether a value is a scalar, by its use or its name.
func (s *luaShared) scalar(h luaHeld) bool {
	return h.place != "" && s.scalars[h.place] || s.scalars["."+h.name] || luaNumbered().MatchString(h.name)
}

// give notes the values assigned to places.
func (s *luaShared) give(set luaGiven) {
	for i := range max(len(set.targets), len(set.vars)) {
		b, place := luaBound{at: set.values.begin}, s.place(set, i)
		from := min(i, len(set.listed)-1)
		if place == "" || from < 0 {
			continue
		}
		value := set.listed[from]
		b.luaHeld = s.expression(value)
		b.table = s.t.words[value.begin].text == "{"
		b.scalar = value.end == value.begin+1 && (s.literal(value.begin) || s.t.words[value.begin].text == "nil")
		switch call := s.called(value); {
		case set.loop && call != nil && (call.path == "pairs" || call.path == "ipairs") && len(call.args) > 0:
			b.luaHeld = luaHeld{}
			if i == 1 {
				b.luaHeld = luaPart(s.expression(call.args[0]), "[]")
			}
		case call != nil && call.path == "pcall" && i > 0 && len(call.args) > 0:
			b.luaHeld = s.result(s.expression(call.args[0]), call.args[1:], "")
		case i > from && b.kind == 'o':
			b.kind = 'f'
		}
		at := slices.IndexFunc(s.bound[place], func(o luaBound) bool { return o.at == b.at })
		if at < 0 {
			s.bound[place] = append(s.bound[place], b)
		} else {
			s.bound[place][at] = b
		}
	}
}

// pass notes the values of the parameters of the tests' own functions.
func (s *luaShared) pass() {
	functions := map[*string]int{}
	for f, of := range s.t.scope.named {
		if s.t.words[f-2].text == "function" {
			functions[of] = max(functions[of], f)
		}
	}
	for _, c := range s.t.scope.calls {
		f, ok := functions[s.t.scope.refs[c.begin]]
		if !ok || s.t.words[c.begin+1].text != "(" || s.match[c.begin+1] != c.end-1 {
			continue
		}
		params := s.t.scope.params[f]
		for i := range min(len(params), len(c.args)) {
			place := fmt.Sprintf("%p", params[i])
			if h := s.expression(c.args[i]); (h.kind == 'p' || h.kind == 'o') && s.bound[place] == nil {
				s.bound[place] = []luaBound{{at: f, luaHeld: h, param: true}}
			}
		}
	}
}

// place returns the place assigned at an index, or "".
func (s *luaShared) place(set luaGiven, i int) string {
	switch {
	case set.targets == nil && i < len(set.vars):
		return fmt.Sprintf("%p", set.vars[i])
	case i < len(set.targets):
		steps := s.walk(set.targets[i].begin)
		if n := len(steps); n > 0 && steps[n-1].end == set.targets[i].end {
			return steps[n-1].place
		}
	}
	return ""
}

// called returns the call spanning the whole expression, or nil.
func (s *luaShared) called(of luaSpan) *luaCall { return s.calls[of] }

// expression returns the origin of a simple expression: a variable, a field or a
// call.
func (s *luaShared) expression(of luaSpan) luaHeld {
	steps := s.walk(of.begin)
	if len(steps) == 0 || steps[len(steps)-1].end != of.end {
		return luaHeld{}
	}
	return steps[len(steps)-1].luaHeld
}

// last returns the value of a place at a word, or nil.
func (s *luaShared) last(place string, k int) *luaBound {
	all := s.bound[place]
	var found *luaBound
	for i := range all {
		if found == nil || all[i].at <= k && (found.at > k || all[i].at > found.at) {
			found = &all[i]
		}
	}
	return found
}

// at refines h with the value of its place at a word.
func (s *luaShared) at(h luaHeld, k int) luaHeld {
	if b := s.last(h.place, k); b != nil && b.kind != 0 {
		place := h.place
		if h = b.luaHeld; h.kind != 's' {
			h.place = place
		}
	}
	switch b := s.last(h.place, k); {
	case (h.kind == 'p' || h.kind == 'f') && s.asked[h.place]:
		h.kind = 'o'
	case h.kind == 0 && s.methods[h.place] && (b == nil || !b.table && !b.scalar):
		h.kind = 'o' // a parameter, or the result of a test helper
	}
	return h
}

// luaPart is a field or an element of a held value.
func luaPart(h luaHeld, name string) luaHeld {
	part := h
	if part.name = name; h.kind == 'o' {
		part.kind, part.from, part.call = 'p', h.place, ""
	}
	if part.place != "" {
		part.place += "." + name
	}
	return part
}

// result describes the result of a call of h.
func (s *luaShared) result(h luaHeld, args []luaSpan, text string) luaHeld {
	r := luaHeld{name: h.name, call: text, args: args}
	switch {
	case h.kind == 0:
		return luaHeld{}
	case h.name == "new" && h.place != "new", h.kind == 's' && luaPascal().MatchString(h.name):
		r.kind = 'o'
	case h.kind == 's':
		r.kind = 'f'
	default:
		r.kind, r.from = 'p', h.from
	}
	return r
}

// walk follows an expression, starting at a word.
func (s *luaShared) walk(k int) []luaStep {
	if steps, ok := s.walked[k]; ok {
		return steps
	}
	steps := s.follow(k)
	if s.walked != nil {
		s.walked[k] = steps
	}
	return steps
}

func (s *luaShared) follow(k int) []luaStep {
	words := s.t.words
	is := func(k int, text string) bool { return words[k].kind == 'o' && words[k].text == text }
	var h luaHeld
	end, text := k+1, ""
	switch w := words[k]; {
	case is(k, "("):
		h, end = s.expression(luaSpan{k + 1, s.match[k]}), s.match[k]+1
	case s.t.scope.refs[k] == nil:
		return nil
	case w.text == "require" && words[k+1].kind == 's', w.text == "require" && is(k+1, "(") && words[k+2].kind == 's' && is(k+3, ")"):
		module := words[k+1]
		if end = k + 2; module.kind != 's' {
			module, end = words[k+2], k+4
		}
		if root := "@" + strings.ReplaceAll(strings.TrimPrefix(module.text, "./"), ".", "/"); s.ours(root) {
			h = luaHeld{kind: 's', place: root}
		}
	case w.text == "assert" && is(k+1, "("):
		end = s.match[k+1] + 1
		if c := s.called(luaSpan{k, end}); c != nil && len(c.args) > 0 {
			h = s.expression(c.args[0])
		}
	default:
		v := s.t.scope.refs[k]
		h.place, h.name = fmt.Sprintf("%p", v), w.text
		if w.text == "self" {
			h.place = "self"
		}
		if s.t.scope.globals[w.text] == v && s.ours(w.text) {
			h.kind, h.place = 's', w.text
		}
		if h.place != "self" && !luaOwn[w.text] {
			h = s.at(h, k)
		}
	}
	steps := []luaStep{{luaHeld: h, end: end}}
	owner := luaHeld{}
	method := ""
	for {
		name := words[min(end+1, len(words)-1)]
		switch {
		case is(end, ".") && name.kind == 'n':
			owner, method = h, name.text
			h, end = s.at(luaPart(h, name.text), k), end+2
		case is(end, ":") && name.kind == 'n':
			owner, method = h, ":"+name.text
			h, end = luaPart(h, name.text), end+2
		case is(end, "["):
			close := s.match[end]
			inside := s.spelled(end+1, close)
			if words[end+1].kind == 's' && close == end+2 {
				inside = words[end+1].text
			}
			owner, method = h, ""
			h, end = s.at(luaPart(h, inside), k), close+1
		case is(end, "(") || is(end, "{") || words[end].kind == 's':
			from := end
			if end++; words[from].kind == 'o' {
				end = s.match[from] + 1
			}
			if word := strings.TrimPrefix(method, ":"); method != "" && (word == method || word == "new" || !luaTextual[word]) {
				s.asked[owner.place], s.methods[owner.place] = true, s.methods[owner.place] || word != method
			} else if method == "" {
				s.asked[h.place] = true
			}
			var args []luaSpan
			if c := s.called(luaSpan{k, end}); c != nil {
				args = c.args
			}
			if owner.kind == 'f' {
				h.kind, h.from = 'p', owner.place
			}
			text = fmt.Sprintf("%s %s %s", owner.place, s.spelled(k+1, from), s.spelled(from, end))
			if len(steps) == 1 {
				text = fmt.Sprintf("%s %s", h.place, s.spelled(from, end))
			}
			h = s.result(h, args, text)
			owner, method = luaHeld{}, ""
			steps = append(steps, luaStep{h, end, true})
			continue
		default:
			return steps
		}
		steps = append(steps, luaStep{luaHeld: h, end: end})
	}
}

// spelled returns a text that identifies a range of words.
func (s *luaShared) spelled(begin, end int) string {
	var b strings.Builder
	for k := begin; k < end; k++ {
		if v := s.t.scope.refs[k]; v != nil {
			fmt.Fprintf(&b, "%p ", v)
		}
		fmt.Fprintf(&b, "%c%s ", s.t.words[k].kind, s.t.words[k].text)
	}
	return b.String()
}

// luaChange is a place where the tests change a table.
type luaChange struct {
	luaHeld
	steps      []luaStep
	begin, end int
	sorts      bool
}

func (s *luaShared) changes() []luaChange {
	var all []luaChange
	for _, set := range s.t.scope.sets {
		for _, target := range set.targets {
			steps := s.walk(target.begin)
			if n := len(steps); n > 1 && steps[n-1].end == target.end && !steps[n-1].call {
				all = append(all, luaChange{steps[n-2].luaHeld, steps[:n-1], target.begin, set.values.end, false})
			}
		}
	}
	for _, c := range s.t.scope.calls {
		if !luaSorts[c.path] || len(c.args) == 0 {
			continue
		}
		a := c.args[0]
		if c.path == "table.move" && len(c.args) == 5 {
			a = c.args[4]
		}
		if steps := s.walk(a.begin); len(steps) > 0 && steps[len(steps)-1].end == a.end {
			all = append(all, luaChange{steps[len(steps)-1].luaHeld, steps, c.begin, c.end, c.path == "table.sort"})
		}
	}
	slices.SortStableFunc(all, func(a, b luaChange) int { return a.begin - b.begin })
	return all
}

// during returns the test case containing a word. Code outside the span belongs to
// other cases.
func (s *luaShared) during(k int) luaSpan {
	if in, ok := s.cases[k]; ok {
		return in
	}
	found := luaSpan{0, len(s.t.words)}
	for _, f := range s.t.scope.functions {
		if f.begin > k || k >= f.end || f.end-f.begin > found.end-found.begin {
			continue
		}
		before := s.t.words[f.begin-1]
		named := before.kind == 'n' && luaTestNamed().MatchString(before.text)
		for _, c := range s.t.scope.calls {
			named = named || c.statement && !luaOuter[c.path] && len(c.args) > 1 && s.t.words[c.args[0].begin].kind == 's' && c.args[len(c.args)-1] == luaSpan{f.begin - 1, f.end}
		}
		// Use the outermost function that is a case.
		if named && (found.end == len(s.t.words) || f.begin < found.begin) {
			found = f
		}
	}
	s.cases[k] = found
	return found
}

// later reports whether a word is reached after the words of a statement: below the
// statement, or on the next iteration of a loop that keeps the variable.
func (s *luaShared) later(begin, end, k int) bool {
	in := s.during(begin)
	if s.looked++; s.looked > maxLuaLooks || k < in.begin || k >= in.end {
		return false
	}
	if k >= end {
		return true
	}
	for _, l := range s.t.scope.loops {
		if l.begin <= k && k < begin && begin < l.end && s.t.scope.declared[s.t.scope.refs[k]] < l.begin && !s.static(k) {
			return true
		}
	}
	return false
}

// after returns the words at the start of expressions reached after a statement.
func (s *luaShared) after(begin, end int) []int {
	in := s.during(begin)
	from, _ := slices.BinarySearch(s.roots, in.begin)
	to, _ := slices.BinarySearch(s.roots, in.end)
	var all []int
	for _, k := range s.roots[from:to] {
		if s.later(begin, end, k) {
			all = append(all, k)
		}
	}
	return all
}

// static reports whether an expression begins with a definition of the program.
func (s *luaShared) static(k int) bool { return s.walk(k)[0].kind == 's' }

// rebound reports whether a place is assigned again between two words.
func (s *luaShared) rebound(place string, begin, end int) bool {
	return slices.ContainsFunc(s.bound[place], func(b luaBound) bool { return begin < b.at && b.at <= end })
}

// sets reports whether an expression is the target of an assignment.
func (s *luaShared) sets(k, end int) bool {
	return s.named[luaSpan{k, end}]
}

// changed finds tests that change a value received from or given to the program,
// and query the program again.
func (s *luaShared) changed() (string, int) {
	for _, c := range s.changes() {
		switch {
		case c.kind == 'p', c.kind == 's' && !s.asked[c.place] && (len(c.steps) > 1 || c.place[0] != '@'):
			// Tests sort lists to fix their order. A sort counts only if the same
			// query is repeated.
			if b := s.last(c.place, c.begin); c.sorts && len(c.steps) == 1 && c.kind == 'p' && (b != nil && b.param || !s.callsAgain(c)) {
				continue
			}
			if s.asksAgain(c) {
				return "the tests change what the program gave them (%s, line %d)", c.steps[0].end - 1
			}
		case c.kind == 'f' && s.callsAgain(c):
			return "the tests change what the program gave them (%s, line %d)", c.steps[0].end - 1
		case c.kind == 0 && s.keeps(c):
			return "the tests change what they gave the program (%s, line %d)", c.steps[0].end - 1
		}
	}
	return "", 0
}

// asksAgain reports whether an object of the program, or one of its functions, is
// used after a change.
func (s *luaShared) asksAgain(c luaChange) bool {
	for _, k := range s.after(c.begin, c.end) {
		for _, step := range s.walk(k) {
			if step.kind == 'o' && step.place != "" && !s.sets(k, step.end) || step.call && (step.kind == 'f' || step.kind == 'p') || step.kind == 's' && step.place == c.place {
				return true
			}
		}
	}
	return false
}

// callsAgain reports whether the function behind the changed value is called again
// with the same arguments, or an argument of its call is used again.
func (s *luaShared) callsAgain(c luaChange) bool {
	var given []string
	for _, a := range c.args {
		h := s.expression(a)
		b := s.last(h.place, a.begin)
		if h.place != "" && h.place != c.steps[0].place && h.kind != 's' && (h.kind != 0 || s.tables[h.place] || b != nil && b.table) && (b == nil || !b.scalar) {
			given = append(given, h.place)
		}
	}
	for _, k := range s.after(c.begin, c.end) {
		for _, step := range s.walk(k) {
			if k > c.end && step.call && c.call != "" && step.luaHeld.call == c.call && !strings.Contains(c.call, "o{") ||
				step.place != "" && slices.Contains(given, step.place) && !s.sets(k, step.end) {
				return true
			}
		}
	}
	return false
}

// keeps reports whether the tests change a value given to an object, and query the
// object again.
func (s *luaShared) keeps(c luaChange) bool {
	for _, step := range c.steps {
		for _, call := range s.gets[step.place] {
			if s.rebound(step.place, call.end, c.begin) || !(call.end <= c.begin || s.again(call.begin, c)) {
				continue
			}
			to, bound := s.receiver(call)
			if to == "" {
				continue
			}
			for _, k := range s.after(c.begin, c.end) {
				if k < call.end || s.rebound(to, bound, k) {
					continue
				}
				for _, used := range s.walk(k) {
					if used.place == to && !s.sets(k, used.end) && !slices.ContainsFunc(s.gets[step.place], func(d luaCall) bool { return d.begin == k }) {
						return true
					}
				}
			}
		}
	}
	return false
}

// again reports whether a change follows a call on the next iteration of a loop.
func (s *luaShared) again(k int, c luaChange) bool {
	return slices.ContainsFunc(s.t.scope.loops, func(l luaSpan) bool {
		return l.begin <= c.begin && c.begin < k && k < l.end && s.t.scope.declared[s.t.scope.refs[c.steps[0].end-1]] < l.begin
	})
}

// receiver returns the place of the object that receives a call's arguments, and
// the first word where the object is present.
func (s *luaShared) receiver(call luaCall) (string, int) {
	var steps []luaStep
	for _, step := range s.walk(call.begin) {
		if step.end <= call.end {
			steps = append(steps, step)
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].kind == 'o' && steps[i].place != "" {
			return steps[i].place, call.end
		}
	}
	if n := len(steps); n == 0 || steps[n-1].end != call.end || steps[n-1].kind != 'o' && steps[n-1].kind != 'f' {
		return "", 0
	}
	for _, set := range s.t.scope.sets {
		if i := slices.Index(set.listed, luaSpan{call.begin, call.end}); i >= 0 && !set.loop {
			if place := s.place(set, i); s.at(luaHeld{place: place}, call.end).kind == 'o' {
				return place, call.end
			}
		}
	}
	return "", 0
}

// identity finds tests that compare the identity of two tables of the program.
func (s *luaShared) identity() (string, int) {
	const why = "the tests ask whether two tables are the same one (%s, line %d)"
	begins := map[int]int{}
	for _, k := range s.roots {
		for _, step := range s.walk(k) {
			if _, ok := begins[step.end]; !ok {
				begins[step.end] = k
			}
		}
	}
	for i, w := range s.t.words {
		k, ok := begins[i]
		if w.kind != 'o' || w.text != "==" && w.text != "~=" || !ok || !s.alone(k-1) || i+1 >= len(s.t.words) {
			continue
		}
		right := s.walk(i + 1)
		if len(right) == 0 || !s.alone(right[len(right)-1].end) {
			continue
		}
		if s.same(s.expression(luaSpan{k, i}), right[len(right)-1].luaHeld, false, w.text == "~=") {
			return why, k
		}
	}
	for _, c := range s.t.scope.calls {
		explicit := luaSame().MatchString(c.path)
		if len(c.args) < 2 || !explicit && (!luaEquals().MatchString(c.path) || s.t.requires["luaunit"]) {
			continue
		}
		if s.same(s.expression(c.args[0]), s.expression(c.args[1]), explicit, strings.Contains(strings.ToLower(c.path), "not")) {
			return why, c.args[0].begin
		}
	}
	return "", 0
}

// alone reports whether a word is not an arithmetic operator, so that the
// neighbouring operand of a comparison is complete.
func (s *luaShared) alone(k int) bool {
	w := s.t.words[max(k, 0)]
	return w.kind != 'o' || !slices.Contains(strings.Fields("+ - * / // % ^ .. # ~ & | << >>"), w.text)
}

// same reports whether a comparison tests the identity of two tables.
func (s *luaShared) same(a, b luaHeld, explicit, differ bool) bool {
	if a.kind == 0 {
		a, b = b, a
	}
	switch {
	case a.kind == 0 || a.kind == 's' || b.kind == 's' || a.kind == 'o' || b.kind == 'o' || s.scalar(a) || s.scalar(b):
		return false
	case b.kind == 0:
		own := s.last(b.place, 0)
		whole := own != nil && own.table
		if b.place == "" || !s.given(b.place) || strings.Count(a.place, ".") == 0 && slices.ContainsFunc(a.args, func(v luaSpan) bool { return s.expression(v).place == b.place }) {
			return false // a returned argument is recognised already
		}
		return whole || s.tables[b.place] || differ && (own == nil || !own.scalar)
	}
	// A value contained in itself is not a plain table, and a value different from
	// itself is NaN.
	if a.place != "" && b.place != "" && (strings.HasPrefix(a.place+".", b.place+".") || strings.HasPrefix(b.place+".", a.place+".")) {
		return false
	}
	return explicit || s.table(a) || s.table(b) || a.call != "" && a.call == b.call
}

// given reports whether the tests pass a table, or a table containing it, to the
// program.
func (s *luaShared) given(place string) bool {
	for at := place; at != ""; at = at[:max(strings.LastIndexByte(at, '.'), 0)] {
		if slices.ContainsFunc(s.gets[at], func(c luaCall) bool { return s.expression(luaSpan{c.begin, c.end}).kind != 0 }) {
			return true
		}
	}
	return false
}

// kept finds tests that keep a table received from the program, command the
// program, and then read the table.
func (s *luaShared) kept() (string, int) {
	var statements []luaCall
	for _, c := range s.t.scope.calls {
		if c.statement {
			statements = append(statements, c)
		}
	}
	for _, set := range s.t.scope.sets {
		for i := range set.listed {
			place := s.place(set, i)
			held := s.at(luaHeld{place: place}, set.values.begin)
			if set.loop || held.kind != 'p' && held.kind != 'f' || !s.table(held) {
				continue
			}
			for _, c := range statements {
				if !s.later(set.values.begin, set.values.end, c.begin) || c.begin < set.values.end || !s.commands(c, held) {
					continue
				}
				for _, k := range s.after(c.begin, c.end) {
					steps := s.walk(k)
					if k >= c.end && steps[0].place == place && !s.rebound(place, set.values.begin, k) && s.looks(k, steps) {
						return "the tests keep what the program gave them while it changes (%s, line %d)", k
					}
				}
			}
		}
	}
	return "", 0
}

// commands reports whether a call commands the object, or the module, behind a held
// value, without the value among its arguments.
func (s *luaShared) commands(c luaCall, held luaHeld) bool {
	steps := s.walk(c.begin)
	if n := len(steps); n < 2 || steps[n-1].kind == 0 || steps[n-1].end != c.end {
		return false
	}
	for _, a := range c.args {
		if h := s.expression(a); h.place == held.place {
			return false
		}
		if h := s.expression(a); held.kind == 'p' && h.place != "" && h.place == held.from {
			return true
		}
	}
	for _, step := range steps[:len(steps)-1] {
		if held.kind == 'p' && step.place == held.from && step.kind == 'o' {
			return true
		}
	}
	// A function's own state changes by a command with no table involved.
	return held.kind == 'f' && steps[0].kind == 's' && !slices.ContainsFunc(held.args, func(a luaSpan) bool { return s.expression(a).place != "" }) &&
		!slices.ContainsFunc(c.args, func(a luaSpan) bool { return s.expression(a).place != "" })
}

// looks reports whether the tests read an expression as a table.
func (s *luaShared) looks(k int, steps []luaStep) bool {
	if len(steps) > 1 || s.t.words[max(k-1, 0)].text == "#" {
		return true
	}
	return slices.ContainsFunc(s.t.scope.calls, func(c luaCall) bool {
		return (luaWalks[c.path] || luaHolds().MatchString(c.path)) && slices.Contains(c.args, luaSpan{k, k + 1})
	})
}

// shown finds tests that print a whole object.
func (s *luaShared) shown() (string, int) {
	for _, c := range s.t.scope.calls {
		if strings.HasSuffix(c.path, "prettystr") && len(c.args) > 0 && s.expression(c.args[0]).kind != 0 {
			return "the tests have an object of the program written out (%s, line %d)", c.args[0].begin
		}
	}
	return "", 0
}
