//go:build linux

package container_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container"
	"github.com/gloveboxhq/glovebox/tier/tiertest/channels"
	"github.com/gloveboxhq/glovebox/tier/tiertest/marked"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// python opens boxes of a runtime that shares the host's kernel, with the command
// that runs a program in one.
func python(t *testing.T, runtime string) func(source string) (tier.Box, tier.Command) {
	tr, err := container.New(container.Options{Runtime: runtime})
	if err != nil {
		t.Skip(err)
	}
	spec := waiting.Spec(t, func(store *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
		return store.Tree(t.Context(), plan.Merge(tr.TreeRoot()))
	})
	args, env := []string{spec.Standby.Args[0], "main.py"}, spec.Standby.Env
	spec.Standby, spec.Forks, spec.Descriptors = nil, false, nil
	spec.Limits.OpenFiles = channels.OpenFiles
	return func(source string) (tier.Box, tier.Command) {
		box, err := tr.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { box.Close() })
		return box, tier.Command{Args: args, Env: env, Files: []glovebox.File{{Path: "main.py", Data: []byte(source)}}}
	}
}

// TestChannels: a runtime's boxes hear no more of each other than the process
// tier's.
func TestChannels(t *testing.T) {
	for _, runtime := range []string{"runc", "crun"} {
		t.Run(runtime, func(t *testing.T) {
			in := python(t, runtime)
			channels.Test(t, func(_ bool, source string) (tier.Box, tier.Command) { return in(source) })
		})
	}
}

// TestNothingOfTheOperator is the process tier's test of that name.
func TestNothingOfTheOperator(t *testing.T) {
	marked.Test(t, func(t *testing.T, source string) {
		for _, runtime := range []string{"runc", "crun"} {
			t.Run(runtime, func(t *testing.T) {
				box, cmd := python(t, runtime)(source)
				marked.Nowhere(t, box, cmd)
				cmd.Files = nil
				marked.Somewhere(t, box, cmd)
			})
		}
	})
}
