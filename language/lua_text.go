package language

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// luaText holds the facts in the text of a Lua file: external names, uses of
// libraries, and constructions of objects.
type luaText struct {
	// free are the globals read by the file, defined the globals it sets.
	free, defined map[string]bool
	// used are the paths read by the file, such as "os.time" or, for a module,
	// "@luaunit.assertEquals"; set are the assigned paths.
	used, set map[string]bool
	// requires are the required modules.
	requires map[string]bool
	// blocks reports the use of busted blocks: describe("x", function ...).
	blocks bool
	// made are the places where the file constructs an object.
	made []luaMade
	// kept are the variables that an assertion compares with the result of a call
	// on them.
	kept []luaKept
	// ordered are the operands of < > <= >=, by their first and last bytes.
	ordered []luaSpan
	// checks are the globals called as a statement, with a comparison or the result
	// of another call as an argument. Their own results are ignored.
	checks map[string]bool
	// words are all words of the file, scope the parser's knowledge of its
	// variables.
	words []luaWord
	scope luaScope
}

// luaKept is a variable in an assertion of contents: "keep" as an argument of the
// call, "kept" after the call, or "copy" before.
type luaKept struct {
	how        string
	begin, end int
}

// luaMade is an expression such as Stack.new(3).
type luaMade struct {
	// root is the global or the module at the start of the expression.
	root       string
	begin, end int
}

type luaWord struct {
	kind       byte // 'n' a name or keyword, 's' a string, 'd' a number, 'o' an operator, 0 the end
	text       string
	begin, end int
}

var (
	luaLong   = lazyre.New(`^\[(=*)\[`)
	luaNumber = lazyre.New(`^(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`)
	luaName   = lazyre.New(`^[A-Za-z_]\w*`)
	luaQuoted = lazyre.New(`^(?:"(?:\\(?:z\s*|(?s:.))|[^"\\\n])*"|'(?:\\(?:z\s*|(?s:.))|[^'\\\n])*')`)
	luaSign   = lazyre.New(`^(?:\.\.\.|\.\.|==|~=|<=|>=|//|<<|>>|::|[-+*/%^#&~|<>=(){}\[\];:,.])`)
)

// luaWords splits a text into its words, without comments.
func luaWords(src string) ([]luaWord, error) {
	var words []luaWord
	at := 0
	if strings.HasPrefix(src, "#") {
		if i := strings.IndexByte(src, '\n'); i >= 0 {
			at = i
		} else {
			at = len(src)
		}
	}
	long := func(from int) (text string, end int, ok bool) {
		m := luaLong().FindStringSubmatch(src[from:])
		if m == nil {
			return "", 0, false
		}
		text, _, ok = strings.Cut(src[from+len(m[0]):], "]"+m[1]+"]")
		return text, from + len(m[0]) + len(text) + len(m[1]) + 2, ok
	}
	for at < len(src) {
		rest := src[at:]
		w := luaWord{begin: at}
		switch c := rest[0]; {
		case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
			at++
			continue
		case strings.HasPrefix(rest, "--"):
			if _, end, ok := long(at + 2); ok {
				at = end
			} else if luaLong().MatchString(src[at+2:]) {
				return nil, fmt.Errorf("a comment has no end")
			} else if i := strings.IndexByte(rest, '\n'); i >= 0 {
				at += i
			} else {
				at = len(src)
			}
			continue
		case c == '[' && luaLong().MatchString(rest):
			text, end, ok := long(at)
			if !ok {
				return nil, fmt.Errorf("a string has no end")
			}
			w.kind, w.text, w.end = 's', text, end
		case c == '"' || c == '\'':
			m := luaQuoted().FindString(rest)
			if m == "" {
				return nil, fmt.Errorf("a string has no end")
			}
			w.kind, w.text, w.end = 's', m[1:len(m)-1], at+len(m)
		case luaName().MatchString(rest):
			w.text = luaName().FindString(rest)
			w.kind, w.end = 'n', at+len(w.text)
		case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
			w.text = luaNumber().FindString(rest)
			w.kind, w.end = 'd', at+len(w.text)
		default:
			w.text = luaSign().FindString(rest)
			if w.text == "" {
				return nil, fmt.Errorf("a character that Lua does not have: %q", c)
			}
			w.kind, w.end = 'o', at+len(w.text)
		}
		words = append(words, w)
		at = w.end
	}
	return append(words, luaWord{begin: len(src), end: len(src)}), nil
}

