package language

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// PHP's arrays are values, and the program's objects are queried remotely. Three
// kinds of data can still be shared with the program: arrays in the properties of
// its objects, references, and objects that cross as copies, of stdClass and of
// DateTime.

var (
	// phpInPlace are functions that change an argument passed by reference, or move
	// its array pointer.
	phpInPlace = lazyre.New(`(?i)^\\?(?:array_(?:push|pop|shift|unshift|splice|walk|walk_recursive|multisort)|[ak]?r?sort|u[ak]?sort|nat(?:case)?sort|shuffle|end|reset|next|prev)$`)
	// phpWalks iterate over the properties of an object argument.
	phpWalks    = lazyre.New(`(?i)^\\?(?:http_build_query|array_walk(?:_recursive)?|(?:Recursive)?ArrayIterator|ArrayObject)$`)
	phpMoves    = lazyre.New(`(?i)^(?:modify|set(?:ISO)?Date|setTime|setTimestamp|setTimezone|add|sub)$`)
	phpDated    = lazyre.New(`(?i)^\\?(?:DateTime|DateTimeInterface|DateInterval|date_create)$`)
	phpStandard = lazyre.New(`(?i)^\\?(?:stdClass|json_decode|object)$`)
)

// phpPath is a variable with its suffixes: a property p, an element e, a call c, a
// call of the test itself o.
type phpPath struct {
	root  string
	from  int // the first token
	to    int // after the last token
	steps string
	ends  []int // after each step
}

// phpSharing finds data shared between the tests and the program.
type phpSharing struct {
	*phpText
	pairs, parents []int
	scopes         []int
	bound          map[string][]int // starts of the values of variables
	// dates, plain: the tests mention DateTime, and plain objects.
	dates, plain bool
	makes        bool // the tests make objects of the program
}

// shared returns the reason why the tests must share the program's process for its
// data, or "".
func (t *phpText) shared() string {
	s := &phpSharing{phpText: t, pairs: make([]int, len(t.tokens)), parents: make([]int, len(t.tokens)), scopes: make([]int, len(t.tokens)), bound: map[string][]int{}}
	s.read()
	for i, token := range t.tokens {
		if token.kind == phpWord && t.at(i+1).is("(") && phpWalks().MatchString(token.text) && !t.isMember(i) && s.walks(i+2) {
			return s.reason("walk over the properties of what may be an object of the program", i, i+1)
		}
		if t.isCall(i) && t.at(i-1).is("&") && t.at(i-2).is("=") && !t.functions[strings.ToLower(token.text)] {
			return s.reason("change what the program gave them", i, i+1)
		}
		if token.kind != phpVariable || t.at(i-1).is("::", "$", "->", "?->") {
			continue
		}
		p := s.path(i)
		written := s.isWritten(p)
		switch {
		case (written && s.isArray(p) || s.isReferred(p)) && !s.isOwn(p):
			return s.reason("change what the program gave them", p.from, p.to)
		case written && strings.HasSuffix(p.steps, "p") && (s.isResult(p) || s.isGiven(p)), s.isMoved(p):
			return s.reason("change what they share with the program", p.from, p.to)
		case s.dates && s.isSame(p):
			return s.reason("ask which object the program gave them", p.from, p.to)
		case s.isStale(p):
			return s.reason("keep what the program gave them while it changes", p.from, p.to)
		}
	}
	return ""
}

// reason describes the tokens at a place.
func (s *phpSharing) reason(what string, from, to int) string {
	return fmt.Sprintf("the tests %s (%.40s, line %d)", what, s.text(from, to), s.at(from).line)
}

