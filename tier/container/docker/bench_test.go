//go:build linux

package docker

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// BenchmarkBox is the life of a box that runs one empty program.
func BenchmarkBox(b *testing.B) {
	tr, err := New(Options{Host: EngineHost(b)})
	if err != nil {
		b.Fatal(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	root, err := store.Tree(ctx, rootfs.Base().Merge(tr.TreeRoot()))
	if err != nil {
		b.Fatal(err)
	}
	program, err := glove.Program(new(glove.Script))
	if err != nil {
		b.Fatal(err)
	}
	files := []glovebox.File{{Path: "p", Data: program, Executable: true}}
	for b.Loop() {
		box, err := tr.Open(ctx, tier.Spec{Root: root, Limits: glovebox.Limits{}.WithDefaults(), Files: files})
		if err != nil {
			b.Fatal(err)
		}
		if out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/p"}}); out.ExitCode != 0 {
			b.Errorf("ended with %+v", out)
		}
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
