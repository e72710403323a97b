package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// codeStart is a line that only code begins with.
var codeStart = lazyre.New(`^\s*(?:` + strings.Join([]string{
	`#!/`, `<\?php`, `#include\b`, `>>> ?\S`,
	`(?:async )?def \w+\s*[(:]`, `def \w+[?!]?$`, `class \w+\s*(?:[({:<]|$|extends )`, `from [\w.]+ import \S`, `import [\w.]+(?: as \w+)?(?:, *[\w.]+(?: as \w+)?)*$`,
	`import (?:[\w*{].* from )?['"(]`, `@\w+(?:\(|$)`, `module [A-Z]\w*$`,
	`(?:export )?(?:default )?(?:async )?function\*? *\w*\s*\(`, `(?:export )?(?:const|let|var) [\w{\[].*=`,
	`(?:export )?(?:interface|enum) \w+.*\{$`, `(?:export )?type \w+.*=`,
	`package \w+$`, `func (?:\(.*\) )?\w+\(`, `type \w+ (?:struct|interface) \{`,
	`(?:my|our) [$@%(]`, `use (?:strict|warnings|[A-Z]\w+(?:::\w+)*)\b.*;`, `sub \w+ *\{?`,
	`local (?:function )?\w+`, `function [\w.:]+\(`, `require(?:_relative)? ['"]`,
	`\w+\s*\(\)\s*\{?$`, `[$]\w+\s*=`, `set -[euxo]`,
	`(?:if|elif|while|for|with|switch|foreach)\b.*(?::|\{|\bthen|\bdo)$`, `(?:try|else|finally)\s*[:{]$`,
	`(?:print|console\.\w+|echo|puts|printf|fmt\.\w+|assert)\s*[("'$].*`, `return\b.*`, `raise \w+`,
	`[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:, *[A-Za-z_]\w*)*\s*(?::=|[-+*/%|&]?=)\s*\S`, `[A-Za-z_][\w.]*\([^)]*\);?$`,
}, `|`) + `)`)

// closer is a line that ends what is open.
var closer = lazyre.New(`^\s*(?:[)\]}]+[;,)]*|end|fi|done|esac|\?>|"""|''')\s*(?:#.*|//.*)?$`)

var comment = lazyre.New(`^\s*(?:#(?:[^#]|$)|//|--|/\*|\*)`)

// sentence is a line of prose: words, and at its end what ends a sentence or
// nothing.
var (
	sentence  = lazyre.New(`^\s*(?:[-*+>] |\d+[.)] |#{1,6} )?[("'“*_` + "`" + `]*[A-Z][\w'’,;()"“”/*_` + "`" + `-]*(?: +[\w'’,;:()"“”/*_` + "`" + `.+=-]+){2,}[.:!?…)*]*\s*$`)
	sentences = lazyre.New(`[a-z][.!?](?: |$)`)
)

// isProse reports whether a line that stands alone is prose.
func isProse(line string) bool {
	t := strings.TrimSpace(line)
	if t == "" || codeStart().MatchString(line) && !sentences().MatchString(line) {
		return false
	}
	if strings.HasPrefix(t, "**") || strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "## ") || strings.HasPrefix(t, "### ") {
		return true
	}
	return sentence().MatchString(line) && !strings.HasSuffix(t, ";") && !strings.HasSuffix(t, "{")
}

// bareBytes and bareLines bound a text in which code is looked for that nothing
// marks: each of its lines is read with care.
const (
	bareBytes = 2 << 20
	bareLines = 100_000
)

// bareCode finds code that nothing marks as such: the runs of lines that begin
// with a line that only code has and go on until prose at the same
// indentation.
func (f *finder) bareCode(src string, line, _ int) []block {
	if strings.TrimSpace(src) == "" || isOneWord(src) {
		return nil
	}
	if n := countLines(src); len(src) > bareBytes || n > bareLines {
		return []block{{line: line, lines: n, reason: "too long to look for code that nothing marks: put it in a fence"}}
	}
	r := runs{line: line - 1}
	left := len(src)
	last := max(strings.LastIndex(src, `"""`), strings.LastIndex(src, "'''"))
	for l := range strings.Lines(src) {
		if f.full(r.blocks) {
			break
		}
		left -= len(l)
		r.add(strings.TrimRight(l, "\n"), len(src)-left <= last)
	}
	r.end()
	blocks := r.blocks
	changes := false
	for i := range blocks {
		f.labelBare(&blocks[i])
		changes = changes || changing().MatchString(blocks[i].before) || changing().MatchString(blocks[i].lead)
	}
	for i := range blocks {
		if b := &blocks[i]; changes && f.isCode(b) && (b.name == "" || changing().MatchString(b.before)) {
			b.reason = changeReason // the reply says in words what to change where
		}
	}
	return blocks
}

