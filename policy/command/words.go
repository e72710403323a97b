package command

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word is an argument after quote removal, with the column of its first character.
type word struct {
	text   string
	column int
}

func (w word) refuse(what, why string, args ...any) *Refusal {
	return &Refusal{Column: w.column, What: fmt.Sprintf(what, args...), Why: why, rule: "shell"}
}

// bad refuses a value that stands in the word.
func (w word) bad(what, text, why string) *Refusal {
	return w.refuse("%s %s", why, what, clip(text))
}

// split reads a line as a shell reads it and returns its words. A line that is anything
// but one simple command of plain and quoted words is refused.
func split(line string) ([]word, *Refusal) {
	if r := checkText(line); r != nil {
		return nil, r
	}
	s := splitter{line: line}
	// Bash's grammar has a name for each construct that other shells have, so the refusal
	// can say what was met. All that differs from POSIX is refused.
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, s.syntaxError(err)
	}
	return s.file(file)
}

// checkText refuses characters that a reader cannot see, or takes for others.
func checkText(line string) *Refusal {
	at := func(column int, what, why, instead string) *Refusal {
		return &Refusal{Column: column, What: what, Why: why, Instead: instead, rule: "shell"}
	}
	if len(line) > maxLine {
		return at(1, fmt.Sprintf("a line of %d bytes", len(line)), fmt.Sprintf("a command line has at most %d bytes", maxLine), "put the text into a file of the workspace and name the file")
	}
	// The shell's parser recurses into each bracket, with time that grows by the square.
	if n := strings.Count(line, "(") + strings.Count(line, "{") + strings.Count(line, "[") + strings.Count(line, "`"); n > maxBrackets {
		return at(1, fmt.Sprintf("a line of %d brackets", n), fmt.Sprintf("a command line has at most %d brackets and back quotes", maxBrackets), "put the text into a file of the workspace and name the file")
	}
	column, first := 0, true
	for i, c := range line {
		column++
		name := fmt.Sprintf("the character %U", c)
		if c == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(line[i:]); size == 1 {
				return at(column, fmt.Sprintf("the byte 0x%02x", line[i]), "the line is not valid UTF-8 there", "write plain UTF-8 text")
			}
		}
		switch {
		case c == '\n' || c == '\r':
			return at(column, "a line break ("+fmt.Sprintf("%U", c)+")", "a command line is one line with one command", "send each command by itself")
		case c != ' ' && unicode.IsOneOf([]*unicode.RangeTable{unicode.C, unicode.Z}, c):
			return at(column, name, "the character is a control, invisible or special white-space character", "write a plain space, or leave the character out")
		case c > unicode.MaxASCII && !unicode.IsPrint(c):
			return at(column, name, "the character is not printable", "leave the character out")
		}
		if c != ' ' {
			first = false
		}
	}
	if first {
		return at(1, "an empty line", "there is no command in the line", "write a program and its arguments")
	}
	return nil
}

// lookAlike reports whether c can be taken for an ASCII hyphen, quote, slash, dot or
// other punctuation: dashes, full-width forms and their like.
func lookAlike(c rune) bool {
	switch {
	case c <= unicode.MaxASCII:
		return false
	case unicode.Is(unicode.Pd, c), c >= 0xFF01 && c <= 0xFF5E, c >= 0xFE50 && c <= 0xFE6F, c >= 0x1D400 && c <= 0x1D7FF:
		return true
	case unicode.Is(unicode.Pi, c), unicode.Is(unicode.Pf, c), c == 0x3164, c == 0xFFA0, c == 0x115F, c == 0x1160, c == 0x2800:
		return true // quotes, and letters that are blank
	}
	return strings.ContainsRune("\u2212\u2215\u2044\u29f8\u2216\u29f5\u2024\u2025\u2026\u2236\ua789\u02d0\u05c3\u037e"+
		"\u00a6\u2223\u01c0\u23d0\u02cb\u00b4\u02b9\u02bc\u02c8\u2032\u2035\u2217\u204e\u066d\u223c\u02dc\u2053\u0337\u0338", c)
}

// splitter knows the line, for columns.
type splitter struct{ line string }

// column returns the column of a byte offset.
func (s splitter) column(offset uint) int {
	return utf8.RuneCountInString(s.line[:min(int(offset), len(s.line))]) + 1
}

func (s splitter) refuse(pos syntax.Pos, what, why, instead string) *Refusal {
	return &Refusal{Column: s.column(pos.Offset()), What: what, Why: why, Instead: instead, rule: "shell"}
}

