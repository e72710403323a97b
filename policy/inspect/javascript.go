package inspect

import (
	"strings"
)

var javascript = &syntaxTable{
	comments: []string{"//"},
	blocks:   [][2]string{{"/*", "*/"}, {"<!--", "\n"}},
	quotes: []quote{
		{open: `"`, close: `"`, escape: true}, {open: "'", close: "'", escape: true},
		{open: "`", close: "`", escape: true, lines: true, inner: "${"},
	},
	signs:   []string{"...", "=>", "?.", "===", "!==", "==", "!=", "&&", "||", "??"},
	letters: "$",
	regexes: true,
}

// javascriptRoot is the package of a module: its first part, or two with a scope.
func javascriptRoot(module string) string {
	module = strings.TrimPrefix(module, "node:")
	parts := strings.SplitN(module, "/", 3)
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// javascriptImports reads import statements, and calls of require and import.
func javascriptImports(tokens []token, s *scope) []imported {
	var all []imported
	found := func(t token) string {
		module := strings.TrimPrefix(t.text, "node:")
		all = append(all, imported{module: module, offset: t.offset, relative: strings.HasPrefix(module, ".") || strings.HasPrefix(module, "/") || strings.HasPrefix(module, "#")})
		return module
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind != nameToken || i > 0 && tokens[i-1].kind == signToken && (tokens[i-1].text == "." || tokens[i-1].text == "?.") {
			continue
		}
		switch t.text {
		case "function", "class":
			if i+1 < len(tokens) && tokens[i+1].kind == nameToken {
				s.own[tokens[i+1].text] = true
			}
		case "import", "export":
			if i+1 < len(tokens) && tokens[i+1].kind == textToken { // import 'x'
				found(tokens[i+1])
				continue
			}
			if i+2 < len(tokens) && tokens[i+1].text == "(" && tokens[i+2].kind == textToken { // import('x')
				bind(tokens, i, s, found(tokens[i+2]))
				continue
			}
			end := i + 1
			for end < len(tokens) && end < i+400 && tokens[end].kind != textToken && tokens[end].text != ";" && tokens[end].text != "=" && tokens[end].text != "(" {
				end++
			}
			if end < len(tokens) && tokens[end].kind == textToken && tokens[end-1].text == "from" {
				module := found(tokens[end])
				if t.text == "import" {
					names(tokens[i+1:end-1], "as", s, module)
				}
				i = end
			}
		case "require":
			if i+2 < len(tokens) && tokens[i+1].text == "(" && tokens[i+2].kind == textToken {
				bind(tokens, i, s, found(tokens[i+2]))
			}
		case "const", "let", "var": // const run = cp.exec, { exec } = cp
			aliased(tokens, i+1, s)
		}
	}
	return all
}

// names reads what an import brings: a, * as b, { c, d as e }.
func names(tokens []token, as string, s *scope, module string) {
	inside := false
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.text == "{":
			inside = true
		case t.text == "*" && i+2 < len(tokens) && tokens[i+1].text == "as":
			s.aliases[tokens[i+2].text] = module
			i += 2
		case t.kind == nameToken && t.text != "type":
			local := t.text
			if i+2 < len(tokens) && tokens[i+1].text == as {
				local = tokens[i+2].text
				i += 2
			}
			if inside && t.text != "default" {
				s.aliases[local] = module + "." + t.text
			} else {
				s.aliases[local] = module
			}
		}
	}
}

// bind names what stands before "= require(…)" or "= await import(…)".
func bind(tokens []token, at int, s *scope, module string) {
	i := at - 1
	if i >= 0 && tokens[i].text == "await" {
		i--
	}
	if i < 1 || tokens[i].text != "=" {
		return
	}
	// const x = require('m').y
	suffix := ""
	for end := at + 4; end+1 < len(tokens) && tokens[end].text == "." && tokens[end+1].kind == nameToken; end += 2 {
		suffix += "." + tokens[end+1].text
	}
	switch before := tokens[i-1]; {
	case before.kind == nameToken:
		s.aliases[before.text] = module + suffix
	case before.text == "}":
		start := i - 1
		for start > 0 && start > i-400 && tokens[start].text != "{" {
			start--
		}
		names(tokens[start:i-1], ":", s, module+suffix)
	}
}

// aliased reads "x = known.y" and "{ a, b: c } = known" behind const, let or var.
func aliased(tokens []token, at int, s *scope) {
	end := at
	for end < len(tokens) && end < at+200 && tokens[end].text != "=" && tokens[end].text != ";" && tokens[end].kind != lineToken {
		end++
	}
	if end+1 >= len(tokens) || tokens[end].text != "=" || tokens[end+1].kind != nameToken {
		return
	}
	first, known := s.aliases[tokens[end+1].text]
	if !known {
		return
	}
	i := end + 2
	for i+1 < len(tokens) && tokens[i].text == "." && tokens[i+1].kind == nameToken {
		first += "." + tokens[i+1].text
		i += 2
	}
	if i < len(tokens) && (tokens[i].text == "(" || tokens[i].text == "?.") {
		return // the value of a call is another thing
	}
	if tokens[at].text == "{" {
		names(tokens[at:end-1], ":", s, first)
	} else if end == at+1 {
		s.aliases[tokens[at].text] = first
	}
}
