package language

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// perlText is a text of Perl without its comments and its documentation.
type perlText struct {
	// bare has no content of strings. A constant string becomes "". A string with
	// variables becomes "$" with its variables, followed by its interpolated code.
	bare string
	// kept includes the strings.
	kept string
	// end is the end of the code: the end of the text, or the first part not read
	// as code.
	end int
	// texts are the constant strings of bare, and lines the positions in bare where
	// source lines end.
	texts []string
	lines []int
}

// perlOperand are words followed by a value, not by an operator.
var perlOperand = strings.Fields(`and or not xor if unless while until return x lt gt le ge eq ne cmp split grep map join push unshift print like unlike is ok when defined ref scalar`)

// perlInside finds code within a string.
var perlInside = lazyre.New(`(?s)@\{\s*\[(.*?)\]\s*\}|\$\{\s*\\(.*?)\}`)

// readPerlText splits a text into its parts. It recognises quotes, patterns, here
// documents and documentation. If Perl's grammar requires running code,
// readPerlText assumes the usual meaning.
func readPerlText(src string) perlText {
	var bare, kept strings.Builder
	var pending []perlHere
	var texts []string
	var lines []int
	read := 0
	operand := true // a value follows, so / begins a pattern
	both := func(s string) { bare.WriteString(s); kept.WriteString(s) }
	quoted := func(content string, interpolates bool) {
		if interpolates && strings.ContainsAny(content, "$@") {
			bare.WriteString(`"$` + strings.Join(perlNamed().FindAllString(content, -1), "") + `"`)
			for _, m := range perlInside().FindAllStringSubmatch(content, -1) {
				bare.WriteString(" " + m[1] + m[2] + " ")
			}
		} else {
			bare.WriteString(`""`)
			texts = append(texts, content)
		}
		operand = false
	}
	i := 0
	for i < len(src) {
		for ; read < i; read++ {
			if src[read] == '\n' {
				lines = append(lines, bare.Len())
			}
		}
		c := src[i]
		start := i == 0 || src[i-1] == '\n'
		switch {
		case start && c == '=' && i+1 < len(src) && perlLetter(src[i+1]):
			end := strings.Index(src[i:], "\n=cut")
			if end < 0 {
				return perlText{bare.String(), kept.String(), i, texts, lines}
			}
			i += end + len("\n=cut")
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case start && perlEnd().MatchString(src[i:]):
			return perlText{bare.String(), kept.String(), i, texts, lines}
		case c == '\n':
			both("\n")
			i++
			for _, here := range pending {
				content, n := here.read(src[i:])
				i += n
				kept.WriteString(content)
				quoted(content, here.interpolates)
			}
			if len(pending) > 0 {
				both("\n")
			}
			pending = nil
		case c == '#':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '\'' || c == '"' || c == '`':
			content, n := perlDelimited(src[i:])
			kept.WriteString(src[i : i+n])
			if c == '`' {
				both("`")
			}
			quoted(content, c != '\'')
			i += n
		case c == '/' && operand:
			content, n := perlDelimited(src[i:])
			kept.WriteString(src[i : i+n])
			quoted(content, true)
			i += n
		case c == '<' && strings.HasPrefix(src[i:], "<<") && perlHereTag().MatchString(src[i:]):
			m := perlHereTag().FindStringSubmatch(src[i:])
			pending = append(pending, perlHere{tag: m[3] + m[4] + m[5], indented: m[1] != "", interpolates: m[2] != "'"})
			i += len(m[0])
			operand = false
		case c == '$' || c == '@' || (c == '%' || c == '&') && operand:
			n := len(perlVariable().FindString(src[i:]))
			if n < 2 {
				n = 1
			}
			both(src[i : i+n])
			i += n
			operand = n < 2
		case perlLetter(c):
			n := len(perlWord().FindString(src[i:]))
			word, rest := src[i:i+n], src[i+n:]
			before := strings.TrimRight(bare.String(), " \t\n")
			called := strings.HasSuffix(before, "->") || strings.HasSuffix(before, "{") && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "}")
			size := perlQuoteSize(word, rest)
			both(word)
			i += n
			if called || size == 0 || strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "=>") {
				operand = !called && slices.Contains(perlOperand, word)
				continue
			}
			kept.WriteString(rest[:size])
			quoted(rest[:size], word != "q" && word != "qw" && word != "tr" && word != "y")
			i += size
			flags := perlWord().FindString(src[i:])
			if word == "q" || word == "qq" || word == "qw" {
				flags = ""
			}
			both(flags)
			i += len(flags)
		case c >= '0' && c <= '9':
			n := len(perlNumber().FindString(src[i:]))
			both(src[i : i+n])
			i += n
			operand = false
		default:
			both(string(c))
			i++
			if c != ' ' && c != '\t' && c != '\r' {
				operand = c != ')' && c != ']' && c != '}'
			}
		}
	}
	return perlText{bare.String(), kept.String(), len(src), texts, lines}
}

