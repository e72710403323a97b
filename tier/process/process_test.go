package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

func emptyRoot(t testing.TB) *rootfs.Root {
	dir := filepath.Join(t.TempDir(), "root")
	for _, d := range []string{"dev", "proc", "sys", "tmp", "workspace"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &rootfs.Root{Key: "empty", Tree: dir}
}

func TestSmoke(t *testing.T) {
	for _, o := range []Options{{}, {NoControlGroups: true}} {
		tr, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := new(glove.Script)
		s.Call("write", unix.SYS_WRITE, 1, "hello\n", 6)
		prog, err := glove.Program(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tr.Open(context.Background(), tier.Spec{
			Root: emptyRoot(t), Limits: glovebox.DefaultLimits,
			Files: []glovebox.File{{Path: "hello", Data: prog, Executable: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		got := b.Run(context.Background(), tier.Command{Args: []string{"/workspace/hello"}, Stdout: &out})
		t.Logf("%+v %q", got, out.String())
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
