//go:build linux

package docker

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

func TestFirst(t *testing.T) {
	host := EngineHost(t)
	tr, err := New(Options{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	store, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	root, err := store.Tree(context.Background(), rootfs.Base().Merge(tr.TreeRoot()))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	limits := glovebox.Limits{Memory: 96 << 20, Processes: 16}
	box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: limits.WithDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("open", time.Since(begin))
	defer box.Close()
	s := new(glove.Script)
	for _, f := range []string{"/proc/self/mountinfo", "/proc/self/status", "/proc/self/cgroup", "/proc/cmdline"} {
		fd, n := s.Words(0), s.Words(0)
		buf := s.Scratch(64 << 10)
		s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, f, 0, 0).To(fd)
		s.CallOn(fd, "read", linux.SYS_READ, buf, 64<<10).To(n)
		l := s.Load(n)
		l.To(s.Call("write", linux.SYS_WRITE, 1, buf, 0).Arg(2))
	}
	data, err := glove.Program(s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	begin = time.Now()
	o := box.Run(context.Background(), tier.Command{Args: []string{"/workspace/p"}, Stdout: &out, Stderr: &out,
		Files: []glovebox.File{{Path: "p", Data: data, Executable: true}}})
	t.Logf("%v %+v\n%s", time.Since(begin), o, &out)
	for _, c := range box.Controls() {
		t.Log(c)
	}
	begin = time.Now()
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	t.Log("close", time.Since(begin))
	for range 5 {
		begin := time.Now()
		box, err := tr.Open(context.Background(), tier.Spec{Root: root, Limits: limits.WithDefaults()})
		if err != nil {
			t.Fatal(err)
		}
		up := time.Now()
		box.Close()
		t.Log("open", up.Sub(begin), "close", time.Since(up))
	}
}
