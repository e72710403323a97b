package inspect

import "strings"

var ruby = &syntaxTable{
	comments: []string{"#"},
	blocks:   [][2]string{{"\n=begin", "\n=end"}, {"__END__", "\x00"}},
	quotes: []quote{
		{open: `"`, close: `"`, escape: true, lines: true, inner: "#{"}, {open: "'", close: "'", escape: true, lines: true},
		{open: "`", close: "`", escape: true, lines: true, inner: "#{", call: "system"},
		{open: "%x{", close: "}", escape: true, lines: true, call: "system"}, {open: "%x(", close: ")", escape: true, lines: true, call: "system"}, {open: "%x[", close: "]", escape: true, lines: true, call: "system"},
		{open: "%w[", close: "]", lines: true}, {open: "%w(", close: ")", lines: true}, {open: "%i[", close: "]", lines: true}, {open: "%q(", close: ")", lines: true}, {open: "%q{", close: "}", lines: true},
		{open: "%Q(", close: ")", lines: true, inner: "#{"}, {open: "%r{", close: "}", escape: true, lines: true},
	},
	signs:   []string{"&.", "::", "=>", "===", "=~", "<<~"},
	letters: "?!@$",
	regexes: true,
	heredoc: "<<",
}

// rubyImports reads require, require_relative, load, autoload and gem.
func rubyImports(tokens []token, s *scope) []imported {
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
		case t.text == "def":
			s.own[tokens[i+1].text] = true
		case (t.text == "require" || t.text == "gem") && tokens[next].kind == textToken:
			all = append(all, imported{module: tokens[next].text, offset: t.offset, relative: strings.HasPrefix(tokens[next].text, ".") || strings.HasPrefix(tokens[next].text, "/")})
		}
	}
	return all
}

// rubyRoot is the gem of a file that is required: the first part of its path.
func rubyRoot(module string) string {
	root, _, _ := strings.Cut(module, "/")
	return root
}
