package inspect

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox"
)

//go:embed rules/*.yaml
var ruleFiles embed.FS

// rule is what a language's file says of one rule.
type rule struct {
	Name     string            `yaml:"name"`
	Severity glovebox.Severity `yaml:"severity"`
	Message  string            `yaml:"message"`
	// Calls are full names of functions, Uses of values, Imports of modules. Methods are
	// names behind any value. Texts are regular expressions of literals.
	Calls   []string `yaml:"calls"`
	Uses    []string `yaml:"uses"`
	Imports []string `yaml:"imports"`
	Methods []string `yaml:"methods"`
	Texts   []string `yaml:"texts"`
	// With are functions by their full names, with a regular expression of their first
	// argument. Commands are regular expressions of a shell command with its arguments.
	With     map[string]string `yaml:"with"`
	Commands []string          `yaml:"commands"`
	// Match and NotMatch are programs that have the rule's finding, and none.
	Match    []string `yaml:"match"`
	NotMatch []string `yaml:"not_match"`

	texts, commands []*regexp.Regexp
	with            map[string]*regexp.Regexp
}

// language is a language's file, with what only code can say.
type language struct {
	// Extensions are the endings of file names.
	Extensions []string `yaml:"extensions"`
	// Dots stand between the names of a chain. Defines stand before a name that is defined.
	Dots    []string `yaml:"dots"`
	Defines []string `yaml:"defines"`
	// Bare: a call needs no parentheses; Words are names that are no arguments.
	Bare  bool     `yaml:"bare"`
	Words []string `yaml:"words"`
	// Requires are the functions that import a module by its name in a literal.
	Requires []string `yaml:"requires"`
	// Standard are the modules of the standard library; Packages are the names in the
	// registry of modules with another name.
	Standard string            `yaml:"standard"`
	Packages map[string]string `yaml:"packages"`
	Rules    []*rule           `yaml:"rules"`

	name     string
	syntax   *syntaxTable
	imports  func([]token, *scope) []imported
	standard map[string]bool
	third    *rule
}

// languages are loaded at first use.
var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	for name, code := range coded {
		l, err := load(name)
		if err != nil {
			panic(err) // a test loads each
		}
		l.name, l.syntax, l.imports = name, code.syntax, code.imports
		all[name] = l
	}
	return all
})

func load(name string) (*language, error) {
	data, err := ruleFiles.ReadFile(path.Join("rules", name+".yaml"))
	if err != nil {
		return nil, err
	}
	l := &language{standard: map[string]bool{}}
	if err := yaml.UnmarshalWithOptions(data, l, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("rules/%s.yaml: %w", name, err)
	}
	for word := range strings.FieldsSeq(l.Standard) {
		l.standard[word] = true
	}
	for _, r := range l.Rules {
		if err := r.compile(); err != nil {
			return nil, fmt.Errorf("rules/%s.yaml: %s: %w", name, r.Name, err)
		}
		if r.Name == RuleThirdParty {
			l.third = r
		}
	}
	if l.third == nil {
		return nil, fmt.Errorf("rules/%s.yaml has no rule %s", name, RuleThirdParty)
	}
	return l, nil
}

func (r *rule) compile() error {
	var errs []error
	compiled := func(text string) *regexp.Regexp {
		re, err := regexp.Compile(text)
		errs = append(errs, err)
		return re
	}
	for _, text := range r.Texts {
		r.texts = append(r.texts, compiled(text))
	}
	for _, text := range r.Commands {
		r.commands = append(r.commands, compiled(text))
	}
	r.with = map[string]*regexp.Regexp{}
	for name, text := range r.With {
		r.with[name] = compiled(text)
	}
	return errors.Join(errs...)
}

// Rules returns the names of all rules, sorted.
func Rules() []string {
	names := []string{RuleSize}
	for _, l := range languages() {
		for _, r := range l.Rules {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// languageOf is the language of a file of a program; nil where there are no rules.
func languageOf(p *glovebox.Program, f *glovebox.File) *language {
	ending := path.Ext(f.Path)
	for _, l := range languages() {
		if slices.Contains(l.Extensions, ending) {
			return l
		}
	}
	if ending == "" || f.Path == p.Main {
		return languages()[p.Language]
	}
	return nil
}

// localNames are the modules that the program's own files are, without their endings.
func localNames(p *glovebox.Program) map[string]bool {
	local := map[string]bool{}
	for _, f := range p.Files {
		name := strings.TrimSuffix(f.Path, path.Ext(f.Path))
		local[name] = true
		first, _, _ := strings.Cut(name, "/")
		local[first] = true
	}
	return local
}

// imported compares an import with the rules.
func (d *finder) imported(i imported) {
	for _, r := range d.Rules {
		if slices.ContainsFunc(r.Imports, func(p string) bool { return matches(p, i.module) }) {
			d.add(r, i.offset, "")
		}
	}
	root := d.root(i.module)
	if i.relative || root == "" || d.standard[root] || d.standard[i.module] || d.local[root] || d.local[i.module] {
		return
	}
	pkg := root
	if other := d.Packages[root]; other != "" {
		pkg = other
	}
	d.add(d.third, i.offset, pkg)
}

// root is the part of a module's name that names its package.
func (l *language) root(module string) string { return coded[l.name].root(module) }

// chain compares a chain with the rules.
func (d *finder) chain(c chain, s *scope) {
	full, known := s.full(c)
	if !c.member {
		own := !known && len(c.names) > 0 && s.own[c.names[0]]
		for _, r := range d.rulesOf(reference{full, known, c.call, own}) {
			d.add(r, c.offset, "")
		}
		if c.call && c.first != nil && !own {
			for _, r := range d.Rules {
				if re := r.with[full]; re != nil && re.MatchString(c.first.text) {
					d.add(r, c.offset, "")
				}
			}
		}
	}
	if c.call && (c.member || len(c.names) > 1) {
		last := c.names[len(c.names)-1]
		for _, r := range d.Rules {
			if slices.Contains(r.Methods, last) {
				d.add(r, c.offset, "")
			}
		}
	}
}

// rulesOf returns the rules that a name matches.
func (d *finder) rulesOf(n reference) []*rule {
	if n.own {
		return nil
	}
	rules, ok := d.named[n]
	if !ok {
		for _, r := range d.Rules {
			if n.call && n.matches(r.Calls) || n.matches(r.Uses) {
				rules = append(rules, r)
			}
		}
		d.named[n] = rules
	}
	return rules
}

// matches reports whether a pattern matches a name. A pattern with ^ is for names that no
// import brought, another one for names that an import did.
func (n reference) matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		global, ok := strings.CutPrefix(p, "^")
		return ok != n.known && matches(global, n.full)
	})
}

// text compares a literal with the rules.
func (d *finder) text(t token) {
	if len(t.text) > 4<<10 {
		return
	}
	for _, r := range d.Rules {
		if slices.ContainsFunc(r.texts, func(re *regexp.Regexp) bool { return re.MatchString(t.text) }) {
			d.add(r, t.offset, "")
		}
	}
}