// fileLine is a line that says which file comes next, and changing one that
// says that a piece of a file is to become another.
var (
	fileLine = lazyre.New(`(?i)^[\s*#-]*(?:\d+[.)]\s*)?(?:(?:create|new|add|update)\s+)?file(?:\s*name)?\s*:`)
	changing = lazyre.New(`(?im)^[\s*#+-]*(?:\d+(?:\.\d+)*[.)]?\s*)?(?:(?:.*\b(?:replace|change|modify|locate|edits?|update|insert)\b.{0,80}|current|currently|existing|from|to|add (?:imports?|near|after|before|the imports?|startup|to)\b.{0,60}|.*\breturn (?:line|block|statement)\b.*))[:：]\s*$`)
)

// runs collects runs of lines of code.
type runs struct {
	blocks []block
	line   int      // of the reply
	lines  []string // of the run
	start  int      // where the run begins
	indent int      // of its first line
	kept   int      // lines of the run up to the last that is surely code
	quote  string   // the triple quote that is open
	ahead  []string // comments right before a run
	lead   []string // the lines right above, which are not code as we know it
	said   string   // the last line of words
	file   string   // the file that words since the last run are about
}

// add takes the next line. quotes says that triple quotes come after it.
func (r *runs) add(l string, quotes bool) {
	r.line++
	in := len(l) - len(strings.TrimLeft(l, " \t"))
	inside := len(r.lines) > 0
	if len(l) > maxLine && r.quote == "" {
		// Data: a part of the code that it stands in, and else nothing.
		if inside {
			r.take(l)
		}
		return
	}
	if r.quote == "" && (in <= r.indent || !inside) && isBorder(l) {
		r.end() // code ends and begins at a rule line, which is no part of it
		return
	}
	remark := comment().MatchString(l) && in <= r.indent
	switch {
	case r.quote != "": // inside a long string: anything is code
		r.take(l)
		if strings.Contains(l, r.quote) || !quotes {
			r.quote = ""
		}
		return
	case strings.TrimSpace(l) == "":
		if inside {
			r.lines = append(r.lines, l)
		}
		if len(r.ahead) == 1 && strings.HasPrefix(r.ahead[0], "#") {
			r.ahead = nil // a heading
		} else if len(r.ahead) > 0 {
			r.ahead = append(r.ahead, l)
		}
		if !inside {
			r.lead = nil
		}
		return
	case !inside && strings.HasPrefix(l, "#!/"):
		r.start, r.indent, r.ahead = r.line, 0, nil
	case inside && remark:
		// A comment, or a heading of Markdown: code after it will tell.
		r.lines = append(r.lines, l)
		if !strings.HasPrefix(l, "#") {
			r.kept = len(r.lines)
		}
		return
	case !inside && comment().MatchString(l):
		r.ahead = append(r.ahead, l)
		return
	case !inside:
		if !codeStart().MatchString(l) || isProse(l) || isMarkdownLine(l) {
			r.ahead = nil
			r.said = l
			if fileLine().MatchString(l) {
				r.file = wholeName(l)
			}
			if len(r.lead) < 8 {
				r.lead = append(r.lead, l)
			}
			return
		}
		r.start, r.indent = r.line-len(r.ahead), in
		r.lines, r.ahead = r.ahead, nil
	case in > r.indent, closer().MatchString(l), codeStart().MatchString(l) && !isProse(l):
	case in >= r.indent && !isProse(l) && (len(r.lines) == r.kept || isStatement(l)):
	default:
		r.end()
		return
	}
	r.take(l)
	if quotes {
		r.quote = openQuote(l)
	}
}

