package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
)

// content checks that an image has a file.
func content(t *testing.T, i *Image, name, want string) {
	t.Helper()
	if b, err := fs.ReadFile(i, name); err != nil || string(b) != want {
		t.Errorf("%s: %q, %v; want %q", name, b, err, want)
	}
}

// layoutDir writes an OCI layout.
func layoutDir(t *testing.T, names map[string]v1.Image) string {
	t.Helper()
	dir := t.TempDir()
	l, err := layout.Write(dir, emptyIndex)
	if err != nil {
		t.Fatal(err)
	}
	for n, img := range names {
		var o []layout.Option
		if n != "" {
			o = append(o, layout.WithAnnotations(map[string]string{refAnnotation: n}))
		}
		if err := l.AppendImage(img, o...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tarOf packs a directory, its entries in the order that fs.WalkDir has or,
// where last is given, those with that name at the end.
func tarOf(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(t *testing.T, b []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(p, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestImportLayout(t *testing.T) {
	img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1"))
	two := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=2"))
	dir := layoutDir(t, map[string]v1.Image{"ghcr.io/acme/tool:1": img})
	for what, path := range map[string]string{"directory": dir, "archive": file(t, tarOf(t, dir)), "compressed": file(t, gzipped(t, tarOf(t, dir)))} {
		t.Run(what, func(t *testing.T) {
			s := open(t, private(t))
			images, err := s.Import(t.Context(), path, ImportOptions{KeepNames: true})
			if err != nil || len(images) != 1 || images[0].Digest() != hexOf(t, img) {
				t.Fatalf("%v, %v", images, err)
			}
			content(t, images[0], "f", "1")
			if i, err := s.Find("ghcr.io/acme/tool:1"); err != nil || i.Ref().Source != SourceLayout {
				t.Errorf("%v", err)
			}
			if err := s.Verify(t.Context(), "ghcr.io/acme/tool:1"); err != nil {
				t.Error(err)
			}
		})
	}
	s := open(t, private(t))
	both := layoutDir(t, map[string]v1.Image{"one:1": img, "": two})
	images, err := s.Import(t.Context(), both, ImportOptions{KeepNames: true})
	if err != nil || len(images) != 2 {
		t.Fatalf("%v, %v", images, err)
	}
	if i, err := s.Find(hexOf(t, two)); err != nil || i.Ref().Name != "" {
		t.Errorf("an image without a name: %+v, %v", i, err)
	}
	if _, err := s.Import(t.Context(), both, ImportOptions{Name: "x"}); err == nil {
		t.Error("two images got one name")
	}
}

func TestImportDocker(t *testing.T) {
	img := build(t, types.OCILayer, v1.Config{Env: []string{"A=1"}}, runtime.GOARCH, pack(t, "f=1", "old=1"), pack(t, "g=2", ".wh.old"))
	tag, err := name.NewTag("acme/tool:1")
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := tarball.Write(tag, img, &saved); err != nil {
		t.Fatal(err)
	}
	s := open(t, private(t))
	images, err := s.Import(t.Context(), file(t, saved.Bytes()), ImportOptions{KeepNames: true})
	if err != nil || len(images) != 1 {
		t.Fatalf("%v, %v", images, err)
	}
	content(t, images[0], "g", "2")
	if i, err := s.Find("acme/tool:1"); err != nil || i.Ref().Source != SourceDocker || i.Ref().Name != "docker.io/acme/tool:1" || !slices.Equal(i.Config().Env, []string{"A=1"}) {
		t.Errorf("%+v, %v", i, err)
	}
	if _, err := fs.Stat(images[0], "old"); err == nil {
		t.Error("a whiteout did nothing")
	}

	// As older engines write it: layers as tar files, one of them a link, the
	// list at the end.
	layer := pack(t, "f=1")
	diff, _, _ := v1.SHA256(bytes.NewReader(layer))
	config, _ := json.Marshal(v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diff, diff}}})
	list, _ := json.Marshal([]map[string]any{{"Config": "c.json", "RepoTags": []string{"old:1", "old:2"}, "Layers": []string{"aa/layer.tar", "bb/layer.tar"}}})
	old := pack(t, "aa/", "aa/layer.tar="+string(layer), "bb/layer.tar->../aa/layer.tar", "c.json="+string(config), "manifest.json="+string(list))
	if images, err = s.Import(t.Context(), file(t, old), ImportOptions{KeepNames: true}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"old:1", "old:2"} {
		if i, err := s.Find(n); err != nil || i.Digest() != images[0].Digest() {
			t.Errorf("%s: %v", n, err)
		}
	}
}

// TestImportTakesNoName: what an archive calls itself takes no image's name.
func TestImportTakesNoName(t *testing.T) {
	layer := pack(t, "f=1")
	diff, _, _ := v1.SHA256(bytes.NewReader(layer))
	config, _ := json.Marshal(v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diff}}})
	claims := []string{"python:3.12", "\x1b[2Jnone"}
	list, _ := json.Marshal([]map[string]any{{"Config": "c.json", "RepoTags": claims, "Layers": []string{"layer.tar"}}})
	docker := file(t, pack(t, "layer.tar="+string(layer), "c.json="+string(config), "manifest.json="+string(list)))
	img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, layer)
	for name, c := range map[string]struct {
		path   string
		claims []string
	}{
		"docker": {docker, claims},
		"layout": {layoutDir(t, map[string]v1.Image{"docker.io/library/python:3.12": img}), []string{"docker.io/library/python:3.12"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, private(t))
			ours, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "etc/ours=1")), ImportOptions{Name: "python:3.12"})
			if err != nil {
				t.Fatal(err)
			}
			images, err := s.Import(t.Context(), c.path, ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := images[0]; got.Ref().Name != "" || !slices.Equal(got.Claims(), c.claims) {
				t.Errorf("it is called %q, and claims %q", got.Ref().Name, got.Claims())
			}
			if now, err := s.Find("python:3.12"); err != nil || now.Digest() != ours.Digest() {
				t.Errorf("python:3.12 is another image now: %v", err)
			}
			if _, err := s.Find(images[0].Digest()); err != nil {
				t.Error(err)
			}
			if images, err = s.Import(t.Context(), c.path, ImportOptions{Name: "given:1"}); err != nil || len(images[0].Claims()) != 0 {
				t.Errorf("under a name: %v", err)
			}
		})
	}
}

