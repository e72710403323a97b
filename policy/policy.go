// Package policy decides whether a Job may run, from files that people can review.
//
// A [Source] is one YAML file. [Load] reads the sources of up to three layers, operator,
// tenant and job, and resolves them to a [Policy]. A lower layer can only narrow what the
// layer above allows: a file that widens is an error that names both lines. All faults of
// all files come at once, as [Faults].
//
// [Policy.Admit] gives a [Decision] on a [Request]: the limits, tiers and needs that the
// run gets, or every rule that refuses, as a [glovebox.Denial] with the smallest change
// of the policy that would allow it. [Policy.Apply] makes that change.
//
// A Policy never changes. [Store] keeps the newest one of files that change on disk.
// [Policy.Check] finds rules that can never fire, that contradict another layer or that
// this host cannot enforce. [Policy.Explain] writes the effective policy with the line of
// each value, [Diff] compares two policies, [Policy.Test] runs a file of jobs and
// expected decisions, and [Init] is a file to start from.
//
// What this build cannot enforce (egress, packages, secrets, sessions, signatures of
// images) is read, checked and explained, and a Job that asks for it is refused.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

// Layer is the authority of a file.
type Layer string

// The layers, from the one that the others must stay within.
const (
	// LayerBuiltIn is the program's own limits, [glovebox.MaxLimits].
	LayerBuiltIn  Layer = "built-in"
	LayerOperator Layer = "operator"
	LayerTenant   Layer = "tenant"
	LayerJob      Layer = "job"
)

var layerOrder = []Layer{LayerBuiltIn, LayerOperator, LayerTenant, LayerJob}

// Source is a policy file of a layer. Name is what errors and denials call the file.
type Source struct {
	Name  string
	Layer Layer
	Data  []byte
}

// Policy is a set of layers that were read and resolved. A Policy never changes and is
// safe for concurrent use. The nil Policy has the rules of the program alone.
type Policy struct {
	name       string
	hash       string
	layers     []*layer
	effective  map[string]*value
	conditions []*condition
	bounds     bounds
}

// layer is one file, read and checked.
type layer struct {
	source Source
	root   *node
	doc    document
	values map[string]*value
	bounds bounds // of this layer and those above
}

func (l *layer) heading() string {
	return fmt.Sprintf("# %s %s", l.source.Layer, l.source.Name)
}

// at returns the place of the value at a path, or of the nearest one above.
func (l *layer) at(path string) Place {
	for ; path != ""; path = path[:max(strings.LastIndexByte(path, '.'), 0)] {
		if n := l.root.find(path); n != nil {
			return n.at
		}
	}
	return l.root.at
}

// entry returns the node of an entry of a list at the top of the file.
func (l *layer) entry(list string, i int) *node { return l.root.get(list).items[i] }

// Load reads and resolves the layers. The order of the sources is that of their layers:
// operator, tenant, job. Several sources may have one layer; each later one must stay
// within the earlier ones. The error is of type [Faults] and lists every fault.
func Load(sources ...Source) (*Policy, error) {
	var faults Faults
	p := &Policy{effective: map[string]*value{}}
	last := 0
	for _, s := range sources {
		at := Place{Layer: s.Layer, File: s.Name, Line: 1, Column: 1}
		rank := rankOf(layerOrder, s.Layer)
		switch {
		case rank <= 0:
			faults = append(faults, Fault{Class: ClassSyntax, At: at, Message: fmt.Sprintf("%q is not a layer of a file: use operator, tenant or job", s.Layer)})
			continue
		case rank < last:
			faults = append(faults, Fault{Class: ClassSyntax, At: at, Message: fmt.Sprintf("layer %s comes after %s: give operator, tenant, job in this order", s.Layer, layerOrder[last])})
			continue
		case !printable(s.Name):
			faults = append(faults, Fault{Class: ClassSyntax, At: at, Message: "the name of the file is empty or has control characters: rename the file"})
			continue
		case slices.ContainsFunc(p.layers, func(l *layer) bool { return l.source.Name == s.Name && l.source.Layer == s.Layer }):
			faults = append(faults, Fault{Class: ClassSyntax, At: at, Message: "this file is given twice for one layer: give it once"})
			continue
		}
		last = rank
		s.Data = slices.Clone(s.Data)
		l, found := readLayer(s)
		faults = append(faults, found...)
		if l != nil {
			p.layers = append(p.layers, l)
		}
	}
	if len(p.layers) == len(sources) {
		faults = append(faults, p.resolve()...)
		faults = append(faults, p.compile()...)
	}
	if len(faults) > 0 {
		return nil, faults.sorted()
	}
	p.hash = p.digest()
	return p, nil
}

