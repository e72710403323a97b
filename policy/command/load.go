package command

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a tool policy.
const (
	maxBytes  = 256 << 10
	maxTokens = 20_000
	maxItems  = 1_000
	maxText   = 1_000
)

// Default returns the tool policy without a file: all built-in programs in their
// read-mostly form, with python3 and pip3, and no hosts.
func Default() *Policy {
	p := &Policy{programs: map[string]*program{}}
	for name, b := range builtins {
		check, err := b.checker(options{})
		if err != nil {
			panic(err) // no options, no error
		}
		p.programs[name] = &program{name: name, check: check}
		for alias, of := range aliases {
			if of == name {
				p.programs[alias] = &program{name: alias, check: check}
			}
		}
	}
	return p
}

// aliases are further names of built-in programs.
var aliases = map[string]string{"python3": "python", "pip3": "pip"}

// Load reads a tool policy in YAML. Name is the file's name in errors, which have the form
// "file:line:column: what is wrong: what to do".
func Load(data []byte, name string) (*Policy, error) {
	l := loader{name: name}
	root, err := l.parse(data)
	if err != nil {
		return nil, err
	}
	top, err := l.mapping(root, "a tool policy", "version", "programs", "hosts")
	if err != nil {
		return nil, err
	}
	version, ok := top["version"].(*ast.IntegerNode)
	if !ok || fmt.Sprint(version.Value) != "1" {
		return nil, l.fault(or(top["version"], root), "the version is missing or unknown: write version: 1")
	}
	p := &Policy{programs: map[string]*program{}}
	hosts, err := l.texts(top["hosts"], "hosts", hostEntry, "a host such as api.example.com, *.example.com or localhost:8080, in lower case")
	if err != nil {
		return nil, err
	}
	p.hosts = hosts
	entries, err := l.list(top["programs"], "programs")
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, l.fault(root, "programs is missing: list at least one program, such as programs: [{name: ls}]")
	}
	for _, e := range entries {
		prog, err := l.program(e)
		if err != nil {
			return nil, err
		}
		if first := p.programs[prog.name]; first != nil {
			return nil, l.fault(e, "the program %s is here twice, first at %s: keep one", clip(prog.name), first.where)
		}
		p.programs[prog.name] = prog
	}
	return p, nil
}

var (
	nameForm   = regexp.MustCompile(`^(\./([A-Za-z0-9_][A-Za-z0-9_.-]*/)*)?[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	optionForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:/+-]*$`)
)

// program reads an entry of programs.
func (l loader) program(n ast.Node) (*program, error) {
	m, err := l.mapping(n, "a program", "name", "validator", "flags", "args", "unsafe", "subcommands", "modules", "scripts", "targets", "code")
	if err != nil {
		return nil, err
	}
	name, err := l.text(or(m["name"], n), "name", nameForm.MatchString, "the name of a program without a path, or ./path of a file of the workspace")
	if err != nil {
		return nil, err
	}
	unsafe, err := l.flag(m["unsafe"], "unsafe")
	if err != nil {
		return nil, err
	}
	prog := &program{name: name, where: l.place(n)}
	validator := name
	if of, ok := aliases[name]; ok {
		validator = of
	}
	if m["validator"] != nil {
		if validator, err = l.text(m["validator"], "validator", func(s string) bool { return builtins[s] != nil }, "one of "+list(builtinNames())); err != nil {
			return nil, err
		}
	}
	base := stem(name)
	known := wrappers[base] != "" || builtins[base] != nil
	own := m["flags"] != nil || m["args"] != nil
	b := builtins[validator]
	switch {
	case m["validator"] != nil && (own || unsafe):
		return nil, l.fault(or(m["flags"], m["args"], m["unsafe"]), "a program has either a validator or flags and args: keep one")
	case m["validator"] != nil && known && base != validator:
		return nil, l.fault(m["validator"], "%s is not %s: a validator bounds only the program that it is for", clip(name), validator)
	case b != nil && !own && !unsafe:
		prog.check, err = l.builtin(b, m)
		return prog, err
	}
	for _, key := range []string{"subcommands", "modules", "scripts", "targets", "code"} {
		if m[key] != nil {
			return nil, l.fault(m[key], "%s is only for programs with a built-in validator: leave it out", key)
		}
	}
	if known && !unsafe {
		why := wrappers[base]
		if builtins[base] != nil {
			why = "the built-in validator of the program would be replaced; write validator: " + base
		}
		return nil, l.fault(n, "%s: %s: leave the program out, or write unsafe: true", clip(name), why)
	}
	prog.check, err = l.own(m, unsafe)
	return prog, err
}

