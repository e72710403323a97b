package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier"
)

// opens is a tier that only counts.
type opens struct {
	tier.Tier
	n int
}

func (*opens) Name() glovebox.TierName { return glovebox.TierProcess }

func (o *opens) Open(context.Context, tier.Spec) (tier.Box, error) {
	o.n++
	return nil, errors.New("there are none")
}

// An exam whose second box may not be made has no first.
func TestBothOrNone(t *testing.T) {
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	o := &opens{}
	e, err := New(Config{Tiers: []tier.Tier{o}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	asked := 0
	k := kind{tier: o.Name(), lang: language.Python, tools: tools, limits: glovebox.DefaultLimits, exam: true}
	_, err = e.makeIf(t.Context(), k, func(tier.Spec) bool { asked++; return asked == 1 })
	if !errors.Is(err, errLater) || asked != 2 || o.n > 0 {
		t.Errorf("%v: %d asked for, %d opened", err, asked, o.n)
	}
}
