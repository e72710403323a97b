//go:build linux

package process

import (
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest/marked"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// TestNothingOfTheOperator: neither Glovebox's environment nor a path where it
// works is in anything that a box can read, its own memory among that.
func TestNothingOfTheOperator(t *testing.T) {
	marked.Test(t, func(t *testing.T, source string) {
		waits := waiting.Spec(t, func(store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
			return store.Tree(t.Context(), plan)
		})
		cold := waits
		cold.Standby, cold.Forks, cold.Descriptors = nil, false, nil
		warm := waits
		warm.Forks = false
		flavours(t, func(t *testing.T, tr *Tier) {
			opened := func(t *testing.T, spec tier.Spec) tier.Box {
				box, err := tr.Open(t.Context(), spec)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { box.Close() })
				return box
			}
			t.Run("started", func(t *testing.T) {
				box, cmd := opened(t, cold), tier.Command{
					Args: []string{waits.Standby.Args[0], "main.py"}, Env: waits.Standby.Env,
					Files: []glovebox.File{{Path: "main.py", Data: []byte(source)}},
				}
				marked.Nowhere(t, box, cmd)
				cmd.Files = nil
				marked.Somewhere(t, box, cmd)
			})
			t.Run("waiting", func(t *testing.T) {
				marked.Nowhere(t, opened(t, warm), waiting.Becoming(t, source))
			})
			t.Run("copied", func(t *testing.T) {
				if os.Geteuid() != 0 {
					t.Skip("a parent needs root")
				}
				marked.Nowhere(t, copied(t, forking(t, Options{NoControlGroups: tr.groups == nil}, waits), waits), waiting.Becoming(t, source))
			})
		})
	})
}
