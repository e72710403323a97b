package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cost"
)

type tiersCmd struct {
	Need []string `help:"Say which tier would be taken for this need, and why; repeat it." placeholder:"NEED"`
	hostFlags
	JSON bool `name:"json" help:"Print the table as JSON."`
}

// Help is shown by glovebox tiers --help.
func (tiersCmd) Help() string {
	return `For each tier: whether this host can enforce it, which kernel serves the code, which languages
run in it, what it stops and what it does not protect, and what a box costs here: the median time of
a program that does nothing, from the request to the end of its box, and the memory of an idle box.
The costs are measured and kept for a day; glovebox bench says more.

Needs: kernel_boundary (a bug in the host's kernel is not enough), no_shared_kernel (a virtual
machine, or no system calls at all), native_packages (machine code runs), network, start_under=50ms.
The same --need may be given to run, exec, solve and eval.

With needs, the tiers that do not have them are shown with the reason alone.

Examples:
  glovebox tiers
  glovebox tiers --need no_shared_kernel --allow-emulation
  glovebox run reply.md --need kernel_boundary

Exit status: 0, or 5 where no tier can be used or none fits the needs.`
}

// rung is one tier of the table.
type rung struct {
	Tier   glovebox.TierName `json:"tier"`
	Usable bool              `json:"usable"`
	// Reason is why it is not.
	Reason string `json:"reason,omitempty"`
	tier.Traits
	Languages []string `json:"languages"`
	// StartMS and MemoryBytes are measured.
	StartMS     float64 `json:"start_ms,omitempty"`
	MemoryBytes int64   `json:"memory_bytes,omitempty"`
	// Fits says, where needs were named, whether the tier has them; Why why
	// not.
	Fits *bool  `json:"fits,omitempty"`
	Why  string `json:"why,omitempty"`
}

// ladder is the table.
type ladder struct {
	Tiers []rung `json:"tiers"`
	// Choice is the tier that auto takes under the needs.
	Choice glovebox.TierName `json:"choice,omitempty"`
	Needs  []glovebox.Need   `json:"needs,omitempty"`
}

// Run runs the command.
func (c *tiersCmd) Run(s *streams) error {
	flags := boxFlags{own: true, Tier: string(glovebox.TierAuto), Need: c.Need, hostFlags: c.hostFlags}
	defer s.interruptible()()
	e, err := flags.engine(s)
	if err != nil {
		return err
	}
	defer e.Close()
	l, err := c.climb(s, e, flags.needs())
	if err != nil {
		return err
	}
	if l.Choice == "" {
		s.code = exitOurs
	}
	if c.JSON {
		return printJSON(s.stdout, l)
	}
	return l.print(s)
}

// climb looks at each tier.
func (c *tiersCmd) climb(s *streams, e *engine.Engine, needs []glovebox.Need) (*ladder, error) {
	l := &ladder{Needs: needs}
	roots, err := rootfs.Open("")
	if err != nil {
		return nil, err
	}
	book, err := cost.Open()
	if err != nil {
		return nil, err
	}
	languages := map[bool][]string{} // by whether they are modules
	for _, lang := range e.Languages() {
		if _, err := e.Toolchain(s.ctx, lang); err == nil {
			languages[false] = append(languages[false], lang.Name)
		}
		if lang.FindModule != nil {
			languages[true] = append(languages[true], lang.Name)
		}
	}
	costs := map[glovebox.TierName]bool{}
	for _, choice := range e.Choose(s.ctx, glovebox.TierAuto, nil) {
		r := rung{Tier: choice.Tier.Name(), Traits: choice.Traits}
		stop := progress(s.stderr, "trying "+string(r.Tier))
		paid, err := cost.Measure(s.ctx, choice.Tier, roots)
		if err == nil {
			err = book.Write(r.Tier, paid)
		}
		stop()
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		if err != nil {
			r.Reason = err.Error()
		} else {
			r.Usable, r.StartMS, r.MemoryBytes = true, float64(paid.Start.Microseconds())/1000, paid.Memory
			costs[r.Tier] = true
		}
		_, modules := choice.Tier.(tier.Modules)
		r.Languages = languages[modules]
		l.Tiers = append(l.Tiers, r)
	}
	for i, choice := range e.Choose(s.ctx, glovebox.TierAuto, needs) {
		fits := choice.Why == nil
		if !fits {
			l.Tiers[i].Why = choice.Why.Error()
		}
		if len(needs) > 0 {
			l.Tiers[i].Fits = &fits
		}
		if fits && costs[choice.Tier.Name()] && l.Choice == "" {
			l.Choice = choice.Tier.Name()
		}
	}
	return l, nil
}

func (l *ladder) print(s *streams) error {
	p := newPainter(s.stdout)
	var b strings.Builder
	for _, r := range l.Tiers {
		color := green
		if !r.Usable {
			color = red
		}
		fmt.Fprintln(&b, p.paint(bold+";"+color, fmt.Sprintf("%-13s  %s", r.Tier, r.Title)))
		row := func(name, text string) {
			if text != "" {
				fmt.Fprintf(&b, "  %-11s  %s\n", name, wrap(text, "               "))
			}
		}
		why := strings.ReplaceAll(strings.ReplaceAll(r.Why, string(r.Tier)+": ", ""), "\n", "; ")
		if r.Fits != nil && !*r.Fits && r.Usable {
			row("passed over", why)
			continue
		}
		if r.Usable {
			paid := fmt.Sprintf("%.3g ms from request to end", r.StartMS)
			if r.MemoryBytes > 0 {
				paid += fmt.Sprintf(", %s idle", classify.Bytes(r.MemoryBytes))
			}
			row("costs", paid)
		} else {
			row("not usable", strings.TrimPrefix(r.Reason, string(r.Tier)+": "))
			if r.Fits != nil {
				continue
			}
		}
		row("kernel", kernels[r.Kernel])
		row("runs", strings.Join(r.Languages, ", "))
		row("stops", strings.Join(r.Stops, "; "))
		row("exposes", strings.Join(r.Exposes, "; "))
		row("needs", r.Needs)
	}
	switch {
	case l.Choice == "" && len(l.Needs) > 0:
		fmt.Fprintf(&b, "%s\n", p.paint(bold, fmt.Sprintf("auto: no tier of this host gives %s", join(l.Needs))))
	case l.Choice == "":
		fmt.Fprintf(&b, "%s\n", p.paint(bold, "auto: no tier can be used on this host"))
	case len(l.Needs) > 0:
		fmt.Fprintf(&b, "%s\n", p.paint(bold, fmt.Sprintf("auto: %s, the strongest that gives %s", l.Choice, join(l.Needs))))
	default:
		fmt.Fprintf(&b, "%s\n", p.paint(bold, fmt.Sprintf("auto: %s", l.Choice)))
	}
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}

// wrap breaks a text into lines of at most 100 columns; the further ones begin
// with the indent.
func wrap(text, indent string) string {
	var b strings.Builder
	column := len(indent)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > 100:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// kernels say in words which kernel serves the code.
var kernels = map[tier.Kernel]string{
	tier.KernelHost:  "the host's own, shared",
	tier.KernelUser:  "one of the box's own in user space, itself confined",
	tier.KernelGuest: "a guest's, behind a virtual machine",
	tier.KernelNone:  "none: there are no system calls",
}

func join(needs []glovebox.Need) string {
	var names []string
	for _, n := range slices.Compact(slices.Clone(needs)) {
		names = append(names, string(n))
	}
	return strings.Join(names, ", ")
}
