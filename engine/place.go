package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cost"
)

// Choice is what the chooser thinks of a tier.
type Choice struct {
	Tier   tier.Tier
	Traits tier.Traits
	// Why says what speaks against the tier; nil where it fits.
	Why error
}

// Choose says of each tier, strongest first, whether it fits the wish and the
// needs: for [glovebox.TierAuto] all are looked at. Whether this host can
// enforce it is found out when a box is opened.
func (e *Engine) Choose(ctx context.Context, wish glovebox.TierName, needs []glovebox.Need) []Choice {
	var choices []Choice
	for _, t := range e.c.Tiers {
		if wish != glovebox.TierAuto && wish != t.Name() {
			continue
		}
		c := Choice{Tier: t}
		if d, ok := t.(tier.Described); ok {
			c.Traits = d.Traits()
		}
		for _, n := range needs {
			if why := e.lacks(ctx, c, n); why != nil {
				c.Why = errors.Join(c.Why, fmt.Errorf("%s: %w", t.Name(), why))
			}
		}
		// Who needs a kernel of its own takes an emulated one too.
		if c.Traits.Emulated && wish == glovebox.TierAuto && !slices.Contains(needs, glovebox.NeedOwnKernel) {
			c.Why = errors.Join(c.Why, fmt.Errorf("%s: its processor is emulated, which is slow: it must be asked for by name", t.Name()))
		}
		choices = append(choices, c)
	}
	return choices
}

// lacks tells why a tier does not give what is needed.
func (e *Engine) lacks(ctx context.Context, c Choice, n glovebox.Need) error {
	has := true
	switch n {
	case glovebox.NeedKernelBoundary:
		has = c.Traits.Kernel != "" && c.Traits.Kernel != tier.KernelHost
	case glovebox.NeedOwnKernel:
		has = c.Traits.Kernel == tier.KernelGuest || c.Traits.Kernel == tier.KernelNone
	case glovebox.NeedNative:
		has = c.Traits.Native
	case glovebox.NeedNetwork:
		has = false // no box has a way out
	default:
		most, _ := n.Within()
		book, err := cost.Open()
		if err != nil {
			return err
		}
		costs, err := book.Of(ctx, c.Tier, e.c.Roots)
		if err != nil {
			return fmt.Errorf("what it costs cannot be measured: %w", err)
		}
		if costs.Start > most {
			return fmt.Errorf("it costs %v on this host, and %s is needed", costs.Start.Round(100_000), n)
		}
	}
	if !has {
		return fmt.Errorf("it does not give %s", n)
	}
	return nil
}

// settle places the run in the first remaining tier with a toolchain. The reasons
// against the tiers before are in r.passed.
func (r *run) settle(ctx context.Context) error {
	for len(r.tiers) > 0 {
		tools, err := r.toolchain(ctx, r.tiers[0])
		if err == nil {
			r.tools = tools
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		r.passed = append(r.passed, err)
		if _, modules := r.tiers[0].(tier.Modules); r.image != nil && !modules {
			break // the image was asked in the other tiers, too: it may take its time
		}
		r.tiers = r.tiers[1:]
	}
	return distinct(r.passed)
}

// elsewhere makes the next toolchain the run's, where every tier of this one
// refused.
func (r *run) elsewhere(ctx context.Context, refused error) bool {
	if !tier.IsKind(refused, tier.KindUnsupported) {
		return false
	}
	before := r.tools
	for len(r.tiers) > 0 {
		if tools, err := r.toolchain(ctx, r.tiers[0]); err != nil || tools != before {
			break
		}
		r.tiers = r.tiers[1:]
	}
	r.passed = append(r.passed, refused)
	return len(r.tiers) > 0 && r.settle(ctx) == nil
}

// toolchain is the run's for a tier: the host's, one of WebAssembly modules, or
// the image's.
func (r *run) toolchain(ctx context.Context, t tier.Tier) (*language.Toolchain, error) {
	_, modules := t.(tier.Modules)
	switch {
	case r.image != nil && modules:
		return nil, fmt.Errorf("%s: it runs WebAssembly modules, not what is in an image", t.Name())
	case r.image != nil:
		return r.inImage(ctx)
	case modules && r.lang == command:
		return r.commandModule()
	case modules:
		return r.e.modules(ctx, r.lang)
	case r.lang == command:
		return r.commandTools(ctx)
	}
	return r.e.Toolchain(ctx, r.lang)
}

// modules finds a language's toolchain of WebAssembly modules, once.
func (e *Engine) modules(ctx context.Context, l *language.Language) (*language.Toolchain, error) {
	return e.once(l.Name+" as modules", func() (*language.Toolchain, error) {
		if l.FindModule == nil {
			return nil, fmt.Errorf("there is no %s that is a WebAssembly module", l.Title)
		}
		return l.FindModule(context.WithoutCancel(ctx), e.c.Host)
	})
}

// once calls find the first time that it is asked for the key.
func (e *Engine) once(key string, find func() (*language.Toolchain, error)) (*language.Toolchain, error) {
	f, _ := e.tools.LoadOrStore(key, sync.OnceValues(find))
	tc, err := f.(func() (*language.Toolchain, error))()
	if err != nil {
		e.tools.Delete(key) // it may be installed meanwhile
	}
	return tc, err
}

// distinct joins errors, each text once, and once what several say that can be done: tiers
// lack the same toolchain, or the same of the host.
func distinct(errs []error) error {
	var kept []error
	said := map[string]bool{}
	for _, err := range flat(errs) {
		short, fix := err, ""
		if e, ok := err.(*tier.Error); ok {
			bare := *e
			short, fix, bare.Fix = &bare, e.Fix, ""
		}
		if said[short.Error()] {
			continue
		}
		if said[fix] {
			err = short
		}
		said[short.Error()], said[fix] = true, fix != ""
		kept = append(kept, err)
	}
	return errors.Join(kept...)
}

// flat takes joined errors apart.
func flat(errs []error) []error {
	var all []error
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, flat(joined.Unwrap())...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	return all
}
