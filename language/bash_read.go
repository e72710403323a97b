package language

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gloveboxhq/glovebox"
)

// bashReader reads the tests of a Bash program. It finds the state shared with the
// program, and every place where the tests' shell would evaluate program output.
// Words from the program's output are called said. A variable is said if any
// command of the tests may store said words in the variable; the order and the
// conditions of commands do not count.
type bashReader struct {
	// program holds the names of the program's files, tools the names of the box's
	// tools.
	program, tools map[string]bool
	entry          string
	// data holds the names of test files that are not scripts.
	data map[string]bool

	functions map[string]*syntax.FuncDecl
	mentioned map[string]int
	asked     map[string]bool // by command -v and similar commands
	variables map[string]bool // said variables
	params    map[string]map[int]bool
	inputs    map[string]bool // functions that may read program output
	integers  map[string]bool
	textual   map[string]bool // texts naming said variables
	assigned  map[string]int
	once      map[string]bool // assigned as a constant
	read      map[string]bool
	bare      bool // a function of the program is called for its side effects
	anything  bool // any variable may be said
	changed   bool

	commands map[string]bool
	sources  bool
	starts   bool
	named    bool // the tests name a file of the program
	shunit   bool
	bats     bool

	// together is the reason why the tests need the program's process.
	together string

	function string
	// within is the current depth in substitutions and subshells, nested the depth
	// in texts evaluated later.
	within, nested int
	// captured is the current depth in constructs that capture a command's output.
	// judged means the tests rely on the exit status of a program call that is
	// given earlier program output.
	captured int
	judged   bool
	writes   bool
	edits    []bashEdit
}

// bashEdit inserts text around a part of a file.
type bashEdit struct {
	from, to    int
	open, close string
}

// bashInput describes the input of a command.
type bashInput struct {
	// said: the input may contain words of the program. fed: the source of the
	// input is known. shared: a loop reads the same input. given: the input is
	// inherited from the function's callers, whose input may be said.
	said, fed, shared, given bool
	// words is the whole input, where known.
	words []*syntax.Word
}

func newBashReader(p *glovebox.Program, tests []glovebox.File, tools map[string]string, entry string) *bashReader {
	r := &bashReader{
		program: map[string]bool{}, tools: map[string]bool{}, data: map[string]bool{}, entry: entry,
		functions: map[string]*syntax.FuncDecl{}, mentioned: map[string]int{}, asked: map[string]bool{},
		variables: map[string]bool{}, params: map[string]map[int]bool{}, inputs: map[string]bool{}, integers: map[string]bool{}, textual: map[string]bool{},
		assigned: map[string]int{}, once: map[string]bool{}, read: map[string]bool{}, commands: map[string]bool{},
	}
	for _, f := range p.Files {
		r.program[path.Base(f.Path)] = true
	}
	for _, name := range bashNames {
		r.program[name] = true
	}
	for _, f := range tests {
		if isBashScript(f) {
			delete(r.program, path.Base(f.Path))
		} else {
			r.data[path.Base(f.Path)] = true
		}
	}
	for name := range tools {
		r.tools[name] = true
	}
	return r
}

// isBashScript reports whether a file of the tests is a script.
func isBashScript(f glovebox.File) bool {
	first, _, _ := bytes.Cut(f.Data, []byte("\n"))
	return slices.Contains([]string{".sh", ".bash", ".bats"}, path.Ext(f.Path)) ||
		bytes.HasPrefix(first, []byte("#!")) && (bytes.Contains(first, []byte("sh")) || bytes.Contains(first, []byte("bats")))
}

// bashReadBytes and bashReadDepth bound the text parsed here, so that no tests can
// exhaust the parser's stack.
const (
	bashReadBytes = 1 << 20
	bashReadDepth = 400
)

var errBashDeep = errors.New("it is too large or too deep")

// bashParse reads a script.
func bashParse(f glovebox.File) (*syntax.File, error) {
	if len(f.Data) > bashReadBytes || bashDeep(f.Data) {
		return nil, errBashDeep
	}
	lang := syntax.LangBash
	if path.Ext(f.Path) == ".bats" {
		lang = syntax.LangBats
	}
	return syntax.NewParser(syntax.Variant(lang)).Parse(bytes.NewReader(f.Data), f.Path)
}

