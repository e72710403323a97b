package language

import (
	"path"
	"slices"
	"strings"
)

// Registry is a set of languages, in the order of their trial.
type Registry []*Language

// All returns the languages that Glovebox knows.
func All() Registry {
	return Registry{Python, JavaScript, TypeScript, PHP, Bash, Go, Ruby, Perl, Lua, Wasm}
}

// ByName returns the language of [All] with the name or alias, in any case, or nil.
func ByName(name string) *Language { return All().ByName(name) }

// ByName returns the language with the name or alias, in any case, or nil.
func (r Registry) ByName(name string) *Language {
	name = strings.ToLower(strings.TrimSpace(name))
	return r.first(func(l *Language) bool { return l.Name == name || slices.Contains(l.Aliases, name) })
}

// ByPath returns the language of a file by the ending of its path, or nil.
func (r Registry) ByPath(name string) *Language {
	return r.first(func(l *Language) bool { return l.Owns(name) })
}

func (r Registry) first(has func(*Language) bool) *Language {
	if i := slices.IndexFunc(r, has); i >= 0 {
		return r[i]
	}
	return nil
}

// Names returns the languages' names as a list for people.
func (r Registry) Names() string {
	var names []string
	for _, l := range r {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// Owns reports whether a path ends as a file of the language, in any case.
func (l *Language) Owns(name string) bool {
	base := strings.ToLower(path.Base(name))
	ending := path.Ext(base)
	return base != ending && slices.Contains(l.Extensions, ending)
}
