package inspect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the kind of a token.
type tokenKind byte

const (
	nameToken  tokenKind = iota
	textToken            // a string literal; text is its content as written
	signToken            // punctuation; one of the language's long signs, or a character
	lineToken            // the end of a line
	otherToken           // a number, or a character without meaning here
)

// token is a piece of a file. Comments are none.
type token struct {
	kind   tokenKind
	text   string
	offset int
}

// quote is a form of string literals.
type quote struct {
	open, close string
	// escape: a backslash takes the next character.
	escape bool
	// lines: the literal may go over lines. Others end at the end of a line.
	lines bool
	// inner opens code inside the literal, such as "${"; the code ends at the matching
	// brace. Empty: there is none.
	inner string
	// call: the literal is the argument of this function, as text in back quotes is.
	call string
}

// syntaxTable is what the lexer knows of a language.
type syntaxTable struct {
	comments []string    // to the end of the line
	blocks   [][2]string // comments with an end
	quotes   []quote     // longer opens first
	signs    []string    // of more than one character, longer ones first
	// letters are signs that belong to names, such as $ in JavaScript.
	letters string
	// regexes: a slash where a value is expected opens a regular expression.
	regexes bool
	// heredoc opens a here-document, such as "<<"; the name follows.
	heredoc string
}

// Bounds of reading one file.
const (
	maxTokens = 1 << 20
	maxInner  = 8 // code in a literal in code in a literal
)

type lexer struct {
	s      *syntaxTable
	src    string
	tokens []token
	here   []string // the ends of here-documents that begin on the next line
}

// lex splits a file into tokens, in time that grows with the file's length. Every text
// has tokens: what the language would refuse is read as well as may be.
func lex(s *syntaxTable, src string) []token {
	l := &lexer{s: s, src: src}
	l.run(0, len(src), 0)
	return l.tokens
}

func (l *lexer) add(kind tokenKind, text string, offset int) {
	l.tokens = append(l.tokens, token{kind, text, offset})
}

// run reads from at to end. Inside a literal it ends after the brace that matches the one
// before at, and returns the place behind.
func (l *lexer) run(at, end, depth int) int {
	braces := 0
	for at < end && len(l.tokens) < maxTokens {
		rest := l.src[at:end]
		c := rest[0]
		switch {
		case c == '\n':
			l.add(lineToken, "\n", at)
			at = l.hereDocuments(at+1, end)
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			at++
			continue
		case c == '\\' && len(rest) > 1 && rest[1] == '\n':
			at += 2
			continue
		}
		if n := l.comment(rest); n > 0 {
			at += n
			continue
		}
		if n := l.literal(at, end, depth); n > at {
			at = n
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case l.letter(r):
			n := size
			for n < len(rest) {
				r, size := utf8.DecodeRuneInString(rest[n:])
				if !l.letter(r) && !unicode.IsDigit(r) {
					break
				}
				n += size
			}
			l.add(nameToken, rest[:n], at)
			at += n
			continue
		case unicode.IsDigit(r):
			n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
			if n < 0 {
				n = len(rest)
			}
			l.add(otherToken, rest[:n], at)
			at += n
			continue
		}
		sign := rest[:size]
		for _, long := range l.s.signs {
			if strings.HasPrefix(rest, long) {
				sign = long
				break
			}
		}
		switch sign {
		case "{":
			braces++
		case "}":
			if braces--; braces < 0 && depth > 0 {
				return at + 1
			}
		}
		l.add(signToken, sign, at)
		at += len(sign)
	}
	return end
}

func (l *lexer) letter(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || r < utf8.RuneSelf && strings.IndexByte(l.s.letters, byte(r)) >= 0
}

// comment returns the length of the comment at the start of rest; 0 where there is none.
func (l *lexer) comment(rest string) int {
	for _, b := range l.s.blocks {
		if strings.HasPrefix(rest, b[0]) {
			if n := strings.Index(rest[len(b[0]):], b[1]); n >= 0 {
				return len(b[0]) + n + len(b[1])
			}
			return len(rest)
		}
	}
	for _, open := range l.s.comments {
		if strings.HasPrefix(rest, open) {
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				return n
			}
			return len(rest)
		}
	}
	return 0
}

