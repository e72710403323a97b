package inspect

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shell has no names to follow: its rules look at commands, see [commands].
var shell = &syntaxTable{
	comments: []string{"# ", "#!", "##", "#\n"},
	quotes:   []quote{{open: "'", close: "'", lines: true}, {open: `"`, close: `"`, escape: true, lines: true}},
}

// shellImports: installing a package is what a script has in place of an import.
func shellImports([]token, *scope) []imported { return nil }

// command is a simple command of a script: its words as written, with one space between.
type command struct {
	line   string
	offset int
}

// Bounds of a script for the parser, whose time grows with the square of the nesting.
const (
	maxScript  = 128 << 10
	maxNesting = 200
	maxCommand = 4 << 10
	// maxCommands bounds what is compared with the rules.
	maxCommands = 20_000
)

// commands returns the simple commands of a script, those inside of substitutions too. A
// script that the parser refuses is read line by line.
func commands(src string) []command {
	if all, ok := parsed(src); ok {
		return all
	}
	var all []command
	at := 0
	for line := range strings.SplitSeq(src, "\n") {
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";|&(){}`", r) }) {
			if text := strings.TrimSpace(part); text != "" && text[0] != '#' && len(all) <= maxCommands {
				all = append(all, command{text[:min(len(text), maxCommand)], at})
			}
		}
		at += len(line) + 1
	}
	return all
}

// parsed returns the commands of a script, and whether the parser could read all of it.
func parsed(src string) (all []command, ok bool) {
	if len(src) > maxScript || nesting(src) > maxNesting {
		return nil, false
	}
	defer func() {
		if recover() != nil { // the parser is not ours
			all, ok = nil, false
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		return nil, false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				all = append(all, command{words(src, n.Args), int(n.Args[0].Pos().Offset())})
			}
		case *syntax.Redirect:
			if n.Word != nil {
				all = append(all, command{"> " + words(src, []*syntax.Word{n.Word}), int(n.OpPos.Offset())})
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				all = append(all, command{piped(src, n), int(n.Y.Pos().Offset())})
			}
		}
		return true
	})
	return all, true
}

// words joins the words of a command, without the quotes around whole ones.
func words(src string, args []*syntax.Word) string {
	var b strings.Builder
	for i, w := range args {
		text := src[min(int(w.Pos().Offset()), len(src)):min(int(w.End().Offset()), len(src))]
		if len(text) > 1 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
			text = text[1 : len(text)-1]
		}
		if i == 0 {
			text = strings.TrimPrefix(text, `\`)
		} else {
			b.WriteByte(' ')
		}
		if b.WriteString(text); b.Len() > maxCommand {
			break
		}
	}
	return b.String()
}

// piped is "| " with the command behind a pipe.
func piped(src string, p *syntax.BinaryCmd) string {
	if c, ok := p.Y.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		return "| " + words(src, c.Args)
	}
	return "| "
}

// nesting is about how deep the brackets of a text are.
func nesting(src string) int {
	depth, most := 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '(', '{', '[', '`':
			if depth++; depth > most {
				most = depth
			}
		case ')', '}', ']', '\n':
			depth = max(depth-1, 0)
		}
	}
	return most
}

// command compares a command with the rules.
func (d *finder) command(c command) {
	for _, r := range d.Rules {
		for _, re := range r.commands {
			if re.MatchString(c.line) {
				d.add(r, c.offset, installed(r, c.line))
				break
			}
		}
	}
}

// installed is the first package that a command installs, under the rule about packages.
func installed(r *rule, line string) string {
	if r.Name != RuleThirdParty {
		return ""
	}
	fields := strings.Fields(line)
	for i, f := range fields {
		if i > 0 && (fields[i-1] == "install" || fields[i-1] == "add" || fields[i-1] == "get" || strings.HasPrefix(fields[i-1], "-") && i > 1) && !strings.HasPrefix(f, "-") && f != "install" {
			return f
		}
	}
	return ""
}
