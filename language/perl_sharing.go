package language

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Values cross between tests and program as copies: a change on one side does not
// reach the other side. Tests that depend on sharing need the program in their own
// process. The analysis follows the text in execution order, a loop twice, and
// tracks only the origin of each value.

// perlThing is a value, as far as the text shows.
type perlThing struct {
	kind perlKind
	// root is the object that returned a part, or the common value of a list's
	// elements.
	root *perlThing
	// maker is the name of the originating call, and key the text of the call.
	maker, key string
	// args are the arguments of the originating function, or the contents of a
	// container.
	args []*perlThing
	// kept is the object that received the value; stale means its object was
	// commanded to change.
	kept  *perlThing
	stale bool
}

type perlKind int

const (
	perlThingObject perlKind = iota // made by a class of the program
	perlThingPart                   // returned by an object
	perlThingGave                   // returned by a function of the program
	perlThingOwn                    // a container of the tests' own
	perlThingList                   // an array or hash of the tests' own, with elements of the program
)

// came reports whether a thing is a value from the program, and not an object as
// far as the text shows.
func (t *perlThing) came() bool {
	return t != nil && (t.kind == perlThingPart || t.kind == perlThingGave)
}

type perlToken struct {
	kind byte // v(ariable), d(ereference), w(ord), s(tring), n(umber), o(perator)
	text string
	at   int
}

// perlItem is an expression: its value, and the target of an assignment to it.
type perlItem struct {
	thing, base *perlThing
	target      string     // a variable
	object      *perlThing // the receiver of the method call
	word        string     // the builtin that computed the value
	first       perlToken
	terms, end  int // number of terms, and end position in the text
	list        []perlItem
}

type perlChange struct {
	thing *perlThing
	item  perlItem
}

type perlSharing struct {
	text           perlText
	tokens         []perlToken
	pos, steps     int
	vars           map[string]*perlThing
	versions       map[string]int
	changed        []perlChange
	subs           map[string]int
	objects, refs  map[string]bool
	args           []*perlThing
	depth, asserts int
	reason         string
	// later takes effect at the end of a statement.
	later []func()
}

var (
	perlSharedToken = lazyre.New(`\A(?:[A-Za-z_]\w*(?:(?:::|')[A-Za-z_]\w*)*(?:::)?|\d[\w.]*|->[$@%]\*|<=>|\*\*=|\|\|=|//=|&&=|->|=>|==|!=|=~|!~|<=|>=|&&|\|\||//|\+\+|--|\+=|-=|\.=|\*=|/=|%=|\.\.\.?|\*\*|.)`)
	perlSharedName  = lazyre.New(`\A(?:[$@%]#?(?:::)?[A-Za-z_]\w*(?:::\w+)*)`)
	perlScalarOps   = words(`== != <=> < > <= >= + - * / % . .. ** eq ne lt gt le ge cmp x =~ !~ ! not`)
	perlSets        = words(`= += -= .= *= /= %= **= ||= //= &&=`)
	perlInPlace     = words(`push unshift pop shift splice delete undef`)
	perlModifiers   = words(`if unless for foreach while until and or`)
	perlTogetherOps = words(`== != eq ne`)
	// perlSays are methods whose call as a statement requests no change.
	perlSays = lazyre.New(`^(?:each|map|grep|print|dump|show|walk|is_|has_|can$|isa$|DOES$)`)
)

const perlFollowed = 200_000

// shares describes the sharing between the tests and the program, or returns "".
func (t perlText) shares() string {
	s := &perlSharing{text: t, tokens: t.tokens(), objects: map[string]bool{}, refs: map[string]bool{}}
	// The second pass already knows the names that return objects.
	for range 2 {
		s.vars, s.versions, s.subs = map[string]*perlThing{}, map[string]int{}, map[string]int{}
		s.pos, s.changed, s.reason, s.args, s.depth = 0, nil, "", nil, 0
		for i, tok := range s.tokens {
			if tok.text == "sub" && i+2 < len(s.tokens) && s.tokens[i+1].kind == 'w' {
				s.subs[s.tokens[i+1].text] = i + 2
			}
		}
		s.statements()
	}
	if s.steps > perlFollowed {
		return "the tests are too long to be followed"
	}
	return s.reason
}