// bashDeep reports whether a text may be nested too deeply for the parser. It
// counts unclosed openings line by line, including brackets in strings.
func bashDeep(text []byte) bool {
	if bytes.Count(text, []byte("|")) > 20000 || bytes.Count(text, []byte("&&")) > 20000 {
		return true
	}
	depth, most, opened := 0, 0, 0
	for line := range bytes.Lines(text) {
		for _, c := range line {
			switch c {
			case '(', '{', '[':
				depth++
				most = max(most, depth)
			case ')', '}', ']':
				depth = max(0, depth-1)
			}
		}
		opened += bytes.Count(line, []byte("if ")) + bytes.Count(line, []byte("while ")) + bytes.Count(line, []byte("until ")) +
			bytes.Count(line, []byte("case ")) + bytes.Count(line, []byte("for ")) + bytes.Count(line, []byte("do ")) - bytes.Count(line, []byte("fi")) -
			bytes.Count(line, []byte("done")) - bytes.Count(line, []byte("esac"))
		for _, c := range "!`-+~?" {
			if bytes.Count(line, []byte(string(c))) > 10*bashReadDepth {
				return true
			}
		}
		opened = max(0, opened)
		most = max(most, opened/4)
	}
	return most > bashReadDepth
}

// readAll reads all the tests and returns them with their guards. If the tests
// cannot be read or need the program's process, together holds the reason.
func (r *bashReader) readAll(tests []glovebox.File) []glovebox.File {
	trees := make([]*syntax.File, len(tests))
	for i, f := range tests {
		if !isBashScript(f) || isBatsLibrary(f) {
			continue
		}
		tree, err := bashParse(f)
		if err != nil {
			r.share("the tests are in a form of Bash that is not read here")
			r.mention(string(f.Data))
			return tests
		}
		trees[i] = tree
		r.collect(tree)
	}
	for {
		r.changed = false
		for _, tree := range trees {
			if tree != nil {
				r.stmts(tree.Stmts)
			}
		}
		if !r.changed {
			break
		}
	}
	r.state()
	r.writes = true
	tests = slices.Clone(tests)
	for i, tree := range trees {
		if tree == nil {
			continue
		}
		r.edits = nil
		r.stmts(tree.Stmts)
		tests[i].Data = bashEdited(tests[i].Data, r.edits)
	}
	return tests
}

// collect finds the functions and the words of a file.
func (r *bashReader) collect(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name == nil {
				r.share("the tests are in a form of Bash that is not read here")
				return false
			}
			r.functions[n.Name.Value] = n
		case *syntax.Lit:
			r.mention(n.Value)
		case *syntax.SglQuoted:
			r.mention(n.Value)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				if a.Naked && a.Value != nil && a.Name == nil {
					if flags := a.Value.Lit(); strings.HasPrefix(flags, "-") && strings.Contains(flags, "i") {
						for _, b := range n.Args {
							if b.Name != nil {
								r.integers[b.Name.Value] = true
							}
						}
					}
				}
			}
		}
		return true
	})
}

// mention notes the names in a text of the tests.
func (r *bashReader) mention(text string) {
	for _, name := range bashIdentifier().FindAllString(text, -1) {
		r.mentioned[name]++
	}
	for word := range strings.FieldsSeq(text) {
		r.named = r.named || r.program[path.Base(strings.Trim(word, "\"';"))]
	}
}

// state finds state shared between the tests and the program through variables.
func (r *bashReader) state() {
	for name := range r.read {
		switch {
		case bashKnown[name] || bashSaid[name] || strings.HasPrefix(name, "BATS_") || strings.HasPrefix(name, "SHUNIT_") || strings.HasPrefix(name, "_ASSERT_"):
		case r.assigned[name] == 0, r.bare && r.assigned[name] == 1 && r.once[name]:
			r.share("the tests read the variable " + name + ", which the program may set")
		}
	}
	for name, n := range r.assigned {
		if n > 0 && !r.read[name] && name == strings.ToUpper(name) && !bashOwnState[name] && name != "_" && !strings.HasPrefix(name, "BATS_") && !strings.HasPrefix(name, "SHUNIT_") {
			r.share("the tests set the variable " + name + " for the program")
		}
	}
	for name := range r.functions {
		if r.mentioned[name] <= 1 && !bashTestFunction().MatchString(name) {
			r.share("the tests define " + name + " for the program")
		}
	}
}

// share notes the first reason why the tests need the program's process.
func (r *bashReader) share(reason string) {
	if r.together == "" || r.together > reason && strings.HasPrefix(r.together, "the tests") {
		r.together = reason
	}
}

// set notes a variable that may hold program output.
func (r *bashReader) set(name string) {
	if !r.variables[name] {
		r.variables[name], r.changed = true, true
	}
}