// builtin reads the options of a program with a built-in validator.
func (l loader) builtin(b *builtin, m map[string]ast.Node) (check, error) {
	var o options
	for key, into := range map[string]*[]string{"subcommands": &o.subcommands, "modules": &o.modules, "scripts": &o.scripts, "targets": &o.targets} {
		if m[key] == nil {
			continue
		}
		if !slices.Contains(b.options, key) {
			return nil, l.fault(m[key], "%s is not for this program: leave it out", key)
		}
		names, err := l.texts(m[key], key, optionForm.MatchString, "a plain name")
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, l.fault(m[key], "%s is an empty list: name at least one, or leave the key out", key)
		}
		*into = names
	}
	if m["code"] != nil && !slices.Contains(b.options, "code") {
		return nil, l.fault(m["code"], "code is not for this program: leave it out")
	}
	var err error
	if o.code, err = l.flag(m["code"], "code"); err != nil {
		return nil, err
	}
	check, err := b.checker(o)
	if err != nil {
		return nil, l.fault(m["subcommands"], "subcommands: %v", err)
	}
	return check, nil
}

// own reads flags and args of a program without a built-in validator.
func (l loader) own(m map[string]ast.Node, unsafe bool) (check, error) {
	r := &rules{}
	specs, err := l.texts(m["flags"], "flags", func(s string) bool { return fileFlag(s) == nil }, "a flag such as -v, --verbose or '-n, --lines number'; the kinds are "+kindNames())
	if err != nil {
		return nil, err
	}
	r.flags = specs
	seen := map[string]bool{}
	for _, s := range specs {
		names, _, _ := parseFlag(s)
		for _, n := range names {
			if seen[n] {
				return nil, l.fault(m["flags"], "the flag %s is here twice: keep one", n)
			}
			seen[n] = true
			r.long = r.long || len(n) > 2 && n[1] != '-' && n != "-NUMBER"
		}
	}
	if m["args"] != nil {
		args, err := l.text(m["args"], "args", func(s string) bool { return slices.Contains(fileKinds, kind(s)) }, "one of "+kindNames())
		if err != nil {
			return nil, err
		}
		r.rest = kind(args)
	}
	if unsafe && r.rest == kindAny && len(specs) == 0 {
		return func(*arguments) *Refusal { return nil }, nil
	}
	return r.compile(), nil
}

// fileFlag reports whether a specification of a flag may stand in a tool policy.
func fileFlag(spec string) error {
	_, f, err := parseFlag(spec)
	switch {
	case err != nil:
		return err
	case f.kind == "" || strings.Contains(string(f.kind), "|"):
		return nil
	case f.kind == kindNone || !slices.Contains(fileKinds, f.kind):
		return errors.New("unknown kind")
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range fileKinds {
		names = append(names, string(k))
	}
	return list(names)
}

func builtinNames() []string {
	var names []string
	for n := range builtins {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// loader reads the nodes of a file.
type loader struct{ name string }

func (l loader) at(t *token.Token) string {
	if t == nil || t.Position == nil {
		return l.name + ":1:1"
	}
	return fmt.Sprintf("%s:%d:%d", l.name, max(t.Position.Line, 1), max(t.Position.Column, 1))
}

// place returns "file:line:column" of a value.
func (l loader) place(n ast.Node) string {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	return l.at(n.GetToken())
}

func (l loader) fault(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", l.place(n), fmt.Sprintf(format, args...))
}

// or returns the first node that is there.
func or(nodes ...ast.Node) ast.Node {
	i := slices.IndexFunc(nodes, func(n ast.Node) bool { return n != nil })
	return nodes[i]
}

// parse returns the only document of a file.
func (l loader) parse(data []byte) (_ ast.Node, err error) {
	fail := func(format string, args ...any) (ast.Node, error) {
		return nil, fmt.Errorf("%s:1:1: %s", l.name, fmt.Sprintf(format, args...))
	}
	switch {
	case len(data) > maxBytes:
		return fail("the file is %d bytes long: at most %d", len(data), maxBytes)
	case !utf8.Valid(data):
		return fail("the file is not valid UTF-8: save it as UTF-8")
	}
	// The YAML library may panic at hostile text.
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("%s:1:1: the file cannot be read as YAML: write it more simply", l.name)
		}
	}()
	tokens := lexer.Tokenize(strings.TrimPrefix(string(data), "\ufeff"))
	if len(tokens) > maxTokens {
		return fail("the file has more than %d YAML tokens: make it shorter", maxTokens)
	}
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.MappingKeyType:
			return nil, fmt.Errorf("%s: %s is not allowed: a tool policy has no anchors, aliases, merge keys, tags or complex keys; write the value out", l.at(t), clip(t.Value))
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		if depth > 8 || t.Position != nil && t.Position.IndentNum > 64 {
			return nil, fmt.Errorf("%s: values are nested too deep: make the file flatter", l.at(t))
		}
	}
	if r := sequenceRun(tokens); r != nil {
		return nil, fmt.Errorf("%s: values are nested too deep: make the file flatter", l.at(r))
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var located interface {
			GetToken() *token.Token
			GetMessage() string
		}
		if errors.As(err, &located) {
			return nil, fmt.Errorf("%s: not YAML: %s", l.at(located.GetToken()), located.GetMessage())
		}
		return fail("not YAML")
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return fail("the file has no document or several: write one, without ---")
	}
	return file.Docs[0].Body, nil
}