// readLua reads a Lua file. It accepts all valid Lua, and a little more: reporting
// syntax errors is left to Lua itself.
func readLua(src string) (t *luaText, err error) {
	words, err := luaWords(src)
	if err != nil {
		return nil, err
	}
	p := &luaParser{words: words, globals: map[string]string{}, text: &luaText{free: map[string]bool{}, defined: map[string]bool{}, used: map[string]bool{}, set: map[string]bool{}, requires: map[string]bool{}, checks: map[string]bool{}, words: words,
		scope: luaScope{refs: map[int]*string{}, declared: map[*string]int{}, globals: map[string]*string{}, named: map[int]*string{}, params: map[int][]*string{}}}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case luaFault:
			t, err = nil, e
		default:
			panic(e)
		}
	}()
	p.block()
	if p.word().kind != 0 {
		p.fail("the end")
	}
	return p.text, nil
}

type luaFault struct{ error }

// luaParser tracks the scopes of locals: each local has the path it stands for, or
// "".
type luaParser struct {
	words  []luaWord
	at     int
	depth  int
	scopes []map[string]*string
	// globals are the paths of globals set by the text itself.
	globals map[string]string
	text    *luaText
	// spans are the arguments of the last call, first the path of the first
	// argument.
	spans []luaSpan
	first string
	// listed are the expressions of the last list.
	listed []luaSpan
}

func (p *luaParser) word() luaWord { return p.words[p.at] }

func (p *luaParser) fail(want string) {
	panic(luaFault{fmt.Errorf("%q where %s should be", p.word().text, want)})
}

// is reports whether the next word is one of the given operators or keywords.
func (p *luaParser) is(texts ...string) bool {
	w := p.word()
	return (w.kind == 'n' || w.kind == 'o') && slices.Contains(texts, w.text)
}

func (p *luaParser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.at++
	return true
}

func (p *luaParser) want(text string) {
	if !p.take(text) {
		p.fail(text)
	}
}

func (p *luaParser) name() string {
	w := p.word()
	if w.kind != 'n' || luaKeywords[w.text] {
		p.fail("a name")
	}
	p.at++
	return w.text
}

func (p *luaParser) declare(name, path string) {
	p.scopes[len(p.scopes)-1][name] = &path
	p.text.scope.declared[&path] = p.at
}

// variable returns the variable for a name.
func (p *luaParser) variable(name string) *string {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if v, ok := p.scopes[i][name]; ok {
			return v
		}
	}
	all := p.text.scope.globals
	if all[name] == nil {
		all[name] = new(string)
	}
	return all[name]
}

// span records the words from begin on.
func (p *luaParser) span(into *[]luaSpan, begin int) { *into = append(*into, luaSpan{begin, p.at}) }

// path returns the path for a name: for a global, the name itself.
func (p *luaParser) path(name string) (path string, global bool) {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if v, ok := p.scopes[i][name]; ok {
			return *v, false
		}
	}
	if path, ok := p.globals[name]; ok {
		return path, true
	}
	return name, true
}

func (p *luaParser) block() {
	p.scopes = append(p.scopes, map[string]*string{})
	p.statements()
	p.scopes = p.scopes[:len(p.scopes)-1]
}

func (p *luaParser) statements() {
	if p.depth++; p.depth > 150 {
		panic(luaFault{fmt.Errorf("it is too deep")})
	}
	for p.word().kind != 0 && !p.is("end", "else", "elseif", "until") {
		if p.take("return") {
			if begin := p.at; p.word().kind != 0 && !p.is("end", "else", "elseif", "until", ";") {
				p.list()
				p.span(&p.text.scope.statements, begin)
			}
			p.take(";")
			break
		}
		begin := p.at
		p.statement()
		p.span(&p.text.scope.statements, begin)
	}
	p.depth--
}

