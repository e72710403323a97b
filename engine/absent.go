package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// absent is a tier that this host cannot have, and why.
type absent struct {
	name   glovebox.TierName
	traits tier.Traits
	err    error
	fix    string
}

func (a absent) Name() glovebox.TierName { return a.name }

func (a absent) Traits() tier.Traits { return a.traits }

func (a absent) Probe(context.Context) tier.Report {
	return tier.Report{Tier: a.name, Reason: a.unsupported("probe").Error()}
}

func (a absent) Open(context.Context, tier.Spec) (tier.Box, error) { return nil, a.unsupported("open") }

func (a absent) unsupported(op string) error {
	return &tier.Error{Tier: a.name, Op: op, Kind: tier.KindUnsupported, Err: a.err, Fix: a.fix}
}
