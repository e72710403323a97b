package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/erofs/go-erofs"
	"github.com/google/go-containerregistry/pkg/name"
	registrytest "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// private returns a directory that a store can be in.
func private(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve starts a registry on the loopback and returns its host:port.
func serve(t testing.TB) string {
	t.Helper()
	host, stop := serveUntil()
	t.Cleanup(stop)
	return host
}

func serveUntil() (host string, stop func()) {
	s := httptest.NewServer(registrytest.New(registrytest.Logger(quiet())))
	return strings.TrimPrefix(s.URL, "http://"), s.Close
}

// compressed packs a layer as its media type says.
func compressed(t testing.TB, mediaType types.MediaType, layer []byte) v1.Layer {
	t.Helper()
	switch mediaType {
	case types.OCILayerZStd:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return static.NewLayer(w.EncodeAll(layer, nil), mediaType)
	case types.OCILayer, types.DockerLayer:
		return static.NewLayer(gzipped(t, layer), mediaType)
	}
	return static.NewLayer(layer, mediaType)
}

// build makes an image of layers for a platform.
func build(t testing.TB, mediaType types.MediaType, c v1.Config, architecture string, layers ...[]byte) v1.Image {
	t.Helper()
	img := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	var diffs []v1.Hash
	var add []mutate.Addendum
	for _, l := range layers {
		diff, _, err := v1.SHA256(bytes.NewReader(l))
		if err != nil {
			t.Fatal(err)
		}
		diffs = append(diffs, diff)
		add = append(add, mutate.Addendum{Layer: compressed(t, mediaType, l), MediaType: mediaType})
	}
	img, err := mutate.Append(img, add...)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", Architecture: architecture, Config: c, RootFS: v1.RootFS{Type: "layers", DiffIDs: diffs}})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func push(t testing.TB, ref string, what remote.Taggable) {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	switch w := what.(type) {
	case v1.Image:
		err = remote.Write(r, w)
	case v1.ImageIndex:
		err = remote.WriteIndex(r, w)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func hexOf(t testing.TB, what interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	d, err := what.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

var insecure = PullOptions{Insecure: true}

func TestPull(t *testing.T) {
	_, warm := serveUntil() // what the runtime opens once, it keeps
	warm()
	layers := [][]byte{
		pack(t, "bin/sh*=#!", "etc/passwd=root:x:0:0::/:/bin/sh\n", "gone=1", "usr/bin/python3->/etc/alternatives/python3", "etc/alternatives/python3->/bin/sh"),
		pack(t, ".wh.gone", "new=2"),
	}
	config := v1.Config{Env: []string{"PATH=/usr/bin", "A=1"}, Entrypoint: []string{"/bin/sh"}, Cmd: []string{"-c", "x"}, WorkingDir: "/srv/../app", User: "nobody"}
	for _, mediaType := range []types.MediaType{types.OCILayer, types.OCILayerZStd, types.OCIUncompressedLayer, types.DockerLayer} {
		t.Run(string(mediaType), func(t *testing.T) {
			dir := private(t)
			before := leftover.Look(t, leftover.Options{})
			host, stop := serveUntil()
			img := build(t, mediaType, config, runtime.GOARCH, layers...)
			ref := host + "/acme/tool:1"
			push(t, ref, img)
			s, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			var last Progress
			got, err := s.Pull(t.Context(), ref, PullOptions{Insecure: true, Progress: func(p Progress) { last = p }})
			if err != nil {
				t.Fatal(err)
			}
			if got.Digest() != hexOf(t, img) || last.Done != last.Total || last.Total == 0 {
				t.Errorf("digest %s, progress %+v", got.Digest(), last)
			}
			if c := got.Config(); c.WorkingDir != "/app" || !slices.Equal(c.Entrypoint, config.Entrypoint) || !slices.Equal(c.Env, config.Env) || c.User != "nobody" {
				t.Errorf("config %+v", c)
			}
			if b, err := fs.ReadFile(got, "new"); err != nil || string(b) != "2" {
				t.Errorf("new: %q, %v", b, err)
			}
			if _, err := fs.Stat(got, "gone"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("gone: %v", err)
			}
			if p, err := got.LookPath("python", "python3"); err != nil || p != "/usr/bin/python3" {
				t.Errorf("python3 at %q, %v", p, err)
			}
			for _, text := range []string{ref, got.Digest(), got.Digest()[7:20], host + "/acme/tool@" + got.Digest(), host + "/acme/tool:1@" + got.Digest()} {
				found, err := s.Find(text)
				if err != nil || found.Digest() != got.Digest() {
					t.Errorf("%s: %v", text, err)
				}
			}
			if err := s.Verify(t.Context(), ref); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			clientIdle()
			stop() // waits for all connections
			before.Same(t)
		})
	}
}

func TestPlatforms(t *testing.T) {
	host := serve(t)
	s := open(t, private(t))
	other := "riscv64"
	var index v1.ImageIndex = empty.Index
	want := map[string]string{}
	for _, arch := range []string{other, runtime.GOARCH} {
		img := build(t, types.OCILayer, v1.Config{}, arch, pack(t, "arch="+arch))
		want[arch] = hexOf(t, img)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	push(t, host+"/multi:1", index)
	for _, tt := range []struct{ platform, arch string }{{"", runtime.GOARCH}, {"linux/" + other, other}} {
		got, err := s.Pull(t.Context(), host+"/multi:1", PullOptions{Insecure: true, Platform: Platform(tt.platform)})
		if err != nil || got.Digest() != want[tt.arch] || got.Ref().Index != hexOf(t, index) || got.Ref().Platform != Platform("linux/"+tt.arch) {
			t.Errorf("%q: %+v, %v", tt.platform, got, err)
		}
	}
	if found, err := s.Find(hexOf(t, index)); err != nil || found.Digest() != want[other] {
		t.Errorf("by the index's digest: %v", err)
	}
	if _, err := s.Pull(t.Context(), host+"/multi:1", PullOptions{Insecure: true, Platform: "linux/s390x"}); err == nil || !strings.Contains(err.Error(), "not made for linux/s390x") {
		t.Errorf("a platform that it is not made for: %v", err)
	}
	push(t, host+"/single:1", build(t, types.OCILayer, v1.Config{}, other))
	if _, err := s.Pull(t.Context(), host+"/single:1", insecure); err == nil || !strings.Contains(err.Error(), "made for linux/"+other) {
		t.Errorf("an image of another architecture: %v", err)
	}
}

func TestRandomImages(t *testing.T) {
	host := serve(t)
	s := open(t, private(t))
	for range 3 {
		img, err := random.Image(2048, 3)
		if err != nil {
			t.Fatal(err)
		}
		push(t, host+"/random:latest", img)
		got, err := s.Pull(t.Context(), host+"/random", insecure)
		if err != nil || got.Digest() != hexOf(t, img) {
			t.Fatal(err)
		}
	}
	refs, err := s.List()
	if err != nil || len(refs) != 1 {
		t.Fatalf("%v, %v", refs, err)
	}
	// The images that lost their name are in use by this process.
	c, err := s.GC(t.Context())
	if err != nil || c.Blobs == 0 || c.InUse != 2 || c.Trees != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRemoveAndCollect(t *testing.T) {
	dir := private(t)
	s := open(t, dir)
	add := func(s *Store, n, content string) *Image {
		t.Helper()
		i, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "f="+content)), ImportOptions{Name: n})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	one := add(s, "one", "1")
	add(s, "uno", "1")
	two := add(s, "two", "2")
	if refs, err := s.Remove(t.Context(), one.Digest()); err != nil || len(refs) != 2 {
		t.Errorf("%+v, %v", refs, err)
	}
	if _, err := s.Find("one"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a removed name: %v", err)
	}
	if _, err := s.Remove(t.Context(), "one"); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	other := open(t, dir)
	if c, err := other.GC(t.Context()); err != nil || c.InUse != 1 || c.Trees != 0 || c.Blobs != 3 {
		t.Errorf("in use: %+v, %v", c, err)
	}
	// A running process goes on with what it has.
	if b, err := fs.ReadFile(one, "f"); err != nil || string(b) != "1" {
		t.Errorf("%q, %v", b, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := other.GC(t.Context()); err != nil || c.Trees != 1 || c.InUse != 0 {
		t.Errorf("no longer in use: %+v, %v", c, err)
	}
	if c, err := other.GC(t.Context()); err != nil || c != (Collected{}) {
		t.Errorf("collected twice: %+v, %v", c, err)
	}
	if found, err := other.Find("two"); err != nil || found.Digest() != two.Digest() {
		t.Errorf("what has a name: %v", err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, s *Store, i *Image)
		want   string
	}{
		{"a layer", func(t *testing.T, s *Store, i *Image) { flip(t, s.blobPath(i.manifest.Layers[0].Digest)) }, "its content has the digest"},
		{"the configuration", func(t *testing.T, s *Store, i *Image) { flip(t, s.blobPath(i.manifest.Config.Digest)) }, "changed on the disk"},
		{"the manifest", func(t *testing.T, s *Store, i *Image) {
			h, _ := parseDigest(i.Digest())
			flip(t, s.blobPath(h))
		}, "its content has the digest"},
		{"a missing layer", func(t *testing.T, s *Store, i *Image) { os.Remove(s.blobPath(i.manifest.Layers[0].Digest)) }, "missing"},
		{"the tree's content", func(t *testing.T, s *Store, i *Image) { flip(t, i.tree.data.Name()) }, `the tree has "/f" with the digest`},
		{"the tree's names", func(t *testing.T, s *Store, i *Image) {
			flip(t, filepath.Join(filepath.Dir(i.tree.data.Name()), treeIndex))
		}, "other names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, private(t))
			layer := pack(t, "f=some content of a file")
			i, err := s.ImportRootFS(t.Context(), bytes.NewReader(layer), ImportOptions{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			tt.damage(t, s, i)
			if err := s.Verify(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			// The next import repairs it.
			if _, err := s.ImportRootFS(t.Context(), bytes.NewReader(layer), ImportOptions{Name: "x"}); err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), "x"); err != nil {
				t.Errorf("after it was imported again: %v", err)
			}
		})
	}
}

// flip changes a byte in the middle of a file.
func flip(t *testing.T, p string) {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if strings.HasSuffix(p, treeData) {
		b[0] ^= 1
	}
	if err := errors.Join(os.Chmod(p, 0o600), os.WriteFile(p, b, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatOthersCanReach(t *testing.T) {
	dir := private(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a directory that everyone can write to is taken")
	}
}

func TestCancelled(t *testing.T) {
	s := open(t, private(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ImportRootFS(ctx, bytes.NewReader(pack(t, "f=1")), ImportOptions{Name: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestRoots builds roots from the plan of an image that would like to lead our
// mounts and drivers astray.
func TestRoots(t *testing.T) {
	s := open(t, private(t))
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("of the host"), 0o600); err != nil {
		t.Fatal(err)
	}
	i, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t,
		"bin/sh*=#!", "etc->/etc", "workspace->/etc", "tmp->/", "proc->/proc", "dev=file", "sys/x=1",
		"opt->/workspace", "srv/leak->"+secret, "srv/root->/", "srv/up->../../../../../../../../"+secret,
		"usr/bin/python3->/etc/alternatives/python3",
	)), ImportOptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	roots, err := rootfs.Open(private(t))
	if err != nil {
		t.Fatal(err)
	}
	plan := i.Plan()
	plan.Add(rootfs.Entry{Path: "/opt/glovebox/python/driver.py", Data: []byte("ours")})
	root, err := roots.Tree(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"workspace", "tmp", "proc", "dev", "sys", "etc", "opt/glovebox"} {
		if info, err := os.Lstat(filepath.Join(root.Tree, d)); err != nil || !info.IsDir() {
			t.Errorf("/%s is no directory: %v, %v", d, info, err)
		}
	}
	for name, want := range map[string]string{
		"srv/leak": secret, "srv/root": "/", "srv/up": "../../../../../../../../" + secret, "usr/bin/python3": "/etc/alternatives/python3", "etc/mtab": "../proc/self/mounts",
	} {
		if got, err := os.Readlink(filepath.Join(root.Tree, name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"opt/glovebox/python/driver.py": "ours", "etc/resolv.conf": "", "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/workspace:/bin/sh\n", "bin/sh": "#!"} {
		if b, err := os.ReadFile(filepath.Join(root.Tree, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if b, err := fs.ReadFile(i, "srv/leak"); err == nil {
		t.Errorf("the image shows what is on the host: %q", b)
	}
	if _, err := roots.Image(t.Context(), plan); err != nil {
		t.Error(err)
	}
	again, err := roots.Tree(t.Context(), plan)
	if err != nil || again.Tree != root.Tree {
		t.Errorf("built twice: %v, %v", again, err)
	}
	// Another image has another key, and shares no content by mistake.
	j, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "bin/sh*=!#")), ImportOptions{Name: "y"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := roots.Tree(t.Context(), j.Plan())
	if err != nil || other.Key == root.Key {
		t.Fatalf("%v, %v", other, err)
	}
	if b, _ := os.ReadFile(filepath.Join(other.Tree, "bin/sh")); string(b) != "!#" {
		t.Errorf("bin/sh is %q", b)
	}
}

func TestAccounts(t *testing.T) {
	tests := []struct{ name, passwd, want string }{
		{"none", "", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/workspace:/bin/sh\n"},
		{"has both", "root:x:0:0::/:/bin/ash\nnode:x:1000:1000::/home/node:/bin/sh", "root:x:0:0::/:/bin/ash\nnode:x:1000:1000::/home/node:/bin/sh\n"},
		{"has one, and rubbish", "rubbish\nroot:x:0:0::/:/bin/sh\n\xff:::\n", "root:x:0:0::/:/bin/sh\n\xff:::\nuser:x:1000:1000:user:/workspace:/bin/sh\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, private(t))
			i, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "etc/passwd="+tt.passwd)), ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range i.Plan().Entries {
				if e.Path == "/etc/passwd" && string(e.Data) != tt.want {
					t.Errorf("got %q, want %q", e.Data, tt.want)
				}
			}
		})
	}
}

func TestLookups(t *testing.T) {
	s := open(t, private(t))
	i, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t,
		"usr/bin/real*=1", "usr/bin/data=1", "bin->usr/bin", "a->b", "b->a", "abs->/usr/bin/real", "up->../../../../usr/bin", "d/e/f=1", "d/l->../d/e", "broken->nowhere", "f=1",
	)), ImportOptions{Config: Config{Env: []string{"PATH=relative:/none:/bin"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": "/", ".": "/", "/": "/", "..": "/", "../..//bin": "/usr/bin", "bin/real": "/usr/bin/real", "/abs": "/usr/bin/real", "up/real": "/usr/bin/real",
		"d/l/f": "/d/e/f", "d/l/../f": "", "d/l/..": "/d", "a": "", "broken": "", "f/x": "", "f/..": "", "none": "",
	} {
		if got, err := i.Resolve(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"real": "/bin/real", "data": "", "/abs": "/abs", "abs": "", "./f": "", "relative/real": ""} {
		if got, err := i.LookPath(name); got != want || (err == nil) != (want != "") {
			t.Errorf("LookPath(%q): %q, %v; want %q", name, got, err, want)
		}
	}
	var seen []string
	err = fs.WalkDir(i, ".", func(p string, d fs.DirEntry, err error) error {
		seen = append(seen, p)
		return err
	})
	if err != nil || !slices.Contains(seen, "d/e/f") || slices.Contains(seen, "d/l/f") {
		t.Errorf("%q, %v", seen, err)
	}
}

func TestConfigRefuses(t *testing.T) {
	many := make([]string, maxConfigList+1)
	for i := range many {
		many[i] = "A=1"
	}
	for name, c := range map[string]v1.Config{
		"too much of it":  {Env: many},
		"NUL":             {Cmd: []string{"a\x00b"}},
		"no variable":     {Env: []string{"=x"}},
		"no value":        {Env: []string{"x"}},
		"too much text":   {User: strings.Repeat("x", maxConfigText+1)},
		"many labels":     {Labels: map[string]string{"x": strings.Repeat("x", maxConfigText)}},
		"a long place":    {WorkingDir: strings.Repeat("/x", maxPath)},
		"NUL in a place":  {WorkingDir: "/\x00"},
		"NUL in a label":  {Labels: map[string]string{"\x00": ""}},
		"NUL in an entry": {Entrypoint: []string{"\x00"}},
	} {
		b, err := json.Marshal(v1.ConfigFile{Config: c})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := parseConfig(b); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"architecture":"amd64","os":"linux","config":{"Env":["A=1"],"WorkingDir":"../x"},"rootfs":{"type":"layers","diff_ids":["sha256:00"]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, _, err := parseConfig(b)
		if err == nil && (c.check() != nil || c.WorkingDir != "" && filepath.Clean(c.WorkingDir) != c.WorkingDir) {
			t.Errorf("%+v is taken", c)
		}
	})
}

// TestOddNames brings names and links that an image may hold into both forms
// of a root.
func TestOddNames(t *testing.T) {
	long := strings.Repeat("n", maxName)
	deep := strings.Repeat("d/", maxDepth-1) + "f"
	s := open(t, private(t))
	i, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t,
		long+"=1", deep+"=2", "new\nline=3", "\xff\xfe=4", "\x1b[31m=5", "...=6", "l->"+strings.Repeat("x", maxLink), "Case=7", "cASE=8", "empty=", " ->"+"\xff",
		"h=>Case",
	)), ImportOptions{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	roots, err := rootfs.Open(private(t))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := roots.Tree(t.Context(), i.Plan())
	if err != nil {
		t.Fatal(err)
	}
	packed, err := roots.Image(t.Context(), i.Plan())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(packed.Image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := erofs.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	show := func(from fs.FS) string {
		var b strings.Builder
		err := fs.WalkDir(from, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%q %v", p, d.Type())
			switch {
			case !fs.ValidPath(p): // which package os does not open
			case d.Type() == 0:
				content, err := fs.ReadFile(from, p)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %q", content)
			case d.Type() == fs.ModeSymlink:
				to, err := fs.ReadLink(from, p)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %q", to)
			}
			b.WriteString("\n")
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return b.String()
	}
	if a, b := show(os.DirFS(tree.Tree)), show(img); a != b || !strings.Contains(a, long) || !strings.Contains(a, deep) {
		t.Errorf("the tree is\n%s\nthe image is\n%s", a, b)
	}
}

func BenchmarkFind(b *testing.B) {
	s := open(b, private(b))
	for _, n := range []string{"one", "two", "three"} {
		if _, err := s.ImportRootFS(b.Context(), bytes.NewReader(pack(b, "f="+n)), ImportOptions{Name: n}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.Find("two"); err != nil {
			b.Fatal(err)
		}
	}
}