func (p *luaParser) statement() {
	switch {
	case p.take(";"), p.take("break"):
	case p.take("::"):
		p.name()
		p.want("::")
	case p.is("goto") && p.words[p.at+1].kind == 'n':
		p.at++
		p.name()
	case p.take("do"):
		p.block()
		p.want("end")
	case p.take("while"):
		begin := p.at
		p.expression()
		p.span(&p.text.scope.statements, begin)
		p.want("do")
		p.block()
		p.want("end")
		p.span(&p.text.scope.bodies, begin)
		p.span(&p.text.scope.loops, begin)
	case p.take("repeat"):
		begin := p.at
		defer func() {
			p.span(&p.text.scope.bodies, begin)
			p.span(&p.text.scope.loops, begin)
		}()
		p.scopes = append(p.scopes, map[string]*string{})
		p.statements()
		p.want("until")
		p.expression()
		p.scopes = p.scopes[:len(p.scopes)-1]
	case p.take("if"):
		begin := p.at
		p.expression()
		p.span(&p.text.scope.statements, begin)
		p.want("then")
		p.block()
		for p.take("elseif") {
			begin := p.at
			p.expression()
			p.span(&p.text.scope.statements, begin)
			p.want("then")
			p.block()
		}
		if p.take("else") {
			p.block()
		}
		p.want("end")
	case p.take("for"):
		p.loop()
	case p.take("function"):
		name := p.name()
		path, global := p.path(name)
		if p.is(".", ":") {
			if global {
				p.text.free[name] = true
			}
			for p.is(".", ":") {
				p.at++
				path = join(path, p.name())
			}
			p.text.set[path] = true
		} else if global {
			p.text.defined[name], p.text.set[name] = true, true
			p.globals[name] = ""
		}
		p.text.scope.named[p.at] = p.variable(name)
		p.function(p.words[p.at-2].text == ":")
	case p.take("local"):
		p.local()
	default:
		p.assignment()
	}
}

func join(path, name string) string {
	if path == "" {
		return ""
	}
	return path + "." + name
}

func (p *luaParser) loop() {
	names := []string{p.name()}
	begin := p.at
	if p.take("=") {
		p.list()
	} else {
		for p.take(",") {
			names = append(names, p.name())
		}
		p.want("in")
		p.list()
	}
	values, listed := luaSpan{begin, p.at}, p.listed
	p.want("do")
	body := p.at
	defer func() {
		p.span(&p.text.scope.bodies, body)
		p.span(&p.text.scope.loops, body)
	}()
	p.scopes = append(p.scopes, map[string]*string{})
	for _, n := range names {
		p.declare(n, "")
	}
	p.gives(names, nil, values, listed)
	p.text.scope.sets[len(p.text.scope.sets)-1].loop = true
	p.block()
	p.scopes = p.scopes[:len(p.scopes)-1]
	p.want("end")
}

func (p *luaParser) local() {
	if p.take("function") {
		name := p.name()
		p.declare(name, "")
		p.text.scope.named[p.at] = p.variable(name)
		p.function(false)
		return
	}
	var names, paths []string
	for {
		names = append(names, p.name())
		if p.take("<") {
			p.name()
			p.want(">")
		}
		if !p.take(",") {
			break
		}
	}
	begin := p.at
	var listed []luaSpan
	if p.take("=") {
		paths = p.list()
		listed = p.listed
	}
	for i, n := range names {
		if i < len(paths) {
			p.declare(n, paths[i])
		} else {
			p.declare(n, "")
		}
	}
	p.gives(names, nil, luaSpan{begin, p.at}, listed)
}

// gives notes an assignment of values to variables.
func (p *luaParser) gives(names []string, targets []luaSpan, values luaSpan, listed []luaSpan) {
	given := luaGiven{targets: targets, values: values, listed: listed}
	for _, n := range names {
		given.vars = append(given.vars, p.variable(n))
	}
	p.text.scope.sets = append(p.text.scope.sets, given)
}

