package language

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/gloveboxhq/glovebox"
)

// The commands of tests, and their use of their words.

func (r *bashReader) stmts(all []*syntax.Stmt) {
	for _, s := range all {
		r.stmt(s, bashInput{})
	}
}

// inner reads the commands of a compound command, which share its input. Lines of
// the input are read by a loop of the tests; the calls in the loop do not get them.
func (r *bashReader) inner(in bashInput, all []*syntax.Stmt) {
	for _, s := range all {
		in.shared = in.shared || bashReads(s)
	}
	for _, s := range all {
		r.stmt(s, in)
	}
}

// bashReads reports whether a command of the tests reads lines.
func bashReads(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && slices.Contains([]string{"read", "mapfile", "readarray", "cat"}, n.Args[0].Lit()) {
				found = true
			}
		case *syntax.CmdSubst:
			return false
		}
		return true
	})
	return found
}

// stmt reads a command with its redirections.
func (r *bashReader) stmt(s *syntax.Stmt, in bashInput) {
	for _, d := range s.Redirs {
		r.word(d.Word)
		r.word(d.Hdoc)
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			in = bashInput{said: r.saidWord(d.Hdoc), fed: true, words: []*syntax.Word{d.Hdoc}}
			if d.Hdoc == nil {
				in.words = nil
			}
			continue
		case syntax.WordHdoc:
			in = bashInput{said: r.saidWord(d.Word), fed: true, words: []*syntax.Word{d.Word}}
			continue
		case syntax.RdrIn:
			in = bashInput{said: bashProcess(d.Word), fed: true}
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
			text, ok := bashLiteral(d.Word)
			if (!ok || !slices.Contains([]string{"/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"}, text)) && !bashProcess(d.Word) {
				r.share("the tests share files with the program")
			}
		}
		if r.saidWord(d.Word) {
			r.share("the tests take the name of a file from what the program prints")
		}
	}
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && in.said && len(c.Args) == 1 && c.Args[0].Lit() == "exec" {
		r.share("the tests have their shell read what the program prints")
	}
	if s.Coprocess {
		r.share("the tests run a coprocess")
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.feed(c, in)
		r.counts(c, in)
		r.call(c, in, len(s.Redirs) == 0)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			r.within++
			r.captured++
			r.stmt(c.X, in)
			r.captured--
			said := !r.pure(c.X, in)
			r.stmt(c.Y, bashInput{said: said, fed: true, words: bashPrinted(c.X)})
			r.within--
			return
		}
		r.within++
		r.stmt(c.X, in)
		r.within--
		r.stmt(c.Y, in)
	case *syntax.Block:
		r.inner(in, c.Stmts)
	case *syntax.Subshell:
		r.within++
		r.inner(in, c.Stmts)
		r.within--
	case *syntax.IfClause:
		for c := c; c != nil; c = c.Else {
			r.within++
			r.inner(in, c.Cond)
			r.within--
			r.inner(in, c.Then)
		}
	case *syntax.WhileClause:
		in.shared = true
		r.inner(in, c.Cond)
		r.inner(in, c.Do)
	case *syntax.ForClause:
		switch l := c.Loop.(type) {
		case *syntax.WordIter:
			r.assigned[l.Name.Value] += 2
			if r.integers[l.Name.Value] && r.saidWords(l.Items) {
				r.share("the tests evaluate what the program prints as arithmetic")
			}
			for _, w := range l.Items {
				if r.saidWord(w) || r.mentions(w) {
					r.set(l.Name.Value)
				}
				r.each(w, "words", false)
				r.word(w)
			}
			if len(l.Items) == 0 && len(r.params[r.function]) > 0 {
				r.set(l.Name.Value)
			}
		case *syntax.CStyleLoop:
			r.arithmetic(l.Init)
			r.arithmetic(l.Cond)
			r.arithmetic(l.Post)
		}
		if c.Select {
			r.share("the tests use select")
		}
		r.inner(in, c.Do)
	case *syntax.CaseClause:
		r.word(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				r.pattern(p)
			}
			r.inner(in, item.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name == nil {
			return // the input is shared
		}
		outer := r.function
		r.function = c.Name.Value
		r.stmt(c.Body, bashInput{given: r.inputs[c.Name.Value]})
		r.function = outer
	case *syntax.TestDecl:
		r.bats = true
		r.word(c.Description)
		r.stmt(c.Body, bashInput{})
	case *syntax.ArithmCmd:
		r.arithmetic(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.arithmetic(x)
		}
	case *syntax.TestClause:
		r.condition(c.X)
	case *syntax.DeclClause:
		r.declaration(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt, in)
		}
	case *syntax.CoprocClause:
		r.share("the tests run a coprocess")
	case nil:
	default:
		r.share("the tests are in a form of Bash that is not read here")
	}
}

