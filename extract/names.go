package extract

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

// dataExtensions are the endings of files that belong to a program and are not
// code of a language that can be run.
var dataExtensions = map[string]bool{
	".json": true, ".jsonl": true, ".csv": true, ".tsv": true, ".txt": true, ".md": true,
	".yaml": true, ".yml": true, ".toml": true, ".ini": true, ".cfg": true, ".conf": true,
	".env": true, ".xml": true, ".html": true, ".htm": true, ".css": true, ".svg": true,
	".sql": true, ".mod": true, ".sum": true, ".lock": true, ".graphql": true, ".proto": true,
	".jsx": true, ".tsx": true, ".tmpl": true, ".in": true, ".dat": true, ".log": true,
	".c": true, ".h": true, ".cc": true, ".cpp": true, ".hpp": true, ".java": true, ".rs": true,
	".kt": true, ".swift": true, ".cs": true, ".scala": true, ".r": true, ".jl": true,
}

// bareNames are file names without an ending.
var bareNames = map[string]bool{
	"Makefile": true, "Dockerfile": true, "Gemfile": true, "Rakefile": true, "Procfile": true,
	".gitignore": true, ".env": true,
}

var (
	attribute = lazyre.New(`(?i)\b(?:title|file|filename|file_?name|file_?path|path|name|src)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s"'{},]+))`)
	// location is how some editors cite code: start line, end line, path.
	location = lazyre.New(`^\d+:\d+:(.+)$`)
	nameLike = lazyre.New(`^[\w@.+~\[\]()-]*(?:[/\\][\w@.+~\[\]()-]+)*$`)
	label    = lazyre.New(`(?i)^(?:(?:step|part|(?:create|new|add|update) file|file|filename|file name|path|title|source|module|文件名?|文件路径|檔案|檔名|ファイル名?|파일|fichier|archivo|fichero|datei|arquivo|ficheiro|файл)\s*#?\d*(?:\s*(?:[:=：-]|–|—)\s*|\s+))+`)
	numbered = lazyre.New(`^(?:[-*+]|\(?\d{1,3}[.):]|[a-z]\)|step \d+[.:]?)\s+`)
	quoted   = lazyre.New("`([^`\\s]+)`|\\*\\*([^*\\s]+)\\*\\*")
	aside    = lazyre.New(`\s*(?:\([^()]*\)|（[^（）]*）)$`)
	remark   = lazyre.New(`^([^\s:]+?)[*_\x60"]*(?:\s*:|：|\s+(?:-|–|—|→|\())[*_]*(?:\s.*)?$`)
	marking  = lazyre.New(`^(?:==+>|<summary>|<b>|<strong>|<h\d>|---+|===+)\s*(.*?)\s*(?:<==+|</summary>|</b>|</strong>|</h\d>|---+|===+)$`)
	creating = lazyre.New(`(?i)(?:^|[^\w])(?:creat(?:e|ed|ing)|sav(?:e|ed|ing)|add(?:ed|ing)?|writ(?:e|ing)|mak(?:e|ing)|put|plac(?:e|ing)|updat(?:e|ed|ing)|edit(?:ed|ing)?|modify|replace|new file|file (?:named|called)|named|called|crea|créez|créer|erstelle|criar|crie|создайте)(?:[^\w]|$)|创建|新建|保存|作成|修改`)
	within   = lazyre.New(`(?i)^(?:now\s*,?\s*)?(?:and\s+)?(?:(?:in|inside|for|into|en|dans|em|в|在)\s+)(?:the\s+(?:file\s+)?|file\s+)?(\S+?)(?:\s*(?:中|里))?\s*[:：]$`)
	running  = lazyre.New(`(?i)\b(?:run|runs|running|execute|usage|use|using|output|prints?|test it|call|invoke|launch|start)\b`)
	pathWord = lazyre.New(`[\w@.+~\[\]()/\\-]*\w\.\w+`)
)

