package language

import (
	"slices"
	"strings"
)

// All returns the languages, in the order in which they are tried.
func All() []*Language {
	return []*Language{Python, JavaScript, TypeScript, PHP, Bash, Go, Ruby, Perl, Lua, Wasm}
}

// Names returns the languages' names as a list for people.
func Names() string {
	var names []string
	for _, l := range All() {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// ByName returns the language that has the name or alias, in any case, or nil.
func ByName(name string) *Language {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, l := range All() {
		if slices.Contains(l.Aliases, name) {
			return l
		}
	}
	return nil
}
