package inspect

import (
	"slices"
	"strings"
)

// scope is what the names of a file mean. A name means the same in the whole file.
type scope struct {
	// aliases are the full names of local ones, such as run: subprocess.run.
	aliases map[string]string
	// own are the functions that the file defines.
	own map[string]bool
}

// full returns the full name of a chain, and whether its first name is known by an import.
func (s *scope) full(c chain) (path string, known bool) {
	names := c.names
	if len(c.names) == 0 || c.module != "" {
		return strings.Join(append([]string{c.module}, names...), "."), true
	}
	if alias, ok := s.aliases[names[0]]; ok {
		return strings.Join(append([]string{alias}, names[1:]...), "."), true
	}
	return strings.Join(names, "."), false
}

// chain is a sequence of names with dots between: os.path.join.
type chain struct {
	names  []string
	offset int
	// member: the chain begins behind a value, as in f().name.
	member bool
	// module: the chain begins behind the import of this module, as in require("m").name.
	module string
	// call: an argument list follows.
	call bool
	// first is the literal that is the only or first argument of a call; nil: none.
	first *token
}

// maxChain bounds the names of a chain.
const maxChain = 8

// chains returns the chains of a file, in order.
func chains(l *language, tokens []token) []chain {
	var all []chain
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind != nameToken {
			continue
		}
		c := chain{offset: t.offset, member: i > 0 && slices.Contains(l.Dots, tokens[i-1].text) && tokens[i-1].kind == signToken}
		if i > 0 && tokens[i-1].kind == nameToken && slices.Contains(l.Defines, tokens[i-1].text) {
			continue
		}
		c.names = append(c.names, t.text)
		for i+2 < len(tokens) && tokens[i+1].kind == signToken && slices.Contains(l.Dots, tokens[i+1].text) && tokens[i+2].kind == nameToken {
			if len(c.names) < maxChain {
				c.names = append(c.names, tokens[i+2].text)
			}
			i += 2
		}
		call := i + 1
		c.call, c.first = l.callAt(tokens, call)
		all = append(all, c)
		if c.first == nil || !slices.Contains(l.Requires, c.names[len(c.names)-1]) || call+2 >= len(tokens) || tokens[call+2].text != ")" {
			continue
		}
		// What follows an import belongs to the module.
		behind := chain{offset: t.offset, module: strings.TrimPrefix(c.first.text, "node:")}
		i = call + 2
		for i+2 < len(tokens) && tokens[i+1].kind == signToken && slices.Contains(l.Dots, tokens[i+1].text) && tokens[i+2].kind == nameToken && len(behind.names) < maxChain {
			behind.names = append(behind.names, tokens[i+2].text)
			i += 2
		}
		behind.call, behind.first = l.callAt(tokens, i+1)
		if len(behind.names) > 0 || behind.call {
			all = append(all, behind)
		}
	}
	return all
}

// callAt reports whether an argument list begins at a token, and its first argument where
// that is a literal.
func (l *language) callAt(tokens []token, at int) (call bool, first *token) {
	if at >= len(tokens) {
		return false, nil
	}
	switch t := tokens[at]; {
	case t.kind == signToken && t.text == "(":
		call = true
		at++
	case l.Bare && t.kind == textToken, l.Bare && t.kind == nameToken && !slices.Contains(l.Words, t.text):
		call = true
	}
	if call && at < len(tokens) && tokens[at].kind == textToken {
		first = &tokens[at]
	}
	return call, first
}

// imported is a module that a file imports.
type imported struct {
	module string
	offset int
	// relative: the module is a file of the program by its form.
	relative bool
}

// matches reports whether a pattern matches a name; a star stands for any characters.
func matches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