// readInfo reads the info string of a fence: the tag, and the file name if it
// has one.
func readInfo(info string) (tag, name string) {
	info = strings.TrimSpace(info)
	if inner, ok := strings.CutPrefix(info, "{"); ok { // {.python title="a.py"}
		info = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(inner), "}"), ".")
	}
	if m := attribute().FindStringSubmatch(info); m != nil {
		name = m[1] + m[2] + m[3]
	}
	tag, rest, _ := strings.Cut(info, " ")
	if i := strings.IndexAny(tag, "{,;\t"); i >= 0 {
		tag, rest = tag[:i], tag[i:]+" "+rest
	}
	if strings.ContainsAny(tag, `="'`) {
		tag = ""
	}
	if m := location().FindStringSubmatch(tag); m != nil {
		return "", m[1]
	}
	if before, after, ok := strings.Cut(tag, ":"); ok {
		tag = before
		if name == "" {
			name = after
		}
	}
	if hasFileEnding(tag) && (strings.ContainsAny(tag, `/\`) || strings.Count(tag, ".") > 0) {
		if name == "" {
			name = tag
		}
		tag = ""
	}
	if name == "" {
		word, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), "/#-;|")), " ")
		word = strings.Trim(word, `"'()[]{}`+"`")
		if nameLike().MatchString(word) && (hasFileEnding(word) || strings.Contains(word, "/")) {
			name = word
		}
	}
	return strings.ToLower(strings.TrimSpace(tag)), name
}

// hasFileEnding reports whether a name ends as files do whose content a reply
// gives.
func hasFileEnding(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if bareNames[base] {
		return true
	}
	ext := strings.ToLower(path.Ext(base))
	if ext == "" || ext == base {
		return false
	}
	if dataExtensions[ext] {
		return true
	}
	return language.All().ByPath(base) != nil
}

// nameAbove finds a file name in what stands above a fence: a line or heading
// that is a name, or a line of prose with one name in code or bold at its end.
func nameAbove(line, heading string) string {
	if n := wholeName(line); n != "" {
		return n
	}
	if strings.HasSuffix(strings.TrimRight(line, "*_ "), ":") {
		found := ""
		for _, m := range quoted().FindAllStringSubmatch(line, -1) {
			n := strings.TrimRight(m[1]+m[2], ":")
			if !nameLike().MatchString(n) || !hasFileEnding(n) {
				continue
			}
			if found != "" && found != n {
				return ""
			}
			found = n
		}
		if found != "" {
			return found
		}
	}
	if n := wholeName(heading); n != "" {
		return n
	}
	if n := saidName(line); n != "" || heading == line {
		return n
	}
	return saidName(heading)
}

// saidName finds a file name in a line that introduces a file in words: a name
// and what it is for, "Create a file called a.py with:", "In src/a.py:". Words
// on running the file introduce none.
func saidName(line string) string {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > 300 || !strings.Contains(line, ".") {
		return ""
	}
	if m := within().FindStringSubmatch(line); m != nil {
		return wholeName(m[1])
	}
	rest := strings.TrimLeft(cleanLine(line), "*_`\"' \t")
	rest = strings.TrimLeft(label().ReplaceAllString(rest, ""), "*_`\"' \t")
	if m := remark().FindStringSubmatch(rest); m != nil {
		if n := wholeName(m[1]); n != "" {
			return n
		}
	}
	if !creating().MatchString(line) || running().MatchString(line) {
		return ""
	}
	found := ""
	for _, w := range pathWord().FindAllString(line, 8) {
		n := wholeName(w)
		switch {
		case n == "", products[strings.ToLower(n)]:
		case found != "" && found != n:
			return ""
		default:
			found = n
		}
	}
	return found
}

// products are names that look like files' and are not.
var products = map[string]bool{
	"next.js": true, "node.js": true, "react.js": true, "vue.js": true, "express.js": true, "three.js": true, "d3.js": true,
	"nuxt.js": true, "angular.js": true, "nest.js": true, "chart.js": true, "p5.js": true, "socket.js": true, "backbone.js": true,
	"discord.py": true, "discord.js": true, "web3.py": true, "web3.js": true, "ethers.js": true, "moment.js": true, "jquery.js": true,
}

// cleanLine removes from a line what marks it as a heading, list item or
// banner: "## 1.", "📄", "==> … <==", "<summary>…</summary>".
func cleanLine(line string) string {
	line = strings.TrimSpace(strings.TrimLeft(line, "#>"))
	if m := marking().FindStringSubmatch(line); m != nil {
		line = m[1]
	}
	line = strings.TrimLeftFunc(line, func(r rune) bool {
		return r > 127 && (unicode.IsSymbol(r) || unicode.IsMark(r) || r == '\u200d' || r == '•') || r == ' '
	})
	return numbered().ReplaceAllString(line, "")
}

