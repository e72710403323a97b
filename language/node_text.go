package language

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nodeText is the tokenised text of a test file. Comments, strings and patterns do
// not count as code.
type nodeText struct {
	// Code has blanks in the place of comments, and "" in the place of literals.
	Code string
	// Imports are the modules named by a string, and Optional those imported only
	// tentatively.
	Imports  []string
	Optional map[string]bool
}

// readNodeText reads JavaScript or TypeScript, and tolerates syntax errors.
func readNodeText(src []byte) nodeText {
	r := nodeReader{src: src, optional: map[string]bool{}, last: [3]string{";", ";", ";"}}
	for r.at < len(src) {
		r.next()
	}
	return nodeText{Code: r.code.String(), Imports: r.imports, Optional: r.optional}
}

type nodeReader struct {
	src  []byte
	at   int
	code bytes.Buffer
	// last are the latest tokens, the newest last; a literal is "".
	last [3]string
	// open are the unclosed brackets: '`' for a template's ${, 't' for the block of
	// a try, 'c' for a condition's parenthesis.
	open     []byte
	closed   bool // the last ) closed a condition
	typed    bool // in an import of types only, which loads nothing
	imports  []string
	optional map[string]bool
}

func (r *nodeReader) push(token string) { r.last = [3]string{r.last[1], r.last[2], token} }

func (r *nodeReader) has(text string) bool { return bytes.HasPrefix(r.src[r.at:], []byte(text)) }

// next reads one token, or the space between two tokens.
func (r *nodeReader) next() {
	c := r.src[r.at]
	switch {
	case r.has("//"):
		n := bytes.IndexByte(r.src[r.at:], '\n')
		if n < 0 {
			n = len(r.src) - r.at
		}
		r.at += n
	case r.has("/*"):
		n := bytes.Index(r.src[r.at+2:], []byte("*/"))
		end := r.at + 2 + n + 2
		if n < 0 {
			end = len(r.src)
		}
		r.code.WriteString(strings.Repeat("\n", bytes.Count(r.src[r.at:end], []byte("\n"))) + " ")
		r.at = end
	case c == '"' || c == '\'':
		r.text(c)
	case c == '`':
		r.at++
		r.template()
	case c == '/' && !r.value():
		r.pattern()
	default:
		r.word()
	}
}

// text reads a string that may name a module.
func (r *nodeReader) text(quote byte) {
	start := r.at + 1
	for r.at++; r.at < len(r.src) && r.src[r.at] != quote && r.src[r.at] != '\n'; r.at++ {
		if r.src[r.at] == '\\' {
			r.at++
		}
	}
	end := min(r.at, len(r.src))
	r.at = min(r.at+1, len(r.src))
	typed := r.typed
	r.typed = false
	if typed && r.last[2] == "from" {
		r.literal()
		return
	}
	called := r.last[2] == "(" && (r.last[1] == "import" || r.last[1] == "require" && r.last[0] != ".")
	if called || r.last[2] == "from" || r.last[2] == "import" {
		name := string(r.src[start:end])
		if bytes.ContainsRune(r.open, 't') {
			r.optional[name] = true
		}
		r.imports = append(r.imports, name)
	}
	r.literal()
}

func (r *nodeReader) literal() {
	r.code.WriteString(`""`)
	r.push("")
}

func (r *nodeReader) template() {
	for ; r.at < len(r.src); r.at++ {
		switch {
		case r.src[r.at] == '\\':
			r.at++
		case r.src[r.at] == '`':
			r.at++
			r.literal()
			return
		case r.has("${"):
			r.at += 2
			r.open = append(r.open, '`')
			r.code.WriteString(`""+`)
			r.push("+")
			return
		}
	}
}

// value reports whether the last token ended a value. A slash then means division.
func (r *nodeReader) value() bool {
	last := r.last[2]
	switch last {
	case "", "]", "}":
		return true
	case ")":
		return !r.closed
	case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "yield", "await", "default", "extends":
		return r.last[1] == "."
	}
	first, _ := utf8.DecodeRuneInString(last)
	return nodeLetter(first) || unicode.IsDigit(first)
}

// pattern reads a regular expression, or a plain slash.
func (r *nodeReader) pattern() {
	class := false
	for n := r.at + 1; n < len(r.src) && r.src[n] != '\n'; n++ {
		switch c := r.src[n]; {
		case c == '\\':
			n++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			r.at = n + 1
			for r.at < len(r.src) && r.src[r.at] >= 'a' && r.src[r.at] <= 'z' {
				r.at++
			}
			r.literal()
			return
		}
	}
	r.mark("/")
}

// word reads a word, a number, a mark or blanks.
func (r *nodeReader) word() {
	start := r.at
	for r.at < len(r.src) {
		c, size := utf8.DecodeRune(r.src[r.at:])
		if !nodeLetter(c) && !unicode.IsDigit(c) {
			break
		}
		r.at += size
	}
	if r.at > start {
		r.code.Write(r.src[start:r.at])
		r.push(string(r.src[start:r.at]))
		r.typed = r.typed && r.last[2] != "import" || r.last[1] == "import" && r.last[2] == "type"
		return
	}
	c, size := utf8.DecodeRune(r.src[r.at:])
	if unicode.IsSpace(c) {
		r.code.Write(r.src[r.at : r.at+size])
		r.at += size
		return
	}
	r.mark(string(r.src[r.at : r.at+size]))
}

func (r *nodeReader) mark(mark string) {
	r.at += len(mark)
	var top byte
	if n := len(r.open); n > 0 {
		top = r.open[n-1]
	}
	switch mark {
	case "(":
		kind := byte('(')
		switch r.last[2] {
		case "if", "while", "for", "with":
			kind = 'c'
		}
		r.open = append(r.open, kind)
	case "{", "[":
		kind := mark[0]
		if mark == "{" && r.last[2] == "try" {
			kind = 't'
		}
		r.open = append(r.open, kind)
	case ")", "]", "}":
		r.closed = top == 'c'
		if top != 0 {
			r.open = r.open[:len(r.open)-1]
		}
		if mark == "}" && top == '`' {
			r.code.WriteByte('+')
			r.push("+")
			r.template()
			return
		}
	}
	r.code.WriteString(mark)
	r.push(mark)
}

func nodeLetter(c rune) bool { return c == '_' || c == '$' || c == '\\' || unicode.IsLetter(c) }