// sequenceRun returns a token where more than eight entries begin on one line in block
// style, such as "- - - -", which nests.
func sequenceRun(tokens token.Tokens) *token.Token {
	line, run := 0, 0
	for _, t := range tokens {
		if t.Type != token.SequenceEntryType || t.Position == nil {
			continue
		}
		if t.Position.Line != line {
			line, run = t.Position.Line, 0
		}
		if run++; run > 8 {
			return t
		}
	}
	return nil
}

// mapping returns the values of a map by key. Unknown and repeated keys are faults.
func (l loader) mapping(n ast.Node, what string, keys ...string) (map[string]ast.Node, error) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return nil, l.fault(n, "%s is a map: write key: value", what)
	}
	values := map[string]ast.Node{}
	for _, v := range m.Values {
		key := v.Key.GetToken().Value
		switch {
		case !slices.Contains(keys, key):
			return nil, fmt.Errorf("%s: %s is no field of %s: the fields are %s", l.at(v.Key.GetToken()), clip(key), what, list(keys))
		case values[key] != nil:
			return nil, fmt.Errorf("%s: %s is here twice: keep one", l.at(v.Key.GetToken()), key)
		case v.Value == nil || v.Value.Type() == ast.NullType:
			return nil, fmt.Errorf("%s: %s has no value: write one, or leave the field out", l.at(v.Key.GetToken()), key)
		}
		values[key] = v.Value
	}
	return values, nil
}

// list returns the entries of a list; a missing list is empty.
func (l loader) list(n ast.Node, what string) ([]ast.Node, error) {
	if n == nil {
		return nil, nil
	}
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, l.fault(n, "%s is a list: write [a, b]", what)
	}
	if len(s.Values) > maxItems {
		return nil, l.fault(n, "%s has %d entries: at most %d", what, len(s.Values), maxItems)
	}
	for _, v := range s.Values {
		if v == nil {
			return nil, l.fault(n, "%s has an entry without a value", what)
		}
	}
	return s.Values, nil
}

// texts returns a list of texts, each of which is valid.
func (l loader) texts(n ast.Node, what string, valid func(string) bool, form string) ([]string, error) {
	nodes, err := l.list(n, what)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range nodes {
		s, err := l.text(e, what, valid, form)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (l loader) text(n ast.Node, what string, valid func(string) bool, form string) (string, error) {
	s, ok := n.(*ast.StringNode)
	switch {
	case !ok:
		return "", l.fault(n, "%s: a text is missing: write %s", what, form)
	case len(s.Value) > maxText || !valid(s.Value):
		return "", l.fault(n, "%s: %s does not fit: write %s", what, clip(s.Value), form)
	}
	return s.Value, nil
}

func (l loader) flag(n ast.Node, what string) (bool, error) {
	if n == nil {
		return false, nil
	}
	b, ok := n.(*ast.BoolNode)
	if !ok {
		return false, l.fault(n, "%s is true or false", what)
	}
	return b.Value, nil
}
