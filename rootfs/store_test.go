package rootfs

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/erofs/go-erofs"
)

func TestSmoke(t *testing.T) {
	s, err := Open(t.TempDir() + "/c")
	if err != nil {
		t.Fatal(err)
	}
	p := Base()
	p.Add(Entry{Path: "/usr/lib/python3.11", Source: "/usr/lib/python3.11"}, Entry{Path: "/usr/bin/python3", Source: "/usr/bin/python3"})
	p.Add(Libraries([]string{"/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6", "/lib/x86_64-linux-gnu/libz.so.1", "/lib/x86_64-linux-gnu/libexpat.so.1"})...)
	for range 3 {
		t0 := time.Now()
		r, err := s.Tree(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		t1 := time.Now()
		i, err := s.Image(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(t1.Sub(t0), time.Since(t1), r, i)
		out, err := exec.Command("fsck.erofs", i.Image).CombinedOutput()
		t.Logf("%s %v", out, err)
		f, _ := os.Open(i.Image)
		img, err := erofs.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = fs.WalkDir(img, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			n++
			if d.Type().IsRegular() {
				a, err := fs.ReadFile(img, p)
				b, err2 := os.ReadFile(filepath.Join(r.Tree, p))
				if err != nil || err2 != nil || string(a) != string(b) {
					t.Fatal(p, err, err2, len(a), len(b))
				}
			}
			return nil
		})
		t.Log(n, err)
		out, err = exec.Command("bwrap", "--unshare-all", "--ro-bind", r.Tree, "/", "--proc", "/proc", "--dev", "/dev", "/usr/bin/python3", "-I", "-c", "import zlib,sys,math;print(sys.version,zlib)").CombinedOutput()
		t.Logf("%s %v", out, err)
	}
}
