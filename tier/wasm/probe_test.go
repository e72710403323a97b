package wasm

import (
	"context"
	"path/filepath"
	"testing"
)

func newTier(t testing.TB) *Tier {
	t.Helper()
	tt, err := New(Config{Cache: filepath.Join(t.TempDir(), "cache")})
	if err != nil {
		t.Fatal(err)
	}
	return tt
}

// TestProbe: every attack is tried and stopped.
func TestProbe(t *testing.T) {
	report := newTier(t).Probe(context.Background())
	if !report.Usable {
		t.Error(report.Reason)
	}
	for _, p := range report.Controls {
		t.Logf("%s %t: %s", p.Name, p.Proven, p.Detail)
		if !p.Proven {
			t.Errorf("%s is not proven: %s", p.Name, p.Detail)
		}
	}
	if len(report.Controls) < 12 {
		t.Errorf("%d controls were tried", len(report.Controls))
	}
}