// tokens returns the tokens of the code.
func (t perlText) tokens() []perlToken {
	var all []perlToken
	texts := 0
	for i := 0; i < len(t.bare); {
		rest, c := t.bare[i:], t.bare[i]
		tok := perlToken{'o', rest[:1], i}
		operand := true
		if n := len(all); n > 0 {
			last := all[n-1]
			operand = last.kind == 'o' && !strings.Contains(")]}", last.text) || last.kind == 'w' || last.kind == 'd'
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '"':
			content, n := perlDelimited(rest)
			tok = perlToken{'s', `"` + content, i}
			if content == "" && texts < len(t.texts) {
				tok.text += t.texts[texts]
				texts++
			}
			i += n
		case (c == '$' || (c == '@' || c == '%' || c == '&') && operand) && perlSharedName().MatchString(rest):
			tok = perlToken{'v', perlSharedName().FindString(rest), i}
			i += len(tok.text)
		case (c == '$' || (c == '@' || c == '%' || c == '&') && operand) && len(rest) > 1 && (strings.HasPrefix(rest[1:], "$") || strings.HasPrefix(rest[1:], "{") || strings.HasPrefix(rest[1:], "#")):
			tok.kind = 'd'
			i++
			if strings.HasPrefix(rest[1:], "#") {
				i++
			}
		default:
			tok.text = perlSharedToken().FindString(rest)
			if tok.text == "" {
				tok.text = rest[:1]
			}
			switch {
			case perlLetter(c):
				tok.kind = 'w'
			case c >= '0' && c <= '9':
				tok.kind = 'n'
			}
			i += len(tok.text)
		}
		all = append(all, tok)
	}
	return all
}

func (s *perlSharing) peek(n int) perlToken {
	if s.pos+n >= len(s.tokens) {
		return perlToken{}
	}
	return s.tokens[s.pos+n]
}

func (s *perlSharing) next() perlToken {
	tok := s.peek(0)
	s.pos++
	if s.steps++; s.steps > perlFollowed {
		s.pos = len(s.tokens) + 1
	}
	return tok
}

func (s *perlSharing) take(text string) bool {
	if s.peek(0).kind == 'o' && s.peek(0).text == text {
		s.next()
		return true
	}
	return false
}

func (s *perlSharing) ended() bool { return s.pos >= len(s.tokens) }

// statements follows the code up to a closing brace, and returns the last value.
func (s *perlSharing) statements() (last *perlThing) {
	for !s.ended() && s.peek(0).text != "}" {
		last = s.statement()
	}
	return last
}

// block follows a block in braces. Its own variables end with the block.
func (s *perlSharing) block() *perlThing {
	if !s.take("{") {
		return nil
	}
	old := map[string]*perlThing{}
	for name, t := range s.vars {
		old[name] = t
	}
	last := s.statements()
	s.take("}")
	for name := range s.vars {
		if _, ok := old[name]; !ok {
			delete(s.vars, name)
		}
	}
	s.changed = slices.DeleteFunc(s.changed, func(c perlChange) bool {
		return c.thing.kind != perlThingGave && !s.alive(c.thing)
	})
	return last
}

// alive reports whether a variable still holds a value, or its origin.
func (s *perlSharing) alive(t *perlThing) bool {
	for ; t != nil; t = t.root {
		for _, v := range s.vars {
			if v == t || t.kept != nil && v == t.kept {
				return true
			}
		}
	}
	return false
}

// twice follows the next construct a second time, like a loop.
func (s *perlSharing) twice(follow func()) {
	at := s.pos
	follow()
	if end := s.pos; s.pos <= len(s.tokens) {
		s.pos = at
		follow()
		s.pos = max(s.pos, end)
	}
}

