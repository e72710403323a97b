//go:build linux

package gvisor

import (
	"testing"

	"gvisor.dev/gvisor/pkg/sentry/seccheck"
	"gvisor.dev/gvisor/runsc/specutils"
)

// TestShortWays: what saveTime sets is what gVisor reads.
func TestShortWays(t *testing.T) {
	before := specutils.ExePath
	defer func() { specutils.ExePath = before }()
	saveTime()
	if specutils.ExePath == before {
		t.Error("the umounter is not the tiny one")
	}
	// With its tables filled, this would register them again and panic.
	seccheck.Initialize()
	if points := len(seccheck.Points); points > 0 {
		t.Errorf("the tables of tracing are filled: %d points", points)
	}
}
