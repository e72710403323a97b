package extract

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// plainTags say nothing about the language.
var plainTags = map[string]bool{
	"": true, "text": true, "txt": true, "plain": true, "plaintext": true, "none": true,
	"code": true, "source": true, "snippet": true, "program": true, "solution": true,
}

// outputTags are for what a program prints.
var outputTags = map[string]bool{
	"output": true, "out": true, "stdout": true, "stderr": true, "log": true, "logs": true,
	"result": true, "error": true, "traceback": true, "terminal": true,
}

// consoleTags are for commands with a prompt and what they print.
var consoleTags = map[string]bool{
	"console": true, "shell-session": true, "shellsession": true, "bash-session": true,
	"sh-session": true, "powershell": true, "ps1": true, "pwsh": true, "cmd": true,
	"bat": true, "batch": true, "dos": true, "fish": true,
}

var outputAbove = lazyre.New(`(?i)^[^\w]*(?:(?:the |this |its |example |sample |expected |actual |resulting |possible |console |program )*(?:output|outputs|result|results|prints)\b[^.]{0,40}|.*\b(?:will|would|should|might|to)\b.{0,20}\b(?:output|print|produce|display)\b[^.]{0,60}|.*\b(?:output|result)\s+(?:is|will be|would be|should be|of this|looks? like)\b[^.]{0,60})[:.]?\W*$`)

// open reads what is in a fence or wrapper: a language, or a form within it. It
// returns the blocks to take its place.
func (f *finder) open(b block, depth int) []block {
	if strings.TrimSpace(b.text) == "" {
		b.reason = "empty"
		return []block{b}
	}
	f.tagInside(&b)
	if n := nameInside(b.text); n != "" && (b.name == "" || b.above) {
		b.name, b.above = n, false
		if path.Ext(n) == ".json" { // which has no comments
			_, b.text, _ = strings.Cut(strings.TrimLeft(b.text, " \t\n"), "\n")
		}
	}
	if l := f.langs.ByName(b.tag); b.above && l != nil && !l.Owns(b.name) && hasCode(b.name, f) {
		b.name, b.above = "", false // the prose names another file
	}
	if blocks, ok := f.edits(b); ok {
		return blocks
	}
	switch {
	case isMarkdown(b.tag) && (b.name == "" || !hasCode(b.name, f)):
		if depth >= maxNest {
			break
		}
		inner := f.fences(b.text, b.line, depth+1)
		for i := range inner {
			// The marks of inner and outer fence are the same when the outer
			// one ends too early.
			inner[i].cut = inner[i].cut && b.cut
		}
		if b.name == "" && len(inner) > 0 {
			return inner
		}
	case b.tag == "json" || b.tag == "jsonl" || b.tag == "tool_call" || plainTags[b.tag]:
		if t := strings.TrimSpace(b.text); b.name == "" && (t[0] == '{' || t[0] == '[') {
			if inner, _ := f.jsonBlocks(t, b.line, depth+1, false); len(inner) > 0 {
				for i := range inner {
					inner[i].line, inner[i].lines = b.line, b.lines
				}
				return inner
			}
			if json.Valid([]byte(t)) {
				b.data, b.reason = true, "data"
				return []block{b}
			}
		}
	case b.tag == "diff" || b.tag == "patch" || b.tag == "udiff":
		return f.readDiff(b)
	}
	if plainTags[b.tag] && looksLikeDiff(b.text) {
		return f.readDiff(b)
	}
	f.label(&b)
	if b.lang != nil && b.reason == "" {
		readTranscript(&b)
		if b.cut {
			dropWords(&b)
		}
	}
	return []block{b}
}

// tagInside reads a tag that stands on the line below an untagged mark, and
// the names that some models have for Python.
func (f *finder) tagInside(b *block) {
	switch b.tag {
	case "tool_code", "python_code", "code_interpreter", "ipython":
		b.tag = "python"
	case "":
		first, rest, ok := strings.Cut(b.text, "\n")
		if t := strings.TrimSpace(first); ok && len(t) > 1 && len(t) < 20 && f.langs.ByName(t) != nil && strings.TrimSpace(rest) != "" {
			b.tag, b.text = strings.ToLower(t), rest
			b.line++
			b.lines--
		}
	}
}