func (s *perlSharing) statement() *perlThing {
	tok := s.peek(0)
	switch {
	case tok.text == ";" || tok.text == "" || tok.kind == 'o' && (tok.text == ")" || tok.text == "]"):
		s.next()
		return nil
	case tok.kind == 'o' && tok.text == "{":
		return s.block()
	case tok.kind != 'w':
	case s.peek(1).text == ":" && s.peek(2).text == "{":
		s.next()
		s.next()
		return s.block()
	case tok.text == "sub" && s.peek(1).kind == 'w':
		s.next()
		s.next()
		s.skip()
		return nil
	case tok.text == "use" || tok.text == "no" || tok.text == "package" || tok.text == "require":
		for !s.ended() && s.peek(0).text != ";" && s.peek(0).text != "{" {
			s.next()
		}
		return nil
	case tok.text == "for" || tok.text == "foreach":
		s.next()
		name := "$_"
		for s.peek(0).kind == 'w' || s.peek(0).kind == 'v' {
			if v := s.next(); v.kind == 'v' {
				name = v.text
			}
		}
		list := s.group()
		item := perlElement(list.list)
		s.twice(func() { s.bind(name, item); s.block() })
		return nil
	case tok.text == "while" || tok.text == "until":
		s.next()
		s.twice(func() { s.group(); s.block() })
		return nil
	case tok.text == "if" || tok.text == "unless" || tok.text == "elsif":
		s.next()
		s.group()
		return s.block()
	case (tok.text == "else" || tok.text == "BEGIN" || tok.text == "END" || tok.text == "continue") && s.peek(1).text == "{":
		s.next()
		return s.block()
	}
	at := s.pos
	list := s.expressions(false)
	var item perlItem
	if len(list) > 0 {
		item = list[len(list)-1]
		if first := list[0]; first.object != nil && first.terms == 1 && (s.pos-1 < len(s.tokens)) && !perlSays().MatchString(first.word) {
			s.command(first.object)
		}
	}
	for _, f := range s.later {
		f()
	}
	s.later = nil
	s.take(";")
	if s.pos == at {
		s.next()
	}
	return item.thing
}

