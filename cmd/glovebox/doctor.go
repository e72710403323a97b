package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/tier"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print the reports as JSON."`
}

// Help is shown by glovebox doctor --help.
func (doctorCmd) Help() string {
	return `For each tier, doctor makes a box, attacks each wall from inside, and says which held. Nothing
is read from version numbers. It also looks for the languages' interpreters.

Exit status: 0 when a tier is usable, 5 when none is.`
}

// diagnosis is what doctor found.
type diagnosis struct {
	Tiers     []tier.Report  `json:"tiers"`
	Languages []languageFind `json:"languages"`
}

type languageFind struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// Run runs the command.
func (c *doctorCmd) Run(s *streams) error {
	defer s.interruptible()()
	e, err := engine.New(engine.Config{})
	if err != nil {
		return err
	}
	defer e.Close()
	var d diagnosis
	usable := false
	for _, t := range e.Tiers() {
		stop := progress(s.stderr, "trying "+string(t.Name()))
		r := t.Probe(s.ctx)
		stop()
		if err := s.ctx.Err(); err != nil {
			return err
		}
		usable = usable || r.Usable
		d.Tiers = append(d.Tiers, r)
	}
	for _, l := range e.Languages() {
		f := languageFind{Name: l.Name}
		if tc, err := e.Toolchain(s.ctx, l); err != nil {
			f.Missing = err.Error()
		} else {
			f.Version = tc.Version
		}
		d.Languages = append(d.Languages, f)
	}
	if !usable {
		s.code = exitOurs
	}
	if c.JSON {
		out := json.NewEncoder(s.stdout)
		out.SetIndent("", "  ")
		return out.Encode(d)
	}
	return d.print(s)
}

func (d *diagnosis) print(s *streams) error {
	p := newPainter(s.stdout)
	var b strings.Builder
	for _, t := range d.Tiers {
		if t.Usable {
			fmt.Fprintf(&b, "%s\n", p.paint(bold+";"+green, string(t.Tier)+": usable"))
		} else {
			fmt.Fprintf(&b, "%s  %s\n", p.paint(bold+";"+red, string(t.Tier)+": not usable"), t.Reason)
		}
		for _, c := range t.Controls {
			sign := p.paint(green, "✓")
			if !c.Proven {
				sign = p.paint(red, "✗")
			}
			fmt.Fprintf(&b, "  %s %-22s %s\n", sign, c.Name, c.Detail)
			if !c.Proven && c.Fix != "" {
				fmt.Fprintf(&b, "    %-22s %s\n", "", p.paint(dim, "to get it: "+c.Fix))
			}
		}
	}
	fmt.Fprintf(&b, "%s\n", p.paint(bold, "languages"))
	for _, l := range d.Languages {
		if l.Missing == "" {
			fmt.Fprintf(&b, "  %s %-22s %s\n", p.paint(green, "✓"), l.Name, l.Version)
		} else {
			fmt.Fprintf(&b, "  %s %-22s %s\n", p.paint(yellow, "–"), l.Name, l.Missing)
		}
	}
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}