func (s splitter) syntaxError(err error) *Refusal {
	var parse syntax.ParseError
	var lang syntax.LangError
	const instead = "write one program with its arguments, and 'single quotes' around any text with special characters"
	switch {
	case errors.As(err, &parse):
		return s.refuse(parse.Pos, "this syntax", "a shell cannot read the line: "+clip(parse.Text), instead)
	case errors.As(err, &lang):
		return s.refuse(lang.Pos, "this syntax", "a shell cannot read the line: "+clip(lang.Feature), instead)
	}
	return &Refusal{Column: 1, What: "the line", Why: "a shell cannot read the line", Instead: instead, rule: "shell"}
}

const oneCommand = "send each command by itself"

func (s splitter) file(f *syntax.File) ([]word, *Refusal) {
	if len(f.Stmts) == 0 {
		return nil, s.refuse(f.Pos(), "a line without a command", "there is no command in the line", "write a program and its arguments")
	}
	stmt := f.Stmts[0]
	if len(f.Stmts) > 1 {
		return nil, s.refuse(f.Stmts[1].Pos(), "a list of commands", "a line has one command", oneCommand)
	}
	call, r := s.statement(stmt)
	if r != nil {
		return nil, r
	}
	comments := append(f.Last, stmt.Comments...)
	if len(comments) > 0 {
		return nil, s.refuse(comments[0].Pos(), "a comment", "a command line has no comments", "leave the comment out, or quote the #")
	}
	if len(call.Args) > maxWords {
		return nil, s.refuse(call.Args[maxWords].Pos(), "a line of many words", fmt.Sprintf("a command has at most %d words", maxWords), "name a directory in place of its files")
	}
	words := make([]word, len(call.Args))
	for i, a := range call.Args {
		if words[i], r = s.word(a); r != nil {
			return nil, r
		}
	}
	return words, nil
}

// statement accepts a simple command and names anything else.
func (s splitter) statement(stmt *syntax.Stmt) (*syntax.CallExpr, *Refusal) {
	if len(stmt.Redirs) > 0 {
		redir := stmt.Redirs[0]
		switch redir.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return nil, s.refuse(redir.OpPos, "a here-document "+redir.Op.String(), "a command has no input here", "put the text into a file of the workspace and name the file")
		}
		return nil, s.refuse(redir.OpPos, "the redirection "+redir.Op.String(), "a command's input and output are not redirected", "leave the redirection out: the output is returned to you; name an input file as an argument")
	}
	switch {
	case stmt.Negated:
		return nil, s.refuse(stmt.Pos(), "the negation !", "the exit status is returned as it is", "leave the ! out")
	case stmt.Background, stmt.Coprocess, stmt.Disown:
		return nil, s.refuse(stmt.Semicolon, "a background command", "a command runs to its end", "leave the & out")
	case stmt.Semicolon.IsValid():
		return nil, s.refuse(stmt.Semicolon, "the separator ;", "a line has one command", "leave the ; out, or quote it")
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		what, instead := construct(stmt.Cmd)
		pos := stmt.Pos()
		if binary, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
			pos = binary.OpPos
		}
		return nil, s.refuse(pos, what, "a line is one program with its arguments", instead)
	}
	if len(call.Assigns) > 0 {
		return nil, s.refuse(call.Assigns[0].Pos(), "an assignment", "a command does not set variables of the environment", "leave the assignment out")
	}
	if len(call.Args) == 0 {
		return nil, s.refuse(stmt.Pos(), "a line without a command", "there is no command in the line", "write a program and its arguments")
	}
	return call, nil
}

// construct names a command that is not a simple command.
func construct(c syntax.Command) (what, instead string) {
	const plain = "write the command that it would run by itself"
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			return "a pipe " + c.Op.String(), "run the first command by itself and read its output"
		}
		return "a list of commands with " + c.Op.String(), oneCommand
	case *syntax.Subshell:
		return "a subshell ( )", plain
	case *syntax.Block:
		return "a group { }", plain
	case *syntax.FuncDecl:
		return "a function", plain
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		return "a compound command", plain
	case *syntax.ArithmCmd, *syntax.LetClause:
		return "an arithmetic command", "write the number"
	case *syntax.TestClause:
		return "a test [[ ]]", "use ls to see whether a file is there"
	case *syntax.DeclClause:
		return "a declaration", "leave it out: a command does not set variables"
	case *syntax.TimeClause:
		return "the keyword time", "leave it out: the time is returned to you"
	case *syntax.CoprocClause:
		return "a coprocess", plain
	}
	return "this construct", plain
}

