package agent

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/model"
)

// Budget bounds a whole task, all candidates together. Zero fields mean the
// fields of [DefaultBudget]; a cost is bounded only if given.
type Budget struct {
	// Turns is the most replies with code of each candidate.
	Turns int
	// Tokens is the most tokens, read and written.
	Tokens int64
	// Wall is the longest time.
	Wall time.Duration
	// Cost is the most money, in the unit of Prices.
	Cost   float64
	Prices Prices
}

// Prices are the costs of a million tokens, in any unit of money.
type Prices struct {
	Input, Output float64
}

// DefaultBudget is the budget of a task without its own.
var DefaultBudget = Budget{Turns: 6, Tokens: 200_000, Wall: 10 * time.Minute}

func (b *Budget) check() error {
	for _, n := range []float64{float64(b.Turns), float64(b.Tokens), float64(b.Wall), b.Cost, b.Prices.Input, b.Prices.Output} {
		if !(n >= 0) || math.IsInf(n, 1) { // no comparison with NaN is true
			return fmt.Errorf("a budget has the number %v", n)
		}
	}
	if b.Cost > 0 && b.Prices == (Prices{}) {
		return errors.New("a cost cannot be bounded without prices")
	}
	if b.Turns == 0 {
		b.Turns = DefaultBudget.Turns
	}
	if b.Tokens == 0 {
		b.Tokens = DefaultBudget.Tokens
	}
	if b.Wall == 0 {
		b.Wall = DefaultBudget.Wall
	}
	return nil
}

// halt is an error that ends a candidate's way.
type halt struct {
	stop   Stop
	reason string
}

func (h halt) Error() string { return h.reason }

// minReply is the smallest worthwhile size of a reply, in tokens.
const minReply = 256

// purse is the rest of a budget. Requests reserve their maximum use, so
// concurrent candidates cannot overdraw the budget.
type purse struct {
	b Budget

	mu       sync.Mutex
	used     model.Usage
	reserved model.Usage
}

// reserve takes the tokens for a request with a prompt of this size, and
// returns the maximum size of the reply. The error is a [halt].
func (p *purse) reserve(prompt, reply int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.used.Add(p.reserved)
	left := p.b.Tokens - taken.Total() - int64(prompt)
	if left < min(minReply, int64(reply)) {
		return 0, halt{StopTokens, fmt.Sprintf("%d of %d tokens are used, and the next prompt has %d", p.used.Total(), p.b.Tokens, prompt)}
	}
	reply = int(min(int64(reply), left))
	if p.b.Cost > 0 {
		if cost := p.cost(taken.Add(model.Usage{Input: int64(prompt), Output: int64(reply)})); cost > p.b.Cost {
			return 0, halt{StopCost, fmt.Sprintf("%.4f of %.4f are spent, and the next request may cost up to %.4f", p.cost(p.used), p.b.Cost, cost-p.cost(taken))}
		}
	}
	p.reserved = p.reserved.Add(model.Usage{Input: int64(prompt), Output: int64(reply)})
	return reply, nil
}

// settle gives back a reservation and takes the actual use.
func (p *purse) settle(prompt, reply int, used model.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved.Input -= int64(prompt)
	p.reserved.Output -= int64(reply)
	p.used = p.used.Add(used)
}

// maxUsage is more tokens than a request can have.
const maxUsage = 1 << 40

// believed is the use of a reply. A provider is a stranger: our own count
// replaces impossible numbers, which would make room in a budget or pass its
// bounds.
func believed(r *model.Reply, prompt int) model.Usage {
	u := r.Usage
	if u.Input <= 0 || u.Input > maxUsage {
		u.Input, u.Estimated = int64(prompt), true
	}
	if u.Output < 0 || u.Output > maxUsage || u.Output == 0 && r.Text != "" {
		u.Output, u.Estimated = int64(model.Count(r.Text)), true
	}
	return u
}

func (p *purse) spent() (model.Usage, float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.cost(p.used)
}

func (p *purse) cost(u model.Usage) float64 {
	return (float64(u.Input)*p.b.Prices.Input + float64(u.Output)*p.b.Prices.Output) / 1e6
}
