package language

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A phpToken is a piece of PHP code. The content of comments and strings never
// counts as code.
type phpToken struct {
	kind phpKind
	// text is the source of the token: a string without its quotes, a variable with
	// its $.
	text string
	line int
}

type phpKind byte

const (
	phpWord     phpKind = iota // a name, with its namespace
	phpVariable                // $name
	phpString                  // a string of any kind
	phpNumber
	phpDoc   // a /** comment
	phpPunct // anything else: -> ?-> :: ... #[ and single characters
)

var (
	phpPiece = lazyre.New(`^(?:(\\?[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\\[A-Za-z_\x80-\xff][\w\x80-\xff]*)*)|(\$[A-Za-z_\x80-\xff][\w\x80-\xff]*)|(\d[\w.]*)|(\?->|->|::|\.\.\.|#\[|===|!==|==|!=))`)
	phpHere  = lazyre.New(`^<<<[ \t]*(["']?)([A-Za-z_]\w*)(["']?)\r?\n`)
)

// phpTokens reads the code of a file.
func phpTokens(data []byte) []phpToken {
	var found []phpToken
	text := string(data)
	outside := true
	line, counted := 1, 0 // lines are counted up to here
	for len(text) > 0 {
		line += bytes.Count(data[counted:len(data)-len(text)], []byte("\n"))
		counted = len(data) - len(text)
		if outside {
			_, rest, ok := strings.Cut(text, "<?")
			if !ok {
				break
			}
			text, outside = strings.TrimPrefix(strings.TrimPrefix(rest, "php"), "="), false
			continue
		}
		add := func(kind phpKind, piece string, size int) {
			found = append(found, phpToken{kind, piece, line})
			text = text[size:]
		}
		switch {
		case strings.HasPrefix(text, "?>"):
			text, outside = text[2:], true
		case strings.HasPrefix(text, "/*"):
			body, _, _ := strings.Cut(text[2:], "*/")
			size := min(len(text), len(body)+4)
			if strings.HasPrefix(text, "/**") {
				add(phpDoc, text[:size], size)
			} else {
				text = text[size:]
			}
		case strings.HasPrefix(text, "//"), text[0] == '#' && !strings.HasPrefix(text, "#["):
			end := strings.IndexByte(text, '\n')
			if tag := strings.Index(text, "?>"); tag >= 0 && (end < 0 || tag < end) {
				end = tag
			}
			if end < 0 {
				end = len(text)
			}
			text = text[end:]
		case text[0] == '\'' || text[0] == '"' || text[0] == '`':
			end := 1
			for end < len(text) && text[end] != text[0] {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(text))
			if text[0] == '`' {
				found = append(found, phpToken{phpPunct, "`", line})
			}
			add(phpString, text[1:max(1, end)], min(end+1, len(text)))
		case strings.HasPrefix(text, "<<<") && phpHere().MatchString(text):
			m := phpHere().FindStringSubmatch(text)
			body := text[len(m[0]):]
			size := len(text)
			if end := regexp.MustCompile(`(?m)^[ \t]*` + m[2] + `\b`).FindStringIndex(body); end != nil {
				size = len(m[0]) + end[1]
				body = body[:end[0]]
			}
			add(phpString, body, size)
		default:
			m := phpPiece().FindStringSubmatch(text)
			switch {
			case m == nil:
				if c := text[0]; c == ' ' || c == '\t' || c == '\n' || c == '\r' {
					text = text[1:]
				} else {
					add(phpPunct, text[:1], 1)
				}
			case m[1] != "":
				add(phpWord, m[1], len(m[1]))
			case m[2] != "":
				add(phpVariable, m[2], len(m[2]))
			case m[3] != "":
				add(phpNumber, m[3], len(m[3]))
			default:
				add(phpPunct, m[4], len(m[4]))
			}
		}
	}
	return found
}

// phpText holds the facts in the texts of tests, without running them.
type phpText struct {
	// tokens are the tokens of the files, with an empty token at each end of a
	// file.
	tokens []phpToken
	// classes and functions are the definitions in the tests, with methods among
	// the functions, in lower case and without namespaces.
	classes, functions map[string]bool
	// bases are the names in extends, implements and use clauses of the classes.
	bases []string
	// imports maps local names to the full names of imports.
	imports map[string]string
}

// phpLast is the last part of a name, in lower case.
func phpLast(name string) string { return strings.ToLower(name[strings.LastIndexByte(name, '\\')+1:]) }

// at returns a token, or an empty one.
func (t *phpText) at(i int) phpToken {
	if i < 0 || i >= len(t.tokens) {
		return phpToken{kind: phpPunct}
	}
	return t.tokens[i]
}

// is reports whether a token is one of the given words, in any case, or signs.
func (t phpToken) is(texts ...string) bool {
	if t.kind != phpWord && t.kind != phpPunct {
		return false
	}
	for _, text := range texts {
		if strings.EqualFold(t.text, text) {
			return true
		}
	}
	return false
}

// isMember reports whether the token at i is the name of a member.
func (t *phpText) isMember(i int) bool { return t.at(i-1).is("->", "?->", "::") }

// isCall reports whether the token at i is the name of a called function.
func (t *phpText) isCall(i int) bool {
	return t.at(i).kind == phpWord && t.at(i+1).is("(") && !t.isMember(i) && !t.at(i-1).is("function", "new") && !(t.at(i-1).is("&") && t.at(i-2).is("function"))
}

// readPHP reads the texts of tests.
func readPHP(files [][]byte) *phpText {
	t := &phpText{classes: map[string]bool{}, functions: map[string]bool{}, imports: map[string]string{}}
	for _, data := range files {
		t.tokens = append(append(t.tokens, phpToken{kind: phpPunct}), phpTokens(data)...)
	}
	t.tokens = append(t.tokens, phpToken{kind: phpPunct})
	var braces []bool // whether each brace belongs to a class
	waiting := false
	names := func(i int) int {
		for ; t.at(i).kind == phpWord && !t.at(i).is("implements", "extends") || t.at(i).is(","); i++ {
			if t.at(i).kind == phpWord {
				t.bases = append(t.bases, t.at(i).text)
			}
		}
		return i
	}
	for i, token := range t.tokens {
		switch {
		case token.is("") && token.kind == phpPunct:
			braces, waiting = nil, false
		case token.is("{"):
			braces, waiting = append(braces, waiting), false
		case token.is("}"):
			braces = braces[:max(0, len(braces)-1)]
		case token.is("class", "interface", "trait", "enum") && !t.isMember(i):
			if next := t.at(i + 1); token.is("class") && !(next.kind == phpWord && !next.is("extends", "implements")) {
				waiting = next.is("(", "{", "extends", "implements")
			} else if next.kind == phpWord {
				waiting = true
				t.classes[strings.ToLower(next.text)] = true
			}
		case token.is("extends", "implements") && waiting:
			names(i + 1)
		case token.is("use") && len(braces) > 0 && braces[len(braces)-1]:
			names(i + 1)
		case token.is("use") && t.at(i+1).kind == phpWord:
			from := i + 1
			if t.at(from).is("function", "const") {
				from++
			}
			name, as := t.at(from).text, phpLast(t.at(from).text)
			if t.at(from + 1).is("as") {
				as = strings.ToLower(t.at(from + 2).text)
			}
			t.imports[as] = strings.TrimPrefix(name, "\\")
		case token.is("function"):
			next := t.at(i + 1)
			if next.is("&") {
				next = t.at(i + 2)
			}
			if next.kind == phpWord {
				t.functions[strings.ToLower(next.text)] = true
			}
		}
	}
	return t
}