// word removes the quotes of a word.
func (s splitter) word(w *syntax.Word) (word, *Refusal) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if r := s.unquoted(part, part.Pos() == w.Pos(), w.Lit() == "!", &b); r != nil {
				return word{}, r
			}
		case *syntax.SglQuoted:
			if part.Dollar {
				return word{}, s.refuse(part.Pos(), "the ANSI-C quote $'", "its escapes hide what the word is", "write the text itself in 'single quotes'")
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar {
				return word{}, s.refuse(part.Pos(), `the translated quote $"`, "the text depends on the locale", "write the text in 'single quotes'")
			}
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return word{}, s.expansion(inner)
				}
				if r := s.doubleQuoted(lit, &b); r != nil {
					return word{}, r
				}
			}
		default:
			return word{}, s.expansion(part)
		}
	}
	// A text in quotes may hold any dash or quote, but not begin with one: the text could
	// be taken for a flag.
	text := b.String()
	if c, _ := utf8.DecodeRuneInString(text); lookAlike(c) {
		return word{}, s.lookAlike(w.Pos(), c)
	}
	return word{text, s.column(w.Pos().Offset())}, nil
}

func (s splitter) lookAlike(pos syntax.Pos, c rune) *Refusal {
	return s.refuse(pos, fmt.Sprintf("the character %U", c), "the character looks like one of the shell's syntax", "write the ASCII character; in the middle of literal text, use 'single quotes'")
}

// expansion names a part of a word that a shell would replace.
func (s splitter) expansion(part syntax.WordPart) *Refusal {
	what := "this expansion"
	switch p := part.(type) {
	case *syntax.ParamExp:
		what = "the expansion of a variable"
	case *syntax.CmdSubst:
		what = "a command substitution"
	case *syntax.ArithmExp:
		what = "an arithmetic expansion"
	case *syntax.ProcSubst:
		what = "a process substitution " + p.Op.String()
	case *syntax.ExtGlob, *syntax.BraceExp:
		what = "a glob"
	}
	return s.refuse(part.Pos(), what, "there is no shell that would expand it", "write the value itself, or put 'single quotes' around literal text")
}

// unquoted removes the backslashes of plain text and refuses what a shell would expand.
func (s splitter) unquoted(lit *syntax.Lit, start, bang bool, b *strings.Builder) *Refusal {
	v := lit.Value
	for i, c := range v {
		if lookAlike(c) {
			return s.lookAlike(at(lit.Pos(), i), c)
		}
	}
	for i := 0; i < len(v); i++ {
		what := ""
		switch c := v[i]; c {
		case '\\':
			if i++; i == len(v) {
				return s.refuse(lit.Pos(), `a \ at the end`, "a line is not continued", `leave the \ out, or quote it`)
			}
		case '*', '?', '[':
			what = "the glob " + string(c)
		case '{', '}':
			what = "the brace " + string(c)
		case '$', '`':
			what = "the expansion " + string(c)
		case '~':
			if i == 0 && start || i > 0 && (v[i-1] == '=' || v[i-1] == ':') {
				what = "the tilde ~"
			}
		case '!':
			if !bang {
				what = "the history sign !"
			}
		case '|', '&', ';', '<', '>', '(', ')', '"', '\'', ' ':
			what = "the sign " + string(c) // the parser never leaves these in a word
		}
		if what != "" {
			return s.refuse(at(lit.Pos(), i), what, "there is no shell that would expand it", "name the files themselves, or put 'single quotes' around literal text")
		}
		b.WriteByte(v[i])
	}
	return nil
}

// doubleQuoted removes the backslashes that count between double quotes.
func (s splitter) doubleQuoted(lit *syntax.Lit, b *strings.Builder) *Refusal {
	v := lit.Value
	for i := 0; i < len(v); i++ {
		switch c := v[i]; c {
		case '\\':
			if i+1 < len(v) && strings.IndexByte("$`\"\\", v[i+1]) >= 0 {
				i++
			}
		case '!':
			return s.refuse(at(lit.Pos(), i), "the history sign ! in double quotes", "a shell may replace it", "use 'single quotes'")
		case '$', '`':
			return s.refuse(at(lit.Pos(), i), "the expansion "+string(c), "there is no shell that would expand it", "use 'single quotes'")
		}
		b.WriteByte(v[i])
	}
	return nil
}

// at returns the position so many bytes after p. A line has no line breaks.
func at(p syntax.Pos, bytes int) syntax.Pos {
	return syntax.NewPos(p.Offset()+uint(bytes), p.Line(), p.Col()+uint(bytes))
}
