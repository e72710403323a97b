package build

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/image"
)

// Packages as the world has them: from PyPI, npm and Debian.
func TestRealPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("it fetches from the internet")
	}
	for _, c := range []struct {
		name, file, lock string
		recipe           Recipe
		path, text       string
		note             string
	}{
		{
			name: "PyPI", file: "requirements.txt",
			lock:   "six==1.17.0 \\\n    --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274 \\\n    --hash=sha256:ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81\n",
			recipe: Recipe{Debian: Debian{List: "debs.txt"}, Python: Python{Lock: "requirements.txt"}},
			path:   "usr/lib/python3.11/site-packages/six.py", text: "def with_metaclass",
		},
		{
			name: "npm", file: "package-lock.json",
			lock:   npmLock(`"node_modules/semver":{"version":"7.6.3","resolved":"https://registry.npmjs.org/semver/-/semver-7.6.3.tgz","integrity":"sha512-oVekP1cKtI+CTDvHWYFUcMtsK/00wmAEfyqKfNdARm8u1wNVhSgaX7A8d4UuIlUI5e84iEwOhs7ZPYRmzU9U6A==","bin":{"semver":"bin/semver.js"}}`),
			recipe: Recipe{NPM: NPM{Lock: "package-lock.json"}},
			path:   "node_modules/.bin/semver", text: "#!/usr/bin/env node",
		},
		{
			name: "Debian", file: "debs2.txt",
			lock:   "'http://deb.debian.org/debian/pool/main/l/lapack/libblas3_3.11.0-2_amd64.deb' libblas3_3.11.0-2_amd64.deb 148592 SHA256:9aae8058b8d02b800bdafc5b340614df1442a2d2abbc2d351947c0fdd67aa08a\n",
			recipe: Recipe{Debian: Debian{List: "debs2.txt"}},
			path:   "usr/lib/x86_64-linux-gnu/libblas.so.3", text: "\x7fELF",
			note: "the alternatives that it names are made",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			// An interpreter for the wheels to fit.
			deb := makeDeb(t, "python", "", nil, testFile{name: "./usr/bin/python3", kind: '2', link: "python3.11"}, testFile{name: "./usr/bin/python3.11", body: "x", mode: 0o755})
			b.write(t, "python_1.0_all.deb", string(deb))
			b.write(t, "debs.txt", sha(deb)+"  python_1.0_all.deb\n")
			b.write(t, c.file, c.lock)
			c.recipe.Dir = b.dir
			result, err := Build(context.Background(), &c.recipe, b.o)
			var network net.Error
			if errors.As(err, &network) {
				t.Skipf("there is no way to it from here: %v", err)
			}
			if err != nil {
				if strings.Contains(err.Error(), "the image is for") || strings.Contains(err.Error(), "404") {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			if got := content(t, result.Image, c.path); !strings.Contains(got, c.text) {
				t.Errorf("%s is %.100q", c.path, got)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, c.note) {
				t.Errorf("the notes are %q", notes)
			}
		})
	}
}

// What was built can be pushed to a registry and pulled from there: see package
// image. Here its tree is verified as a whole.
func TestWhatIsBuiltVerifies(t *testing.T) {
	b := newBench(t)
	b.write(t, "f", "text")
	img := b.build(t, &Recipe{Name: "v:1", Dir: b.dir, Host: Host{Files: []string{"f:/f"}}}).Image
	if err := b.o.Store.Verify(context.Background(), "v:1"); err != nil {
		t.Error(err)
	}
	if err := b.o.Store.Check(img, &image.Policy{Allow: []string{"import:v:1"}}); err != nil {
		t.Error(err)
	}
	if err := b.o.Store.Check(img, &image.Policy{Allow: []string{"v:1"}}); !errors.Is(err, image.ErrPolicy) {
		t.Errorf("an image that was built here passes for one of a registry: %v", err)
	}
}
