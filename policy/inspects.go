package policy

import "strings"

// Inspects reports whether a rule of p looks at findings, so that a Request needs them.
func (p *Policy) Inspects() bool {
	if p == nil {
		return false
	}
	for _, l := range p.layers {
		if len(l.doc.Findings) > 0 {
			return true
		}
		for _, c := range l.doc.Conditions {
			if strings.Contains(c.Deny+c.Ask, "findings") {
				return true
			}
		}
	}
	return false
}
