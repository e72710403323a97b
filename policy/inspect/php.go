package inspect

import (
	"slices"
	"strings"
)

var php = &syntaxTable{
	comments: []string{"//", "# ", "##", "#!"},
	blocks:   [][2]string{{"/*", "*/"}},
	quotes: []quote{
		{open: "'", close: "'", escape: true, lines: true}, {open: `"`, close: `"`, escape: true, lines: true, inner: "{$"},
		{open: "`", close: "`", escape: true, lines: true, call: "shell_exec"},
	},
	signs:   []string{"?->", "->", "::", "=>", "==="},
	letters: `$\`,
	heredoc: "<<<",
}

// phpRoot is the first two parts of a class's name: vendors have several packages.
func phpRoot(module string) string {
	parts := strings.Split(strings.Trim(module, `\`), `\`)
	if len(parts) < 2 {
		return ""
	}
	return parts[0]
}

// phpImports reads use statements at the top of a file.
func phpImports(tokens []token, s *scope) []imported {
	var all []imported
	own := ""
	depth := 0
	for i := 0; i+1 < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.kind == signToken && t.text == "{":
			depth++
		case t.kind == signToken && t.text == "}":
			depth--
		case t.kind != nameToken:
		case t.text == "namespace" && tokens[i+1].kind == nameToken:
			own, _, _ = strings.Cut(tokens[i+1].text, `\`)
			depth = min(depth, 0)
		case t.text == "function" && tokens[i+1].kind == nameToken:
			if i == 0 || !slices.Contains([]string{"public", "protected", "private", "static", "final", "abstract"}, tokens[i-1].text) {
				s.own[tokens[i+1].text] = true
			}
		case t.text == "use" && depth <= 0:
			at := i + 1
			if tokens[at].text == "function" || tokens[at].text == "const" {
				at++
			}
			if at < len(tokens) && tokens[at].kind == nameToken && strings.Contains(strings.Trim(tokens[at].text, `\`), `\`) {
				module := strings.Trim(tokens[at].text, `\`)
				root, _, _ := strings.Cut(module, `\`)
				all = append(all, imported{module: module, offset: tokens[at].offset, relative: root == own || root == "App" || root == "Tests"})
				s.aliases[module[strings.LastIndexByte(module, '\\')+1:]] = module
			}
		}
	}
	return all
}
