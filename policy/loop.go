package policy

import "github.com/gloveboxhq/glovebox"

// Loop is the budget of a repair loop. Below 0 means no bound.
type Loop struct {
	// Attempts are the replies with code of all candidates together.
	Attempts int64
	// Tokens are read and written ones.
	Tokens int64
	// Cost is in US dollars.
	Cost float64
}

// Loop returns the most that the policy gives to a repair loop. The nil Policy has no
// bound.
func (p *Policy) Loop() Loop {
	if p == nil {
		return Loop{-1, -1, -1}
	}
	l := Loop{p.number("loop.max_attempts"), p.number("loop.max_tokens"), -1}
	if c := p.number("loop.max_cost"); c >= 0 {
		l.Cost = float64(c) / 1e6
	}
	return l
}

// AdmitLoop returns a Denial for each part of a repair loop's budget that is more than
// the policy gives. The nil Policy refuses none.
func (p *Policy) AdmitLoop(l Loop) []glovebox.Denial {
	if p == nil {
		return nil
	}
	cost := int64(-1)
	if l.Cost >= 0 {
		cost = dollars(l.Cost)
	}
	a := admission{p: p, d: &Decision{}}
	a.loop(l.Attempts, l.Tokens, cost)
	return a.d.Denials
}

func (a *admission) loop(attempts, tokens, cost int64) {
	a.atMost("loop.max_attempts", "attempts", attempts)
	a.atMost("loop.max_tokens", "tokens", tokens)
	a.atMost("loop.max_cost", "cost in US dollars", cost)
}

// number is the effective value of a field; -1 where no layer has the field.
func (p *Policy) number(path string) int64 {
	if v := p.effective[path]; v != nil {
		return v.number
	}
	return -1
}