// feed marks a command given its input by the tests. A call of the program reads
// only this input, because the rest may belong to a loop of the tests.
func (r *bashReader) feed(c *syntax.CallExpr, in bashInput) {
	if !in.fed || in.shared || len(c.Args) == 0 || r.nested > 0 || !r.writes {
		return
	}
	name, ok := bashLiteral(c.Args[0])
	if f := r.functions[name]; f != nil && bashReads(f.Body) {
		return
	}
	if ok && r.functions[name] == nil && (bashBuiltins[name] && name != "command" || bashIsTool(name) && name != r.entry && !slices.Contains([]string{"bash", "sh", "timeout", "env"}, name) && !bashFree[name]) {
		return
	}
	r.edits = append(r.edits, bashEdit{int(c.Pos().Offset()), 1 << 38, "GLOVEBOX_FED=1 ", ""})
}

// counts guards tools that compute with the program's output: a value that is not a
// number never reaches the tool.
func (r *bashReader) counts(c *syntax.CallExpr, in bashInput) {
	at := slices.IndexFunc(c.Args, func(w *syntax.Word) bool { return slices.Contains([]string{"awk", "gawk", "mawk", "jq"}, bashTail(w)) })
	if at < 0 {
		return
	}
	files := false
	for _, w := range c.Args[at+1:] {
		for _, p := range w.Parts {
			p, ok := p.(*syntax.ProcSubst)
			files = files || ok
			if ok && p.Op == syntax.CmdIn && slices.ContainsFunc(p.Stmts, func(s *syntax.Stmt) bool { return !r.pure(s, in) }) {
				r.edit(p, "<(glovebox.counted cat < ", ")")
			}
		}
	}
	switch {
	case files || !in.said && !in.given || !bashComputes(bashTail(c.Args[at]), c.Args[at+1:]):
	case r.nested > 0:
		r.share("the tests evaluate text with what the program prints")
	case r.writes:
		r.edits = append(r.edits, bashEdit{int(c.Args[0].Pos().Offset()), 1 << 37, "glovebox.counted ", ""})
	}
}

// bashComputes reports whether a computing tool reads its standard input. With file
// arguments, or an awk program of a single BEGIN block, the tool does not.
func bashComputes(tool string, args []*syntax.Word) bool {
	for len(args) > 0 && strings.HasPrefix(args[0].Lit(), "-") {
		switch option := args[0].Lit(); {
		case tool == "jq" && (option == "-n" || option == "--null-input"):
			return false
		case option == "-f":
			return true
		case tool == "jq" && strings.HasPrefix(option, "--arg"):
			args = args[min(3, len(args)):]
		case option == "-v" || option == "-F":
			args = args[min(2, len(args)):]
		default:
			args = args[1:]
		}
	}
	for i := 1; i < len(args); i++ {
		if file, ok := bashLiteral(args[i]); ok && file != "-" && file != "/dev/stdin" && !strings.Contains(file, "=") {
			return false
		}
	}
	if len(args) != 1 {
		return true
	}
	block, ok := strings.CutPrefix(strings.TrimSpace(strings.Trim(bashJoined(args), `'"`)), "BEGIN")
	depth := 0
	for i, c := range block {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return !ok || strings.TrimSpace(block[i+1:]) != ""
			}
		}
	}
	return true
}

// bashPrinted returns the words that echo or printf prints, or nil.
func bashPrinted(s *syntax.Stmt) []*syntax.Word {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 || len(s.Redirs) > 0 {
		return nil
	}
	if name := c.Args[0].Lit(); name != "echo" && name != "printf" {
		return nil
	}
	return c.Args[1:]
}

