package inspect

import "strings"

var lua = &syntaxTable{
	blocks:   [][2]string{{"--[[", "]]"}, {"--[=[", "]=]"}},
	comments: []string{"--", "#!"},
	quotes: []quote{
		{open: `"`, close: `"`, escape: true}, {open: "'", close: "'", escape: true},
		{open: "[[", close: "]]", lines: true}, {open: "[=[", close: "]=]", lines: true}, {open: "[==[", close: "]==]", lines: true},
	},
	signs: []string{"..", "==", "~=", "::"},
}

// luaImports reads require.
func luaImports(tokens []token, s *scope) []imported {
	var all []imported
	for i := 0; i+1 < len(tokens); i++ {
		t := tokens[i]
		if t.kind != nameToken {
			continue
		}
		next := i + 1
		if tokens[next].text == "(" && next+1 < len(tokens) {
			next++
		}
		switch {
		case t.text == "function" && tokens[i+1].kind == nameToken && (i+2 >= len(tokens) || tokens[i+2].text == "("):
			s.own[tokens[i+1].text] = true
		case t.text == "require" && tokens[next].kind == textToken:
			module := tokens[next].text
			all = append(all, imported{module: module, offset: t.offset, relative: strings.HasPrefix(module, ".")})
			if i >= 2 && tokens[i-1].text == "=" && tokens[i-2].kind == nameToken {
				s.aliases[tokens[i-2].text] = module
			}
		case t.text == "local" && i+3 < len(tokens) && tokens[i+2].text == "=" && tokens[i+1].kind == nameToken && tokens[i+3].kind == nameToken: // local run = os.execute
			path := tokens[i+3].text
			at := i + 4
			for at+1 < len(tokens) && tokens[at].text == "." && tokens[at+1].kind == nameToken {
				path += "." + tokens[at+1].text
				at += 2
			}
			if root, _, dotted := strings.Cut(path, "."); dotted && (root == "os" || root == "io" || root == "debug" || root == "package") && (at >= len(tokens) || tokens[at].text != "(") {
				s.aliases[tokens[i+1].text] = path
			}
		}
	}
	return all
}

func luaRoot(module string) string {
	root, _, _ := strings.Cut(module, ".")
	return root
}
