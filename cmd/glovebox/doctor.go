package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/prove"
	"github.com/gloveboxhq/glovebox/tier"
)

type doctorCmd struct {
	Prove bool     `help:"Also run hostile programs in each tier, through a whole run, and look what is left."`
	Tier  []string `help:"Only this tier; repeat it." placeholder:"TIER"`
	hostFlags
	JSON bool `name:"json" help:"Print the reports as JSON."`
}

// Help is shown by glovebox doctor --help.
func (doctorCmd) Help() string {
	return `For each tier, doctor makes a box, attacks each wall from inside, and says which held. Nothing
is read from version numbers. It also looks for the languages' interpreters.

With --prove it goes on with what a model would write: programs that loop, hoard, fork, flood, look
for files, secrets and the network, and cheat their tests. Each must end as it should, with evidence,
and afterwards nothing may be left on the host. This takes less than a minute for most tiers.

Examples:
  glovebox doctor
  glovebox doctor --prove
  glovebox doctor --prove --tier microvm --allow-emulation --json

Exit status: 0 when a tier is usable and, with --prove, all that is usable held; 1 when something did
not hold; 5 when no tier is usable.`
}

// diagnosis is what doctor found.
type diagnosis struct {
	Tiers     []tier.Report  `json:"tiers"`
	Languages []languageFind `json:"languages"`
	Proofs    []prove.Report `json:"proofs,omitempty"`
}

type languageFind struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// Run runs the command.
func (c *doctorCmd) Run(s *streams) error {
	defer s.interruptible()()
	flags := boxFlags{own: true, Tier: string(glovebox.TierAuto), hostFlags: c.hostFlags}
	e, err := flags.engine(s)
	if err != nil {
		return err
	}
	defer e.Close()
	var names []string
	for _, t := range e.Tiers() {
		names = append(names, string(t.Name()))
	}
	for _, name := range c.Tier {
		if !slices.Contains(names, name) {
			return usagef("--tier %s: it is none of %s", name, strings.Join(names, ", "))
		}
	}
	var d diagnosis
	usable, held := false, true
	for _, t := range e.Tiers() {
		if len(c.Tier) > 0 && !slices.Contains(c.Tier, string(t.Name())) {
			continue
		}
		stop := progress(s.stderr, "trying "+string(t.Name()))
		r := t.Probe(s.ctx)
		stop()
		if err := s.ctx.Err(); err != nil {
			return err
		}
		usable = usable || r.Usable
		d.Tiers = append(d.Tiers, r)
		if !c.Prove || !r.Usable {
			continue
		}
		stop = progress(s.stderr, "proving "+string(t.Name()))
		p, err := prove.Tier(s.ctx, e, t.Name())
		stop()
		if err != nil {
			return err
		}
		held = held && (p.Held || p.Unusable != "")
		d.Proofs = append(d.Proofs, p)
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
	switch {
	case !usable:
		s.code = exitOurs
	case !held:
		s.code = exitCode
	}
	if c.JSON {
		return printJSON(s.stdout, d)
	}
	return d.print(s)
}

func (d *diagnosis) print(s *streams) error {
	margin := strings.Repeat(" ", 27)
	p := newPainter(s.stdout)
	var b strings.Builder
	for _, t := range d.Tiers {
		if t.Usable {
			fmt.Fprintf(&b, "%s\n", p.paint(bold+";"+green, string(t.Tier)+": usable"))
		} else {
			fmt.Fprintln(&b, p.paint(bold+";"+red, string(t.Tier)+": not usable"))
			if !slices.ContainsFunc(t.Controls, func(c tier.Probe) bool { return c.Detail == t.Reason }) {
				fmt.Fprintf(&b, "  %s\n", wrap(t.Reason, "  "))
			}
		}
		for _, c := range t.Controls {
			sign := p.paint(green, "✓")
			if !c.Proven {
				sign = p.paint(red, "✗")
			}
			fmt.Fprintf(&b, "  %s %-22s %s\n", sign, c.Name, wrap(c.Detail, margin))
			if !c.Proven && c.Fix != "" {
				fmt.Fprintf(&b, "%s%s\n", margin, p.paint(dim, wrap("to get it: "+c.Fix, margin)))
			}
		}
	}
	for _, r := range d.Proofs {
		d.proof(&b, p, r)
	}
	fmt.Fprintf(&b, "%s\n", p.paint(bold, "languages"))
	for _, l := range d.Languages {
		if l.Missing == "" {
			fmt.Fprintf(&b, "  %s %-22s %s\n", p.paint(green, "✓"), l.Name, l.Version)
		} else {
			fmt.Fprintf(&b, "  %s %-22s %s\n", p.paint(yellow, "–"), l.Name, wrap(l.Missing, margin))
		}
	}
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}

// proof prints what came of the hostile programs of one tier.
func (d *diagnosis) proof(b *strings.Builder, p painter, r prove.Report) {
	if r.Unusable != "" {
		fmt.Fprintf(b, "%s  %s\n", p.paint(bold+";"+yellow, "proof of "+string(r.Tier)+": nothing to try"), r.Unusable)
		return
	}
	stopped := 0
	for _, a := range r.Attacks {
		if a.Held {
			stopped++
		}
	}
	color := green
	if !r.Held {
		color = red
	}
	fmt.Fprintf(b, "%s  in %s, %.1f s\n", p.paint(bold+";"+color, fmt.Sprintf("proof of %s: %d of %d held", r.Tier, stopped, len(r.Attacks))), r.Language, r.Duration/1000)
	for _, a := range r.Attacks {
		sign := p.paint(green, "✓")
		if !a.Held {
			sign = p.paint(red, "✗")
		}
		fmt.Fprintf(b, "  %s %-12s %-13s %s\n", sign, a.Name, a.Saw, a.Tries)
		if a.Why != "" {
			fmt.Fprintf(b, "    %-26s %s\n", "", p.paint(dim, a.Why))
		}
	}
	for _, l := range r.Left {
		fmt.Fprintf(b, "  %s left behind: %s\n", p.paint(red, "✗"), l)
	}
}