func TestImportRootFS(t *testing.T) {
	layer := pack(t, "./etc/", "./etc/f=1", "./dev/null!c", "./bin->usr/bin")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]byte{"tar": layer, "gzip": gzipped(t, layer), "zstd": z.EncodeAll(layer, nil)}
	if xz, err := exec.LookPath("xz"); err == nil {
		cmd := exec.Command(xz, "-c")
		cmd.Stdin = bytes.NewReader(layer)
		if forms["xz"], err = cmd.Output(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, private(t))
	digest := ""
	for form, b := range forms {
		images, err := s.Import(t.Context(), file(t, b), ImportOptions{Name: "debian:12"})
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		i := images[0]
		content(t, i, "etc/f", "1")
		if digest == "" {
			digest = i.Digest()
		}
		if i.Digest() != digest || i.Dropped().Devices != 1 || i.Ref().Platform != Platform("linux/"+runtime.GOARCH) {
			t.Errorf("%s: %s, %+v, %+v", form, i.Digest(), i.Dropped(), i.Ref())
		}
	}
	base, err := s.Find("debian:12")
	if err != nil {
		t.Fatal(err)
	}
	top, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "opt/tool=2", "etc/.wh.f")), ImportOptions{
		Name: "tools:1", Base: base, Config: Config{Env: []string{"B=2"}}, Created: time.Unix(1e9, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	content(t, top, "opt/tool", "2")
	if _, err := fs.Stat(top, "etc/f"); err == nil || !slices.Equal(top.Config().Env, []string{"B=2"}) || len(top.manifest.Layers) != 2 {
		t.Errorf("over a base: %v, %+v", err, top.Config())
	}
	if _, err := s.ImportRootFS(t.Context(), bytes.NewReader(layer), ImportOptions{Config: Config{Env: []string{"no"}}}); err == nil {
		t.Error("an environment that is none")
	}
	if _, err := s.ImportRootFS(t.Context(), bytes.NewReader(layer), ImportOptions{Platform: "linux/s390x", Name: "s390"}); err != nil {
		t.Errorf("for another platform: %v", err)
	}
}

func TestAddTree(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"bin", "empty"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bin/x"), []byte("X"), 0o755); err != nil {
		t.Fatal(err)
	}
	for l, to := range map[string]string{"l": "bin/x", "out": "/etc/passwd", "dir": "/"} {
		if err := os.Symlink(to, filepath.Join(dir, l)); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, private(t))
	i, err := s.AddTree(t.Context(), dir, ImportOptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	content(t, i, "l", "X")
	if got, err := fs.ReadLink(i, "out"); err != nil || got != "/etc/passwd" {
		t.Errorf("a link out: %q, %v", got, err)
	}
	if _, err := fs.ReadFile(i, "out"); err == nil {
		t.Error("a file of the host came with the tree")
	}
	j, err := s.AddTree(t.Context(), dir, ImportOptions{Name: "y"})
	if err != nil || j.Digest() != i.Digest() {
		t.Errorf("not the same again: %v", err)
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run(); err != nil {
		t.Skipf("no pipe can be made: %v", err)
	}
	if _, err := s.AddTree(t.Context(), dir, ImportOptions{Name: "z"}); err == nil {
		t.Error("a pipe is taken")
	}
}

// TestImportRefuses has archives and layouts that lie or attack.
func TestImportRefuses(t *testing.T) {
	img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1"))
	manifest, err := img.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	layerBlob := func(dir string) string { return filepath.Join(dir, blobName(m.Layers[0].Digest)) }
	// index writes an index.json that lists the manifest as d says.
	index := func(t *testing.T, dir string, d v1.Descriptor) {
		b, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: []v1.Descriptor{d}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "index.json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// blob writes a document and lists it.
	blob := func(t *testing.T, dir string, mt types.MediaType, b []byte) {
		h, n, err := v1.SHA256(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, blobName(h)), b, 0o600); err != nil {
			t.Fatal(err)
		}
		index(t, dir, v1.Descriptor{MediaType: mt, Size: n, Digest: h})
	}
	edited := func(edit func(m *v1.Manifest)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			m := m.DeepCopy()
			edit(m)
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			blob(t, dir, types.OCIManifestSchema1, b)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"a layer that is another", func(t *testing.T, dir string) { flip(t, layerBlob(dir)) }, "its content has the digest"},
		{"a layer that is cut", func(t *testing.T, dir string) {
			if err := os.Truncate(layerBlob(dir), 10); err != nil {
				t.Fatal(err)
			}
		}, "10 bytes, not the"},
		{"a layer that goes on", func(t *testing.T, dir string) {
			if err := os.Truncate(layerBlob(dir), 1<<20); err != nil {
				t.Fatal(err)
			}
		}, "bytes"},
		{"a layer that is missing", func(t *testing.T, dir string) { os.Remove(layerBlob(dir)) }, ""},
		{"a layer that is a link out", func(t *testing.T, dir string) {
			os.Remove(layerBlob(dir))
			if err := os.Symlink(outside, layerBlob(dir)); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"another version", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(`{"imageLayoutVersion":"9"}`), 0o600)
		}, "version 1"},
		{"nothing in it", func(t *testing.T, dir string) {
			index(t, dir, v1.Descriptor{MediaType: "text/plain", Digest: m.Config.Digest})
		}, "no image"},
		{"a digest of another kind", func(t *testing.T, dir string) {
			index(t, dir, v1.Descriptor{MediaType: types.OCIManifestSchema1, Size: 1, Digest: v1.Hash{Algorithm: "sha512", Hex: strings.Repeat("0", 128)}})
		}, "not of sha256"},
		{"a digest that is a path", func(t *testing.T, dir string) {
			os.WriteFile(filepath.Join(dir, "index.json"), []byte(`{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","size":1,"digest":"sha256:../../../x"}]}`), 0o600)
		}, ""},
		{"a manifest of another size", func(t *testing.T, dir string) {
			h, n, _ := v1.SHA256(bytes.NewReader(manifest))
			index(t, dir, v1.Descriptor{MediaType: types.OCIManifestSchema1, Size: n + 1, Digest: h})
		}, "bytes, not the"},
		{"a foreign layer", edited(func(m *v1.Manifest) { m.Layers[0].MediaType = types.DockerForeignLayer }), "foreign"},
		{"a layer with URLs", edited(func(m *v1.Manifest) { m.Layers[0].URLs = []string{"http://169.254.169.254/x"} }), "foreign"},
		{"a layer of another kind", edited(func(m *v1.Manifest) { m.Layers[0].MediaType = "application/x-sh" }), "not a layer"},
		{"a layer that says zstd and is gzip", edited(func(m *v1.Manifest) { m.Layers[0].MediaType = types.OCILayerZStd }), "magic number"},
		{"a layer that says tar and is gzip", edited(func(m *v1.Manifest) { m.Layers[0].MediaType = types.OCIUncompressedLayer }), "layer 1"},
		{"a negative size", edited(func(m *v1.Manifest) { m.Layers[0].Size = -1 }), "a size of -1"},
		{"a size of an EiB", edited(func(m *v1.Manifest) { m.Layers[0].Size = 1 << 60 }), "a size of"},
		{"a layer more than its configuration has", edited(func(m *v1.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }), "its configuration 1"},
		{"too many layers", edited(func(m *v1.Manifest) {
			for range DefaultBounds.Layers {
				m.Layers = append(m.Layers, m.Layers[0])
			}
		}), "129 layers"},
		{"a configuration of another kind", edited(func(m *v1.Manifest) { m.Config.MediaType = "application/vnd.cncf.helm.config.v1+json" }), "something else than an image"},
		{"a configuration of a GiB", edited(func(m *v1.Manifest) { m.Config.Size = 1 << 30 }), "configuration of more"},
		{"schema 1", func(t *testing.T, dir string) {
			blob(t, dir, types.OCIManifestSchema1, []byte(`{"schemaVersion":1,"fsLayers":[]}`))
		}, "schema 1"},
		{"a manifest that is an index", func(t *testing.T, dir string) {
			blob(t, dir, types.OCIManifestSchema1, []byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`))
		}, "announced as"},
		{"both at once", func(t *testing.T, dir string) {
			blob(t, dir, types.OCIManifestSchema1, []byte(`{"schemaVersion":2,"manifests":[],"layers":[]}`))
		}, "in one"},
		{"an index in an index", func(t *testing.T, dir string) {
			inner := []byte(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`)
			blob(t, dir, types.OCIImageIndex, inner)
			h, n, _ := v1.SHA256(bytes.NewReader(inner))
			outer := fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","size":%d,"digest":"%s","platform":{"os":"linux","architecture":"%s"}}]}`, n, h, runtime.GOARCH)
			blob(t, dir, types.OCIImageIndex, []byte(outer))
		}, "announced as"},
		{"not JSON", func(t *testing.T, dir string) { blob(t, dir, types.OCIManifestSchema1, []byte("}")) }, "manifest"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := layoutDir(t, map[string]v1.Image{"x:1": img})
			tt.change(t, dir)
			refusesImport(t, dir, tt.want)
			if !strings.Contains(tt.name, "link out") {
				refusesImport(t, file(t, tarOf(t, dir)), "")
			}
		})
	}
	archives := []struct {
		name string
		b    []byte
		want string
	}{
		{"up", pack(t, "oci-layout={}", "../../evil=1"), "leads out"},
		{"a device", pack(t, "manifest.json=[]", "blobs/x!c"), "type"},
		{"no list", pack(t, "repositories={}", "manifest.json=[]"), "no image"},
		{"a list of what is not there", pack(t, `manifest.json=[{"Config":"/etc/passwd","Layers":["../../etc/passwd"]}]`), "not in it"},
		{"links in a circle", pack(t, `manifest.json=[{"Config":"a.json","Layers":[]}]`, "a.json->b.json", "b.json->a.json"), "not in it"},
		{"a link out", pack(t, `manifest.json=[{"Config":"a.json","Layers":[]}]`, "a.json->/etc/passwd"), "not in it"},
		{"a name that is none", pack(t, `manifest.json=[{"Config":"a.json","RepoTags":["../../x"],"Layers":[]}]`, `a.json={"rootfs":{"type":"layers"}}`), "reference"},
		{"an old list", pack(t, `manifest.json={}`), "manifest.json"},
		{"rubbish", []byte("rubbish, more of it than a block of a tar archive takes" + strings.Repeat(".", 512)), "tar"},
		{"traversal", pack(t, "etc/x=1", "../x=1"), "leads out"},
		{"a gzip bomb", gzipped(t, make([]byte, 200<<20)), "bomb"},
	}
	for _, tt := range archives {
		t.Run(tt.name, func(t *testing.T) { refusesImport(t, file(t, tt.b), tt.want) })
	}
}