// bind notes a parameter of a test function that may hold program output. 0 means
// any parameter.
func (r *bashReader) bind(function string, i int) {
	if r.params[function] == nil {
		r.params[function] = map[int]bool{}
	}
	if !r.params[function][i] {
		r.params[function][i], r.changed = true, true
	}
}

func bashEdited(text []byte, edits []bashEdit) []byte {
	type insertion struct {
		at, order int
		text      string
	}
	var all []insertion
	for _, e := range edits {
		// At the same position, closing text comes before opening text. Outer parts
		// open first and close last.
		if e.open != "" {
			all = append(all, insertion{e.from, 1<<40 - e.to, e.open})
		}
		if e.close != "" {
			all = append(all, insertion{e.to, -e.from - 1, e.close})
		}
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.order - b.order
	})
	var out []byte
	last := 0
	for _, in := range all {
		out = append(out, text[last:in.at]...)
		out = append(out, in.text...)
		last = in.at
	}
	return append(out, text[last:]...)
}

// guard passes the value of a part of a word through a check of the harness.
func (r *bashReader) guard(n syntax.Node, kind string, quote bool) {
	q := ""
	if quote {
		q = `"`
	}
	r.edit(n, q+"$(glovebox.is "+kind+` "`, `" .)`+q)
}

func (r *bashReader) edit(n syntax.Node, open, close string) {
	if r.nested > 0 {
		r.share("the tests evaluate text with what the program prints")
		return
	}
	if r.writes {
		r.edits = append(r.edits, bashEdit{int(n.Pos().Offset()), int(n.End().Offset()), open, close})
	}
}

// literal returns the text of a constant word.
func bashLiteral(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// bashTail returns the literal text at the end of a word. For a path, bashTail
// returns the base name.
func bashTail(w *syntax.Word) string {
	if text, ok := bashLiteral(w); ok {
		return path.Base(text)
	}
	last := w.Parts[len(w.Parts)-1]
	if d, ok := last.(*syntax.DblQuoted); ok && len(d.Parts) > 0 {
		last = d.Parts[len(d.Parts)-1]
	}
	if l, ok := last.(*syntax.Lit); ok && strings.Contains(l.Value, "/") {
		return path.Base(l.Value)
	}
	return ""
}

// saidWord reports whether a word may hold program output.
func (r *bashReader) saidWord(w *syntax.Word) bool {
	return w != nil && slices.ContainsFunc(w.Parts, r.saidPart)
}

func (r *bashReader) saidWords(ws []*syntax.Word) bool { return slices.ContainsFunc(ws, r.saidWord) }

func (r *bashReader) saidPart(p syntax.WordPart) bool {
	switch p := p.(type) {
	case *syntax.Lit, *syntax.SglQuoted, *syntax.ArithmExp, *syntax.ProcSubst:
		return false
	case *syntax.DblQuoted:
		return slices.ContainsFunc(p.Parts, r.saidPart)
	case *syntax.ParamExp:
		return r.saidParam(p)
	case *syntax.CmdSubst:
		return slices.ContainsFunc(p.Stmts, func(s *syntax.Stmt) bool { return !r.pure(s, bashInput{}) })
	case *syntax.ExtGlob:
		return strings.ContainsAny(p.Pattern.Value, "$`")
	}
	return true
}

func (r *bashReader) saidParam(p *syntax.ParamExp) bool {
	if p.Param == nil {
		return true
	}
	name := p.Param.Value
	switch {
	case p.Length || p.Names != 0:
		return false
	case p.Excl && !bashAllKeys(p.Index):
		return true
	case p.Exp != nil && r.saidWord(p.Exp.Word), p.Repl != nil && r.saidWord(p.Repl.With):
		return true
	}
	return r.saidName(name)
}

func (r *bashReader) saidName(name string) bool {
	switch {
	case name == "@" || name == "*":
		return len(r.params[r.function]) > 0
	case name >= "1" && name < ":":
		return r.params[r.function][0] || r.params[r.function][atoi(name)]
	case strings.ContainsAny(name, "#?$!-0") && len(name) == 1:
		return false
	case bashSaid[name] || r.variables[name]:
		return true
	case bashKnown[name]:
		return false
	}
	return r.anything
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

// bashAllKeys reports whether an index is @ or *.
func bashAllKeys(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// pure reports whether the output of a command comes from the tests alone.
func (r *bashReader) pure(s *syntax.Stmt, in bashInput) bool {
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.RdrIn, syntax.WordHdoc:
			in = bashInput{said: r.saidWord(d.Word) || bashProcess(d.Word), fed: true}
		case syntax.Hdoc, syntax.DashHdoc:
			in = bashInput{said: r.saidWord(d.Hdoc), fed: true}
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		return !in.said
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return true
		}
		name, ok := bashLiteral(c.Args[0])
		if !ok || r.functions[name] != nil || !bashPure[name] || in.said || r.saidWords(c.Args) || slices.ContainsFunc(c.Args, bashProcess) {
			return false
		}
		switch name {
		case "cat":
			return in.fed || len(c.Args) > 1
		case "sort", "uniq", "wc", "head", "tail", "tr", "cut", "rev", "tac", "grep", "egrep", "fgrep", "sed", "awk", "bc", "fold", "paste", "nl":
			return in.fed
		case "command", "type":
			return len(c.Args) > 1 && (name == "type" || strings.HasPrefix(c.Args[1].Lit(), "-"))
		}
		return true
	case *syntax.DeclClause:
		return len(c.Args) == 1 && c.Args[0].Value != nil && c.Args[0].Value.Lit() == "-F"
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return r.pure(c.X, in) && r.pure(c.Y, bashInput{fed: true})
		}
		return r.pure(c.X, in) && r.pure(c.Y, in)
	case *syntax.Block:
		return !slices.ContainsFunc(c.Stmts, func(s *syntax.Stmt) bool { return !r.pure(s, in) })
	case *syntax.Subshell:
		return !slices.ContainsFunc(c.Stmts, func(s *syntax.Stmt) bool { return !r.pure(s, in) })
	}
	return false
}