// rules are what rule lines are drawn with.
const rules = "-=*_~#+.─━—–═―‐•▬"

// isBorder reports whether a line borders unmarked code: a rule line, with or
// without words in it, or a tag that closes.
func isBorder(line string) bool {
	t := strings.TrimSpace(line)
	if len(t) < 3 || len(t) > 400 {
		return false
	}
	if t[0] == '<' || t[0] == '[' || t[0] == '\\' {
		return closingTag().MatchString(t)
	}
	first, size := utf8.DecodeRuneInString(t)
	if !strings.ContainsRune(rules, first) {
		return false
	}
	rest := strings.TrimLeft(t, string(first))
	n := (len(t) - len(rest)) / size
	if rest == "" {
		return n >= 3 && first != '#' && first != '.'
	}
	// ----- code -----, === main.py ===
	return n >= 3 && first != '#' && first != '.' && strings.HasSuffix(rest, strings.Repeat(string(first), 3)) && (rest[0] == ' ' || first == '=')
}

var closingTag = lazyre.New(`^(?:</?[A-Za-z][\w:-]*>|\[/?(?:code|python)\]|\\(?:begin|end)\{\w+\}.*|<\|\w+\|>|</?s>)$`)

// take adds a line that is code.
func (r *runs) take(l string) {
	r.lines = append(r.lines, l)
	r.kept = len(r.lines)
}

// end ends the run that is open.
func (r *runs) end() {
	if r.kept > 0 {
		text := dedent(strings.Join(r.lines[:r.kept], "\n") + "\n")
		r.blocks = append(r.blocks, block{text: text, line: r.start, lines: r.kept, prose: true, lead: strings.Join(r.lead, "\n"), name: r.file, before: r.said})
		r.file = ""
	}
	r.lines, r.ahead, r.lead, r.kept, r.quote = nil, nil, nil, 0, ""
}

// isStatement reports whether a line reads as code, where code was before: it has
// signs of code and, strings and comments aside, no run of plain words.
func isStatement(line string) bool {
	t := withoutStrings(line)
	return strings.ContainsAny(line, "()=;$[]{}\"'|") && !plainWords().MatchString(t)
}

var plainWords = lazyre.New(`(?:^|\s)[A-Za-z]+[,']? [a-z']+,? [a-z']+(?:[\s,.:!?]|$)`)

// isMarkdownLine reports whether a line is a heading, list item or table row.
func isMarkdownLine(l string) bool {
	t := strings.TrimSpace(l)
	return strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "|") ||
		numbered().MatchString(t) || strings.HasPrefix(t, "\\(") || strings.HasPrefix(t, "\\[")
}

// isOneWord reports whether a reply is a bare name or literal, which is an
// answer and no program.
func isOneWord(src string) bool {
	t := strings.TrimSpace(src)
	return !strings.ContainsAny(t, " \n\t(=")
}

// labelBare decides the language of code that nothing marks. It takes more to
// be taken for code than in a fence.
func (f *finder) labelBare(b *block) {
	lang, score, least := f.guessWished(b.text, 22)
	switch {
	case lang == nil || score < least:
		b.reason = "not recognised as code"
		return
	case noCode(b.text, lang):
		b.reason = "no code, only comments"
		return
	case f.wish == nil && f.isForeign(b.lead+"\n"+b.text) != "":
		b.reason = "it looks like " + f.isForeign(b.lead+"\n"+b.text) + ", which is not run"
		return
	case onlyCommands(b.text):
		b.reason = "shell commands"
		return
	}
	b.lang = lang
	if lang.Comment != "#" {
		dropHeadings(b)
	}
	if n := nameInside(b.text); n != "" {
		b.name = n
	} else if b.name != "" && f.langs.ByPath(b.name) != lang {
		b.name = ""
	}
	readTranscript(b)
}

// dropHeadings removes lines of Markdown's headings above code in a language
// whose comments do not begin with "#".
func dropHeadings(b *block) {
	for {
		first, rest, ok := strings.Cut(b.text, "\n")
		t := strings.TrimSpace(first)
		if !ok || t != "" && (t[0] != '#' || strings.HasPrefix(t, "#!")) {
			return
		}
		b.text = rest
		b.line++
		b.lines--
	}
}