var (
	perlNamed    = lazyre.New(`[$@]\{?\$*[A-Za-z_]\w*`)
	perlEnd      = lazyre.New(`\A__(?:END|DATA)__[ \t]*\r?(?:\n|\z)`)
	perlHereTag  = lazyre.New(`\A<<(~?)(["']?)(?:([A-Za-z_]\w*)|([^"'\n]*))["']?()`)
	perlVariable = lazyre.New(`\A(?:\$#\{?\$*\w*|[$@%&]\$*(?:\{\^?\w+\}|(?:::)?\w+(?:(?:::|')[A-Za-z_]\w*)*)|\$\$|\$\^\w|\$[&` + "`" + `'+!@/\\,;.\-_"0<>()\[\]|?:])`)
	perlWord     = lazyre.New(`\A[A-Za-z_]\w*`)
	perlNumber   = lazyre.New(`\A(?:0[xX][\da-fA-F_]+|[\d_]+(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)`)
)

func perlLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// perlHere is a here document with its text starting on the next line.
type perlHere struct {
	tag                    string
	indented, interpolates bool
}

func (h perlHere) read(src string) (content string, size int) {
	for line := range strings.Lines(src) {
		size += len(line)
		text := strings.TrimRight(line, "\r\n")
		if h.indented {
			text = strings.TrimLeft(text, " \t")
		}
		if text == h.tag {
			return content, size
		}
		content += line
	}
	return content, size
}

var perlPair = map[byte]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

// perlDelimited reads a text from its first delimiter to its last.
func perlDelimited(src string) (content string, size int) {
	open := src[0]
	end, nests := perlPair[open]
	if !nests {
		end = open
	}
	depth := 1
	for i := 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == end:
			if depth--; depth == 0 {
				return src[1:i], i + 1
			}
		case nests && c == open:
			depth++
		}
	}
	return src[1:], len(src)
}

// perlQuoteSize returns the number of bytes quoted by a word.
func perlQuoteSize(word, rest string) int {
	parts := 1
	switch word {
	case "q", "qq", "qw", "qx", "qr", "m":
	case "s", "tr", "y":
		parts = 2
	default:
		return 0
	}
	at := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	if at >= len(rest) || at > 0 && rest[at] == '#' || strings.ContainsRune("=,;)", rune(rest[at])) || at > 0 && (perlLetter(rest[at]) || rest[at] == '-') {
		return 0
	}
	first := rest[at]
	_, n := perlDelimited(rest[at:])
	size := at + n
	if parts == 2 {
		if perlPair[first] == 0 {
			_, n = perlDelimited(rest[size-1:])
			return size - 1 + n
		}
		gap := len(rest[size:]) - len(strings.TrimLeft(rest[size:], " \t\n"))
		if size+gap < len(rest) {
			_, n = perlDelimited(rest[size+gap:])
			size += gap + n
		}
	}
	return min(size, len(rest))
}

var (
	perlMade    = lazyre.New(`(?:^|[^\w$@%&:>])([A-Za-z_]\w*(?:::\w+)*)\s*->\s*new\b|\bnew\s+([A-Z]\w*(?:::\w+)*)`)
	perlDynamic = lazyre.New(`(?:\$\w+|[)\]}"])\s*->\s*new\b`)
	perlUsed    = lazyre.New(`(?m)(?:^|[;{}])\s*(?:use|require)\s+([A-Za-z_]\w*(?:::\w+)*)`)
	perlOrder   = lazyre.New(`(?:^|[^-=<>&])(?:<=?>?|>=?)(?:[^<>=]|$)`)
	perlAsked   = lazyre.New(`\b(?:use_ok|require_ok)\s*\(?\s*['"]([A-Za-z_]\w*(?:::\w+)*)['"]`)
)

// made returns the classes of objects made by the tests, spelled as Class->new. If
// a class is a variable, the text does not show the class, and made returns nil.
func (t perlText) made() []string {
	if perlDynamic().MatchString(t.bare) {
		return nil
	}
	return perlFound(perlMade(), t.bare)
}

// orders reports whether the tests compare the order of two numbers.
func (t perlText) orders() bool { return perlOrder().MatchString(t.bare) }

// modules returns the modules loaded by the tests.
func (t perlText) modules() []string {
	return append(perlFound(perlUsed(), t.bare), perlFound(perlAsked(), t.kept)...)
}

func perlFound(re *regexp.Regexp, text string) []string {
	var found []string
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		if name := strings.Join(m[1:], ""); !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
