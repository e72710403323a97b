package edit

import (
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

// bareNames are common file names without an ending.
var bareNames = map[string]bool{
	"Makefile": true, "GNUmakefile": true, "Dockerfile": true, "Containerfile": true, "Gemfile": true, "Rakefile": true,
	"Procfile": true, "Pipfile": true, "Jenkinsfile": true, "Vagrantfile": true, "CODEOWNERS": true, "BUILD": true,
	"WORKSPACE": true, "LICENSE": true, "README": true, "NOTICE": true, "AUTHORS": true, "CHANGELOG": true, "VERSION": true,
}

var (
	ending    = lazyre.New(`\.[A-Za-z0-9_+-]{1,16}$`)
	notInPath = lazyre.New("[\\s<>|\"'*?;:,`(){}=$&!]")
	listMark  = lazyre.New(`^(?:[-*+]|\(?\d{1,3}[.):])\s+`)
	labelled  = lazyre.New(`(?i)^(?:file|filename|file name|file ?path|path|new file|create)\s*:\s*`)
	aside     = lazyre.New(`(?i)\s*\((?:new|new file|modified|updated|changed|created|edited|full|complete)\)$`)
	attribute = lazyre.New(`(?i)\b(?:title|file|filename|path|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))`)
	comment   = lazyre.New(`^\s*(?:#+|//+|--+|;+|%+|/\*+|<!--)\s*(.*?)\s*(?:\*/|-->)?\s*$`)
)

// endings are the suffixes of further kinds of files, beside those of our
// languages.
var endings = func() map[string]bool {
	m := map[string]bool{}
	for e := range strings.FieldsSeq(`
		.md .mdx .markdown .rst .txt .adoc .tex .json .jsonl .json5 .yaml .yml .toml .ini .cfg .conf .env .properties .lock .xml .csv .tsv
		.html .htm .css .scss .sass .less .svg .vue .svelte .astro .jsx .tsx .sql .graphql .proto .tmpl .j2 .in .mod .sum .work .gradle
		.c .h .cc .cpp .cxx .hpp .hh .m .mm .java .kt .kts .scala .groovy .clj .cljs .ex .exs .erl .hs .ml .mli .fs .cs .vb .swift .rs .zig
		.nim .d .dart .r .jl .f90 .pyi .pyx .pxd .ipynb .cmake .mk .bzl .nix .tf .hcl .bat .ps1 .zsh .fish .diff .patch .log .dat .t .pm`) {
		m[e] = true
	}
	for _, l := range language.All() {
		for _, e := range l.Extensions {
			m[e] = true
		}
	}
	return m
}()

// maxName is the longest line that is looked at for a path.
const maxName = 600

// isPath reports whether a word by itself looks like a file's path. In prose
// re.match could be a path as much as math.py, and Input/Output as much as
// bin/run: only known suffixes count. If a path is certainly meant, any suffix
// does.
func isPath(s string, sure bool) bool {
	if s == "" || notInPath().MatchString(s) || strings.HasSuffix(s, "/") || strings.Contains(s, "//") {
		return false
	}
	base := path.Base(s)
	return bareNames[base] || endings[strings.ToLower(path.Ext(base))] || strings.HasPrefix(base, ".") && len(base) > 2 ||
		strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") ||
		sure && (strings.Contains(s, "/") || ending().MatchString(base))
}

// loneName returns the path that a line consists of, except for models' marks
// around it. A path is certainly meant if there is a label, a slash in
// backquotes, or a following block.
func loneName(line string, sure bool) string {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > maxName {
		return ""
	}
	line = strings.TrimSpace(strings.TrimLeft(line, "#>"))
	line = listMark().ReplaceAllString(line, "")
	label := false
	sure = sure || strings.HasPrefix(strings.TrimLeft(line, "*"), "`") && strings.Contains(line, "/")
	for {
		before := line
		line = strings.TrimSpace(strings.TrimSuffix(line, ":"))
		line = aside().ReplaceAllString(line, "")
		for _, mark := range []string{"**", "`", `"`, "'", "*"} {
			if inner, ok := strings.CutPrefix(line, mark); ok && strings.HasSuffix(inner, mark) && len(inner) > len(mark) {
				line = strings.TrimSpace(strings.TrimSuffix(inner, mark))
			}
		}
		if rest := labelled().ReplaceAllString(line, ""); rest != line {
			line, label = strings.Trim(rest, "*` "), true
		}
		if line == before {
			break
		}
	}
	line = strings.ReplaceAll(line, `\`, "/")
	if !isPath(line, sure) && !(label && line != "" && !notInPath().MatchString(line)) {
		return ""
	}
	return line
}

// readInfo reads the info string of a fence: its tag in lower case and the
// path, if any.
func readInfo(info string) (tag, name string) {
	if len(info) > maxName {
		return "", ""
	}
	if m := attribute().FindStringSubmatch(info); m != nil {
		name = strings.ReplaceAll(m[1]+m[2]+m[3], `\`, "/")
	}
	tag, rest, _ := strings.Cut(strings.TrimSpace(info), " ")
	if before, after, ok := strings.Cut(tag, ":"); ok {
		tag, rest = before, after
	}
	if name == "" {
		if name = loneName(rest, strings.Contains(rest, "/")); name == "" && strings.ContainsAny(tag, "./") {
			name = loneName(tag, true)
		}
	}
	return strings.ToLower(strings.Trim(tag, "{}.")), name
}

// nameInside returns the path in a comment that is a file's first line, and
// whether the comment is a label ("# file: a.py") and no line of the file.
func nameInside(line string) (name string, isLabel bool) {
	m := comment().FindStringSubmatch(line)
	if len(line) > maxName || m == nil {
		return "", false
	}
	return loneName(m[1], false), labelled().MatchString(m[1])
}
