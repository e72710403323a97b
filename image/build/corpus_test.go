package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// Archives that others collected to attack unpackers lead nowhere, whatever
// kind of package they pose as.
func TestArchivesOfTheCorpus(t *testing.T) {
	dir := filepath.Join(corpus.Dir(t), "archives")
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(list) == 0 {
		t.Skip("there are no archives")
	}
	for _, name := range list {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			var trees []*tree
			if strings.HasSuffix(name, ".zip") {
				tr, err := installWheel(t, "x-1-py3-none-any.whl", b)
				if err == nil {
					t.Error("it passes for a wheel")
				}
				trees = append(trees, tr)
			} else {
				tr, err := installNPM(t, gzipped(t, b))
				if err == nil {
					t.Error("it passes for an npm package")
				}
				deb := newTree(testBounds)
				control := gzipped(t, makeTar(t, testFile{name: "./control", body: "Package: x\nArchitecture: all\n"}))
				_, _ = installTestDeb(t, deb, "x_1_all.deb", makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", control, "data.tar", b))
				trees = append(trees, tr, deb)
			}
			for _, tr := range trees {
				for p, n := range tr.nodes {
					if !clean(p) || !n.mode.IsRegular() && !n.mode.IsDir() && n.link == "" || n.mode.Perm()&^0o755 != 0 && n.link == "" {
						t.Errorf("%s, %v, is in the tree", p, n.mode)
					}
				}
			}
		})
	}
}