// refusesImport fails unless the import is refused and has left no image, and
// nothing outside the store.
func refusesImport(t *testing.T, path, want string) {
	t.Helper()
	around := private(t)
	dir := filepath.Join(around, "a", "b", "store")
	s := open(t, dir)
	before := outside(t, around, dir)
	if _, err := s.Import(t.Context(), path, ImportOptions{KeepNames: true}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	stored(t, s)
	if now := outside(t, around, dir); now != before {
		t.Errorf("written outside the store:\n%s\nbefore:\n%s", now, before)
	}
}

// stored fails where a store has an image or what is half made.
func stored(t *testing.T, s *Store) {
	t.Helper()
	for _, d := range []string{"refs", "tmp", "trees"} {
		if left, err := os.ReadDir(filepath.Join(s.dir, d)); err != nil || len(left) > 0 {
			t.Errorf("%s has %v, %v", d, left, err)
		}
	}
	if c, err := s.GC(t.Context()); err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	if left, err := os.ReadDir(filepath.Join(s.dir, "blobs", "sha256")); err != nil || len(left) > 0 {
		t.Errorf("blobs has %v, %v", left, err)
	}
}

// outside lists what is around a store, with times and sizes.
func outside(t *testing.T, around, store string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(around, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == store {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, p, info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