func bashProcess(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, ok := p.(*syntax.ProcSubst); return ok })
}

// word reads the contents of a word.
func (r *bashReader) word(w *syntax.Word) {
	if w != nil {
		r.parts(w.Parts)
	}
}

func (r *bashReader) words(ws []*syntax.Word) {
	for _, w := range ws {
		r.word(w)
	}
}

func (r *bashReader) parts(parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			r.parts(p.Parts)
		case *syntax.ParamExp:
			r.param(p)
		case *syntax.CmdSubst:
			r.catches(p.Stmts)
		case *syntax.ProcSubst:
			r.catches(p.Stmts)
		case *syntax.ArithmExp:
			r.arithmetic(p.X)
		}
	}
}

// catches reads commands with captured output.
func (r *bashReader) catches(all []*syntax.Stmt) {
	r.within++
	r.captured++
	r.stmts(all)
	r.captured--
	r.within--
}

// param reads an expansion. Its subscript and its offsets are arithmetic, and the
// text to cut is a pattern.
func (r *bashReader) param(p *syntax.ParamExp) {
	if p.Param == nil {
		r.share("the tests are in a form of Bash that is not read here")
		return
	}
	name := p.Param.Value
	if bashIsName(name) && (p.Exp == nil || !slices.Contains([]string{":-", "-", ":+", "+", ":=", "=", ":?", "?"}, p.Exp.Op.String())) {
		r.read[name] = true
	}
	if p.Exp != nil && slices.Contains([]string{":=", "="}, p.Exp.Op.String()) {
		r.assigned[name]++
		r.read[name] = true
		if r.saidWord(p.Exp.Word) {
			r.set(name)
		}
	}
	if p.Excl && !bashAllKeys(p.Index) && p.Names == 0 && (r.saidName(name) || r.textual[name]) {
		r.share("the tests take a name of a variable from what the program prints")
	}
	r.index(name, p.Index)
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	if p.Repl != nil {
		r.pattern(p.Repl.Orig)
		r.word(p.Repl.With)
	}
	if p.Exp != nil {
		switch op := p.Exp.Op.String(); {
		case strings.HasPrefix(op, "#") || strings.HasPrefix(op, "%") || strings.HasPrefix(op, "^") || strings.HasPrefix(op, ","):
			r.pattern(p.Exp.Word)
		case op == "@":
			if r.saidName(name) && p.Exp.Word != nil && strings.ContainsAny(p.Exp.Word.Lit(), "PA") {
				r.share("the tests evaluate what the program prints")
			}
		default:
			r.word(p.Exp.Word)
		}
	}
}

// index reads a subscript of a variable.
func (r *bashReader) index(name string, x syntax.ArithmExpr) {
	if x == nil || bashAllKeys(x) {
		return
	}
	w, ok := x.(*syntax.Word)
	if ok && r.saidWord(w) {
		r.each(w, "key "+name, false)
		r.word(w)
		return
	}
	if ok && w.Lit() != "" && r.assigned[w.Lit()] == 0 {
		return // a key, or a variable never set
	}
	r.evaluated(x, "glovebox.at "+name)
}

// each guards the said parts of a word without changing its quotes.
func (r *bashReader) each(w *syntax.Word, kind string, quote bool) {
	if w != nil {
		r.eachPart(w.Parts, kind, quote)
	}
}

