package extract

import (
	"iter"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

// outline is what a block defines and needs, read from its lines without a
// parser: enough to tell a new version from a next part. It is the same for
// all languages, whose ways to define and to assign differ little.
type outline struct {
	defs    map[string]bool // functions, classes and types at the top level
	vars    map[string]bool // variables at the top level
	imports map[string]bool
	needs   map[string]bool // names used that it does not bind before
	sig     map[string]bool // significant lines, trimmed
	count   int             // of significant lines
	main    bool            // it has an entry point of its own
	starts  bool            // something runs when it is run
	// fragment says why it cannot be a program by itself, if so.
	fragment string
	elided   bool // it says that a part of it is left out
	methods  bool // all its functions take a receiver: a piece of a class
}

var (
	definition = []func() *regexp.Regexp{
		lazyre.New(`^(?:export\s+)?(?:default\s+)?(?:public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|readonly\s+|declare\s+)*(?:async\s+)?(?:def\s+(?:self\.)?|class\s+|module\s+|interface\s+|trait\s+|enum\s+|namespace\s+|type\s+|sub\s+|(?:local\s+)?function\s*[*&]?\s*)([A-Za-z_$][\w$.:]*[?!]?)`),
		lazyre.New(`^func\s+(?:\(\s*\w*\s*\*?(\w+)(?:\[[^\]]*\])?\s*\)\s*)?(\w+)`),
		lazyre.New(`^([A-Za-z_][\w-]*)\s*\(\)\s*\{?`),
		lazyre.New(`^(?:export\s+)?(?:const|let|var|local)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|\w+\s*=>)`),
		lazyre.New(`^([A-Za-z_]\w*)\s*=\s*(?:lambda\b|function\b)`),
	}
	assignment = lazyre.New(`^\s*(?:export\s+)?(?:const\s+|let\s+|var\s+|local\s+|my\s+|our\s+|declare\s+(?:-\w+\s+)?|readonly\s+)?([$@%]?[A-Za-z_]\w*(?:\s*,\s*[$@%*]?[A-Za-z_]\w*)*|\([$@%\w\s,]+\)|[\[{][\w\s,:.]+[\]}])(?:\s*:\s*[^=(]+)?\s*(?::=|=)([^=~>]|$)`)
	varOnly    = lazyre.New(`^\s*(?:var|let|local|my|our)\s+\(?([$@%]?[A-Za-z_]\w*(?:\s*,\s*[$@%]?[A-Za-z_]\w*)*)`)
	importLine = lazyre.New(`^\s*(?:from\s+\S+\s+import\s+(.+)|import\s+(.+?)(?:\s+from\s+.+)?|use\s+(.+?);?|require(?:_relative)?\s+.+|#include\s+.+|using\s+(.+?);?)\s*$`)
	forTarget  = lazyre.New(`\bfor(?:each)?\s*\(?\s*(?:const|let|var|my|auto)?\s*([$@%]?\w+(?:\s*,\s*[$@%]?\w+)*)\s*(?:in\b|of\b|=|:=|\()|\bas\s+([$]?\w+)(?:\s*=>\s*([$]\w+))?|\|\s*(\w+(?:\s*,\s*\w+)*)\s*\||\blambda\s+([\w\s,=]+):|\bcatch\s*\(?\s*(?:\w+\s+)?([$]?\w+)`)
	params     = lazyre.New(`\bdef\s+[\w.]+[?!]?\s*\(([^()]*)|\bfunction\b\s*[\w$.:]*\s*\(([^()]*)|\bfunc\b\s*(?:\([^)]*\)\s*)?\w*\(([^()]*)|\(([^()]*)\)\s*(?::[^=]+)?=>|\b(\w+)\s*=>`)
	nameIn     = lazyre.New(`[A-Za-z_]\w*`)
	entryPoint = lazyre.New(`^(?:if\s+__name__\s*==|func\s+main\s*\(\)|main\s*(?:\(|"\$@"|$)|if\s+\(?require\.main)`)
	elision    = lazyre.New(`(?i)^\s*(?:#|//|--|/\*|\{/\*)\s*(?:\.{3}|…|(?:.*\b(?:rest of|remaining|existing|previous|other|same|unchanged)\b.*(?:\.{3}|…|\b(?:code|methods?|functions?|class|implementation|imports?|logic|as before|as above|here|unchanged|remains?)\b)))|^\s*\.{3}\s*$|^\s*…\s*$`)
	signature  = lazyre.New(`^[\w.]+\(\s*(?:\*{0,2}\w+(?:\s*=\s*[\w'".-]+)?(?:\s*,\s*\*{0,2}\w+(?:\s*=\s*[\w'".-]+)?)*)?\s*\)(?:\s*->\s*\w+)?$`)
	starting   = lazyre.New(`^(?:[\w.$:]+(?:\(|\.\w+\()|\w+\s*=\s*(?:\w+\.)?(?:main|run|input|gets)\b|(?:print|puts|echo|say|p|printf|for|while|if|with|until|unless|case|foreach|switch|try)\b)`)
	printing   = lazyre.New(`^(?:print|puts|echo|console\.\w+|fmt\.\w+|p|say|main|assert)\b`)
	dangling   = lazyre.New(`^(?:elif\b|else\b|except\b|finally\b|case\b|return\b|yield\b|break\b|continue\b|\}\s*else\b|\)|\])`)
	receiver   = lazyre.New(`^(?:async\s+)?def\s+\w+\s*\(\s*(?:self|cls)\b`)
	topReturn  = lazyre.New(`^(?:return|yield)\b`)
	blockStart = lazyre.New(`^(?:async\s+)?(?:def|class|if|for|while|with|try|else|elif)\b.*:$`)
)

// keywords are words that name nothing.
var keywords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`and as assert async await begin break case catch class const continue def default
		del delete do done echo elif else elseif elsif end endif enum esac except export extends false False fi final
		finally fn for foreach from func function global go goto if implements import in instanceof interface is lambda
		let local module my namespace new nil None not null of or our package pass print printf private protected public
		puts raise readonly require return self static struct sub super switch then this throw true True try type typeof
		undefined unless until use using var void when while with yield`) {
		m[w] = true
	}
	return m
}()

