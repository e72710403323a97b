package engine

import (
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/gvisor"
	"github.com/gloveboxhq/glovebox/tier/process"
)

// defaultTiers are those of an Engine that is given none, strongest first.
func defaultTiers(c Config) ([]tier.Tier, error) {
	g, err := gvisor.New(gvisor.Config{})
	if err != nil {
		return nil, err
	}
	p, err := process.New(process.Options{})
	if err != nil {
		return nil, err
	}
	return []tier.Tier{g, p}, nil
}
