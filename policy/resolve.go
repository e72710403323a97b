package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// rule is the way in which a lower layer narrows a field.
type rule int

const (
	ceiling  rule = iota // a number: a lower layer may name a smaller one
	fallback             // a number that a job gets that names none; the ceiling bounds it
	floor                // a number: a lower layer may name a larger one
	allowed              // a list of patterns: a lower layer may name a part
	refused              // a list: all layers' together
	ordered              // a word: a lower layer may name a stricter one
)

// field is a field of the file that has one value for each layer.
type field struct {
	path   string
	rule   rule
	parse  func(string) (int64, error)
	format func(int64) string
	order  []string // for ordered, weakest first
}

var (
	namedTiers = []glovebox.TierName{glovebox.TierGVisor, glovebox.TierMicroVM, glovebox.TierContainer, glovebox.TierProcess, glovebox.TierWasm}
	severities = []glovebox.Severity{glovebox.SeverityInfo, glovebox.SeverityLow, glovebox.SeverityMedium, glovebox.SeverityHigh}
	proofOrder = []string{string(glovebox.ProofInProcess), string(glovebox.ProofCandidateJudged), string(glovebox.ProofComparedOutside), string(glovebox.ProofOutOfProcess)}
	onOff      = []string{"false", "true"}
)

// fields are the fields in the order of the file's form.
var fields = makeFields()

var limitNames = []string{"wall", "cpu", "memory", "processes", "open_files", "file_size", "disk", "files", "output", "reply"}

func makeFields() []field {
	counts := func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
	decimal := func(n int64) string { return strconv.FormatInt(n, 10) }
	span := func(n int64) string { return time.Duration(n).String() }
	number := func(path string, r rule) field {
		name := path[strings.LastIndexByte(path, '.')+1:]
		switch name {
		case "wall", "cpu", "request_life", "grant_life", "max_life", "max_idle", "min_age":
			return field{path: path, rule: r, parse: parseDuration, format: span}
		case "memory", "file_size", "disk", "output", "reply", "max_bytes":
			return field{path: path, rule: r, parse: parseSize, format: formatSize}
		case "max_cost":
			return field{path: path, rule: r, parse: parseMoney, format: formatMoney}
		}
		return field{path: path, rule: r, parse: counts, format: decimal}
	}
	var all []field
	for _, n := range limitNames {
		all = append(all, number("limits.default."+n, fallback))
	}
	for _, n := range limitNames {
		all = append(all, number("limits.max."+n, ceiling))
	}
	return append(all,
		field{path: "tiers.allow", rule: allowed},
		field{path: "tiers.needs", rule: refused},
		field{path: "languages", rule: allowed},
		field{path: "images.allow", rule: allowed},
		field{path: "images.deny", rule: refused},
		field{path: "images.required", rule: ordered, order: onOff},
		field{path: "images.require_digest", rule: ordered, order: onOff},
		field{path: "images.require_signature", rule: ordered, order: onOff},
		field{path: "env.allow", rule: allowed},
		field{path: "env.deny", rule: refused},
		number("inputs.max_files", ceiling),
		number("inputs.max_bytes", ceiling),
		field{path: "inputs.types", rule: allowed},
		field{path: "packages.allow", rule: allowed},
		field{path: "packages.require_lock", rule: ordered, order: onOff},
		number("packages.min_age", floor),
		number("output.max_bytes", ceiling),
		number("artifacts.max_files", ceiling),
		number("artifacts.max_bytes", ceiling),
		field{path: "artifacts.withhold", rule: ordered, order: onOff},
		field{path: "commands", rule: ordered, order: texts(actions)},
		field{path: "proof", rule: ordered, order: proofOrder},
		number("approvals.request_life", ceiling),
		number("approvals.grant_life", ceiling),
		field{path: "approvals.approvers", rule: allowed},
		field{path: "approvals.once", rule: ordered, order: onOff},
		number("sessions.max_life", ceiling),
		number("sessions.max_idle", ceiling),
		number("loop.max_attempts", ceiling),
		number("loop.max_tokens", ceiling),
		number("loop.max_cost", ceiling),
		field{path: "audit", rule: ordered, order: texts(levels)},
		field{path: "receipts", rule: ordered, order: texts(levels)},
	)
}

