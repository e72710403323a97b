package inspect

import "strings"

// code is what a language needs beside its file of rules.
type code struct {
	syntax  *syntaxTable
	imports func([]token, *scope) []imported
	// root is the part of a module's name that names its package.
	root func(module string) string
}

var coded = map[string]code{
	"bash":       {shell, shellImports, func(m string) string { return m }},
	"go":         {golang, goImports, goRoot},
	"javascript": {javascript, javascriptImports, javascriptRoot},
	"lua":        {lua, luaImports, luaRoot},
	"perl":       {perl, perlImports, func(m string) string { return m }},
	"php":        {php, phpImports, phpRoot},
	"python":     {python, pythonImports, func(m string) string { root, _, _ := strings.Cut(m, "."); return root }},
	"ruby":       {ruby, rubyImports, rubyRoot},
	"typescript": {javascript, javascriptImports, javascriptRoot},
}

var python = &syntaxTable{
	comments: []string{"#"},
	quotes: []quote{
		{open: `f"""`, close: `"""`, escape: true, lines: true, inner: "{"}, {open: "f'''", close: "'''", escape: true, lines: true, inner: "{"},
		{open: `"""`, close: `"""`, escape: true, lines: true}, {open: "'''", close: "'''", escape: true, lines: true},
		{open: `rb"`, close: `"`, escape: true}, {open: "rb'", close: "'", escape: true}, {open: `br"`, close: `"`, escape: true}, {open: "br'", close: "'", escape: true},
		{open: `f"`, close: `"`, escape: true, inner: "{"}, {open: "f'", close: "'", escape: true, inner: "{"},
		{open: `b"`, close: `"`, escape: true}, {open: "b'", close: "'", escape: true}, {open: `r"`, close: `"`, escape: true}, {open: "r'", close: "'", escape: true},
		{open: `"`, close: `"`, escape: true}, {open: "'", close: "'", escape: true},
	},
}

// pythonImports reads import statements and calls of importlib.
func pythonImports(tokens []token, s *scope) []imported {
	var all []imported
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind != nameToken {
			continue
		}
		begins := i == 0 || tokens[i-1].kind == lineToken || tokens[i-1].text == ";" || tokens[i-1].text == ":"
		switch {
		case t.text == "import" && begins:
			i = pythonImport(tokens, i+1, s, &all)
		case t.text == "from" && begins:
			i = pythonFrom(tokens, i+1, s, &all)
		case (t.text == "def" || t.text == "class") && i+1 < len(tokens):
			s.own[tokens[i+1].text] = true
		case (t.text == "__import__" || t.text == "import_module") && i+2 < len(tokens) && tokens[i+1].text == "(" && tokens[i+2].kind == textToken:
			all = append(all, imported{module: tokens[i+2].text, offset: t.offset, relative: strings.HasPrefix(tokens[i+2].text, ".")})
		}
	}
	return all
}

// pythonName reads a dotted name at a token.
func pythonName(tokens []token, at int) (name string, next int) {
	for at < len(tokens) && (tokens[at].kind == nameToken && tokens[at].text != "import" && tokens[at].text != "as" || tokens[at].kind == signToken && tokens[at].text == ".") {
		name += tokens[at].text
		at++
		if len(name) > 200 {
			break
		}
	}
	return name, at
}

// pythonImport reads "a.b as c, d".
func pythonImport(tokens []token, at int, s *scope, all *[]imported) int {
	for at < len(tokens) {
		offset := tokens[at].offset
		name, next := pythonName(tokens, at)
		if name == "" {
			break
		}
		*all = append(*all, imported{module: name, offset: offset})
		at = next
		if at+1 < len(tokens) && tokens[at].text == "as" {
			s.aliases[tokens[at+1].text] = name
			at += 2
		} else {
			root, _, _ := strings.Cut(name, ".")
			s.aliases[root] = root
		}
		if at >= len(tokens) || tokens[at].text != "," {
			break
		}
		at++
	}
	return at - 1
}

// pythonFrom reads "a.b import c as d, (e, f)".
func pythonFrom(tokens []token, at int, s *scope, all *[]imported) int {
	if at >= len(tokens) {
		return at
	}
	offset := tokens[at].offset
	module, next := pythonName(tokens, at)
	if next >= len(tokens) || tokens[next].text != "import" {
		return at - 1
	}
	*all = append(*all, imported{module: strings.TrimLeft(module, "."), offset: offset, relative: strings.HasPrefix(module, ".")})
	at = next + 1
	open := false
	for at < len(tokens) {
		switch t := tokens[at]; {
		case t.text == "(":
			open = true
		case t.text == ")" || t.kind == lineToken && !open:
			return at
		case t.kind == nameToken:
			local := t.text
			if at+2 < len(tokens) && tokens[at+1].text == "as" {
				local = tokens[at+2].text
				at += 2
			}
			s.aliases[local] = module + "." + t.text
		case t.text == "*":
			for _, name := range pythonStar[module] {
				s.aliases[name] = module + "." + name
			}
		}
		at++
	}
	return at
}

// pythonStar are the names that a star import of some modules brings.
var pythonStar = map[string][]string{
	"os":         {"system", "popen", "fork", "execv", "execve", "execl", "execvp", "spawnv", "kill", "environ", "getenv"},
	"subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput"},
	"socket":     {"socket", "create_connection", "create_server"},
	"ctypes":     {"CDLL", "cdll", "PyDLL"},
}
