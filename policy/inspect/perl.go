package inspect

import "strings"

var perl = &syntaxTable{
	comments: []string{"#"},
	blocks:   [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}, {"\n=over", "\n=cut"}, {"\n=item", "\n=cut"}, {"\n=begin", "\n=cut"}, {"\n=encoding", "\n=cut"}, {"__END__", "\x00"}, {"__DATA__", "\x00"}},
	quotes: []quote{
		{open: `"`, close: `"`, escape: true, lines: true}, {open: "'", close: "'", escape: true, lines: true},
		{open: "`", close: "`", escape: true, lines: true, call: "qx"},
		{open: "qx{", close: "}", escape: true, lines: true, call: "qx"}, {open: "qx(", close: ")", escape: true, lines: true, call: "qx"}, {open: "qx/", close: "/", escape: true, lines: true, call: "qx"},
		{open: "qw(", close: ")", lines: true}, {open: "qw/", close: "/", lines: true}, {open: "qw[", close: "]", lines: true}, {open: "qw{", close: "}", lines: true},
		{open: "q(", close: ")", lines: true}, {open: "q{", close: "}", lines: true}, {open: "qq{", close: "}", lines: true}, {open: "qq(", close: ")", lines: true},
		{open: "qr/", close: "/", escape: true}, {open: "qr{", close: "}", escape: true, lines: true}, {open: "m/", close: "/", escape: true}, {open: "m{", close: "}", escape: true}, {open: "tr/", close: "/", escape: true}, {open: "s/", close: "/", escape: true},
	},
	signs:   []string{"->", "::", "=>", "=~", "!~"},
	letters: "$@%:",
	regexes: true,
	heredoc: "<<",
}

// perlImports reads use, no and require.
func perlImports(tokens []token, s *scope) []imported {
	var all []imported
	for i := 0; i+1 < len(tokens); i++ {
		t := tokens[i]
		if t.kind != nameToken || tokens[i+1].kind != nameToken {
			continue
		}
		switch t.text {
		case "sub":
			s.own[tokens[i+1].text] = true
		case "package":
			s.own[tokens[i+1].text] = true
		case "use", "require":
			module := tokens[i+1].text
			if module[0] == '$' || module == "lib" && i+2 < len(tokens) || len(module) > 1 && module[0] == 'v' && module[1] >= '0' && module[1] <= '9' {
				continue
			}
			all = append(all, imported{module: module, offset: t.offset})
			if (module == "parent" || module == "base") && i+2 < len(tokens) && tokens[i+2].kind == textToken {
				for name := range strings.FieldsSeq(tokens[i+2].text) {
					if name != "-norequire" {
						all = append(all, imported{module: name, offset: tokens[i+2].offset})
					}
				}
			}
		}
	}
	for i := range all {
		if s.own[all[i].module] {
			all[i].relative = true
		}
	}
	return all
}