// mentions reports whether a text of the tests names a variable that may hold
// program output. Such a text can be arithmetic.
func (r *bashReader) mentions(w *syntax.Word) bool {
	found := false
	if w != nil {
		syntax.Walk(w, func(n syntax.Node) bool {
			text := ""
			switch n := n.(type) {
			case *syntax.Lit:
				text = n.Value
			case *syntax.SglQuoted:
				text = n.Value
			case *syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp:
				return false
			}
			for _, name := range bashIdentifier().FindAllString(text, -1) {
				found = found || r.variables[name]
			}
			return true
		})
	}
	return found
}

// condition reads the inside of [[ ]].
func (r *bashReader) condition(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		a, isWord := x.X.(*syntax.Word)
		b, both := x.Y.(*syntax.Word)
		if !isWord || !both {
			r.condition(x.X)
			r.condition(x.Y)
			return
		}
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			r.arithmetic(a)
			r.arithmetic(b)
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch:
			r.word(a)
			r.pattern(b)
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			r.file(a)
			r.file(b)
		default:
			r.word(a)
			r.word(b)
		}
	case *syntax.UnaryTest:
		w, ok := x.X.(*syntax.Word)
		if ok && x.Op != syntax.TsEmpStr && x.Op != syntax.TsNempStr {
			r.file(w)
			return
		}
		r.condition(x.X)
	case *syntax.ParenTest:
		r.condition(x.X)
	case *syntax.Word:
		r.word(x)
	}
}

// file reads a word naming a file, a variable or an option.
func (r *bashReader) file(w *syntax.Word) {
	r.word(w)
	if r.saidWord(w) || r.subscripted(w) {
		r.share("the tests take a name from what the program prints")
	}
}

// subscripted reports whether a word spells an array element. A builtin evaluates
// the subscript, including the names in the subscript.
func (r *bashReader) subscripted(w *syntax.Word) bool {
	return strings.Contains(bashSource(w), "[") && (r.mentions(w) || r.anything)
}

// assign reads an assignment.
func (r *bashReader) assign(a *syntax.Assign, mine bool) {
	name := a.Name.Value
	if mine {
		r.assigned[name]++
		if a.Value == nil && a.Array == nil {
			r.once[name] = true
		} else if a.Value != nil {
			text, constant := bashLiteral(a.Value)
			r.once[name] = constant && strings.Trim(text, "0123456789") == ""
		} else {
			r.once[name] = len(a.Array.Elems) == 0
		}
		if a.Append || a.Index != nil {
			r.assigned[name]++
		}
	}
	said := r.saidWord(a.Value)
	if r.mentions(a.Value) {
		said, r.textual[name] = true, true
	}
	r.index(name, a.Index)
	if r.integers[name] && a.Value != nil {
		r.arithmetic(a.Value)
		said = false
	} else {
		r.word(a.Value)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				r.index(name, e.Index)
			}
			if r.saidWord(e.Value) || r.mentions(e.Value) {
				said = true
				if e.Index == nil {
					r.each(e.Value, "words", false)
				}
				if r.integers[name] {
					r.share("the tests evaluate what the program prints as arithmetic")
				}
			}
			r.word(e.Value)
		}
	}
	if said {
		r.set(name)
	}
	if bashOwnState[name] && (said || mine && r.within == 0 && !strings.HasPrefix(name, "BASH_")) {
		r.share("the tests set " + name + ", which the program sees")
	}
}