func fieldOf(path string) *field {
	i := slices.IndexFunc(fields, func(f field) bool { return f.path == path })
	return &fields[i]
}

// value is what a layer says of a field.
type value struct {
	field   *field
	at      Place
	number  int64
	rank    int
	text    string
	list    []string
	places  []Place // of the entries of list
	implied bool    // by another field, which at names
}

func (f *field) read(n *node) (*value, error) {
	v := &value{field: f, at: n.at, text: n.text}
	switch f.rule {
	case allowed, refused:
		for _, item := range n.items {
			if slices.Contains(v.list, item.text) {
				return nil, fmt.Errorf("%q is in the list twice: keep one", clip(item.text))
			}
			v.list, v.places = append(v.list, item.text), append(v.places, item.at)
		}
	case ordered:
		v.rank = slices.Index(f.order, n.text)
	default:
		number, err := f.parse(n.text)
		if err != nil {
			return nil, err
		}
		// A limit of 0 is no limit but the default: see glovebox.Limits.
		if number == 0 && (strings.HasPrefix(f.path, "limits.") || f.path == "output.max_bytes") {
			return nil, fmt.Errorf("a limit of 0 means the default: write at least 1, or leave the field out")
		}
		v.number = number
	}
	return v, nil
}

// show returns a value as the file would have it.
func (v *value) show() string {
	switch v.field.rule {
	case allowed, refused:
		return flowList(v.list)
	case ordered:
		return v.text
	}
	return v.field.format(v.number)
}

// resolve merges the layers from the top, and reports what widens.
func (p *Policy) resolve() (faults Faults) {
	most := glovebox.MaxLimits
	for i, n := range limitNames {
		p.effective["limits.max."+n] = &value{field: fieldOf("limits.max." + n), number: *limitFields(&most)[i]}
	}
	p.name = string(LayerBuiltIn)
	names := map[string]Place{}
	for depth, l := range p.layers {
		p.name = l.source.Name
		if l.doc.Name != "" {
			p.name = l.doc.Name
		}
		for i := range fields {
			f := &fields[i]
			v, upper := l.values[f.path], p.effective[f.path]
			if v == nil {
				continue
			}
			if upper != nil {
				if fault := widens(v, upper); fault != nil {
					faults = append(faults, *fault)
					continue
				}
				if f.rule == refused {
					v = &value{field: f, at: v.at, list: slices.Concat(upper.list, v.list), places: slices.Concat(upper.places, v.places)}
				}
			}
			p.effective[f.path] = v
		}
		l.bounds = p.currentBounds()
		faults = append(faults, p.checkDefaults(l)...)
		faults = append(faults, p.checkEgressLayers(l, depth)...)
		faults = append(faults, p.checkSecretLayers(l, depth)...)
		for i, c := range l.doc.Conditions {
			at := l.entry("conditions", i).get("name").at
			if first, again := names[c.Name]; again {
				faults = append(faults, Fault{Class: ClassSyntax, At: at, Other: &first, Field: fmt.Sprintf("conditions[%d].name", i), Message: fmt.Sprintf("the name %q is taken: rename one", c.Name)})
			}
			names[c.Name] = at
		}
	}
	p.bounds = p.currentBounds()
	return faults
}

// widens returns the fault of a value that allows more than the layer above.
func widens(v, upper *value) *Fault {
	bad := func(at Place, format string, args ...any) *Fault {
		return &Fault{Class: ClassWidens, At: at, Other: &upper.at, Field: v.field.path, Message: fmt.Sprintf(format, args...)}
	}
	above := "the layer above"
	if upper.at.Line > 0 {
		above = "the " + string(upper.at.Layer) + " layer"
	}
	switch v.field.rule {
	case ceiling:
		if v.number > upper.number {
			return bad(v.at, "%s is more than the %s of %s: write at most %s", v.show(), upper.show(), above, upper.show())
		}
	case floor:
		if v.number < upper.number {
			return bad(v.at, "%s is less than the %s of %s: write at least %s", v.show(), upper.show(), above, upper.show())
		}
	case ordered:
		weaker := v.rank < upper.rank
		if v.field.path == "proof" { // the two strongest are worth the same
			weaker = !glovebox.Proof(v.text).Meets(glovebox.Proof(upper.text))
		}
		if weaker {
			return bad(v.at, "%s is weaker than the %s of %s: write %s or leave the field out", v.show(), upper.show(), above, upper.show())
		}
	case allowed:
		for i, pattern := range v.list {
			if !slices.ContainsFunc(upper.list, func(u string) bool { return v.field.covers(u, pattern) }) {
				fault := bad(v.places[i], "%q is not within what %s allows: choose of %s", clip(pattern), above, clip(flowList(upper.list)))
				return fault
			}
		}
	}
	return nil
}

