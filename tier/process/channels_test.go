//go:build linux

package process

import (
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest/channels"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// TestChannels: of two boxes that run at once, one cannot tell the other anything
// but by what SECURITY.md names. The table is in package channels.
func TestChannels(t *testing.T) {
	waits := waiting.Spec(t, func(store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
		return store.Tree(t.Context(), plan)
	})
	waits.Limits.OpenFiles = channels.OpenFiles
	cold := waits
	cold.Standby, cold.Forks, cold.Descriptors = nil, false, nil
	flavours(t, func(t *testing.T, tr *Tier) {
		t.Run("started", func(t *testing.T) {
			args := []string{waits.Standby.Args[0], "main.py"}
			boxes := [2]tier.Box{}
			for i := range boxes {
				var err error
				if boxes[i], err = tr.Open(t.Context(), cold); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { boxes[i].Close() })
			}
			channels.Test(t, func(sends bool, source string) (tier.Box, tier.Command) {
				box := boxes[0]
				if sends {
					box = boxes[1]
				}
				return box, tier.Command{Args: args, Env: waits.Standby.Env, Files: []glovebox.File{{Path: "main.py", Data: []byte(source)}}}
			})
		})
		t.Run("copied", func(t *testing.T) {
			if os.Geteuid() != 0 {
				t.Skip("a parent needs root")
			}
			tr := forking(t, Options{NoControlGroups: tr.groups == nil}, waits)
			channels.Test(t, func(_ bool, source string) (tier.Box, tier.Command) {
				return copied(t, tr, waits), waiting.Becoming(t, source)
			})
		})
	})
}