// declaration reads declare, local, export and their kin.
func (r *bashReader) declaration(c *syntax.DeclClause) {
	flags := ""
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil {
			text, ok := bashLiteral(a.Value)
			switch {
			case ok && strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+"):
				flags += text
			case r.subscripted(a.Value):
				r.share("the tests take a name from what the program prints")
			case ok && strings.Contains(text, "="):
				name, _, _ := strings.Cut(text, "=")
				r.assigned[name]++
			case ok:
			case r.saidWord(a.Value):
				// A spelled name, as in "x=$y", is an assignment.
				if name := bashSpelled(a.Value); name != "" && !r.integers[name] && !bashOwnState[name] {
					r.set(name)
					r.assigned[name]++
				} else {
					r.share("the tests take a name of a variable from what the program prints")
				}
			default:
				if name := bashSpelled(a.Value); name != "" {
					r.assigned[name]++
				} else if !r.anything {
					r.anything, r.changed = true, true
				}
			}
			r.word(a.Value)
			continue
		}
		if a.Name == nil {
			continue
		}
		if strings.Contains(flags, "n") && c.Variant.Value != "export" || c.Variant.Value == "nameref" {
			if r.saidWord(a.Value) || a.Value != nil && r.subscripted(a.Value) {
				r.share("the tests take a name of a variable from what the program prints")
			}
			if !r.anything {
				r.anything, r.changed = true, true
			}
		}
		if a.Naked {
			r.assigned[a.Name.Value]++
			r.once[a.Name.Value] = true
			if c.Variant.Value == "local" || strings.ContainsAny(flags, "aAi") {
				r.assigned[a.Name.Value]++
			}
		} else {
			r.assign(a, true)
		}
		if c.Variant.Value == "local" {
			r.assigned[a.Name.Value]++ // no function of the program sees it by its name alone
		}
		if c.Variant.Value == "export" || strings.Contains(flags, "x") {
			r.share("the tests export variables to the program")
		}
	}
	if strings.ContainsAny(flags, "fp") {
		r.share("the tests look into the program")
	}
}

// bashSpelled returns the variable assigned by a word of the form name=…
func bashSpelled(w *syntax.Word) string {
	text := ""
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		text = p.Value
	case *syntax.DblQuoted:
		if len(p.Parts) > 0 {
			if l, ok := p.Parts[0].(*syntax.Lit); ok {
				text = l.Value
			}
		}
	}
	if name, _, ok := strings.Cut(text, "="); ok && bashIsName(name) {
		return name
	}
	return ""
}

// call reads a simple command.
func (r *bashReader) call(c *syntax.CallExpr, in bashInput, alone bool) {
	for _, a := range c.Assigns {
		r.assign(a, len(c.Args) == 0)
	}
	if len(c.Args) > 0 {
		r.command(c.Args, in, alone, len(c.Assigns) > 0)
	}
}

// command reads a command by its words.
func (r *bashReader) command(args []*syntax.Word, in bashInput, alone, env bool) {
	name, ok := bashLiteral(args[0])
	if dir, tool := path.Split(name); slices.Contains([]string{"/bin/", "/usr/bin/", "/usr/local/bin/"}, dir) && r.functions[name] == nil {
		name = tool
	}
	rest := args[1:]
	said := r.saidWords(rest)
	if !ok {
		r.words(args)
		if tail := bashTail(args[0]); r.program[tail] {
			r.starts = true
			r.handed(rest, env)
			return
		}
		if r.saidWord(args[0]) || said {
			r.share("the tests start commands with what the program prints")
		}
		r.handed(rest, env)
		return
	}
	switch {
	case r.functions[name] != nil:
		if (in.said || in.given) && !r.inputs[name] {
			r.inputs[name], r.changed = true, true
		}
		r.own(name, rest)
	case name == "[" || name == "test":
		r.test(rest)
	case strings.Contains(name, "/") && r.program[path.Base(name)]:
		r.starts = true
		r.words(rest)
		r.handed(rest, env)
	case bashAssertions().MatchString(name) && !r.tools[name]:
		r.assertion(name, rest, in)
	case bashBuiltins[name] || bashIsTool(name) && name != r.entry && !bashFree[name]:
		r.commands[name] = true
		r.tool(name, rest, in)
	default:
		// A command with no other definition belongs to the program.
		r.commands[name] = true
		if said && !bashCommandName().MatchString(name) {
			r.share("the tests start commands with what the program prints")
		}
		r.judged = r.judged || (in.said || in.given && r.inputs[r.function]) && r.captured == 0
		if alone && r.within == 0 {
			r.bare = true
		}
		for _, w := range rest {
			r.each(w, "words", false)
		}
		r.words(rest)
		r.handed(rest, env)
	}
}

// handed reads the arguments of the program, apart from plain values.
func (r *bashReader) handed(args []*syntax.Word, env bool) {
	if env {
		r.share("the tests set variables for the program")
	}
	r.judged = r.judged || r.captured == 0 && r.saidWords(args)
	for _, w := range args {
		text, ok := bashLiteral(w)
		if ok && bashIsName(text) && r.assigned[text] > 0 {
			r.share("the tests hand the name of the variable " + text + " to the program")
		}
		if tail := bashTail(w); ok && r.data[path.Base(text)] || r.data[tail] {
			r.share("the tests share files with the program")
		}
	}
}