// wholeName returns the file name that a line consists of, but for marks, a
// number, a label such as "File:" and an aside in parentheses.
func wholeName(line string) string {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > 300 {
		return ""
	}
	line = cleanLine(line)
	trim := func(s string) string {
		for {
			t := strings.TrimSpace(strings.Trim(s, "*_`\"':# \t"))
			// [a.py] is a name in brackets, [id].jsx is a name.
			if strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
				t = strings.TrimSuffix(strings.TrimPrefix(t, "["), "]")
			}
			if t == s {
				return t
			}
			s = t
		}
	}
	// A leading underscore belongs to names such as __init__.py.
	under := strings.Contains(line, "__init__") || strings.Contains(line, "__main__")
	name := trim(line)
	name = trim(label().ReplaceAllString(name, ""))
	name = trim(aside().ReplaceAllString(name, ""))
	name = strings.TrimPrefix(name, "./")
	if under && !strings.Contains(name, "__init__") && !strings.Contains(name, "__main__") {
		i := strings.Index(line, "__")
		name = strings.TrimRight(line[i:], "*`\"': ")
	}
	if strings.ContainsAny(name, " \t") || !nameLike().MatchString(name) || !hasFileEnding(name) {
		return ""
	}
	return name
}

var commentLine = lazyre.New(`^\s*(?:#+|//+|--+|;+|/\*+|<!--)\s*(.*?)\s*(?:\*/|-->)?\s*$`)

// nameInside finds a file name in the first comment of a block: "# file: a.py"
// or "// src/a.js", on its first line or after "#!" or "<?php".
func nameInside(text string) string {
	seen := 0
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if t == "" {
			continue
		}
		if seen++; seen > 2 {
			break
		}
		if strings.HasPrefix(t, "#!") || strings.HasPrefix(t, "<?php") {
			continue
		}
		if len(line) > 400 {
			break
		}
		if m := commentLine().FindStringSubmatch(line); m != nil {
			return wholeName(m[1])
		}
		break
	}
	return ""
}

// drive is how an absolute path begins on Windows.
var drive = lazyre.New(`^[A-Za-z]:`)

// namer gives files their paths: clean, within the workspace, each once.
type namer struct {
	taken map[string]bool // paths of files
	dirs  map[string]bool // directories that they are in
	next  map[string]int  // the last number tried for a name
}

func newNamer(reserved []string) *namer {
	n := &namer{taken: map[string]bool{}, dirs: map[string]bool{}, next: map[string]int{}}
	for _, r := range reserved {
		if p, err := glovebox.CleanPath(r); err == nil {
			n.add(p)
		}
	}
	return n
}

func (n *namer) add(p string) {
	n.taken[p] = true
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		n.dirs[d] = true
	}
}

// free reports whether a file may have the path beside those there are.
func (n *namer) free(p string) bool {
	if n.taken[p] || n.dirs[p] {
		return false
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if n.taken[d] {
			return false
		}
	}
	return true
}

// clean returns name as a path in the workspace, or why it cannot be one.
func clean(name string) (string, error) {
	p := strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if drive().MatchString(p) {
		return "", fmt.Errorf("file name %q is absolute: it must be relative to the workspace", short(name))
	}
	if strings.HasPrefix(p, "-") {
		return "", fmt.Errorf("file name %q begins with a dash, as options do", short(name))
	}
	return glovebox.CleanPath(p)
}

// fallback returns a free path like "main.py" or "main2.py".
func (n *namer) fallback(l *language.Language) string {
	if l == nil {
		return numberedName(n, "data.txt")
	}
	return numberedName(n, l.Main)
}

// numberedName returns name, or the first free of name2, name3, …
func numberedName(n *namer, name string) string {
	ext := path.Ext(name)
	p := name
	for i := n.next[name] + 1; ; i++ {
		if i > 1 {
			p = fmt.Sprintf("%s%d%s", strings.TrimSuffix(name, ext), i, ext)
		}
		if n.free(p) {
			n.next[name] = i - 1
			return p
		}
	}
}

// knownTag reports whether a tag is one that fences have: of a language, of a
// form of data, of output or of commands.
func knownTag(tag string) bool {
	return plainTags[tag] || outputTags[tag] || consoleTags[tag] || otherTags[tag]
}

// otherTags are common tags of what cannot be run.
var otherTags = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`json jsonc json5 jsonl yaml yml toml ini cfg conf env xml html css scss sass less svg sql csv tsv
		markdown md mdx diff patch udiff dockerfile makefile make cmake graphql proto protobuf mermaid latex tex math regex http
		c h cpp c++ cc hpp csharp cs c# java kotlin kt scala swift rust rs r julia jl haskell hs elixir ex erlang clojure dart
		zig nim ocaml fsharp vb matlab fortran pascal assembly asm jsx tsx vue svelte awk sed vim nginx tool_code tool_call`) {
		m[w] = true
	}
	return m
}()
