package process

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// flavours are the ways in which this host can run boxes.
func flavours(t *testing.T, f func(t *testing.T, tr *Tier)) {
	for name, o := range map[string]Options{"control groups": {}, "supervisor": {NoControlGroups: true}} {
		t.Run(name, func(t *testing.T) {
			tr, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if !o.NoControlGroups && tr.groups == nil {
				t.Skip(tr.noGroup)
			}
			f(t, tr)
		})
	}
}

func emptyRoot(t testing.TB) *rootfs.Root {
	t.Helper()
	root, remove, err := bareRoot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return root
}

func TestProbe(t *testing.T) {
	flavours(t, func(t *testing.T, tr *Tier) {
		report := tr.Probe(context.Background())
		for _, p := range report.Controls {
			t.Logf("%-20s %v %s %s", p.Name, p.Proven, p.Detail, p.Fix)
		}
		if !report.Usable {
			t.Errorf("not usable: %s", report.Reason)
		}
	})
}
