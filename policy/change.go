package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Apply returns the Policy that results from a Denial's AllowWith: the same layers with
// the change merged in. Lists and words are replaced; an entry of conditions changes the
// condition of its name, and an entry of findings comes first.
func (p *Policy) Apply(d glovebox.Denial) (*Policy, error) {
	if d.AllowWith == "" || p == nil {
		return nil, fmt.Errorf("no change of this policy allows %s", d.Asked)
	}
	sources := make([]Source, len(p.layers))
	for i, l := range p.layers {
		sources[i] = l.source
	}
	for part := range strings.SplitSeq(d.AllowWith, "---\n") {
		heading, _, _ := strings.Cut(part, "\n")
		i := slices.IndexFunc(p.layers, func(l *layer) bool { return l.heading() == heading })
		if i < 0 {
			return nil, fmt.Errorf("the change is for %q, which is no file of this policy", clip(heading))
		}
		r := &reader{base: Place{File: "change"}}
		change := r.read([]byte(part))
		if change == nil {
			return nil, Faults(r.faults)
		}
		sources[i].Data = merge(p.layers[i].root, change, "").render()
	}
	return Load(sources...)
}

// merge returns base with the changes of another map.
func merge(base, change *node, path string) *node {
	if base == nil {
		return change
	}
	out := *base
	switch {
	case path == "findings":
		out.items = slices.Concat(change.items, base.items)
		return &out
	case path == "conditions":
		out.items = slices.Clone(base.items)
		for _, c := range change.items {
			for i, b := range out.items {
				if b.get("name").text == c.get("name").text {
					out.items[i] = merge(b, c, "conditions.")
				}
			}
		}
		return &out
	case base.kind != kindMap || change.kind != kindMap:
		return change
	}
	out.keys, out.items = slices.Clone(base.keys), slices.Clone(base.items)
	for i, k := range change.keys {
		at := slices.IndexFunc(out.keys, func(o *node) bool { return o.text == k.text })
		if at < 0 {
			out.keys, out.items = append(out.keys, k), append(out.items, change.items[i])
			continue
		}
		out.items[at] = merge(out.items[at], change.items[i], join(path, k.text))
	}
	return &out
}

// change gathers the changes of all layers that refuse: what of returns for each, or "".
// A change that the program's own limits forbid is none.
func (p *Policy) change(of func(*layer) string, rule string, asked int64) string {
	if i := slices.Index(limitNames, strings.TrimPrefix(rule, "limits.max.")); i >= 0 {
		most := glovebox.MaxLimits
		if asked > *limitFields(&most)[i] {
			return ""
		}
	}
	var parts []string
	for _, l := range p.layers {
		if text := of(l); text != "" {
			parts = append(parts, p.changeOf(l, text))
		}
	}
	return strings.Join(parts, "---\n")
}

func (p *Policy) changeOf(l *layer, text string) string {
	return l.heading() + "\n" + text + "\n"
}

// nested writes a value at a dotted path as YAML: "limits: {max: {wall: 1m}}".
func nested(path, value string) string {
	keys := strings.Split(path, ".")
	text := value
	for i := len(keys) - 1; i > 0; i-- {
		text = "{" + keys[i] + ": " + text + "}"
	}
	return keys[0] + ": " + text
}

func flowList(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a text as a YAML scalar that reads back as the same text.
func quote(s string) string {
	if plainScalar(s) && (len(s) > 5 || !slices.Contains(reservedWords, strings.ToLower(s))) {
		return s
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainScalar reports whether a text begins with a letter and has letters, digits and a few
// signs alone, so that no reader of YAML takes the text for anything else.
func plainScalar(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '@' && c != '=' && c != '-') {
			return false
		}
	}
	return s != ""
}

var reservedWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// render writes a node as YAML in blocks.
func (n *node) render() []byte {
	var b strings.Builder
	n.write(&b, 0)
	return []byte(b.String())
}

func (n *node) write(b *strings.Builder, indent int) {
	pad := strings.Repeat("  ", indent)
	switch n.kind {
	case kindMap:
		for i, k := range n.keys {
			item := n.items[i]
			if item.flat() {
				fmt.Fprintf(b, "%s%s: %s\n", pad, quote(k.text), item.flow())
				continue
			}
			fmt.Fprintf(b, "%s%s:\n", pad, quote(k.text))
			item.write(b, indent+1)
		}
	case kindList:
		for _, item := range n.items {
			fmt.Fprintf(b, "%s- %s\n", pad, item.flow())
		}
	default:
		fmt.Fprintf(b, "%s%s\n", pad, n.flow())
	}
}

// flat reports whether a node fits on a line: all but maps of maps and lists of maps.
func (n *node) flat() bool {
	if n.kind == kindMap && len(n.items) > 0 {
		return false
	}
	return n.kind != kindList || !slices.ContainsFunc(n.items, func(i *node) bool { return i.kind == kindMap })
}

func (n *node) flow() string {
	switch n.kind {
	case kindMap:
		parts := make([]string, len(n.keys))
		for i, k := range n.keys {
			parts[i] = quote(k.text) + ": " + n.items[i].flow()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case kindList:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.flow()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindString:
		return quote(n.text)
	}
	return n.text
}
