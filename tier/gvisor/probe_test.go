//go:build linux

package gvisor

import (
	"testing"

	"github.com/gloveboxhq/glovebox/tier"
)

func TestProbe(t *testing.T) {
	tr := newTier(t)
	b := open(t, tr, tier.Spec{})
	controls := map[string]bool{}
	for _, c := range b.Controls() {
		controls[c.Name] = c.Enforced
	}
	b.Close()
	before := snapshot(t, tr)
	report := tr.Probe(ctx)
	if !report.Usable {
		t.Errorf("not usable: %s", report.Reason)
	}
	for _, c := range report.Controls {
		t.Logf("%-24s %v %s", c.Name, c.Proven, c.Detail)
		if !c.Proven {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	for _, c := range report.Controls {
		delete(controls, c.Name)
	}
	if len(controls) > 0 {
		t.Errorf("controls that nothing attacked: %v", controls)
	}
	before.same(t)
}
