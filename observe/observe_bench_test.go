package observe

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// BenchmarkTiny is what is made of a run that printed two bytes and failed.
func BenchmarkTiny(b *testing.B) {
	for _, status := range []glovebox.Status{glovebox.StatusPass, glovebox.StatusRuntimeError} {
		b.Run(string(status), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := NewCapture(64<<10, nil)
				c.Write([]byte("4\n"))
				text, _ := Text(c.Bytes())
				Feedback(&glovebox.Observation{Status: status, NextAction: status.Next(), Message: "It ended with exit code 1.", Stdout: text}, glovebox.DefaultLimits)
			}
		})
	}
}
