package language

import (
	"path"
	"regexp"

	"github.com/gloveboxhq/glovebox"
)

// Ruby is CRuby.
var Ruby = &Language{
	Name:       "ruby",
	Title:      "Ruby",
	Aliases:    []string{"ruby", "rb", "irb"},
	Extensions: []string{".rb"},
	Main:       "main.rb",
	Comment:    "#",
	Score:      rubySigns.score,
	IsTest:     isRubyTest,
	Install:    "install Ruby 3.0 or later (package ruby)",
}

var rubySigns = signs{
	signed(90, `^#!.*\bruby\b`),
	signed(40, `^\s*def\s+(?:self\.)?\w+[?!]?\s*(?:\([^)]*\))?\s*(?:#.*)?$`),
	signed(25, `^\s*end(?:\.\w+.*)?\s*(?:#.*)?$`),
	signed(30, `\bdo\s*\|[^|]+\|\s*$|\{\s*\|[^|]+\|`),
	signed(30, `^\s*require(?:_relative)?\s+['"]`),
	signed(25, `^\s*(?:puts|p|pp)\s+\S`),
	signed(20, `^\s*(?:elsif|unless|attr_(?:reader|writer|accessor)|module\s+[A-Z])\b`),
	signed(20, `\.(?:each|map|select|reject|inject|nil\?|empty\?)\b`),
	signed(20, `^\s*class\s+[A-Z]\w*(?:\s*<\s*[A-Z][\w:]*)?\s*$`),
	signed(15, `(?:^|\s)@{1,2}[a-z_]\w*\s*(?:\|\|)?=`),
	signed(-50, `^\s*(?:def|class|if|for|while)\b.*:\s*(?:#.*)?$`),
	signed(-50, `^\s*local\s+\w+|\bthen\s*$|\bfunction\b`),
	signed(-50, `^\s*(?:my|use|sub)\s+|<\?php\b`),
	signed(-30, `[;{]\s*$`),
}

var rubyTestName = regexp.MustCompile(`(?i)(?:^test_.*|.*_(?:test|spec)|^tests?)\.rb$`)

func isRubyTest(f glovebox.File) bool {
	return rubyTestName.MatchString(path.Base(f.Path))
}
