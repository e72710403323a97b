package policy

import (
	"fmt"
	"strings"
)

// Explain returns the effective policy as YAML. A comment after each value names the
// layer, file, line and column of the value.
func (p *Policy) Explain() []byte {
	if p == nil {
		p = builtIn()
	}
	return p.explain()
}

func (p *Policy) explain() []byte {
	var b strings.Builder
	b.WriteString("version: 1\n")
	if p.name != "" && p.name != string(LayerBuiltIn) {
		fmt.Fprintf(&b, "name: %s\n", quote(p.name))
	}
	var open []string
	for i := range fields {
		f := &fields[i]
		v := p.effective[f.path]
		if v == nil {
			continue
		}
		keys := strings.Split(f.path, ".")
		same := 0
		for same < len(keys)-1 && same < len(open) && open[same] == keys[same] {
			same++
		}
		for depth := same; depth < len(keys)-1; depth++ {
			fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", depth), keys[depth])
		}
		open = keys[:len(keys)-1]
		text := v.show()
		if f.rule == allowed || f.rule == refused {
			text = flowList(v.list)
		}
		note := v.at.origin()
		if v.implied {
			note += ", because languages are listed"
		}
		fmt.Fprintf(&b, "%s%s: %s  # %s\n", strings.Repeat("  ", len(keys)-1), keys[len(keys)-1], text, note)
	}
	for _, list := range []string{"egress", "secrets", "findings", "conditions"} {
		header := false
		for _, l := range p.rulesOf(list) {
			n := l.root.get(list)
			for _, item := range n.items {
				if !header {
					fmt.Fprintf(&b, "%s:\n", list)
					header = true
				}
				fmt.Fprintf(&b, "  - %s  # %s\n", item.flow(), item.at.origin())
			}
		}
	}
	return []byte(b.String())
}

// rulesOf returns the layers whose entries of a list are in force: the lowest one's for
// egress and secrets, which replace, and all layers' for the others.
func (p *Policy) rulesOf(list string) []*layer {
	var in []*layer
	for _, l := range p.layers {
		if l.root.get(list) != nil {
			if list == "egress" {
				in = nil
			}
			in = append(in, l)
		}
	}
	return in
}

// origin returns the layer and place for a comment.
func (p Place) origin() string {
	if p.Line == 0 {
		return p.String()
	}
	return string(p.Layer) + " " + p.String()
}