// literal reads a string literal, a regular expression or the head of a here-document at
// at, and returns the place behind, or at where there is none.
func (l *lexer) literal(at, end, depth int) int {
	rest := l.src[at:end]
	if l.s.heredoc != "" && strings.HasPrefix(rest, l.s.heredoc) {
		if n := l.hereHead(rest[len(l.s.heredoc):]); n > 0 {
			l.add(textToken, "", at)
			return at + len(l.s.heredoc) + n
		}
	}
	for _, q := range l.s.quotes {
		if strings.HasPrefix(rest, q.open) {
			return l.quoted(q, at, end, depth)
		}
	}
	if l.s.regexes && rest[0] == '/' && l.expectsValue() {
		return l.quoted(quote{open: "/", close: "/", escape: true}, at, end, depth)
	}
	return at
}

// quoted reads a literal. Code inside it follows as tokens of its own.
func (l *lexer) quoted(q quote, at, end, depth int) int {
	start := at + len(q.open)
	if q.call != "" {
		l.add(nameToken, q.call, at)
		l.add(signToken, "(", at)
		defer func() { l.add(signToken, ")", min(at, len(l.src)-1)) }()
	}
	slot := len(l.tokens)
	l.add(textToken, "", at)
	i := start
	for i < end {
		switch {
		case q.escape && l.src[i] == '\\':
			i = min(i+2, end)
			continue
		case strings.HasPrefix(l.src[i:end], q.close):
			l.tokens[slot].text = l.src[start:i]
			return i + len(q.close)
		case l.src[i] == '\n' && !q.lines:
			l.tokens[slot].text = l.src[start:i]
			return i
		case q.inner != "" && depth < maxInner && strings.HasPrefix(l.src[i:end], q.inner):
			l.add(signToken, "{", i)
			i = l.run(i+len(q.inner), end, depth+1)
			l.add(signToken, "}", i)
			continue
		}
		i++
	}
	l.tokens[slot].text = l.src[start:end]
	return end
}

// expectsValue reports whether a slash here opens a regular expression: the token before
// is no value.
func (l *lexer) expectsValue() bool {
	for i := len(l.tokens) - 1; i >= 0; i-- {
		switch t := l.tokens[i]; t.kind {
		case lineToken:
			continue
		case nameToken:
			switch t.text {
			case "return", "typeof", "case", "in", "of", "if", "unless", "and", "or", "not", "when", "while", "until", "split", "grep":
				return true
			}
			return false
		case signToken:
			return t.text != ")" && t.text != "]" && t.text != "}"
		default:
			return false
		}
	}
	return true
}

// hereHead reads the name behind the opening of a here-document and returns its length.
func (l *lexer) hereHead(rest string) int {
	n := 0
	for n < len(rest) && strings.IndexByte("-~ ", rest[n]) >= 0 {
		n++
	}
	closing := ""
	if n < len(rest) && (rest[n] == '\'' || rest[n] == '"') {
		closing = rest[n : n+1]
		n++
	}
	start := n
	for n < len(rest) && (rest[n] == '_' || rest[n] >= 'A' && rest[n] <= 'Z' || n > start && rest[n] >= '0' && rest[n] <= '9' || closing != "" && rest[n] >= 'a' && rest[n] <= 'z') {
		n++
	}
	if n == start || closing != "" && !strings.HasPrefix(rest[n:], closing) {
		return 0
	}
	l.here = append(l.here, rest[start:n])
	return n + len(closing)
}

// hereDocuments skips the here-documents that begin at at.
func (l *lexer) hereDocuments(at, end int) int {
	for len(l.here) > 0 && at < end {
		name := l.here[0]
		l.here = l.here[1:]
		for at < end {
			line, _, _ := strings.Cut(l.src[at:end], "\n")
			at = min(at+len(line)+1, end)
			if strings.TrimRight(strings.TrimLeft(line, " \t"), " \t\r;,)") == name {
				break
			}
		}
	}
	return at
}