// assignment reads a call or an assignment.
func (p *luaParser) assignment() {
	type target struct {
		path, name, root string
		call             bool
	}
	var targets []target
	var spans []luaSpan
	start := p.at
	for {
		first := p.word()
		begin := p.at
		path, call := p.suffixed()
		t := target{path: path, call: call}
		if first.kind == 'n' {
			t.root = first.text
		}
		if p.at == begin+1 {
			t.name = t.root
		}
		targets = append(targets, t)
		p.span(&spans, begin)
		if !p.take(",") {
			break
		}
	}
	if len(targets) == 1 && targets[0].call && !p.is("=") {
		for i := range p.text.scope.calls {
			if c := &p.text.scope.calls[i]; c.begin == start && c.end == p.at {
				c.statement = true
			}
		}
		p.checks(start)
		return
	}
	p.want("=")
	begin := p.at
	paths := p.list()
	var roots []string
	for _, t := range targets {
		if t.root != "" {
			roots = append(roots, t.root)
		}
	}
	p.gives(roots, spans, luaSpan{begin, p.at}, p.listed)
	for i, t := range targets {
		if t.path != "" {
			p.text.set[t.path] = true
		}
		if t.name == "" {
			continue
		}
		if _, global := p.path(t.name); global {
			p.text.defined[t.name] = true
			p.globals[t.name] = ""
			if i < len(paths) {
				p.globals[t.name] = paths[i]
			}
			continue
		}
		for i := len(p.scopes) - 1; i >= 0; i-- {
			if v, ok := p.scopes[i][t.name]; ok {
				*v = ""
				break
			}
		}
	}
}

// checks notes a call that is a whole statement, starting at a word.
func (p *luaParser) checks(start int) {
	name := p.words[start].text
	if _, global := p.path(name); !global {
		return
	}
	last := name
	open := start + 1
	for ; p.words[open].text == "."; open += 2 {
		last = p.words[open+1].text
	}
	if p.words[open].text != "(" || !luaChecks().MatchString(last) {
		return
	}
	for i := open + 1; i < p.at-1; i++ {
		w, next := p.words[i], p.words[i+1]
		compares := w.kind == 'o' && (luaOrders[w.text] || w.text == "==" || w.text == "~=")
		if compares || w.kind == 'n' && !luaKeywords[w.text] && next.kind == 'o' && next.text == "(" {
			p.text.checks[name] = true
		}
	}
}

// luaChecks matches the names of helpers that check their arguments.
var luaChecks = lazyre.New(`^(?i:check|verify|ensure|expect|must|should|eq|neq?|ok|is|isnt|same|equals?|approx|near|close|almost|compare)(?:[_A-Z]\w*)?$`)

func (p *luaParser) function(self bool) {
	begin := p.at
	defer func() {
		p.span(&p.text.scope.functions, begin)
		p.span(&p.text.scope.bodies, begin)
	}()
	p.scopes = append(p.scopes, map[string]*string{})
	if self {
		p.declare("self", "")
	}
	p.want("(")
	for !p.take(")") {
		if !p.take("...") {
			name := p.name()
			p.declare(name, "")
			p.text.scope.params[begin] = append(p.text.scope.params[begin], p.variable(name))
		}
		if !p.is(")") {
			p.want(",")
		}
	}
	p.block()
	p.scopes = p.scopes[:len(p.scopes)-1]
	p.want("end")
}

// list reads expressions, and returns the path of each.
func (p *luaParser) list() (paths []string) {
	var listed []luaSpan
	for {
		begin := p.at
		paths = append(paths, p.expression())
		p.span(&listed, begin)
		if !p.take(",") {
			p.listed = listed
			return paths
		}
	}
}

var luaBinary = strings.Fields("+ - * / // % ^ .. == ~= <= >= < > and or & | ~ << >>")

func (p *luaParser) expression() string {
	if p.depth++; p.depth > 150 {
		panic(luaFault{fmt.Errorf("it is too deep")})
	}
	defer func() { p.depth-- }()
	path, operators := "", 0
	operand, ordered := p.at, false
	// end marks the end of a comparison's operand; order reports whether an order
	// operator follows.
	end := func(order bool) {
		single := p.at-operand == 1 && p.words[operand].kind != 'n'
		if (order || ordered) && !single {
			p.text.ordered = append(p.text.ordered, luaSpan{p.words[operand].begin, p.words[p.at-1].end})
		}
		operand, ordered = p.at+1, order
	}
	for {
		for p.is("-", "not", "#", "~") {
			p.at++
			operators++
		}
		path = p.simple()
		if !p.is(luaBinary...) {
			end(false)
			break
		}
		if op := p.word().text; luaOrders[op] || op == "==" || op == "~=" || op == "and" || op == "or" {
			end(luaOrders[op])
		}
		p.at++
		operators++
	}
	if operators > 0 {
		return ""
	}
	return path
}

