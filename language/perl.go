package language

import (
	"path"
	"regexp"

	"github.com/gloveboxhq/glovebox"
)

// Perl is Perl 5.
var Perl = &Language{
	Name:       "perl",
	Title:      "Perl",
	Aliases:    []string{"perl", "pl", "perl5"},
	Extensions: []string{".pl", ".pm", ".t"},
	Main:       "main.pl",
	Comment:    "#",
	Score:      perlSigns.score,
	IsTest:     isPerlTest,
	Install:    "install Perl 5.26 or later (package perl)",
}

var perlSigns = signs{
	signed(90, `^#!.*\bperl\b`),
	signed(60, `^\s*use\s+(?:strict|warnings|v?5[\d._]*)\b.*;`),
	signed(50, `^\s*sub\s+\w+\s*(?:\([^)]*\)\s*)?\{`),
	signed(50, `^\s*(?:my|our)\s*\(?\s*[$@%]\w+`),
	signed(30, `\bmy\s*\([^)]*\)\s*=\s*@_;|\bshift(?:\s*@_)?;`),
	signed(30, `[$@%]\{?\$\w+|\$\w+->[\[{]`),
	signed(25, `=~\s*(?:m|s|tr|y|qr)?[/{]`),
	signed(20, `\b(?:elsif|unless|foreach\s+my|qw\s*\(|print\s+STDERR)\b`),
	signed(15, `^\s*(?:print|printf|say|push|return)\b.*[$@%]\w+.*;`),
	signed(-80, `<\?php\b`),
	signed(-50, `^\s*(?:def|end|fi|done|esac)\b|\bfunction\s+\w+\s*\(`),
}

var perlTestName = regexp.MustCompile(`(?i)\.t$|(?:^test_.*|.*_test|^tests?)\.p[lm]$`)

func isPerlTest(f glovebox.File) bool {
	return perlTestName.MatchString(path.Base(f.Path))
}