// own binds the parameters of a function of the tests.
func (r *bashReader) own(name string, args []*syntax.Word) {
	variadic, shifts := bashParameters(r.functions[name])
	if variadic {
		r.captured++ // the body of the function shows the use of the words
		r.handed(args, false)
		r.captured--
	}
	for i, w := range args {
		if r.saidWord(w) {
			if variadic || shifts || bashMany(args[:i+1]) {
				r.bind(name, 0)
			}
			r.bind(name, i+1)
			if variadic && i == len(args)-1 {
				r.each(w, "words", false)
			} else {
				r.each(w, "word", true)
			}
		} else if r.mentions(w) {
			r.bind(name, i+1)
		}
	}
	r.words(args)
}

// bashMany reports whether any of the words may expand to several words.
func bashMany(args []*syntax.Word) bool {
	return slices.ContainsFunc(args, func(w *syntax.Word) bool {
		found := false
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.ParamExp:
				found = found || n.Param != nil && n.Param.Value == "@" || bashAllKeys(n.Index)
			case *syntax.CmdSubst:
				return false
			}
			return true
		})
		return found || slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
			_, a := p.(*syntax.ParamExp)
			_, b := p.(*syntax.CmdSubst)
			return a || b
		})
	})
}

// bashParameters reports whether a function uses all its parameters at once, and
// whether the function shifts them.
func bashParameters(f *syntax.FuncDecl) (variadic, shifts bool) {
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil && (n.Param.Value == "@" || n.Param.Value == "*") {
				variadic = true
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (n.Args[0].Lit() == "shift" || n.Args[0].Lit() == "set") {
				shifts = true
			}
		}
		return true
	})
	return variadic, shifts
}

// test reads the words of [ and test: each word from the program's output is one
// operand.
func (r *bashReader) test(args []*syntax.Word) {
	if n := len(args); n > 0 && args[n-1].Lit() == "]" {
		args = args[:n-1]
	}
	long := len(args) > 4 || len(args) == 4 && args[0].Lit() != "!"
	for i, w := range args {
		if i > 0 && (args[i-1].Lit() == "-v" || args[i-1].Lit() == "-R") && r.subscripted(w) {
			r.share("the tests take a name from what the program prints")
		}
		if !r.saidWord(w) {
			continue
		}
		if bashMany([]*syntax.Word{w}) && !bashUnquoted(w) {
			r.share("the tests make a condition of what the program prints")
		}
		before := ""
		if i > 0 {
			before, _ = bashLiteral(args[i-1])
		}
		// The place of an operator is the second of three, or the first of two.
		if at := args; len(at) == 3 && at[0].Lit() != "!" && i == 1 || len(at) == 2 && i == 0 || len(at) == 4 && i == 2 {
			r.share("the tests take an operator from what the program prints")
		}
		if len(before) == 2 && before[0] == '-' && !strings.Contains("zn", before[1:]) && before != "-a" && before != "-o" ||
			slices.Contains([]string{"-nt", "-ot", "-ef"}, before) {
			r.share("the tests take a name from what the program prints")
		}
		kind := "word"
		switch {
		case bashCompares(args, i):
			// A value that is not a number causes an error, and so no difference.
			kind = "integer"
		case long:
			kind = "operand"
		}
		if long || kind == "integer" || bashUnquoted(w) {
			r.each(w, kind, true)
		}
	}
	r.words(args)
}

// bashCompares reports whether a word of a condition is compared as a number.
func bashCompares(args []*syntax.Word, i int) bool {
	numeric := func(i int) bool {
		// Comparing a word with itself only asks whether the word is a number.
		return i > 0 && i < len(args)-1 && bashJoined(args[i-1:i]) != bashJoined(args[i+1:i+2]) && slices.Contains([]string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}, args[i].Lit())
	}
	return numeric(i-1) || numeric(i+1)
}

// bashUnquoted reports whether an expansion of a word is outside of quotes.
func bashUnquoted(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return true
		}
		return false
	})
}

