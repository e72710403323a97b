package inspect

import (
	"path"
	"strings"
)

var golang = &syntaxTable{
	comments: []string{"//"},
	blocks:   [][2]string{{"/*", "*/"}},
	quotes:   []quote{{open: `"`, close: `"`, escape: true}, {open: "'", close: "'", escape: true}, {open: "`", close: "`", lines: true}},
	signs:    []string{":=", "==", "<-", "..."},
}

// goImports reads import declarations.
func goImports(tokens []token, s *scope) []imported {
	var all []imported
	one := func(i int) {
		module := tokens[i].text
		name := path.Base(module)
		if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" && strings.Contains(module, "/") {
			name = path.Base(path.Dir(module))
		}
		if i > 0 && tokens[i-1].kind == nameToken && tokens[i-1].text != "import" {
			name = tokens[i-1].text
		}
		s.aliases[name] = module
		all = append(all, imported{module: module, offset: tokens[i].offset, relative: strings.HasPrefix(module, ".")})
	}
	for i := 0; i+1 < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.kind == nameToken && t.text == "func" && tokens[i+1].kind == nameToken:
			s.own[tokens[i+1].text] = true
		case t.kind == nameToken && t.text == "import":
			next := i + 1
			for next < len(tokens) && next < i+3 && tokens[next].kind == nameToken || next < len(tokens) && tokens[next].text == "." {
				next++
			}
			if next < len(tokens) && tokens[next].kind == textToken {
				one(next)
			}
			if tokens[i+1].text == "(" {
				for next = i + 2; next < len(tokens) && tokens[next].text != ")"; next++ {
					if tokens[next].kind == textToken {
						one(next)
					}
				}
				i = next
			}
		}
	}
	return all
}

// goRoot is the module of a package as most hosts have it; empty in the standard library,
// whose paths begin without a dot.
func goRoot(module string) string {
	parts := strings.SplitN(module, "/", 4)
	if !strings.Contains(parts[0], ".") {
		return ""
	}
	if len(parts) > 2 && (strings.HasSuffix(parts[0], "github.com") || strings.HasSuffix(parts[0], "gitlab.com") || parts[0] == "golang.org" || parts[0] == "bitbucket.org") {
		return strings.Join(parts[:3], "/")
	}
	if len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return module
}