// install is a line that installs something or starts a file, which models put
// above the code that needs it.
var install = lazyre.New(`^\s*[!%$]?\s*(?:sudo\s+)?(?:(?:python[\d.]*\s+-m\s+)?pip[\d.]*\s+install|conda\s+install|npm\s+(?:install|i)|yarn\s+add|pnpm\s+(?:add|install)|apt(?:-get)?\s+install|brew\s+install|poetry\s+add|uv\s+(?:pip\s+install|add)|gem\s+install|composer\s+require|luarocks\s+install|go\s+get|cpanm?)\s+[\w@"'.\[\]=<>~^/, -]+$`)

// magic is a line that only a notebook reads.
var magic = lazyre.New(`^(?:%%?[a-z]\w*(?: .*)?|![a-z][\w.-]*(?: .*)?)$`)

// dropInstalls removes such lines from a block of another language than the
// shell's.
func dropInstalls(b *block) {
	if len(b.text) > testBytes || !hasAny(b.text, " install", " add ", " i ", "go get", "cpan", " require ", "%", "!") {
		return
	}
	var out strings.Builder
	copied := 0 // offset up to which the text is in out
	at, text, quote := 0, false, ""
	for l := range strings.Lines(b.text) {
		begin := at
		at += len(l)
		t := strings.TrimRight(l, "\n")
		if quote == "" && len(t) < 300 && (install().MatchString(t) || b.lang.Name == "python" && magic().MatchString(t)) {
			out.WriteString(b.text[copied:begin])
			copied = at
			continue
		}
		if quote == "" {
			quote = openQuote(t)
		} else if strings.Contains(t, quote) {
			quote = ""
		}
		text = text || significant(l, b.lang) != ""
	}
	switch {
	case copied == 0:
	case !text:
		b.reason = "shell commands"
	default:
		out.WriteString(b.text[copied:])
		b.text = out.String()
		b.notes = append(b.notes, "commands for a shell or a notebook were left out")
	}
}

// dropWords removes prose from the end of a fence that was never closed: its
// end was forgotten, and the code is whole.
func dropWords(b *block) {
	if len(b.text) > testBytes {
		return // no model wrote so much
	}
	lines := strings.SplitAfter(strings.TrimRight(b.text, " \t\n"), "\n")
	quote := ""
	code := 0 // lines up to the last that is no prose
	for i, l := range lines {
		l = strings.TrimRight(l, "\n")
		words := l != "" && ('A' <= l[0] && l[0] <= 'Z' && isProse(l) || closingTag().MatchString(l))
		if quote != "" || !words && strings.TrimSpace(l) != "" {
			code = i + 1
		}
		switch {
		case quote == "":
			quote = openQuote(l)
		case strings.Contains(l, quote):
			quote = ""
		}
	}
	if code == 0 || code == len(lines) {
		return
	}
	b.text = strings.Join(lines[:code], "")
	b.lines = code
	b.cut = false
	b.notes = append(b.notes, "the fence was never closed: the words after the code were left")
}

// hasCode reports whether a file name is one of a language that can be run.
func hasCode(name string, f *finder) bool { return f.langs.ByPath(name) != nil }

// label decides the language of a block, or why it has none.
func (f *finder) label(b *block) {
	switch {
	case b.lang != nil:
	case f.langs.ByName(b.tag) != nil:
		b.lang = f.langs.ByName(b.tag)
	case b.name != "" && f.langs.ByPath(b.name) != nil && plainTags[b.tag]:
		b.lang = f.langs.ByPath(b.name)
	case outputTags[b.tag]:
		b.reason = "output"
	case consoleTags[b.tag]:
		b.reason = "shell commands"
	case b.name != "" && hasFileEnding(b.name):
		b.data = true
	case plainTags[b.tag]:
		if outputAbove().MatchString(b.before) {
			b.reason = "output"
			return
		}
		least := 20
		if b.tag != "" && b.tag != "code" {
			least = 40
		}
		lang, score, least := f.guessWished(b.text, least)
		if lang == nil || score < least {
			b.reason = "not recognised as code"
			return
		}
		if f.wish == nil {
			if name := f.isForeign(b.text); name != "" {
				b.reason = "it looks like " + name + ", which is not run"
				return
			}
		}
		b.lang = lang
	default:
		b.reason = unknownLanguage(b.tag)
	}
	if b.lang != nil && noCode(b.text, b.lang) {
		b.reason = "no code, only comments"
	}
	if b.lang != nil && !isShell(b.lang) && b.reason == "" {
		dropInstalls(b)
	}
	if b.lang != nil && isShell(b.lang) && (b.name == "" || b.above) && onlyCommands(b.text) {
		b.reason = "shell commands"
	}
}