var luaOrders = map[string]bool{"<": true, ">": true, "<=": true, ">=": true}

func (p *luaParser) simple() string {
	switch w := p.word(); {
	case w.kind == 's', w.kind == 'd', p.is("nil", "true", "false", "..."):
		p.at++
		return ""
	case p.take("function"):
		p.function(false)
		return ""
	case p.is("{"):
		p.table()
		return ""
	}
	path, _ := p.suffixed()
	return path
}

func (p *luaParser) table() {
	p.want("{")
	for !p.take("}") {
		switch next := p.words[min(p.at+1, len(p.words)-1)]; {
		case p.take("["):
			p.expression()
			p.want("]")
			p.want("=")
			p.expression()
		case p.word().kind == 'n' && !luaKeywords[p.word().text] && next.kind == 'o' && next.text == "=":
			p.at += 2
			p.expression()
		default:
			p.expression()
		}
		if !p.is("}") && !p.take(",") {
			p.want(";")
		}
	}
}

// suffixed reads a name or an expression in parentheses, with all suffixes.
func (p *luaParser) suffixed() (path string, call bool) {
	begin, first := p.word().begin, p.at
	// spelled is the last name before a call; field reports whether the name
	// follows a dot.
	spelled, field := "", false
	if p.take("(") {
		p.expression()
		p.want(")")
	} else {
		name := p.name()
		spelled = name
		p.text.scope.refs[first] = p.variable(name)
		var global bool
		if path, global = p.path(name); global {
			if !p.is("=") {
				p.text.free[name] = true
			}
		}
		if path != "" {
			p.text.used[path] = true
		}
	}
	method := false
	for {
		switch {
		case p.take("."):
			spelled, field = p.name(), true
			path, call = join(path, spelled), false
		case p.take("["):
			p.expression()
			p.want("]")
			path, call = "", false
		case p.is(":"):
			p.at++
			spelled, field = p.name(), true
			path, call, method = join(path, spelled), false, true
		case p.is("(", "{") || p.word().kind == 's':
			p.spans, p.first = nil, ""
			result := p.arguments(path)
			p.text.scope.calls = append(p.text.scope.calls, luaCall{path: path, root: luaRoot(path), first: p.first, method: method, begin: first, end: p.at, args: p.spans})
			if end := p.words[p.at-1].end; path != "" && luaMakes(spelled, field) {
				root, _, _ := strings.Cut(path, ".")
				p.text.made = append(p.text.made, luaMade{root, begin, end})
			}
			path, call, method = result, true, false
			continue
		default:
			if method {
				p.fail("arguments")
			}
			return path, call
		}
		if path != "" {
			p.text.used[path] = true
		}
	}
}

// luaMakes reports whether a call with this spelling constructs an object: X.new,
// or a name in PascalCase.
func luaMakes(spelled string, field bool) bool {
	return spelled == "new" && field || luaPascal().MatchString(spelled)
}

var luaPascal = lazyre.New(`^[A-Z]\w*[a-z]\w*$|^[A-Z]$`)

// arguments reads the arguments of a call and returns the path of the result. Only
// the result of require is known.
func (p *luaParser) arguments(of string) string {
	first := p.word()
	if first.kind == 's' {
		p.at++
		return p.required(of, first)
	}
	if p.is("{") {
		p.table()
		return ""
	}
	p.want("(")
	if p.take(")") {
		return ""
	}
	arg := p.word()
	var args []luaSpan
	one := ""
	for n := 1; ; n++ {
		begin := p.at
		if n > 1 && p.is("function") && luaBlocks[of] {
			p.text.blocks = true
		}
		path := p.expression()
		if n == 1 {
			one = path
		}
		args = append(args, luaSpan{begin, p.at})
		if !p.take(",") {
			break
		}
	}
	if luaContents().MatchString(of) {
		p.keep(args)
	}
	p.spans, p.first = args, one
	single := p.words[p.at-1] == arg
	p.want(")")
	if single && arg.kind == 's' {
		return p.required(of, arg)
	}
	return ""
}