// assertion reads a call of a framework's assertion.
func (r *bashReader) assertion(name string, args []*syntax.Word, in bashInput) {
	r.commands[name] = true
	switch name {
	case "run", "assert", "refute":
		r.commands[name] = true
		for len(args) > 0 && (strings.HasPrefix(args[0].Lit(), "-") || args[0].Lit() == "!") {
			args = args[1:]
		}
		if len(args) > 0 {
			r.command(args, in, false, false)
		}
		return
	case "assertTrue", "assertFalse":
		if r.saidWords(args) || slices.ContainsFunc(args, func(w *syntax.Word) bool { return !r.harmless(w) }) {
			r.share("the tests evaluate what the program prints")
		}
	}
	for i, w := range args {
		if !r.saidWord(w) {
			continue
		}
		before := ""
		if i > 0 {
			before = args[i-1].Lit()
		}
		if slices.Contains([]string{"-e", "--regexp", "-n", "--index"}, before) || strings.HasSuffix(name, "_regex") && i > 0 {
			r.share("the tests use what the program prints as a pattern")
		}
		if strings.Contains(name, "_file") || strings.Contains(name, "_dir") || strings.Contains(name, "exist") {
			r.share("the tests take the name of a file from what the program prints")
		}
		// In an assertion with options, program output is never an option.
		if optional := strings.Contains(name, "_"); optional && !strings.HasSuffix(name, "_equal") || !optional && i == 0 {
			r.each(w, "argument", true)
		} else {
			r.each(w, "word", true)
		}
	}
	r.words(args)
}

// harmless reports whether a word evaluated later has nothing to guard.
func (r *bashReader) harmless(w *syntax.Word) bool {
	text, ok := bashLiteral(w)
	if !ok {
		return !strings.ContainsAny(bashSource(w), "\\`")
	}
	r.later(text)
	return true
}

// bashSource is the literal text of a word, with its escapes.
func bashSource(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
		return true
	})
	return b.String()
}

// later reads a text that will be evaluated as commands.
func (r *bashReader) later(text string) {
	tree, err := bashParse(glovebox.File{Path: "later.sh", Data: []byte(text)})
	if err != nil {
		r.share("the tests evaluate text that is not read here")
		return
	}
	r.nested++
	r.stmts(tree.Stmts)
	r.nested--
}

