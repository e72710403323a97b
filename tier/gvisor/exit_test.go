//go:build linux

package gvisor

import (
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// TestGivenBack: what processes had that ended goes back to the host, small ones
// and large ones, also while others go on.
func TestGivenBack(t *testing.T) {
	for name, megabytes := range map[string]int{"small": 8, "large": 64} {
		t.Run(name, func(t *testing.T) {
			b, g := copyOf(t, copyTier(t), tier.Spec{Limits: glovebox.Limits{}.WithDefaults()})
			held := func() int64 {
				size, err := g.memorySize()
				if err != nil {
					t.Fatal(err)
				}
				return size
			}
			before := held()
			var most int64
			order(b, `
import os
for i in range(20):
    if os.fork() == 0:
        x = bytearray(`+strconv.Itoa(megabytes)+` << 20)
        os._exit(0)
    os.wait()
print("done", flush=True)
os.read(0, 1)
time.sleep(60)
`, func(c *tier.Command) {
				c.Stdout = writerFunc(func(p []byte) (int, error) {
					most = held()
					eventually(t, func() bool { return held() <= before+16<<20 })
					return 0, unix.EPIPE
				})
			})
			if most == 0 || most > before+int64(3*megabytes+64)<<20 {
				t.Errorf("it held %d bytes, and %d before", most, before)
			}
			eventually(t, func() bool { return held() <= before })
		})
	}
}
