package cost

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestBadBook: what is not a cost that was measured lately is measured again.
func TestBadBook(t *testing.T) {
	future := time.Now().Add(1000 * time.Hour).Format(time.RFC3339)
	now := time.Now().Format(time.RFC3339)
	for name, text := range map[string]string{
		"null":         `null`,
		"empty":        ``,
		"list":         `[]`,
		"null cost":    `{"gvisor":null}`,
		"negative":     `{"gvisor":{"start":-1,"measured":"` + now + `"}}`,
		"zero":         `{"gvisor":{"start":0,"measured":"` + now + `"}}`,
		"from then on": `{"gvisor":{"start":1,"measured":"` + future + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := Book{filepath.Join(t.TempDir(), "costs.json")}
			if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			costs, err := b.Read()
			if c, ok := costs[glovebox.TierGVisor]; err != nil || ok {
				t.Errorf("%v, %v", c, err)
			}
			if err := b.Write(glovebox.TierGVisor, Cost{Start: time.Second, Measured: time.Now()}); err != nil {
				t.Fatal(err)
			}
			if costs, err = b.Read(); err != nil || costs[glovebox.TierGVisor].Start != time.Second {
				t.Errorf("%v, %v", costs, err)
			}
		})
	}
}