// significant returns a line's code, or "" where it has none.
func significant(line string, l *language.Language) string {
	t := strings.TrimSpace(line)
	if t == "" || t == "<?php" || t == "?>" {
		return ""
	}
	if l != nil && l.Comment != "" && strings.HasPrefix(t, l.Comment) {
		return ""
	}
	if strings.HasPrefix(t, "#!") || l != nil && l.Name != "python" && (strings.HasPrefix(t, "/*") || strings.HasPrefix(t, "*/")) {
		return ""
	}
	if l != nil && l.Name == "php" && strings.HasPrefix(t, "#") {
		return ""
	}
	return t
}

// noCode reports whether text has nothing but blank lines and comments.
func noCode(text string, l *language.Language) bool {
	inside := false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if l.Comment == "//" {
			if inside {
				i := strings.Index(t, "*/")
				if i < 0 {
					continue
				}
				t, inside = strings.TrimSpace(t[i+2:]), false
			}
			if strings.HasPrefix(t, "/*") {
				i := strings.Index(t[2:], "*/")
				if i < 0 {
					inside = true
					continue
				}
				t = strings.TrimSpace(t[2+i+2:])
			}
		}
		if significant(t, l) != "" {
			return false
		}
	}
	return true
}

// maxLine is the longest line whose names are read: a longer one is data.
const maxLine = 4096

// maxOutlined bounds the outlined code of a reply: code compared with other code of the
// reply. Extract refuses a reply with more.
const maxOutlined = 1 << 20

// outlined returns the block's outline, which is read once.
func (f *finder) outlined(b *block) *outline {
	if b.out == nil {
		head := *b
		if f.compared += len(b.text); f.compared > maxOutlined {
			head.text = ""
		}
		b.out = readOutline(&head)
	}
	return b.out
}

