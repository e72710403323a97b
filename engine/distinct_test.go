package engine

import (
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox/tier"
)

// TestDistinct: what tiers lack is said once each, and what to do about it once for all.
func TestDistinct(t *testing.T) {
	lacks := func(name, fix string) error {
		return &tier.Error{Tier: "gvisor", Op: name, Kind: tier.KindUnsupported, Err: errors.New("no"), Fix: fix}
	}
	a, b, other := lacks("a", "allow it"), lacks("b", "allow it"), lacks("c", "install it")
	missing := errors.New("no python")
	for _, c := range []struct {
		name string
		errs []error
		want string
	}{
		{"one", []error{a}, "gvisor: a: no; allow it"},
		{"the same twice", []error{a, a, missing, missing}, "gvisor: a: no; allow it\nno python"},
		{"one cure for two", []error{a, b, other}, "gvisor: a: no; allow it\ngvisor: b: no\ngvisor: c: no; install it"},
		{"joined again", []error{distinct([]error{a, b}), b, a}, "gvisor: a: no; allow it\ngvisor: b: no"},
		{"no cure", []error{lacks("a", ""), lacks("b", "")}, "gvisor: a: no\ngvisor: b: no"},
	} {
		if got := distinct(c.errs).Error(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if err := distinct(nil); err != nil {
		t.Error(err)
	}
}
