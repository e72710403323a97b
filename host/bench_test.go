//go:build linux

package host_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/host"
)

// BenchmarkLookPath is what every run pays to find its interpreter, behind a
// shim or not.
func BenchmarkLookPath(b *testing.B) {
	for _, name := range []string{"python3", "node", "bash"} {
		b.Run(name, func(b *testing.B) {
			h := host.New()
			if _, err := h.LookPath(name); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := h.LookPath(name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