// readOutline reads a block's outline.
func readOutline(b *block) *outline {
	o := &outline{
		defs: map[string]bool{}, vars: map[string]bool{}, imports: map[string]bool{},
		needs: map[string]bool{}, sig: map[string]bool{},
	}
	bound := &scope{all: map[string]bool{}, local: map[string]bool{}}
	python := b.lang.Name == "python"
	quote := ""
	last := ""
	functions, receivers := 0, 0
	importing := false // inside Go's or Python's import ( … )
	for raw := range strings.Lines(b.text) {
		raw = strings.TrimRight(raw, " \t\n")
		if quote != "" { // inside a triple-quoted string
			if i := strings.Index(raw, quote); i >= 0 {
				quote = ""
			}
			o.say(strings.TrimSpace(raw))
			continue
		}
		if hasAny(raw, "#", "//", "--", "/*", "...", "…") && elision().MatchString(raw) {
			o.elided = true
			o.fragment = "parts of it are left out"
		}
		t := significant(raw, b.lang)
		if t == "" {
			continue
		}
		o.say(t)
		top := raw == t
		if o.count == 1 {
			if !top {
				o.fragment = "it begins inside a block"
			} else if dangling().MatchString(t) {
				o.fragment = "it begins inside a block"
			}
		}
		if python {
			if quote = openQuote(raw); quote != "" {
				t, _, _ = strings.Cut(t, quote)
			}
			if top && topReturn().MatchString(t) {
				o.fragment = "it returns outside a function"
			}
		}
		last = t
		if importing {
			o.imported(t, bound)
			importing = !strings.HasPrefix(t, ")") && !strings.HasSuffix(t, ")")
			continue
		}
		var m []string
		if hasAny(t, "import", "use ", "require", "include", "using") {
			m = importLine().FindStringSubmatch(t)
		}
		if m != nil {
			rest := m[1] + m[2] + m[3] + m[4]
			importing = strings.HasSuffix(t, "(")
			o.imported(rest, bound)
			continue
		}
		if top {
			o.main = o.main || entryPoint().MatchString(t)
			o.starts = o.starts || o.main || starting().MatchString(t)
			if name := defined(t); name != "" {
				o.defs[name] = true
				functions++
				if receiver().MatchString(t) {
					receivers++
				}
			}
		}
		o.read(t, top, bound)
	}
	for n := range o.defs {
		delete(o.needs, n)
		delete(o.vars, n)
	}
	o.methods = functions > 0 && functions == receivers
	if o.fragment == "" && o.count == 1 && len(o.defs)+len(o.vars)+len(o.imports) == 0 &&
		signature().MatchString(last) && !printing().MatchString(last) {
		o.fragment = "it shows how to write a call"
	}
	if o.fragment == "" && python && !b.cut && blockStart().MatchString(last) {
		o.fragment = "it ends where a block begins"
	}
	return o
}

func (o *outline) say(t string) {
	if t == "" {
		return
	}
	o.count++
	o.sig[t] = true
}

// hasAny reports whether t has one of the parts. It spares most lines the
// patterns, which are slow.
func hasAny(t string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(t, p) {
			return true
		}
	}
	return false
}

