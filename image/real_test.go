package image

import (
	"os"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// TestRealRoot takes a root file system that mmdebstrap made, such as that of
// .ci/plot-image, all the way, and logs what each step takes.
func TestRealRoot(t *testing.T) {
	path := os.Getenv("GLOVEBOX_PLOT_IMAGE")
	if path == "" {
		t.Skip("GLOVEBOX_PLOT_IMAGE does not name the archive that .ci/plot-image makes")
	}
	s := open(t, private(t))
	step := func(what string, do func() error) {
		t.Helper()
		begin := time.Now()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: %v", what, time.Since(begin).Round(time.Millisecond))
	}
	var i *Image
	step("import", func() error {
		images, err := s.Import(t.Context(), path, ImportOptions{Name: "debian"})
		if err == nil {
			i = images[0]
		}
		return err
	})
	files, bytes := i.tree.root.count()
	t.Logf("%d files, %d MiB, dropped %+v", files, bytes>>20, i.Dropped())
	step("open", func() error {
		again := open(t, s.dir)
		defer again.Close()
		_, err := again.Find("debian")
		return err
	})
	step("verify", func() error { return s.Verify(t.Context(), "debian") })
	roots, err := rootfs.Open(private(t))
	if err != nil {
		t.Fatal(err)
	}
	step("EROFS", func() error { _, err := roots.Image(t.Context(), i.Plan()); return err })
	step("EROFS again", func() error { _, err := roots.Image(t.Context(), i.Plan()); return err })
	step("tree", func() error { _, err := roots.Tree(t.Context(), i.Plan()); return err })
	exe, err := i.LookPath("sh", "python3")
	if err != nil {
		t.Error(err)
	}
	t.Log(exe)
}