// tool reads a call of a builtin or of a tool.
func (r *bashReader) tool(name string, args []*syntax.Word, in bashInput) {
	said := r.saidWords(args)
	first := ""
	if len(args) > 0 {
		first, _ = bashLiteral(args[0])
	}
	if in.said && !bashFilters[name] && !bashBuiltins[name] && name != "bc" && name != "dc" && name != "xargs" && !slices.Contains([]string{"bash", "sh", "env", "timeout"}, name) {
		r.share("the tests give what the program prints to " + name)
	}
	if bashWriters[name] {
		r.share("the tests share files with the program")
	}
	switch name {
	case "command", "builtin", "time", "env", "timeout", "exec":
		if name == "command" && (first == "-v" || first == "-V") || len(args) == 0 {
			for _, w := range args {
				r.asked[bashTail(w)] = true
			}
			break
		}
		rest := args
		for len(rest) > 0 && (strings.HasPrefix(rest[0].Lit(), "-") || name == "env" && strings.Contains(rest[0].Lit(), "=")) {
			if name == "env" {
				r.share("the tests set variables for the program")
			}
			rest = rest[1:]
		}
		if name == "timeout" {
			// A word that is not a command name is an option's value or a duration.
			for long := false; len(rest) > 0; long, rest = true, rest[1:] {
				text, ok := bashLiteral(rest[0])
				if ok && bashCommandName().MatchString(text) && !bashSignal().MatchString(text) || !ok && long {
					break
				}
			}
		}
		if len(rest) > 0 {
			if inner, ok := bashLiteral(rest[0]); ok && bashBuiltins[inner] && slices.Contains([]string{"declare", "local", "export", "typeset", "readonly", "let"}, inner) && r.saidWords(rest) {
				r.share("the tests take a name of a variable from what the program prints")
			}
			r.command(rest, in, false, false)
		}
		return
	case "type", "which", "hash":
		for _, w := range args {
			r.asked[bashTail(w)] = true
		}
	case "eval":
		if said {
			r.share("the tests evaluate what the program prints")
		}
		var text []string
		for _, w := range args {
			t, ok := bashLiteral(w)
			if !ok {
				r.share("the tests evaluate text that is not read here")
			}
			text = append(text, t)
		}
		r.later(strings.Join(text, " "))
	case "trap":
		if len(args) > 1 && !r.harmless(args[0]) {
			r.share("the tests evaluate text that is not read here")
		}
	case "source", ".":
		if len(args) == 0 {
			break
		}
		tail := bashTail(args[0])
		switch {
		case said || bashProcess(args[0]) || strings.HasPrefix(first, "/dev/"):
			r.share("the tests evaluate what the program prints")
		case r.program[tail]:
			r.sources = true
		case tail == "shunit2":
			r.shunit = true
		}
		r.words(args)
		return
	case "bash", "sh":
		r.shell(args, in)
		return
	case "echo", "printf":
		r.print(name, args)
		return
	case "exit", "return", "shift", "break", "continue", "sleep", "seq", "expr":
		for _, w := range args {
			r.each(w, "number", true)
		}
		if name == "shift" && len(r.params[r.function]) > 0 {
			r.bind(r.function, 0)
		}
		r.words(args)
		return
	case "set":
		for i, w := range args {
			if text, ok := bashLiteral(w); ok && (text == "--" || text == "-") {
				for _, v := range args[i+1:] {
					if r.saidWord(v) {
						r.bind(r.function, 0)
						r.each(v, "words", false)
					}
				}
				r.words(args)
				return
			}
		}
		if !bashSafeSet().MatchString(bashJoined(args)) {
			r.share("the tests set options that the program sees")
		}
	case "read", "mapfile", "readarray", "getopts":
		r.reads(name, args, in)
		return
	case "grep", "egrep", "fgrep":
		r.grep(name, args)
		return
	case "awk", "gawk", "mawk":
		r.awk(args)
		return
	case "bc", "dc":
		if in.said && in.words == nil || !in.fed || name == "dc" && in.said {
			r.share("the tests give what the program prints to " + name)
			break
		}
		for _, w := range in.words {
			r.each(w, "decimal", false)
		}
	case "xargs":
		if in.said && len(args) > 0 && bashJoined(args) != "echo" {
			r.share("the tests start commands with what the program prints")
		}
	case "cd", "pushd":
		if !strings.Contains(bashJoined(args), "dirname") && !strings.Contains(bashJoined(args), "BASH_SOURCE") && !strings.Contains(bashJoined(args), "BATS_TEST_DIRNAME") && r.within == 0 {
			r.share("the tests change the program's directory")
		}
	case "shopt", "alias", "unalias", "umask", "ulimit", "enable":
		r.share("the tests set " + name + ", which the program sees")
	case "unset":
		if first == "-f" {
			r.share("the tests look into the program")
		}
		if slices.ContainsFunc(args, r.subscripted) {
			r.share("the tests take a name from what the program prints")
		}
	case "export", "declare", "local", "typeset", "readonly", "let":
		r.share("the tests are in a form of Bash that is not read here")
	}
	if said && name != "basename" && name != "dirname" && name != "true" && name != "false" && name != ":" {
		r.share("the tests hand what the program prints to " + name)
	}
	r.words(args)
}

// bashJoined returns the literal text of words, for finding options.
func bashJoined(args []*syntax.Word) string {
	var b bytes.Buffer
	for i, w := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		syntax.NewPrinter().Print(&b, w)
	}
	return b.String()
}

