//go:build linux

package microvm

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

var ctx = context.Background()

func TestFirst(t *testing.T) {
	tr, err := New(Options{AllowEmulation: true, EmulationOnly: true, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Image(ctx, rootfs.Base().Merge(tr.ImageRoot()))
	if err != nil {
		t.Fatal(err)
	}
	s := new(glove.Script)
	s.Call("write", unix.SYS_WRITE, 1, "hello\n", 6)
	image, err := glove.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		begin := time.Now()
		box, err := tr.Open(ctx, tier.Spec{Root: root, Limits: glovebox.Limits{Memory: 96 << 20}.WithDefaults(), Files: []glovebox.File{{Path: "p", Data: image, Executable: true}}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("open", time.Since(begin))
		var out bytes.Buffer
		o := box.Run(ctx, tier.Command{Args: []string{"/workspace/p"}, Stdout: &out})
		fmt.Printf("%v %+v %q\n", time.Since(begin), o, &out)
		if err := box.Close(); err != nil {
			t.Error(err)
		}
		fmt.Println("closed", time.Since(begin))
	}
}