// skip advances past the body of a sub.
func (s *perlSharing) skip() {
	for !s.ended() && s.peek(0).text != "{" && s.peek(0).text != ";" {
		s.next()
	}
	for depth := 0; !s.ended(); {
		tok := s.next()
		if tok.kind == 'o' && tok.text == "{" {
			depth++
		} else if tok.kind == 'o' && tok.text == "}" {
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// perlElement returns the loop variable's value for a list.
func perlElement(list []perlItem) *perlThing {
	for _, it := range list {
		if it.thing.came() {
			return it.thing
		}
		if it.thing != nil && it.thing.kind == perlThingList {
			return it.thing.root
		}
	}
	return nil
}

// group follows the contents of parentheses.
func (s *perlSharing) group() perlItem {
	if !s.take("(") {
		return perlItem{}
	}
	list := s.expressions(true)
	s.take(")")
	item := perlItem{list: list, terms: 1}
	if len(list) == 1 {
		item.thing = list[0].thing
	}
	return item
}

// expressions follows a list up to its end.
func (s *perlSharing) expressions(inner bool) (list []perlItem) {
	for !s.ended() {
		tok := s.peek(0)
		if tok.kind == 'o' && strings.Contains(")]};", tok.text) {
			if inner && tok.text == ";" { // for (;;)
				s.next()
				continue
			}
			break
		}
		if tok.kind == 'o' && (tok.text == "," || tok.text == "=>") {
			s.next()
			continue
		}
		if at := s.pos; true {
			list = append(list, s.expression())
			if s.pos == at {
				s.next()
			}
		}
	}
	return list
}

// expression follows terms and operators up to a comma.
func (s *perlSharing) expression() perlItem {
	var item perlItem
	scalar := false
	for !s.ended() {
		tok := s.peek(0)
		if tok.kind == 'o' && strings.Contains(",=>)]};", tok.text) && tok.text != "=" && tok.text != ">" {
			break
		}
		if tok.kind == 'w' && perlModifiers[tok.text] && item.terms > 0 {
			s.next()
			if tok.text != "and" && tok.text != "or" {
				s.expressions(false)
			}
			continue
		}
		if (tok.kind == 'o' || tok.kind == 'w') && item.terms > 0 && perlScalarOps[tok.text] {
			s.next()
			scalar = true
			if perlTogetherOps[tok.text] {
				left := item
				item = s.term()
				s.same(left, item, tok, true)
			}
			item.terms++
			continue
		}
		if tok.kind == 'o' && item.terms > 0 && perlSets[tok.text] {
			s.next()
			s.assign(item, s.expressionsAfter(tok))
			item.terms++
			continue
		}
		if tok.kind == 'o' && (tok.text == "++" || tok.text == "--") {
			s.next()
			if item.terms == 0 {
				item = s.term()
			}
			s.assign(item, nil)
			item.terms++
			continue
		}
		if tok.kind == 'o' && !strings.Contains(`([{\`, tok.text) {
			s.next()
			continue
		}
		terms := item.terms
		item = s.term()
		item.terms = terms + 1
	}
	if scalar {
		item.thing = nil
	}
	return item
}

// expressionsAfter returns the assigned values: the members of a list, or a single
// expression.
func (s *perlSharing) expressionsAfter(set perlToken) []perlItem {
	it := s.expression()
	if set.text != "=" {
		return nil
	}
	if it.terms == 1 && it.list != nil {
		return it.list
	}
	return []perlItem{it}
}

// term follows a value with its subscripts and calls.
func (s *perlSharing) term() perlItem {
	if s.depth > 40 {
		s.next()
		return perlItem{}
	}
	s.depth++
	defer func() { s.depth-- }()
	from := s.pos
	tok := s.next()
	item := perlItem{first: tok, terms: 1}
	switch tok.kind {
	case 'v':
		name := tok.text
		if after := s.peek(0).text; name[0] == '$' && s.peek(0).kind == 'o' && (after == "[" || after == "{") {
			name = map[string]string{"[": "@", "{": "%"}[after] + name[1:]
			item.thing = s.use(s.vars[name])
			item = s.subscript(item, false)
			break
		}
		item.target = strings.Replace(name, "$#", "@", 1)
		item.thing = s.use(s.vars[item.target])
		if item.target == "@_" {
			for _, a := range s.args {
				item.list = append(item.list, perlItem{thing: a})
			}
		}
	case 'd':
		if s.take("{") {
			if list := s.expressions(false); len(list) > 0 {
				item.thing = list[len(list)-1].thing
			}
			s.take("}")
		} else if v := s.next(); v.kind == 'v' {
			item.thing = s.use(s.vars[v.text])
		} else if v.kind == 'd' {
			item.thing = s.use(s.vars[s.next().text])
		}
		s.reference(item.thing, tok)
		item.base = item.thing
	case 's':
		for _, v := range perlVarName().FindAllStringSubmatch(tok.text, -1) {
			s.use(s.vars["$"+v[1]])
		}
	case 'o':
		switch tok.text {
		case "(":
			s.pos--
			item = s.group()
			item.first = tok
		case "[", "{":
			held := s.expressions(false)
			s.take(map[string]string{"[": "]", "{": "}"}[tok.text])
			item.thing = &perlThing{kind: perlThingOwn, args: perlThings(held)}
		case `\`:
			item = s.term()
			item.first = tok
			return item
		}
	case 'w':
		s.word(tok, from, &item)
	}
	item = s.postfix(item, from)
	item.end = s.peek(0).at
	return item
}

func perlThings(list []perlItem) []*perlThing {
	var things []*perlThing
	for _, it := range list {
		if it.thing != nil {
			things = append(things, it.thing)
		}
		things = append(things, perlThings(it.list)...)
	}
	return things
}

// postfix follows the subscripts and calls after a value.
func (s *perlSharing) postfix(item perlItem, from int) perlItem {
	for !s.ended() {
		tok, after := s.peek(0), s.peek(1)
		switch {
		case tok.kind == 'o' && tok.text == "->" && after.kind == 'w':
			s.next()
			s.next()
			item = s.method(item, after, from)
		case tok.kind == 'o' && tok.text == "->" && (after.text == "[" || after.text == "{"):
			s.next()
			item = s.subscript(item, true)
		case tok.kind == 'o' && tok.text == "->" && after.text == "(":
			s.next()
			s.group()
			item = perlItem{first: item.first, terms: 1}
		case tok.kind == 'o' && strings.HasPrefix(tok.text, "->"):
			s.next()
			s.reference(item.thing, item.first)
			item.base, item.target = item.thing, ""
		case tok.kind == 'o' && (tok.text == "[" || tok.text == "{") && item.base != nil:
			item = s.subscript(item, true)
		default:
			return item
		}
	}
	return item
}

// subscript follows an element of a container, or a field of an object.
func (s *perlSharing) subscript(item perlItem, deep bool) perlItem {
	open := s.next()
	s.expressions(false)
	s.take(map[string]string{"[": "]", "{": "}"}[open.text])
	t := item.thing
	out := perlItem{base: t, first: item.first, terms: 1}
	switch {
	case t == nil:
	case t.kind == perlThingObject:
		out.thing = &perlThing{kind: perlThingPart, root: t}
	case t.kind == perlThingList:
		out.thing = t.root
	default:
		if deep {
			s.reference(t, item.first)
		}
		out.thing = t
	}
	return out
}

// reference notes that a value is a reference, and checks whether it predates a
// change.
func (s *perlSharing) reference(t *perlThing, tok perlToken) {
	if t.came() && t.maker != "" {
		s.refs[t.maker] = true
	}
	if t != nil && t.kind == perlThingPart && t.stale && s.asserts > 0 {
		s.because("the tests look at what the program gave them, after it may have changed", "", tok.at)
	}
}

func (s *perlSharing) method(item perlItem, name perlToken, from int) perlItem {
	given := []perlItem(nil)
	if s.peek(0).text == "(" && s.peek(0).kind == 'o' {
		given = s.group().list
	}
	out := perlItem{first: item.first, terms: 1, word: name.text}
	t := item.thing
	if t.came() {
		if t.maker != "" {
			s.objects[t.maker] = true
		}
		t.kind = perlThingObject
		s.use(t)
	}
	things := perlThings(given)
	switch {
	case t == nil && item.first.kind == 'w' && item.word == "":
		// A class of the program.
		if name.text == "new" || name.text == "instance" || s.objects[item.first.text+"->"+name.text] {
			out.thing = &perlThing{kind: perlThingObject}
			s.keep(things, out.thing)
		} else {
			out.thing = s.gave(item.first.text+"->"+name.text, from, things)
		}
	case t != nil && t.kind == perlThingObject:
		out.object = t
		out.thing = &perlThing{kind: perlThingPart, root: t, maker: name.text}
		if s.objects[name.text] {
			out.thing.kind = perlThingObject
		}
		s.later = append(s.later, func() { s.keep(things, t) })
	}
	return out
}

// gave returns the result of a function of the program.
func (s *perlSharing) gave(name string, from int, things []*perlThing) *perlThing {
	var key strings.Builder
	for _, tok := range s.tokens[from:min(s.pos, len(s.tokens))] {
		key.WriteString(tok.text)
		if tok.kind == 'v' {
			fmt.Fprint(&key, "#", s.versions[tok.text])
		}
	}
	for _, c := range s.changed {
		if c.thing.kind == perlThingGave && c.thing.key == key.String() {
			s.tell(c)
		}
	}
	t := &perlThing{kind: perlThingGave, maker: name, key: key.String(), args: things}
	if s.objects[name] {
		t.kind = perlThingObject
		s.keep(things, t)
	}
	return t
}

func (s *perlSharing) word(tok perlToken, from int, item *perlItem) {
	name := tok.text
	open := s.peek(0)
	paren := open.kind == 'o' && open.text == "("
	switch {
	case open.kind == 'o' && (open.text == "->" || open.text == "=>"):
		return
	case name == "my" || name == "our" || name == "local" || name == "state":
		*item = s.term()
		if item.target != "" {
			item.thing = nil
		}
		return
	case name == "new" && open.kind == 'w':
		s.next()
		things := perlThings(s.group().list)
		item.thing = &perlThing{kind: perlThingObject}
		s.keep(things, item.thing)
		return
	case name == "sub" && open.text == "{" || open.kind == 'o' && open.text == "{" && !perlScalarOps[name] && name != "return":
		loop := name == "map" || name == "grep" || name == "sort" || name == "first" || name == "any" || name == "all"
		if loop {
			at := s.pos
			s.skip()
			list := s.expressions(false)
			end := s.pos
			s.pos = at
			s.bind("$_", perlElement(list))
			s.twice(func() { s.block() })
			s.pos = max(end, s.pos)
		} else {
			item.thing = s.block()
			if name == "sub" {
				item.thing = nil
			}
		}
		item.word = name
		return
	case perlInPlace[name] && !s.own(name):
		item.word = name
		if name == "shift" && !(paren && s.peek(1).text != ")") && open.kind != 'v' && open.kind != 'd' {
			if paren {
				s.group()
			}
			if len(s.args) > 0 {
				item.thing, s.args = s.args[0], s.args[1:]
			}
			return
		}
		if paren {
			s.next()
		}
		target := s.expression()
		given := s.expressions(false)
		if paren {
			s.take(")")
		}
		if target.thing != nil && target.thing.kind == perlThingOwn {
			target.thing.args = append(target.thing.args, perlThings(given)...)
		} else if target.target != "" && target.target[0] == '@' && target.thing == nil {
			if t := perlThings(given); len(t) > 0 {
				s.vars[target.target] = &perlThing{kind: perlThingOwn, args: t}
			}
		}
		if (name == "delete" || name == "undef") && target.base != nil && target.base.kind == perlThingObject {
			s.command(target.base)
			return
		}
		changed := target.thing
		if name == "delete" || name == "undef" {
			changed = target.base
		}
		s.change(changed, target)
		return
	}
	asserts := perlAsserts().MatchString(name) && !s.own(name)
	known := asserts || (perlValued[name] || perlWords[name] || perlLibrary[name]) && !s.own(name)
	if known && !paren && (perlWords[name] && !perlAsserts().MatchString(name)) {
		item.word = name
		return
	}
	if asserts {
		s.asserts++
	}
	var given []perlItem
	switch {
	case paren:
		given = s.group().list
	case open.kind == 'v' || open.kind == 'd' || open.kind == 's' || open.kind == 'n' || open.kind == 'w' && !perlScalarOps[open.text] && !perlModifiers[open.text] || open.kind == 'o' && strings.Contains(`[\`, open.text):
		if !known && open.kind == 'w' || perlLibrary[name] && !paren {
			break
		}
		if perlValued[name] {
			given = []perlItem{s.expression()}
		} else {
			given = s.expressions(false)
		}
	}
	if asserts {
		s.asserted(name, given, tok)
		s.asserts--
	}
	things := perlThings(given)
	item.word = name
	switch {
	case name == "refaddr" && len(given) > 0 && given[0].thing.came():
		s.because("the tests ask which object the program gave them", "refaddr", tok.at)
	case name == "scalar" && len(given) == 1:
		item.thing = given[0].thing
	case known:
	case s.own(name):
		item.thing = s.inline(name, given)
	case perlLetter(name[0]) && (paren || len(given) > 0):
		item.thing = s.gave(name, from, things)
	}
}

func (s *perlSharing) own(name string) bool { _, ok := s.subs[name]; return ok }

// inline follows a sub of the tests' own.
func (s *perlSharing) inline(name string, given []perlItem) *perlThing {
	if s.depth > 20 {
		return nil
	}
	s.depth += 5
	at, args, asserts := s.pos, s.args, s.asserts
	s.pos, s.asserts, s.args = s.subs[name], 0, nil
	for _, g := range given {
		s.args = append(s.args, g.thing)
	}
	for !s.ended() && s.peek(0).text != "{" {
		s.next()
	}
	last := s.block()
	if s.pos <= len(s.tokens) {
		s.pos = at
	}
	s.args, s.asserts = args, asserts
	s.depth -= 5
	return last
}

func (s *perlSharing) bind(name string, t *perlThing) {
	s.versions[name]++
	s.vars[name] = t
}

// assign follows an assignment to a place.
func (s *perlSharing) assign(to perlItem, values []perlItem) {
	switch {
	case to.target != "" && to.target[0] == '$':
		var t *perlThing
		if len(values) > 0 {
			t = values[len(values)-1].thing
		}
		if t != nil && t.kind == perlThingList {
			t = nil
		}
		s.bind(to.target, t)
	case to.target != "":
		t := &perlThing{kind: perlThingOwn, args: perlThings(values)}
		if i := slices.IndexFunc(t.args, (*perlThing).came); i >= 0 && len(values) == 1 {
			t = &perlThing{kind: perlThingList, root: t.args[i]}
		}
		s.bind(to.target, t)
	case to.list != nil:
		var from []perlItem
		for _, v := range values {
			if v.list != nil && v.target == "@_" {
				from = append(from, v.list...)
			} else {
				from = append(from, v)
			}
		}
		for i, target := range to.list {
			var t []perlItem
			switch {
			case i < len(from) && target.target != "" && target.target[0] != '$':
				t = from[i:]
			case i < len(from):
				t = from[i : i+1]
			case len(from) == 1 && from[0].thing.came():
				t = from
			}
			s.assign(target, t)
		}
	case to.base != nil && to.base.kind == perlThingObject:
		s.command(to.base)
		s.keep(perlThings(values), to.base)
	case to.base != nil:
		if to.base.kind == perlThingOwn {
			to.base.args = append(to.base.args, perlThings(values)...)
		}
		s.change(to.base, to)
	}
}

// use notes a later use of a value in the text.
func (s *perlSharing) use(t *perlThing) *perlThing {
	if t == nil {
		return nil
	}
	for _, c := range s.changed {
		if c.thing.kind == perlThingGave && slices.Contains(c.thing.args, t) || c.thing.kind != perlThingGave && t.kind == perlThingObject {
			s.tell(c)
		}
	}
	return t
}

func (s *perlSharing) tell(c perlChange) {
	what := "the tests change what the program gave them"
	if c.thing.kind == perlThingOwn {
		what = "the tests change what they gave the program"
	}
	s.because(what, s.text.bare[c.item.first.at:max(c.item.first.at, c.item.end)], c.item.first.at)
}

// change notes that the tests change a value in place.
func (s *perlSharing) change(t *perlThing, at perlItem) {
	if s.reason == "" && (t.came() || t != nil && t.kind == perlThingOwn && t.kept != nil) {
		s.changed = append(s.changed, perlChange{t, at})
	}
}

// command marks as stale all values received from an object, and all values given
// to it.
func (s *perlSharing) command(object *perlThing) {
	for _, t := range s.vars {
		if t != nil && (t.kind == perlThingPart && t.root == object || t.kind == perlThingOwn && t.kept == object) {
			t.stale = true
		}
	}
}

// keep notes that an object received values of the tests, and may keep them.
func (s *perlSharing) keep(things []*perlThing, object *perlThing) {
	for _, t := range things {
		if t.kind == perlThingOwn && t.kept == nil {
			t.kept = object
			s.keep(t.args, object)
		}
	}
}

// same reports comparisons of two program values that may be one object.
func (s *perlSharing) same(left, right perlItem, tok perlToken, operator bool) {
	l, r := left.thing, right.thing
	if !l.came() || !r.came() || left.terms > 1 || right.terms > 1 {
		return
	}
	// Two results of a function may be equal numbers, such as random ones.
	again := l.key == r.key && strings.TrimSuffix(l.key, "()") == l.maker && (tok.text == "isnt" || left.target == "" && right.target == "")
	if s.refs[l.maker] || s.refs[r.maker] || !operator && again {
		s.because("the tests ask which object the program gave them", tok.text, tok.at)
	}
}

// asserted examines the arguments of an assertion.
func (s *perlSharing) asserted(name string, given []perlItem, tok perlToken) {
	if (name == "is" || name == "isnt") && len(given) > 1 {
		s.same(given[0], given[1], tok, false)
	}
	deep := strings.HasSuffix(name, "_deeply") || name == "eq_or_diff"
	for i, g := range given {
		if deep && g.thing.came() && g.thing.maker != "" {
			s.refs[g.thing.maker] = true
		}
		if g.thing == nil || !g.thing.stale || i > 1 || len(given) < 2 {
			continue
		}
		other := given[1-i]
		literal := other.first.kind == 'o' && strings.Contains("[{", other.first.text) && other.first.text != ""
		if g.thing.kind == perlThingPart && literal {
			s.because("the tests look at what the program gave them, after it may have changed", g.target, g.first.at)
		}
		if g.thing.kind == perlThingOwn && (literal || other.first.kind == 'n') {
			s.because("the tests look at what they gave the program, after it may have changed", g.target, tok.at)
		}
	}
}

func (s *perlSharing) because(what, name string, at int) {
	if s.reason == "" {
		place := fmt.Sprintf("line %d", 1+sort.SearchInts(s.text.lines, at+1))
		if name = strings.TrimSpace(name); name != "" && len(name) < 40 {
			place = name + ", " + place
		}
		s.reason = what + " (" + place + ")"
	}
}