func printable(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 })
}

// readLayer reads a file as far as the file alone decides.
func readLayer(s Source) (*layer, Faults) {
	r := &reader{base: Place{Layer: s.Layer, File: s.Name}}
	root := r.read(s.Data)
	if root == nil {
		return nil, r.faults
	}
	r.check(root, schema(), "")
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	l := &layer{source: s, root: root, values: map[string]*value{}}
	if err := decode(root, schema(), &l.doc); err != nil {
		r.fault(root.at, "", "cannot be read: %v", err)
		return nil, r.faults
	}
	for i := range fields {
		f := &fields[i]
		if n := root.find(f.path); n != nil {
			v, err := f.read(n)
			if err != nil {
				r.fault(n.at, f.path, "%v", err)
				continue
			}
			l.values[f.path] = v
		}
	}
	// A list of languages that a bare command passes by would be no list.
	if v := l.values["languages"]; v != nil && l.values["commands"] == nil {
		l.values["commands"] = &value{field: fieldOf("commands"), rank: rankOf(actions, actionDeny), text: string(actionDeny), at: v.at, implied: true}
	}
	l.checkRules(r)
	return l, r.faults
}

// checkRules checks what the schema cannot say about single rules.
func (l *layer) checkRules(r *reader) {
	if l.doc.Egress != nil {
		for i, e := range l.doc.Egress {
			l.checkEgress(r, i, e)
		}
	}
	names := map[string]Place{}
	for i, s := range l.doc.Secrets {
		at := l.entry("secrets", i).get("name").at
		if first, again := names[s.Name]; again {
			r.fault(at, fmt.Sprintf("secrets[%d].name", i), "%q is here twice, first at %s: rename one", clip(s.Name), first)
		}
		names[s.Name] = at
	}
	for i, f := range l.doc.Findings {
		n := l.entry("findings", i)
		if f.Rule == "" && f.Severity == "" {
			r.fault(n.at, fmt.Sprintf("findings[%d]", i), "fits no finding: write rule: NAME or severity: high")
		}
		for j, e := range f.Match {
			if !f.fits(e.finding()) {
				r.example(n.get("match").items[j].at, n.at, fmt.Sprintf("findings[%d].match[%d]", i, j), "the rule does not fit this finding")
			}
		}
		for j, e := range f.NotMatch {
			if f.fits(e.finding()) {
				r.example(n.get("not_match").items[j].at, n.at, fmt.Sprintf("findings[%d].not_match[%d]", i, j), "the rule fits this finding")
			}
		}
	}
	for i, c := range l.doc.Conditions {
		n := l.entry("conditions", i)
		if (c.Deny == "") == (c.Ask == "") {
			r.fault(n.at, fmt.Sprintf("conditions[%d]", i), "write either deny: EXPRESSION or ask: EXPRESSION")
		}
		if schema().Properties[c.Name] != nil {
			r.fault(n.get("name").at, fmt.Sprintf("conditions[%d].name", i), "%q is the name of a field: choose another name", c.Name)
		}
	}
}

// example reports an example that contradicts its rule.
func (r *reader) example(at, rule Place, path, message string) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{Class: ClassExample, At: at, Other: &rule, Field: path, Message: message + ": change the example or the rule"})
	}
}

// Name returns the name that the lowest layer gives, or the name of its file.
func (p *Policy) Name() string {
	if p == nil {
		return string(LayerBuiltIn)
	}
	return p.name
}

// Hash returns the SHA-256 of the effective policy and of the bytes of all layers, in
// hexadecimal.
func (p *Policy) Hash() string {
	if p == nil {
		return builtIn().hash
	}
	return p.hash
}

// Ref returns the name and hash as an observation carries them.
func (p *Policy) Ref() glovebox.Policy {
	return glovebox.Policy{Name: p.Name(), Hash: p.Hash()}
}

// digest hashes lengths and bytes, so that no two policies give the same input.
func (p *Policy) digest() string {
	h := sha256.New()
	write := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s,", len(s), s)
		}
	}
	write("glovebox policy 1", p.name, string(p.explain()))
	for _, l := range p.layers {
		write(string(l.source.Layer), l.source.Name, string(l.source.Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}