// words yields the names in t that are not after a dot.
func words(t string) iter.Seq[string] {
	letter := func(c byte) bool {
		return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return func(yield func(string) bool) {
		for i := 0; i < len(t); i++ {
			if !letter(t[i]) {
				continue
			}
			start := i
			for i < len(t) && letter(t[i]) {
				i++
			}
			if start > 0 && t[start-1] == '.' || '0' <= t[start] && t[start] <= '9' {
				continue
			}
			if !yield(t[start:i]) {
				return
			}
		}
	}
}

// defined returns the name that a line at the top level defines.
func defined(t string) string {
	if !hasAny(t, "def ", "class ", "module ", "interface ", "trait ", "enum ", "namespace ", "type ", "sub ", "func", "(", "=>", "lambda") {
		return ""
	}
	for i, d := range definition {
		m := d().FindStringSubmatch(t)
		if m == nil {
			continue
		}
		if i == 1 && m[1] != "" {
			return m[1] + "." + m[2]
		}
		name := strings.TrimRight(m[len(m)-1], ":.") // class A:
		if keywords[name] {
			continue
		}
		return name
	}
	return ""
}

// scope holds the names that are bound so far: everywhere, and inside the block
// at the top level that is being read.
type scope struct{ all, local map[string]bool }

// imported binds the names of an import.
func (o *outline) imported(list string, bound *scope) {
	list = strings.Trim(list, "(){} ")
	for item := range strings.SplitSeq(list, ",") {
		item = strings.Trim(item, "(){} \t\"';")
		if i := strings.LastIndex(item, " as "); i >= 0 {
			item = item[i+4:]
		} else if i := strings.LastIndexAny(item, `/ \`); i >= 0 {
			item = item[i+1:]
		} else if i := strings.IndexByte(item, '.'); i > 0 {
			item = item[:i]
		}
		if n := nameIn().FindString(item); n != "" {
			o.imports[n] = true
			bound.all[n] = true
		}
	}
}

// read notes what a line needs and binds.
func (o *outline) read(t string, top bool, bound *scope) {
	if len(t) > maxLine {
		return
	}
	if top {
		clear(bound.local)
	}
	t = withoutStrings(t)
	if hasAny(t, "for", "as ", "|", "lambda", "catch") {
		for _, m := range forTarget().FindAllStringSubmatch(t, -1) {
			bindAll(bound.local, m[1:]...)
		}
	}
	var lists [][]string
	if hasAny(t, "def ", "func", "=>") {
		lists = params().FindAllStringSubmatch(t, -1)
	}
	for _, m := range lists {
		for _, list := range m[1:] {
			for p := range strings.SplitSeq(list, ",") {
				p, _, _ = strings.Cut(p, "=")
				for _, w := range nameIn().FindAllString(p, 3) {
					bound.local[w] = true
					if !strings.Contains(list, "$") && strings.Contains(p, ":") {
						break
					}
				}
			}
		}
	}
	uses := t
	var m []int
	if strings.Contains(t, "=") {
		if m = assignment().FindStringSubmatchIndex(t); m != nil {
			uses = t[m[4]:]
		}
	}
	for w := range words(uses) {
		if !keywords[w] && !bound.all[w] && !bound.local[w] {
			o.needs[w] = true
		}
	}
	var targets []string
	switch {
	case m != nil:
		targets = nameIn().FindAllString(t[m[2]:m[3]], -1)
	case hasAny(t, "var", "let", "local", "my", "our"):
		if v := varOnly().FindStringSubmatch(t); v != nil {
			targets = nameIn().FindAllString(v[1], -1)
		}
	}
	for _, n := range targets {
		switch {
		case !top:
			bound.local[n] = true
		case !keywords[n]:
			bound.all[n] = true
			o.vars[n] = true
		}
	}
	if n := defined(t); n != "" {
		bound.all[n] = true
	}
}

func bindAll(bound map[string]bool, lists ...string) {
	for _, l := range lists {
		for _, n := range nameIn().FindAllString(l, -1) {
			bound[n] = true
		}
	}
}

// withoutStrings removes string literals of one line and what follows a
// comment mark. Names in strings that are filled in, such as f"{x}", stay.
func withoutStrings(t string) string {
	if !strings.ContainsAny(t, `'"#/`) {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		c := t[i]
		if c == '#' && (i == 0 || t[i-1] == ' ') || c == '/' && strings.HasPrefix(t[i:], "//") && (i == 0 || t[i-1] == ' ') && strings.HasPrefix(t[i:], "// ") {
			break
		}
		if c != '"' && c != '\'' {
			b.WriteByte(c)
			continue
		}
		end := i + 1
		for end < len(t) && t[end] != c {
			if t[end] == '\\' {
				end++
			}
			end++
		}
		inside := t[i+1 : max(i+1, min(end, len(t)))]
		if f := i > 0 && (t[i-1] == 'f' || t[i-1] == 'F'); f || strings.Contains(inside, "#{") || strings.Contains(inside, "${") || c == '"' && strings.Contains(inside, "$") {
			b.WriteByte(' ')
			b.WriteString(filledIn(inside))
		}
		b.WriteByte(' ')
		i = end
	}
	return b.String()
}

var fill = lazyre.New(`[#$]?\{([^{}]*)\}|\$(\w+)`)

// filledIn returns the expressions in an interpolated string.
func filledIn(s string) string {
	var b strings.Builder
	for _, m := range fill().FindAllStringSubmatch(s, -1) {
		expr, _, _ := strings.Cut(m[1], ":")
		b.WriteString(withoutStrings(expr) + " " + m[2] + " ")
	}
	return b.String()
}