// shell reads the start of another shell.
func (r *bashReader) shell(args []*syntax.Word, in bashInput) {
	r.words(args)
	for i, w := range args {
		text, ok := bashLiteral(w)
		switch {
		case ok && strings.HasPrefix(text, "-") && strings.HasSuffix(text, "c") && !strings.HasPrefix(text, "--"):
			if i+1 >= len(args) || r.saidWord(args[i+1]) {
				r.share("the tests evaluate what the program prints")
				return
			}
			inner, ok := bashLiteral(args[i+1])
			if !ok {
				r.share("the tests evaluate text that is not read here")
				return
			}
			if r.saidWords(args[i+2:]) {
				r.share("the tests evaluate what the program prints")
			}
			r.later(inner)
			return
		case ok && (strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")):
			continue
		case r.saidWord(w) || bashProcess(w) || strings.HasPrefix(text, "/dev/"):
			r.share("the tests evaluate what the program prints")
			return
		case r.program[bashTail(w)]:
			r.starts = true
			r.handed(args[i+1:], false)
			for _, v := range args[i+1:] {
				r.each(v, "words", false)
			}
			return
		default:
			if !ok {
				// A variable names the script: most likely the program's.
				r.starts = true
			}
			if r.saidWords(args[i+1:]) {
				r.bind("", 0)
			}
			r.handed(args[i+1:], false)
			return
		}
	}
	if in.said || !in.fed {
		r.share("the tests evaluate what the program prints")
	}
}

// print reads echo and printf.
func (r *bashReader) print(name string, args []*syntax.Word) {
	format := name == "printf"
	for i, w := range args {
		text, ok := bashLiteral(w)
		switch {
		case format && ok && text == "-v" && i+1 < len(args):
			to, ok := bashLiteral(args[i+1])
			switch {
			case r.saidWord(args[i+1]) || r.integers[to] || strings.Contains(to, "["):
				r.share("the tests take a name of a variable from what the program prints")
			case !ok && !r.anything:
				r.anything, r.changed = true, true
			}
			r.assigned[to] += 2
			if r.saidWords(args[i+2:]) {
				r.set(to)
			}
			format = false
			if i+2 < len(args) && r.saidWord(args[i+2]) {
				r.each(args[i+2], "format", true)
				r.words(args)
				return
			}
		case format && ok && text == "--":
		case format:
			format = false
			if r.saidWord(w) {
				r.each(w, "format", true)
			}
		case r.saidWord(w):
			r.each(w, "words", false)
		}
	}
	r.words(args)
}

// reads handles the builtins that read into variables.
func (r *bashReader) reads(name string, args []*syntax.Word, in bashInput) {
	for _, w := range args {
		text, ok := bashLiteral(w)
		switch {
		case r.saidWord(w):
			r.share("the tests take a name of a variable from what the program prints")
		case !ok && bashUnquoted(w) && !r.anything:
			r.anything, r.changed = true, true
		case ok && name != "read" && strings.HasPrefix(text, "-") && strings.Contains(text, "C"):
			r.share("the tests call a function with what the program prints")
		case ok && bashIsName(text):
			r.assigned[text] += 2
			if in.fed && !in.said {
				continue
			}
			if r.integers[text] {
				r.share("the tests evaluate what the program prints as arithmetic")
			}
			r.set(text)
		case ok && strings.Contains(text, "["):
			r.share("the tests are in a form of Bash that is not read here")
		}
	}
	r.words(args)
}

// grep reads a search. Program output is used literally in the pattern.
func (r *bashReader) grep(name string, args []*syntax.Word) {
	kind, pattern := "pattern", false
	for _, w := range args {
		text, ok := bashLiteral(w)
		if ok && strings.HasPrefix(text, "-") && len(text) > 1 && !pattern {
			if strings.Contains(text, "F") && !strings.HasPrefix(text, "--") || text == "--fixed-strings" {
				kind = "fixed"
			}
			if strings.Contains(text, "f") && !strings.HasPrefix(text, "--") {
				r.share("the tests use what the program prints as a pattern")
			}
			continue
		}
		if r.saidWord(w) {
			if name == "fgrep" {
				kind = "fixed"
			}
			if pattern {
				r.share("the tests take the name of a file from what the program prints")
			}
			r.each(w, kind, true)
		}
		pattern = true
	}
	r.words(args)
}

// awk reads an awk program, in which program output is a number.
func (r *bashReader) awk(args []*syntax.Word) {
	for i := 0; i < len(args); i++ {
		text, ok := bashLiteral(args[i])
		switch {
		case ok && (text == "-v" || text == "-F"):
			i++
			if i < len(args) && r.saidWord(args[i]) && bashSpelled(args[i]) == "" {
				r.share("the tests take a name of a variable from what the program prints")
			}
			if i < len(args) {
				r.each(args[i], "finite", true)
			}
		case ok && strings.HasPrefix(text, "-") && len(text) > 1:
			if text == "-f" {
				i++
			}
		default:
			r.each(args[i], "decimal", true)
			if r.saidWords(args[i+1:]) {
				r.share("the tests take the name of a file from what the program prints")
			}
			r.words(args)
			return
		}
	}
	r.words(args)
}