func (r *bashReader) eachPart(parts []syntax.WordPart, kind string, quote bool) {
	for _, p := range parts {
		if d, ok := p.(*syntax.DblQuoted); ok {
			// A quoted part is one word already.
			if kind != "word" && kind != "words" {
				r.eachPart(d.Parts, kind, false)
			}
		} else if r.saidPart(p) {
			if g, ok := p.(*syntax.ExtGlob); ok {
				r.share("the tests use what the program prints as a pattern: " + g.Pattern.Value)
				continue
			}
			r.guard(p, kind, quote)
		}
	}
}

// pattern makes program output in a pattern match literally.
func (r *bashReader) pattern(w *syntax.Word) {
	if w == nil {
		return
	}
	for _, p := range w.Parts {
		if _, quoted := p.(*syntax.DblQuoted); quoted || !r.saidPart(p) {
			continue
		}
		if _, ok := p.(*syntax.ExtGlob); ok {
			r.share("the tests use what the program prints as a pattern")
			continue
		}
		r.edit(p, `"`, `"`)
	}
	r.word(w)
}

// arithmetic reads an expression. Before evaluation, the names and the expansions
// in the expression are checked to hold numbers.
func (r *bashReader) arithmetic(x syntax.ArithmExpr) { r.evaluated(x, "glovebox.are") }

func (r *bashReader) evaluated(x syntax.ArithmExpr, guard string) {
	if x == nil {
		return
	}
	var names []string
	r.operands(x, &names)
	if len(names) > 0 {
		slices.Sort(names)
		at := int(x.Pos().Offset())
		r.edit(x, "", "")
		if r.writes {
			r.edits = append(r.edits, bashEdit{at, 1 << 39, "$(" + guard + " " + strings.Join(slices.Compact(names), " ") + " .)", ""})
		}
	}
}

func (r *bashReader) operands(x syntax.ArithmExpr, names *[]string) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		if strings.HasSuffix(x.Op.String(), "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, x.Op.String()) {
			if w, ok := x.X.(*syntax.Word); ok {
				for _, name := range bashIdentifier().FindAllString(w.Lit(), 1) {
					r.assigned[name]++
				}
				if p := bashOnlyParam(w); p != nil {
					r.assigned[p.Param.Value]++
				}
			}
		}
		r.operands(x.X, names)
		r.operands(x.Y, names)
	case *syntax.UnaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			for _, name := range bashIdentifier().FindAllString(w.Lit(), 1) {
				r.assigned[name] += 2
			}
		}
		r.operands(x.X, names)
	case *syntax.ParenArithm:
		r.operands(x.X, names)
	case *syntax.Word:
		for _, p := range x.Parts {
			switch p := p.(type) {
			case *syntax.Lit:
				r.identifiers(p.Value, names)
			case *syntax.SglQuoted:
				r.identifiers(p.Value, names)
				r.spelled(p.Value)
			case *syntax.DblQuoted:
				for _, q := range p.Parts {
					if l, ok := q.(*syntax.Lit); ok {
						r.identifiers(l.Value, names)
						r.spelled(l.Value)
					}
				}
			case *syntax.ParamExp:
				// An element such as a[i] has no dollar sign.
				if p.Param != nil && p.Short && p.Index != nil {
					r.identifiers(p.Param.Value, names)
				}
			}
		}
		for _, p := range x.Parts {
			if e, ok := p.(*syntax.ParamExp); ok && e.Param != nil && e.Short && e.Index != nil {
				r.index(e.Param.Value, e.Index)
				continue
			}
			r.eachPart([]syntax.WordPart{p}, "number", false)
		}
		r.word(x)
	default:
		r.share("the tests are in a form of Bash that is not read here")
	}
}

// spelled notes possible assignments in a quoted expression.
func (r *bashReader) spelled(text string) {
	if strings.Contains(text, "=") || strings.Contains(text, "++") || strings.Contains(text, "--") {
		for _, name := range bashIdentifier().FindAllString(text, -1) {
			r.assigned[name] += 2
		}
	}
}

func bashOnlyParam(w *syntax.Word) *syntax.ParamExp {
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
			return p
		}
	}
	return nil
}

func (r *bashReader) identifiers(text string, names *[]string) {
	for _, m := range bashOperand().FindAllStringSubmatch(text, -1) {
		name := m[1]
		r.read[name] = true
		if r.textual[name] {
			r.share("the tests evaluate text that names what the program prints")
		}
		if r.saidName(name) {
			*names = append(*names, name)
		}
	}
}
