package build

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// bench is a place to build in.
type bench struct {
	dir string
	o   Options
}

func newBench(t testing.TB) *bench {
	t.Helper()
	dir := t.TempDir()
	store, err := image.Open(filepath.Join(dir, "images"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	roots, err := rootfs.Open(filepath.Join(dir, "roots"))
	if err != nil {
		t.Fatal(err)
	}
	return &bench{dir: dir, o: Options{Store: store, Cache: filepath.Join(dir, "packages"), Host: host.New(), Roots: roots}}
}

// write writes a file of the recipe and returns its name.
func (b *bench) write(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(b.dir, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (b *bench) build(t testing.TB, r *Recipe) *Result {
	t.Helper()
	result, err := Build(context.Background(), r, b.o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func content(t testing.TB, img *image.Image, name string) string {
	t.Helper()
	b, err := fs.ReadFile(img, name)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// packages are one of each kind, with scripts that would write the file pwned
// if anybody ran them. They are served at the returned URL.
func packages(t testing.TB, pwned string) (url string, locks map[string]string) {
	t.Helper()
	touch := "touch " + pwned
	wheel := makeWheel(t, "evil", "1.0",
		testFile{name: "setup.py", body: fmt.Sprintf("import os; os.system(%q)\n", touch)},
		testFile{name: "evil/__init__.py", body: fmt.Sprintf("import os; os.system(%q)\n", touch)},
		testFile{name: "evil.pth", body: fmt.Sprintf("import os; os.system(%q)\n", touch)},
		testFile{name: "evil-1.0.data/scripts/evil", body: "#!/bin/sh\n" + touch + "\n", mode: 0o755})
	manifest, err := json.Marshal(map[string]any{"name": "evil", "version": "1.0.0",
		"scripts": map[string]string{"preinstall": touch, "install": touch, "postinstall": touch, "prepare": touch}})
	if err != nil {
		t.Fatal(err)
	}
	tgz := gzipped(t, makeTar(t, testFile{name: "package/package.json", body: string(manifest)}, testFile{name: "package/index.js", body: "module.exports = 1\n"},
		testFile{name: "package/binding.gyp", body: "{'targets': [{'target_name': '<!(" + touch + ")'}]}"}))
	script := func(name string) testFile {
		return testFile{name: "./" + name, body: "#!/bin/sh\n" + touch + "\n", mode: 0o755}
	}
	deb := makeDeb(t, "evil", "", []testFile{script("preinst"), script("postinst"), script("config"), {name: "./triggers", body: "interest /usr\n"}},
		testFile{name: "./usr/bin/python3.11", body: "#!/bin/sh\n" + touch + "\n", mode: 0o755}, testFile{name: "./usr/share/evil", body: "x"})
	files := map[string][]byte{"/evil-1.0-py3-none-any.whl": wheel, "/evil-1.0.0.tgz": tgz, "/evil_1.0_all.deb": deb}
	url = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/simple/evil/" {
			fmt.Fprintf(w, `<a href="/evil-1.0-py3-none-any.whl#sha256=%s">x</a>`, sha(wheel))
			return
		}
		b, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(b)
	})
	h := Hash{"sha256", sha(tgz)}
	return url, map[string]string{
		"requirements.txt":  "evil==1.0 --hash=sha256:" + sha(wheel) + "\n",
		"package-lock.json": npmLock(`"node_modules/evil":{"version":"1.0.0","resolved":"` + url + `/evil-1.0.0.tgz","integrity":"` + sri(t, h) + `","hasInstallScript":true}`),
		"debs.txt":          fmt.Sprintf("'%s/evil_1.0_all.deb' evil_1.0_all.deb %d SHA256:%s\n", url, len(deb), sha(deb)),
	}
}

// Whatever packages bring to be run when they are installed is not run, and the
// same recipe gives the same digest, in another store at another time.
func TestNothingOfAPackageIsRun(t *testing.T) {
	pwned := filepath.Join(t.TempDir(), "pwned")
	url, locks := packages(t, pwned)
	var digests []string
	for range 2 {
		b := newBench(t)
		for name, text := range locks {
			b.write(t, name, text)
		}
		file := b.write(t, "image.yaml", `
name: evil:1
debian: {list: debs.txt}
python: {lock: requirements.txt, index: "`+url+`/simple/"}
npm: {lock: package-lock.json}
env: {A: "1", B: "2"}
command: [python3.11]
`)
		recipe, err := ReadRecipe(file)
		if err != nil {
			t.Fatal(err)
		}
		recipe.Python.Version = "3.11"
		result := b.build(t, recipe)
		if _, err := os.Stat(pwned); err == nil {
			t.Fatal("code of a package ran on the host")
		}
		digests = append(digests, result.Image.Digest())
		for name, want := range map[string]string{
			"usr/share/evil":             "x",
			"node_modules/evil/index.js": "module.exports = 1\n",
			"usr/lib/python3.11/site-packages/evil-1.0.dist-info/INSTALLER": "glovebox\n",
		} {
			if got := content(t, result.Image, name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		notes := strings.Join(result.Notes, "\n")
		for _, want := range []string{"evil: preinst and postinst not run", "install scripts were not run", "evil.pth runs at every start"} {
			if !strings.Contains(notes, want) {
				t.Errorf("the notes do not say %q:\n%s", want, notes)
			}
		}
		if c := result.Image.Config(); !slices.Equal(c.Env, []string{"A=1", "B=2"}) || !slices.Equal(c.Cmd, []string{"python3.11"}) {
			t.Errorf("the configuration is %+v", c)
		}
		if len(result.Packages) != 3 {
			t.Errorf("made of %+v", result.Packages)
		}
		// Again from the same cache, and over itself as a base.
		if again := b.build(t, recipe).Image.Digest(); again != result.Image.Digest() {
			t.Errorf("built again it is %s, not %s", again, result.Image.Digest())
		}
		over := b.build(t, &Recipe{Name: "over:1", Base: result.Image.Digest(), Env: map[string]string{"A": "3"}})
		if got := over.Image.Config().Env; !slices.Equal(got, []string{"B=2", "A=3"}) {
			t.Errorf("over the base the environment is %q", got)
		}
		if got := content(t, over.Image, "usr/share/evil"); got != "x" {
			t.Errorf("over the base its file is %q", got)
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("two builds of the same lock: %s and %s", digests[0], digests[1])
	}
}

// A build without a network is possible once all is fetched.
func TestBuildsAgainOffline(t *testing.T) {
	url, locks := packages(t, "/nonexistent")
	b := newBench(t)
	for name, text := range locks {
		b.write(t, name, text)
	}
	r := &Recipe{Dir: b.dir, Debian: Debian{List: "debs.txt"}, Python: Python{Lock: "requirements.txt", Version: "3.11", Index: url + "/simple"}, NPM: NPM{Lock: "package-lock.json"}}
	first := b.build(t, r).Image.Digest()
	// Nobody answers there.
	for name, text := range locks {
		b.write(t, name, strings.ReplaceAll(text, url, "http://127.0.0.1:1"))
	}
	if again := b.build(t, r).Image.Digest(); again != first {
		t.Errorf("offline it is %s, not %s", again, first)
	}
	n, err := Clean(b.o.Cache)
	if err != nil || n == 0 {
		t.Errorf("%d bytes cleaned, %v", n, err)
	}
	_, err = Build(context.Background(), r, b.o)
	wantError(t, err, "evil_1.0_all.deb")
}

func TestHostFilesAndPackages(t *testing.T) {
	b := newBench(t)
	b.write(t, "data.txt", "data")
	r := &Recipe{Dir: b.dir, Host: Host{Files: []string{"data.txt:/opt/data.txt"}}}
	result := b.build(t, r)
	if got := content(t, result.Image, "opt/data.txt"); got != "data" {
		t.Errorf("the file is %q", got)
	}
	for _, f := range []string{"data.txt:relative", "data.txt:/", "none.txt:/a"} {
		if _, err := Build(context.Background(), &Recipe{Dir: b.dir, Host: Host{Files: []string{f}}}, b.o); err == nil {
			t.Errorf("%s is taken", f)
		}
	}
	if out, err := exec.Command("dpkg-query", "-W", "-f", "${db:Status-Status}", "sed").Output(); err != nil || string(out) != "installed" {
		t.Skip("this host has no Debian package sed")
	}
	result = b.build(t, &Recipe{Host: Host{Packages: []string{"sed"}}})
	info, err := fs.Stat(result.Image, "usr/bin/sed")
	if err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("sed: %v, %v", info, err)
	}
	if !slices.ContainsFunc(result.Packages, func(p Package) bool { return p.Name == "libc6" }) {
		t.Errorf("what sed needs did not come: %+v", result.Packages)
	}
	_, err = Build(context.Background(), &Recipe{Host: Host{Packages: []string{"no-such-package"}}}, b.o)
	wantError(t, err, "not installed")
}

// The host's Python with a wheel of a lock, and without the host's packages and
// our drivers.
func TestHostPythonWithWheels(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("this host has no python3")
	}
	b := newBench(t)
	wheel := makeWheel(t, "mine", "1.0", testFile{name: "mine.py", body: "x = 1\n"})
	b.write(t, "mine-1.0-py3-none-any.whl", string(wheel))
	b.write(t, "requirements.txt", "./mine-1.0-py3-none-any.whl --hash=sha256:"+sha(wheel)+"\n")
	result := b.build(t, &Recipe{Dir: b.dir, Host: Host{Languages: []string{"python"}}, Python: Python{Lock: "requirements.txt"}})
	found := ""
	err := fs.WalkDir(result.Image, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case strings.HasSuffix(p, "-packages/mine.py"):
			found = p
		case strings.HasPrefix(p, "opt/glovebox/"), strings.Contains(p, "-packages/pip/"), p == "etc/ld.so.cache":
			t.Errorf("the image has %s", p)
		}
		return err
	})
	if err != nil || found == "" {
		t.Errorf("the wheel is not there: %v", err)
	}
	if exe, err := result.Image.LookPath("python3"); err != nil || exe == "" {
		t.Errorf("python3: %q, %v", exe, err)
	}
}

func TestRecipes(t *testing.T) {
	for text, want := range map[string]string{
		"name: a":                         "made of nothing",
		"nmae: a\nenv: {A: b}":            "unknown field",
		"env: {'A=': b}":                  "cannot be set",
		"base: python:3.12\nenv: {A: b}":  "name it with its digest",
		"npm: {lock: l, into: relative}":  "no absolute path",
		"npm: {lock: l, into: /../x/..}":  "",
		"[1, 2]":                          "sequence was used",
		"host: {files: [[a]]}":            "[1:",
		"env: {A: \"b\\0\"}":              "cannot be set",
		"command: [a]\nhost: {languages}": "",
	} {
		_, err := ParseRecipe([]byte(text))
		if want != "" {
			wantError(t, err, want)
		}
	}
	r, err := ParseRecipe([]byte(`{"name": "a:1", "host": {"languages": ["python"]}, "python": {"lock": "requirements.txt"}}`))
	if err != nil || r.Python.Lock != "requirements.txt" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatCannotBeBuilt(t *testing.T) {
	b := newBench(t)
	b.write(t, "r.txt", "a==1 --hash=sha256:"+digestA)
	for _, c := range []struct {
		r    Recipe
		want string
	}{
		{Recipe{Dir: b.dir, Python: Python{Lock: "r.txt"}}, "no Python"},
		{Recipe{Dir: b.dir, Python: Python{Lock: "none.txt"}}, "no such file"},
		{Recipe{Base: "nothing:1", Env: map[string]string{"A": "b"}}, "no such image"},
		{Recipe{Host: Host{Languages: []string{"cobol"}}}, "no language"},
	} {
		_, err := Build(context.Background(), &c.r, b.o)
		wantError(t, err, c.want)
	}
	if list, err := filepath.Glob(filepath.Join(b.o.Cache, "spool-*")); err != nil || len(list) > 0 {
		t.Errorf("left behind: %q, %v", list, err)
	}
}
