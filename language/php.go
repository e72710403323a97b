package language

import (
	"path"
	"regexp"

	"github.com/gloveboxhq/glovebox"
)

// PHP is PHP's command line interpreter.
var PHP = &Language{
	Name:       "php",
	Title:      "PHP",
	Aliases:    []string{"php", "php7", "php8"},
	Extensions: []string{".php"},
	Main:       "main.php",
	Comment:    "//",
	Score:      phpSigns.score,
	IsTest:     isPHPTest,
	Install:    "install PHP 8.0 or later (package php-cli)",
}

var phpSigns = signs{
	signed(90, `<\?php\b`),
	signed(50, `^#!.*\bphp\b`),
	signed(60, `\bfunction\s+&?\w*\s*\((?:[^)]*[\s(,.&])?\$\w+`),
	signed(40, `^\s*\$\w+\s*(?:\[[^\]]*\]\s*)?[.+-]?=[^=~]`),
	signed(30, `\$this->\w+|\$\w+->\w+\(`),
	signed(25, `\bforeach\s*\(\s*\$.*\bas\s+\$`),
	signed(25, `^\s*(?:echo|print_r|var_dump)\b.*;`),
	signed(20, `\b(?:count|strlen|array_\w+|str_\w+|implode|explode)\(\s*\$`),
	signed(15, `^\s*(?:namespace\s+[\w\\]+|use\s+[\w\\]+\\\w+)\s*;`),
	signed(-60, `^\s*(?:use\s+strict|use\s+warnings|my\s+[$@%]|sub\s+\w+)`),
	signed(-40, `^\s*(?:const|let)\s+\w+\s*=|\bconsole\.log\(`),
	signed(-40, `^\s*fi\s*$|^\s*done\s*$|\[\[\s`),
}

var phpTestName = regexp.MustCompile(`(?i)(?:^test[._-]|[._-]tests?\.php$|^tests?\.php$)|Test\.php$`)

func isPHPTest(f glovebox.File) bool {
	return path.Ext(f.Path) == ".php" && phpTestName.MatchString(path.Base(f.Path))
}
