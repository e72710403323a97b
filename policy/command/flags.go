package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A check validates the words after a program's name, or after its subcommand.
type check func(*arguments) *Refusal

// arguments are the words after a program's name, or after its subcommand.
type arguments struct {
	program string // with the subcommand, for messages
	words   []word
	hosts   []string
}

// rules are the allow-list of a program or subcommand.
type rules struct {
	// flags are specifications such as
	//
	//	-v, --verbose        no value
	//	-n, --lines number   a value in the next word, or attached
	//	--format=word        a value attached by = only
	//	--color[=word]       a value, or none, attached only
	//	-NUMBER              digits after the hyphen
	flags []string
	// long: flags are words after one hyphen or two, as in Go.
	long bool
	// first is the kind of the first operand, unless a flag of instead is given.
	first   kind
	instead []string
	// rest is the kind of the other operands; empty means none.
	rest kind
	// literal is the kind of operands after --; empty means rest.
	literal kind
}

// flag is a flag of a specification.
type flag struct {
	kind     kind // empty: no value
	separate bool // the value may be the next word
	optional bool
}

var flagForm = regexp.MustCompile(`^(-NUMBER|(?:--?[A-Za-z0-9][A-Za-z0-9_.-]*)(?:, --?[A-Za-z0-9][A-Za-z0-9_.-]*)*)(?:( |=|\[=?)([A-Za-z][A-Za-z0-9_.|-]*)\]?)?$`)

// parseFlag reads a specification.
func parseFlag(spec string) (names []string, f flag, err error) {
	m := flagForm.FindStringSubmatch(spec)
	if m == nil || strings.HasPrefix(m[2], "[") != strings.HasSuffix(spec, "]") {
		return nil, f, fmt.Errorf("%s is not a flag: write -v, --verbose or -n, --lines number", clip(spec))
	}
	f = flag{kind: kind(m[3]), separate: m[2] == " ", optional: strings.HasPrefix(m[2], "[")}
	return strings.Split(m[1], ", "), f, nil
}

// compile returns the check of the rules. A specification of the program itself is correct:
// the tests read each.
func (r rules) compile() check {
	table := map[string]flag{}
	for _, spec := range r.flags {
		names, f, _ := parseFlag(spec)
		for _, n := range names {
			table[n] = f
		}
	}
	return func(a *arguments) *Refusal {
		return (&scan{arguments: a, rules: &r, table: table, first: r.first}).run()
	}
}

// scan is the state of one check.
type scan struct {
	*arguments
	rules    *rules
	table    map[string]flag
	first    kind
	next     int
	literal  bool // after --
	operands []word
	literals []bool // whether the operand stands after --
}

// run validates all words.
func (p *scan) run() *Refusal {
	for p.next < len(p.words) {
		w := p.words[p.next]
		p.next++
		var refusal *Refusal
		switch {
		case p.literal || w.text == "-" || !strings.HasPrefix(w.text, "-"):
			p.operands = append(p.operands, w)
			p.literals = append(p.literals, p.literal)
		case w.text == "--":
			p.literal = true
		case p.rules.long || strings.HasPrefix(w.text, "--"):
			refusal = p.longFlag(w)
		default:
			refusal = p.shortFlags(w)
		}
		if refusal != nil {
			return refusal
		}
	}
	return p.checkOperands()
}

// longFlag checks --name, --name=value or --name value.
func (p *scan) longFlag(w word) *Refusal {
	name, attached, has := strings.Cut(w.text, "=")
	if p.rules.long && strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	f, ok := p.table[name]
	switch {
	case !ok:
		return p.unknown(w, name)
	case f.kind == "" && has:
		r := w.refuse("the value of the flag %s", "the flag takes no value", clip(name))
		r.Instead = "write " + name
		return r
	}
	return p.flagValue(name, f, w, attached, has)
}

// shortFlags checks -a, -abc, -nVALUE or -n VALUE.
func (p *scan) shortFlags(w word) *Refusal {
	if f, ok := p.table["-NUMBER"]; ok && f.kind == "" && numberForm.MatchString(w.text[1:]) {
		return nil
	}
	for i := 1; i < len(w.text); i++ {
		name := "-" + w.text[i:i+1]
		f, ok := p.table[name]
		switch {
		case !ok:
			return p.unknown(w, name)
		case f.kind != "":
			return p.flagValue(name, f, w, w.text[i+1:], i+1 < len(w.text))
		}
	}
	return nil
}

// flagValue checks the value of a flag, which is attached or the next word.
func (p *scan) flagValue(name string, f flag, w word, attached string, has bool) *Refusal {
	if slices.Contains(p.rules.instead, name) {
		p.first = ""
	}
	switch {
	case f.kind == "" || !has && f.optional:
		return nil
	case has:
		return p.value(f.kind, w, attached, "the value of the flag "+name+",")
	case !f.separate || p.next == len(p.words):
		r := w.refuse("the flag %s without a value", "the flag needs a value ("+string(f.kind)+")", name)
		r.Instead = "write " + name + " with its value"
		if !f.separate {
			r.Instead = "write " + name + "=VALUE"
		}
		return r
	}
	w = p.words[p.next]
	p.next++
	// A program that disagrees about the flag would take such a value for a flag.
	if strings.HasPrefix(w.text, "-") {
		r := w.refuse("%s as the value of the flag %s", "a separate value does not begin with a hyphen", clip(w.text), name)
		r.Instead = "attach the value to the flag, or write ./ before a file's name"
		return r
	}
	return p.value(f.kind, w, w.text, "the value of the flag "+name+",")
}

// refuseFlag refuses a flag by its name, with the reason where the flag is a known danger.
func (a *arguments) refuseFlag(w word, name string, allowed []string) *Refusal {
	why := dangers[name]
	if d := dangers[a.program+" "+name]; d != "" {
		why = d
	}
	if why == "" {
		why = "the flag is not on the list of " + a.program + ", and abbreviations are not accepted"
	}
	r := w.refuse("the flag %s", why, clip(name))
	r.Instead = "use only these flags of " + a.program + ": " + list(allowed)
	return r
}

func (p *scan) unknown(w word, name string) *Refusal {
	return p.refuseFlag(w, name, p.rules.flags)
}

// checkOperands checks the words that are no flags.
func (p *scan) checkOperands() *Refusal {
	for i, w := range p.operands {
		k := p.rules.rest
		switch {
		case i == 0 && p.first != "":
			k = p.first
		case p.literals[i] && p.rules.literal != "":
			k = p.rules.literal
		}
		if p.literals[i] && k == kindPattern {
			k = kindAny
		}
		if k == "" || k == kindNone {
			r := w.refuse("the argument %s", p.program+" takes no further arguments here", clip(w.text))
			r.Instead = "leave the argument out"
			return r
		}
		if r := p.value(k, w, w.text, "the argument"); r != nil {
			return r
		}
	}
	return nil
}