// luaSpan is a range of words.
type luaSpan struct{ begin, end int }

// luaContents matches assertions that compare contents.
var luaContents = lazyre.New(`(?i)(?:assert_?(?:not_?|items_?)?(?:equals?|almost_?equals?)|\bassert\b.*(?:\.|_)same)$`)

// keep notes assertions with a variable and a call on the same variable as
// arguments: assertEquals(f(t), t).
func (p *luaParser) keep(args []luaSpan) {
	for i, a := range args {
		word := p.words[a.begin]
		if a.end-a.begin != 1 || word.kind != 'n' || luaKeywords[word.text] {
			continue
		}
		how := ""
		for j, b := range args {
			for k := b.begin + 1; j != i && k < b.end-1; k++ {
				w, before, after := p.words[k], p.words[k-1].text, p.words[k+1].text
				if w.kind != 'n' || w.text != word.text || before != "(" && before != "," || after != ")" && after != "," {
					continue
				}
				if how = "copy"; j < i {
					how = "kept"
					p.text.kept = append(p.text.kept, luaKept{"keep", w.begin, w.end})
				}
			}
		}
		if how != "" {
			p.text.kept = append(p.text.kept, luaKept{how, word.begin, word.end})
		}
	}
}

var luaBlocks = map[string]bool{"describe": true, "it": true, "context": true, "insulate": true, "expose": true, "spec": true, "test": true}

func (p *luaParser) required(of string, name luaWord) string {
	if of != "require" {
		return ""
	}
	if luaLibraries[name.text] {
		p.text.used[name.text] = true
		return name.text
	}
	p.text.requires[name.text] = true
	path := "@" + strings.ReplaceAll(strings.TrimPrefix(name.text, "./"), ".", "/")
	p.text.used[path] = true
	return path
}

// mark returns src with calls of the harness's own around certain expressions:
// constructions of objects of the program; variables compared with the result of a
// call on them, to keep the value from before the call; and operands of order
// comparisons, because NaN has no order.
func (t *luaText) mark(src string, ours func(root string) bool) string {
	type insert struct {
		at   int
		text string
		// to is the end of an insertion's range, 0 for an end itself.
		to int
	}
	var all []insert
	wrap := func(how string, begin, end int) {
		all = append(all, insert{begin, "__glovebox_" + how + "(", end}, insert{at: end, text: ")"})
	}
	for _, m := range t.made {
		if ours(m.root) {
			wrap("made", m.begin, m.end)
		}
	}
	for i, k := range t.kept {
		if !slices.Contains(t.kept[:i], k) {
			wrap(k.how, k.begin, k.end)
		}
	}
	for _, o := range t.ordered {
		wrap("ordered", o.begin, o.end)
	}
	for _, l := range slices.Concat(t.lent(ours), t.judged(ours)) {
		wrap(l.how, l.begin, l.end)
	}
	slices.SortStableFunc(all, func(a, b insert) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.to == 0 || b.to == 0:
			return a.to - b.to // ends come before starts
		}
		return b.to - a.to
	})
	var b strings.Builder
	at := 0
	for _, i := range all {
		b.WriteString(src[at:i.at])
		b.WriteString(i.text)
		at = i.at
	}
	b.WriteString(src[at:])
	return b.String()
}

// luaDeclares returns the names that files of a program may define: of functions,
// variables and fields, or strings that look like names.
func luaDeclares(files []glovebox.File) map[string]bool {
	declared := map[string]bool{}
	for _, f := range files {
		words, err := luaWords(string(f.Data))
		if err != nil {
			continue // Lua reports the syntax error
		}
		for i, w := range words {
			switch {
			case w.kind == 's':
				declared[w.text] = true
			case w.text == "function" || w.text == "local":
				for j := i + 1; j < len(words) && (words[j].kind == 'n' || words[j].kind == 'o' && strings.Contains(",.:<>", words[j].text)); j++ {
					declared[words[j].text] = true
				}
			case w.kind == 'o' && w.text == "=":
				for j := i - 1; j >= 0 && (words[j].kind == 'n' || words[j].text == ","); j-- {
					declared[words[j].text] = true
				}
			}
		}
	}
	return declared
}

var luaKeywords = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while") {
		all[w] = true
	}
	return all
}()
