package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Effect is what a change means for Jobs.
type Effect string

// The effects of a change.
const (
	EffectAllows  Effect = "allows"  // something is allowed anew
	EffectRefuses Effect = "refuses" // something is refused anew
	EffectChanges Effect = "changes" // the way of a run differs, or both of the others
)

// Change is a difference of two policies.
type Change struct {
	Field  string `json:"field"`
	Effect Effect `json:"effect"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Message is a sentence. BeforeAt and AfterAt are the places, where there are lines.
	Message  string `json:"message"`
	BeforeAt *Place `json:"before_at,omitempty"`
	AfterAt  *Place `json:"after_at,omitempty"`
}

// Diff returns what b allows or refuses that a does not, in the order of the file's form.
func Diff(a, b *Policy) []Change {
	if a == nil {
		a = builtIn()
	}
	if b == nil {
		b = builtIn()
	}
	var changes []Change
	for i := range fields {
		f := &fields[i]
		old, now := a.effective[f.path], b.effective[f.path]
		if c := f.diff(old, now); c != nil {
			c.Field = f.path
			if old != nil && old.at.Line > 0 {
				c.BeforeAt = &old.at
			}
			if now != nil && now.at.Line > 0 {
				c.AfterAt = &now.at
			}
			changes = append(changes, *c)
		}
	}
	for _, list := range []string{"egress", "secrets", "findings", "conditions"} {
		old, now := a.entries(list), b.entries(list)
		gone, come := Effect(EffectRefuses), Effect(EffectAllows)
		if list == "conditions" {
			gone, come = EffectAllows, EffectRefuses
		}
		if list == "findings" { // the order of the rules and their actions matter too
			gone, come = EffectChanges, EffectChanges
		}
		same := func(e entry) func(entry) bool { return func(o entry) bool { return o.text == e.text } }
		for _, e := range old {
			if !slices.ContainsFunc(now, same(e)) {
				changes = append(changes, Change{Field: list, Effect: gone, Before: e.text, BeforeAt: &e.at, Message: fmt.Sprintf("%s no longer has %s.", list, clip(e.text))})
			}
		}
		for _, e := range now {
			if !slices.ContainsFunc(old, same(e)) {
				changes = append(changes, Change{Field: list, Effect: come, After: e.text, AfterAt: &e.at, Message: fmt.Sprintf("%s now has %s.", list, clip(e.text))})
			}
		}
		if list == "findings" && len(old) == len(now) && len(old) > 0 {
			kept := slices.EqualFunc(old, now, func(x, y entry) bool { return x.text == y.text })
			if !kept && !slices.ContainsFunc(old, func(e entry) bool { return !slices.ContainsFunc(now, same(e)) }) {
				changes = append(changes, Change{Field: list, Effect: EffectChanges, BeforeAt: &old[0].at, AfterAt: &now[0].at, Message: "The findings rules have another order, so another one may decide first."})
			}
		}
	}
	return changes
}

// entry is a rule of a list, as text.
type entry struct {
	text string
	at   Place
}

func (p *Policy) entries(list string) (all []entry) {
	for _, l := range p.rulesOf(list) {
		for _, item := range l.root.get(list).items {
			all = append(all, entry{item.flow(), item.at})
		}
	}
	return all
}

// diff returns the change of a field, or nil.
func (f *field) diff(old, now *value) *Change {
	show := func(v *value) string {
		if v == nil {
			return ""
		}
		return v.show()
	}
	c := &Change{Before: show(old), After: show(now), Effect: EffectChanges}
	if c.Before == c.After && (old == nil) == (now == nil) {
		return nil
	}
	shown := func(s string) string {
		if s == "" {
			return "not set"
		}
		return clip(s)
	}
	c.Message = fmt.Sprintf("%s was %s and is %s.", f.path, shown(c.Before), shown(c.After))
	list := func(v *value) []string { return listOf(v) }
	switch f.rule {
	case ceiling, floor:
		more := now == nil || old != nil && (now.number > old.number) == (f.rule == ceiling)
		c.Effect = pick(more, EffectAllows, EffectRefuses)
	case ordered:
		rank := func(v *value) int {
			if v == nil {
				return 0
			}
			return v.rank
		}
		switch {
		case rank(now) == rank(old):
			return nil
		case f.path == "proof" || f.path == "audit" || f.path == "receipts" || strings.HasPrefix(f.path, "art") || f.path == "approvals.once":
		default:
			c.Effect = pick(rank(now) < rank(old), EffectAllows, EffectRefuses)
		}
	case allowed, refused:
		var gone, come []string
		for _, e := range list(old) {
			if !slices.Contains(list(now), e) {
				gone = append(gone, e)
			}
		}
		for _, e := range list(now) {
			if !slices.Contains(list(old), e) {
				come = append(come, e)
			}
		}
		if f.rule == refused {
			gone, come = come, gone
		}
		switch {
		case f.rule == allowed && old == nil:
			c.Effect = EffectRefuses
			c.Message = fmt.Sprintf("%s had no list and is now %s: everything else is refused.", f.path, clip(c.After))
		case f.rule == allowed && now == nil:
			c.Effect = EffectAllows
			c.Message = fmt.Sprintf("%s was %s and has no list now: everything is allowed.", f.path, clip(c.Before))
		case gone == nil && come == nil:
			c.Message = fmt.Sprintf("%s has another order: %s.", f.path, clip(c.After))
		case gone == nil:
			c.Effect = EffectAllows
			c.Message = fmt.Sprintf("%s now allows %s.", f.path, clip(strings.Join(come, ", ")))
		case come == nil:
			c.Effect = EffectRefuses
			c.Message = fmt.Sprintf("%s now refuses %s.", f.path, clip(strings.Join(gone, ", ")))
		default:
			c.Message = fmt.Sprintf("%s now allows %s and refuses %s.", f.path, clip(strings.Join(come, ", ")), clip(strings.Join(gone, ", ")))
		}
	}
	return c
}

func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}
