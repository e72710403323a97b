package language

import (
	"path"
	"regexp"

	"github.com/gloveboxhq/glovebox"
)

// Bash is GNU Bash with the usual text tools of the host.
var Bash = &Language{
	Name:       "bash",
	Title:      "Bash",
	Aliases:    []string{"bash", "sh", "shell", "shellscript", "shell-script", "zsh", "ksh"},
	Extensions: []string{".sh", ".bash"},
	Main:       "main.sh",
	Comment:    "#",
	Score:      bashSigns.score,
	IsTest:     isBashTest,
	Install:    "install Bash 4.4 or later (package bash)",
}

var bashSigns = signs{
	signed(90, `\A#!\s*(?:/usr)?/bin/(?:env\s+)?(?:ba|z|k|da)?sh\b`),
	signed(30, `^\s*(?:fi|done|esac)\b\s*(?:[;|&>].*)?$`),
	signed(30, `\bif\s+\[\[?\s.*\]\]?\s*(?:;|&&|\|\|)`),
	signed(25, `^\s*(?:while|until|for)\b.*(?:;\s*do\b|$)`),
	signed(30, `\$\{[\w#!@*]+[^}]*\}|\$\(\(|\$\([a-z]`),
	signed(30, `^\s*(?:function\s+)?[A-Za-z_][\w-]*\s*\(\)\s*\{`),
	signed(20, `^\s*(?:echo|printf|read|export|local|declare|set)\s+[-"'$\w]`),
	signed(15, `"\$[\w@*{]|\$[1-9@#*]`),
	signed(15, `\|\s*(?:grep|sed|awk|sort|head|tail|wc|tr|cut|xargs)\b`),
	signed(20, `^set -[euox]+`),
	signed(-60, `<\?php|^\s*(?:def|class)\s+\w+.*:?\s*$|^\s*(?:const|let)\s+\w+\s*=|^\s*import\s+\w+`),
	signed(-60, `^\s*(?:use\s+strict|my\s+[$@%])|^\s*local\s+function\b|^package\s+\w+\s*$`),
	signed(-40, `;\s*$`),
}

var bashTestName = regexp.MustCompile(`(?:^tests?[._-]|[._-]tests?\.|^tests?\.)(?:.*\.)?(?:sh|bash)$|[._-]tests?\.(?:sh|bash)$`)

func isBashTest(f glovebox.File) bool {
	return bashTestName.MatchString(path.Base(f.Path))
}