func (s *phpSharing) text(from, to int) string {
	var b strings.Builder
	for i := from; i < to && i < len(s.tokens); i++ {
		if s.at(i).kind == phpString {
			fmt.Fprintf(&b, "'%s'", s.at(i).text)
		} else {
			b.WriteString(s.at(i).text)
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}

// read finds brackets, functions, and the mentioned types.
func (s *phpSharing) read() {
	var open []int
	scope, until := 0, -1
	for i, token := range s.tokens {
		s.pairs[i], s.parents[i] = -1, -1
		if token.is(")", "]", "}") && len(open) > 0 {
			s.pairs[i], s.pairs[open[len(open)-1]] = open[len(open)-1], i
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			s.parents[i] = open[len(open)-1]
		}
		if token.is("(", "[", "{", "#[") {
			open = append(open, i)
		}
	}
	for i, token := range s.tokens {
		if i > until && token.is("function") && s.at(i+1).kind == phpWord {
			for j := i; j < len(s.tokens) && !s.at(j).is(";", ""); j++ {
				if s.at(j).is("{") {
					scope, until = scope+1, s.pairs[j]
					break
				}
			}
		}
		if i <= until {
			s.scopes[i] = scope
		}
		if token.kind == phpVariable {
			if p := s.path(i); p.steps == "" && s.at(p.to).is("=") && !s.at(p.to+1).is(">") {
				s.bound[s.variable(p)] = append(s.bound[s.variable(p)], p.to+1)
			}
		}
		if token.kind == phpWord {
			s.dates = s.dates || phpDated().MatchString(token.text)
			s.plain = s.plain || phpStandard().MatchString(token.text) && !s.isMember(i)
			s.makes = s.makes || s.at(i-1).is("new") && s.isProgram(token.text) || s.at(i+1).is("::") && s.at(i+3).is("(") && s.isProgram(token.text)
		}
	}
}

// isProgram reports whether a class belongs to the program.
func (s *phpSharing) isProgram(name string) bool {
	return !s.classes[phpLast(name)] && !phpOwn().MatchString(name[strings.LastIndexByte(name, '\\')+1:]) && !s.isFramework(name) &&
		!slices.Contains([]string{"self", "static", "parent", "class", "weakmap", "closure", "assert"}, phpLast(name))
}

// path reads a variable and its suffixes. A property of the test itself counts as a
// separate variable.
func (s *phpSharing) path(i int) phpPath {
	p := phpPath{root: s.at(i).text, from: i}
	for at := i + 1; ; {
		p.to = at
		switch token := s.at(at); {
		case token.is("->", "?->") && (s.at(at+1).kind == phpWord || s.at(at+1).kind == phpVariable):
			at += 2
			if p.root == "$this" {
				p.root += "->" + s.at(at-1).text
				continue
			}
			p.steps += "p"
		case token.is("[") && s.pairs[at] > at:
			p.steps, at = p.steps+"e", s.pairs[at]+1
		case token.is("(") && s.pairs[at] > at:
			at = s.pairs[at] + 1
			switch {
			case strings.HasSuffix(p.steps, "p"):
				p.steps, p.ends = p.steps[:len(p.steps)-1]+"c", p.ends[:len(p.ends)-1]
			case p.steps == "" && strings.HasPrefix(p.root, "$this->"):
				p.steps = "o"
			default:
				p.steps += "c"
			}
		default:
			return p
		}
		p.ends = append(p.ends, at)
	}
}

// isWritten reports whether a path is assigned, incremented, unset, or passed to a
// function that changes its argument.
func (s *phpSharing) isWritten(p phpPath) bool {
	next, after := s.at(p.to), s.at(p.to+1)
	switch {
	case next.is("=") && !after.is(">"),
		next.is("+") && after.is("+"), next.is("-") && after.is("-"),
		s.at(p.from-1).is("+") && s.at(p.from-2).is("+"), s.at(p.from-1).is("-") && s.at(p.from-2).is("-"),
		next.is("+", "-", "*", "/", ".", "%", "|", "&", "^") && after.is("="),
		next.is("?", "*") && after.is(next.text) && s.at(p.to+2).is("="):
		return true
	}
	call := s.parents[p.from]
	if call < 1 || !s.at(call).is("(") || s.isMember(call-1) {
		return false
	}
	return s.at(call-1).is("unset") && strings.HasSuffix(p.steps, "e") || call == p.from-1 && s.at(call-1).kind == phpWord && phpInPlace().MatchString(s.at(call-1).text)
}

// isArray reports whether a path ends in an element of a property, in a property
// passed to a function, or in an element of an element of an object made by the
// tests.
func (s *phpSharing) isArray(p phpPath) bool {
	of := strings.TrimRight(p.steps, "e")
	if of == "" && len(p.steps) > 1 {
		from := s.bindings(p)
		return len(from) > 0 && !slices.ContainsFunc(from, func(i int) bool { return !s.at(i).is("new") || !s.isProgram(s.at(i+1).text) })
	}
	call := s.parents[p.from]
	given := call == p.from-1 && call > 0 && phpInPlace().MatchString(s.at(call-1).text)
	return strings.HasSuffix(of, "p") && (of != p.steps || given)
}

// isReferred reports whether a reference to a path, or to its result, is taken.
func (s *phpSharing) isReferred(p phpPath) bool {
	if strings.ContainsAny(p.steps, "pc") && s.at(p.from-1).is("&") && s.at(p.from-2).is("=") {
		return true
	}
	if !strings.Contains(p.steps, "p") || !s.at(p.from-1).is("(") || !s.at(p.from-2).is("foreach") || !s.at(p.to).is("as") {
		return false
	}
	return slices.ContainsFunc(s.tokens[p.to:max(p.to, s.pairs[p.from-1])], func(t phpToken) bool { return t.is("&") })
}

// bindings returns the places of the values assigned to the variable of a path. For
// a property of the test, all assignments count.
func (s *phpSharing) bindings(p phpPath) []int { return s.bound[s.variable(p)] }

// variable returns the name of a path's variable, qualified by the containing
// function.
func (s *phpSharing) variable(p phpPath) string {
	if strings.HasPrefix(p.root, "$this->") {
		return p.root
	}
	return fmt.Sprint(s.scopes[p.from], p.root)
}

// isOwn reports whether the variable of a path holds only values of the tests.
func (s *phpSharing) isOwn(p phpPath) bool {
	if p.root == "$this" || p.steps == "" {
		return true
	}
	if strings.HasPrefix(p.root, "$this->") && !strings.ContainsAny(p.steps, "pc") {
		return true
	}
	from := s.bindings(p)
	return len(from) > 0 && !slices.ContainsFunc(from, func(i int) bool { return !s.isOwnValue(i) })
}

// isOwnValue reports whether the value at a place belongs to the tests: a plain
// object, an array, a text, or an object of a class of the tests or of PHP.
func (s *phpSharing) isOwnValue(i int) bool {
	switch {
	case s.at(i).is("new"):
		return s.at(i+1).is("class") || !s.isProgram(s.at(i+1).text)
	case s.at(i).is("(") && s.at(i+1).is("object"), s.at(i).is("[", "array"), s.at(i).kind == phpString, s.at(i).kind == phpNumber:
		return true
	}
	return false
}

// asked returns the tokens of the program call, of a method or a function, behind
// the value of a path.
func (s *phpSharing) asked(p phpPath) (from, to int, ok bool) {
	if at := strings.LastIndexByte(p.steps, 'c'); at >= 0 {
		return p.from, p.ends[at], p.root != "$this"
	}
	for _, i := range s.bindings(p) {
		if i > p.from {
			continue
		}
		if s.at(i).kind == phpVariable {
			q := s.path(i)
			if from, to, ok := s.asked(q); ok && strings.HasSuffix(q.steps, "c") && s.at(q.to).is(";") {
				return from, to, true
			}
		} else if s.isCall(i) && s.pairs[i+1] > 0 && s.at(s.pairs[i+1]+1).is(";") && !s.functions[strings.ToLower(s.at(i).text)] {
			return i, s.pairs[i+1] + 1, true
		}
	}
	return 0, 0, false
}

// isResult reports whether the tests change a property of a method's result and
// query the object again. If the tests mention plain objects, a changed result of
// any call counts, because plain objects cross as copies.
func (s *phpSharing) isResult(p phpPath) bool {
	from, _, ok := s.asked(p)
	if !ok || s.isOwn(p) && !strings.Contains(p.steps, "c") {
		return false
	}
	if s.plain || s.at(from).kind != phpVariable {
		return s.plain
	}
	root := s.path(from).root
	for i := p.to; i < len(s.tokens) && s.scopes[i] == s.scopes[from]; i++ {
		if s.at(i).text == s.at(from).text && s.at(i).kind == phpVariable {
			if q := s.path(i); q.root == root && q.steps != "" {
				return true
			}
		}
	}
	return false
}

// isGiven reports whether a path belongs to a plain object or a date of the tests
// that was passed to an object of the program before.
func (s *phpSharing) isGiven(p phpPath) bool {
	from := s.bindings(p)
	if len(from) == 0 || slices.ContainsFunc(from, func(i int) bool {
		dated := phpDated().MatchString(s.at(i).text) || s.at(i).is("new") && phpDated().MatchString(s.at(i+1).text)
		return !dated && !(s.at(i).is("new") && phpLast(s.at(i+1).text) == "stdclass") && !(s.at(i).is("(") && s.at(i+1).is("object"))
	}) {
		return false
	}
	for i := from[0]; i < p.from; i++ {
		call := s.parents[i]
		if s.at(i).text != s.at(p.from).text || s.scopes[i] != s.scopes[p.from] || call < 2 || !s.at(call).is("(") || !s.at(i-1).is("(", ",") {
			continue
		}
		q := s.path(i)
		method := s.isMember(call-1) && s.at(call-3).text != "$this" && !s.at(call-2).is("::")
		if q.root == p.root && q.steps == "" && s.at(q.to).is(",", ")") && (method || s.at(call-2).is("new") && s.isProgram(s.at(call-1).text)) {
			return true
		}
	}
	return false
}

// isMoved reports whether a statement moves a date received from the program, or
// given to one of its objects.
func (s *phpSharing) isMoved(p phpPath) bool {
	if !strings.HasSuffix(p.steps, "c") || !s.at(p.from-1).is(";", "{", "}", "") || !s.at(p.to).is(";") {
		return false
	}
	open := s.pairs[p.to-1]
	if !s.isMember(open-1) || !phpMoves().MatchString(s.at(open-1).text) || !s.dates && !(s.at(open-1).is("modify") && s.at(open+1).kind == phpString) {
		return false
	}
	of := p
	of.to, of.steps, of.ends = open-2, p.steps[:len(p.steps)-1], p.ends[:len(p.ends)-1]
	if _, _, ok := s.asked(of); ok {
		return true
	}
	return of.steps == "" && s.isGiven(p)
}

// isSame reports whether the identities of two method results are compared. A date
// that crosses twice becomes two objects.
func (s *phpSharing) isSame(p phpPath) bool {
	gives := func(q phpPath) bool {
		_, _, ok := s.asked(q)
		return ok && (q.steps == "" || strings.HasSuffix(q.steps, "c"))
	}
	if !gives(p) {
		return false
	}
	call := s.parents[p.from]
	same := s.at(p.to).is("===", "!==") ||
		s.at(p.to).is(",") && call == p.from-1 && call > 0 && (strings.EqualFold(s.at(call-1).text, "assertSame") || strings.EqualFold(s.at(call-1).text, "assertNotSame"))
	return same && s.at(p.to+1).kind == phpVariable && gives(s.path(p.to+1))
}

// isStale reports whether a path reads a plain object or a date received from a
// method, after a later command to the method's object.
func (s *phpSharing) isStale(p phpPath) bool {
	if !s.dates && !s.plain || p.steps == "" || s.isOwn(p) || strings.Contains(p.steps[:len(p.steps)-1], "c") {
		return false
	}
	of := p
	of.steps, of.ends = "", nil
	from, to, ok := s.asked(of)
	if !ok || s.at(from).kind != phpVariable {
		return false
	}
	for i := to; i < p.from; i++ {
		if q := s.path(i); s.at(i).kind == phpVariable && s.at(i).text == s.at(from).text && q.root == s.path(from).root && q.steps == "c" && s.at(i-1).is(";", "{", "}") && s.at(q.to).is(";") {
			return true
		}
	}
	return false
}

// walks reports whether the argument at a place may be an object of the program, in
// a file that makes such objects.
func (s *phpSharing) walks(i int) bool {
	if !s.makes {
		return false
	}
	switch {
	case s.at(i).kind == phpVariable:
		p := s.path(i)
		return p.root != "$this" && (p.steps != "" || !s.isOwn(phpPath{root: p.root, from: p.from, steps: "p"}))
	case s.at(i).is("new"):
		return s.isProgram(s.at(i + 1).text)
	}
	return s.isCall(i) && !s.functions[strings.ToLower(s.at(i).text)]
}
