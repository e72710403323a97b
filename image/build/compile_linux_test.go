package build

import (
	"context"
	"io/fs"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/process"
)

// Byte code is made in a box, of sources that are never imported there, and the
// same each time.
func TestByteCodeIsMadeInABox(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("this host has no python3")
	}
	b := newBench(t)
	shared, err := rootfs.Open("") // the host's Python is there already
	if err != nil {
		t.Fatal(err)
	}
	b.o.Roots = shared
	box, err := process.New(process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.o.Tiers = []tier.Tier{box}
	wheel := makeWheel(t, "mine", "1.0",
		testFile{name: "mine/__init__.py", body: "import sys\nx = 'n' in {'k', 'l', 'm', 'n'}\nsys.exit('imported')\n"},
		testFile{name: "mine/broken.py", body: "def broken(\n"},
		testFile{name: "mine.pth", body: "import sys; sys.exit('run at start')\n"})
	b.write(t, "mine-1.0-py3-none-any.whl", string(wheel))
	b.write(t, "requirements.txt", "./mine-1.0-py3-none-any.whl --hash=sha256:"+sha(wheel)+"\n")
	recipe := &Recipe{Dir: b.dir, Name: "mine:1", Host: Host{Languages: []string{"python"}}, Python: Python{Lock: "requirements.txt", Compile: true}}
	result, err := Build(context.Background(), recipe, b.o)
	if tier.IsKind(err, tier.KindUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var code []string
	err = fs.WalkDir(result.Image, ".", func(p string, d fs.DirEntry, err error) error {
		if strings.Contains(p, "-packages/mine/__pycache__/") {
			code = append(code, path.Base(p))
			if b, err := fs.ReadFile(result.Image, p); err != nil || len(b) < 16 || b[4] != 1 {
				t.Errorf("%s is %.20q, %v", p, b, err)
			}
		}
		return err
	})
	if err != nil || len(code) != 1 || !strings.HasPrefix(code[0], "__init__.cpython-3") {
		t.Errorf("byte code of the wheel: %q, %v", code, err)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "cannot be compiled") {
		t.Errorf("the notes do not speak of the broken module: %s", notes)
	}
	again, err := Build(context.Background(), recipe, b.o)
	if err != nil || again.Image.Digest() != result.Image.Digest() {
		t.Errorf("built again it is another: %v", err)
	}
	b.o.Tiers = nil
	_, err = Build(context.Background(), recipe, b.o)
	wantError(t, err, "no tier was given")
}
