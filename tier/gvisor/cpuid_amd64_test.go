//go:build linux

package gvisor

import (
	"testing"

	"gvisor.dev/gvisor/pkg/cpuid"
)

// TestAnswers: a processor says the same to who asks once.
func TestAnswers(t *testing.T) {
	asked := answers{}
	once := cpuid.FeatureSet{Function: asked}.ToStatic()
	often := cpuid.FeatureSet{Function: new(cpuid.Native)}.ToStatic()
	for in, out := range often {
		if got := once[in]; got != out {
			t.Errorf("%v: %v, and to who asks often %v", in, got, out)
		}
	}
	if len(once) != len(often) {
		t.Errorf("%d answers, and to who asks often %d", len(once), len(often))
	}
	if len(asked) > 150 {
		t.Errorf("it was asked %d times", len(asked))
	}
}