// covers reports whether an entry of a list holds all that another one does. Stars are
// wild in names of images, variables, packages and people alone.
func (f *field) covers(upper, lower string) bool {
	if f.path == "images.allow" && !strings.Contains(lower, "*") {
		return slices.ContainsFunc(imageForms(lower), func(s string) bool { return matches(upper, s) })
	}
	if f.wild() {
		return covers(upper, lower)
	}
	return upper == lower
}

func (f *field) wild() bool {
	switch f.path {
	case "images.allow", "images.deny", "env.allow", "env.deny", "packages.allow", "approvals.approvers":
		return true
	}
	return false
}

// checkDefaults reports defaults of a layer above the ceilings so far.
func (p *Policy) checkDefaults(l *layer) (faults Faults) {
	for _, n := range limitNames {
		d, most := l.values["limits.default."+n], p.effective["limits.max."+n]
		if d != nil && d.number > most.number {
			at := most.at
			faults = append(faults, Fault{Class: ClassWidens, At: d.at, Other: &at, Field: d.field.path, Message: fmt.Sprintf("the default %s is above the maximum %s: write at most %s", d.show(), most.show(), most.show())})
		}
	}
	return faults
}

// word returns the effective word of a field, or the weakest.
func (p *Policy) word(path string) string {
	if v := p.effective[path]; v != nil {
		return v.field.order[v.rank]
	}
	return fieldOf(path).order[0]
}

// limitFields returns the fields of l in the order of limitNames. Durations are
// nanoseconds.
func limitFields(l *glovebox.Limits) [10]*int64 {
	return [...]*int64{(*int64)(&l.Wall), (*int64)(&l.CPU), &l.Memory, &l.Processes, &l.OpenFiles, &l.FileSize, &l.Disk, &l.Files, &l.Output, &l.Reply}
}

// bounds are what fills in the limits of a Job, in the order of limitNames.
type bounds struct{ defaults, most [10]int64 }

// currentBounds returns those of the layers resolved so far. A default of 0 is none.
func (p *Policy) currentBounds() (b bounds) {
	for i, n := range limitNames {
		b.most[i] = p.effective["limits.max."+n].number
		if d := p.effective["limits.default."+n]; d != nil {
			b.defaults[i] = d.number
		}
	}
	if v := p.effective["output.max_bytes"]; v != nil {
		b.most[indexOutput] = min(b.most[indexOutput], v.number)
	}
	return b
}

const (
	indexWall   = 0
	indexCPU    = 1
	indexOutput = 8
)

// fill returns the limits of a run: those asked for, the defaults where none is, and no
// more than the ceilings.
func (b *bounds) fill(asked glovebox.Limits) glovebox.Limits {
	for i, l := range limitFields(&asked) {
		*l = min(*l, b.most[i])
	}
	return b.complete(asked)
}

// complete returns the limits asked for, also those above the ceilings, and the defaults
// where none is. The default processor time follows the time of the wall. Conditions see
// these limits, so a raised ceiling changes no condition.
func (b *bounds) complete(asked glovebox.Limits) glovebox.Limits {
	builtIn := glovebox.DefaultLimits
	standard := limitFields(&builtIn)
	l := limitFields(&asked)
	for i := range l {
		if *l[i] != 0 {
			continue
		}
		*l[i] = b.defaults[i]
		if *l[i] == 0 {
			*l[i] = *standard[i]
		}
		if i == indexCPU {
			*l[i] = max(*l[i], *l[indexWall])
		}
		*l[i] = min(*l[i], b.most[i])
	}
	return asked
}
