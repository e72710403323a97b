package kernel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/leftover"
)

func writeFile(t testing.TB, data []byte, at ...string) string {
	t.Helper()
	name := filepath.Join(at...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

// private is a directory that nobody else can enter.
func private(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// amd64 prepares a made kernel, whatever this machine is.
func amd64(dir string, from Source) (*Kernel, error) {
	return Prepare(context.Background(), Options{Dir: dir, From: from, Arch: "amd64"})
}

func TestPrepare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels")
	deb := writeFile(t, makeDeb(t, "xz", kernelFiles(t)), t.TempDir(), "k.deb")
	var steps []string
	k, err := Prepare(context.Background(), Options{Dir: dir, From: Package{Path: deb}, Arch: "amd64", Progress: func(p Progress) {
		steps = append(steps, p.Step)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if k.Version != version || k.Arch != "amd64" || !strings.Contains(k.Source, deb) || len(k.Key) != 64 || len(steps) < 3 {
		t.Errorf("%+v after %q", k, steps)
	}
	if got, _ := os.ReadFile(k.Vmlinux); !bytes.Equal(got, makeVmlinux(t, version)) {
		t.Error("vmlinux is not what was packed")
	}
	if got, _ := os.ReadFile(k.Image); !bytes.Equal(got, makeBzImage(t, "lz4", makeVmlinux(t, version))) {
		t.Error("the boot image is not what was packed")
	}
	mods, err := k.Modules("erofs", "virtio_console")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range mods {
		names = append(names, m.Name)
		ko, err := os.ReadFile(m.Path)
		if err != nil || !bytes.HasPrefix(ko, []byte("\x7fELF")) {
			t.Errorf("%s: %.4q, %v", m.Path, ko, err)
		}
	}
	if want := []string{"crc32c_generic", "libcrc32c", "netfs", "erofs"}; !slices.Equal(names, want) {
		t.Errorf("modules %q, want %q", names, want)
	}
	for _, missing := range []string{"virtio_balloon", "unneeded", "../erofs"} {
		if _, err := k.Modules(missing); err == nil {
			t.Errorf("a module %q", missing)
		}
	}
	for _, f := range leftover.Files(t, dir) {
		if info, err := os.Lstat(f); err != nil || info.IsDir() && info.Mode().Perm() != 0o700 || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
		if strings.Contains(f, "unneeded") || strings.Contains(f, "part") || strings.Contains(f, "postinst") {
			t.Errorf("%s was kept", f)
		}
	}
	again, err := load(k.Dir)
	if err != nil || again.Key != k.Key {
		t.Errorf("loaded: %v, %v", again, err)
	}
}

func TestPrepareFromFiles(t *testing.T) {
	root := t.TempDir()
	for _, e := range kernelFiles(t) {
		if e.kind == 0 {
			writeFile(t, e.data, root, e.name)
		}
	}
	image, mods := filepath.Join(root, "boot/vmlinuz-"+version), filepath.Join(root, "usr/lib/modules", version)
	if err := os.Symlink("/etc/shadow", filepath.Join(mods, "build.ko")); err != nil {
		t.Fatal(err)
	}
	k, err := amd64(private(t), Files{Image: image, Modules: mods})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := k.Modules("virtio_blk"); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	bare := writeFile(t, makeVmlinux(t, version), root, "vmlinux")
	if k, err = amd64(private(t), Files{Image: bare}); err != nil {
		t.Fatal(err)
	}
	if list, err := k.Modules(Required...); len(list) != 0 || err != nil || k.Image != k.Vmlinux {
		t.Errorf("%v, %v, %s", list, err, k.Image)
	}
}

func TestPrepareRefuses(t *testing.T) {
	deb := makeDeb(t, "gzip", kernelFiles(t))
	path := writeFile(t, deb, t.TempDir(), "k.deb")
	other := kernelFiles(t)
	other[2].data = makeBzImage(t, "gzip", makeVmlinux(t, "5.10"))
	arm := writeFile(t, makeArm64("6.12.1-cloud-arm64"), t.TempDir(), "Image")
	for _, tt := range []struct {
		name string
		from Source
		want string
	}{
		{"another hash", Package{Path: path, SHA256: strings.Repeat("0", 64)}, "SHA-256"},
		{"no hash", Package{Path: path, SHA256: "abc"}, "no SHA-256"},
		{"missing", Package{Path: path + "x"}, "no such file"},
		{"directory", Package{Path: filepath.Dir(path)}, "regular"},
		{"pinned without a hash", Pinned{URL: "http://127.0.0.1:1/k.deb"}, "needs its SHA-256"},
		{"image of another version", Package{Path: writeFile(t, makeDeb(t, "gzip", other), t.TempDir(), "k.deb")}, "its name says"},
		{"another processor", Files{Image: arm}, "for arm64"},
		{"a device", Files{Image: "/dev/zero"}, "regular"},
		{"modules missing", Files{Image: arm, Modules: "/nonexistent"}, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := private(t)
			_, err := amd64(dir, tt.from)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			for _, f := range leftover.Files(t, dir) {
				if f != dir && filepath.Base(f) != "lock" {
					t.Errorf("%s is left", f)
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the made kernel is for amd64")
	}
	dir := private(t)
	if _, err := Find(dir); !errors.Is(err, ErrNone) {
		t.Errorf("error %v, want %v", err, ErrNone)
	}
	t.Setenv("GLOVEBOX_KERNEL", dir)
	deb := writeFile(t, makeDeb(t, "gzip", kernelFiles(t)), t.TempDir(), "k.deb")
	made, err := amd64("", Package{Path: deb})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Find("")
	if err != nil || k.Key != made.Key || filepath.Dir(k.Dir) != dir {
		t.Fatalf("%+v, %v", k, err)
	}
	// Damage, and what an attacker would write, is seen, and a new Prepare heals.
	for _, tt := range []struct {
		name   string
		damage func() error
		want   string
	}{
		{"a byte of vmlinux", func() error { return flip(k.Vmlinux, 200) }, "was changed"},
		{"a byte of a module", func() error { return flip(filepath.Join(k.Dir, "modules/erofs.ko"), 70) }, "was changed"},
		{"longer", func() error {
			data, err := os.ReadFile(k.Image)
			return errors.Join(err, replace(k.Image, append(data, 'x')))
		}, "bytes that was written"},
		{"a link", func() error {
			return errors.Join(os.Rename(k.Image, k.Image+"x"), os.Symlink("vmlinuzx", k.Image))
		}, "is not the file"},
		{"gone", func() error { return os.Remove(k.Image) }, "no such file"},
		{"a name outside", func() error { return edit(k.Dir, `"name": "vmlinuz"`, `"name": "../../vmlinuz"`) }, "the manifest names"},
		{"a file without a hash", func() error { return edit(k.Dir, `"image": "vmlinuz"`, `"image": "/etc/passwd"`) }, "no hash of"},
		{"another format", func() error { return edit(k.Dir, `"format": 1`, `"format": 2`) }, "format 2"},
		{"no manifest", func() error { return os.Remove(filepath.Join(k.Dir, manifestName)) }, "no such file"},
		{"current outside", func() error {
			return replace(filepath.Join(dir, "current-amd64"), []byte("../x"))
		}, "names"},
		{"open to others", func() error { return os.Chmod(dir, 0o755) }, "closed to others"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.damage(); err != nil {
				t.Fatal(err)
			}
			if _, err := Find(""); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			os.Chmod(dir, 0o700)
			if _, err := amd64("", Package{Path: deb}); err != nil {
				t.Fatal(err)
			}
			if _, err := Find(""); err != nil {
				t.Error(err)
			}
		})
	}
}

func flip(name string, at int) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	data[at] ^= 1
	return replace(name, data)
}

// replace writes a file that is there and is only to be read.
func replace(name string, data []byte) error {
	return errors.Join(os.Remove(name), os.WriteFile(name, data, 0o600))
}

func edit(dir, old, new string) error {
	name := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(old)) {
		return errors.New("nothing to edit")
	}
	return replace(name, bytes.Replace(data, []byte(old), []byte(new), 1))
}

// TestPrepareAtOnce: many may prepare, the last one stays current, older ones go,
// and what a crash left is swept.
func TestPrepareAtOnce(t *testing.T) {
	dir := private(t)
	writeFile(t, []byte("half"), dir, "part-123", "vmlinux")
	var all sync.WaitGroup
	for i := range 6 {
		image := writeFile(t, makeVmlinux(t, "6."+string(rune('1'+i))), t.TempDir(), "vmlinux")
		all.Go(func() {
			if _, err := amd64(dir, Files{Image: image}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var kernels []string
	for _, e := range entries {
		if homes().MatchString(e.Name()) {
			kernels = append(kernels, e.Name())
		} else if e.Name() != "lock" && e.Name() != "current-amd64" {
			t.Errorf("%s is left", e.Name())
		}
	}
	name, err := current(dir, "amd64")
	if len(kernels) != 2 || !slices.Contains(kernels, name) || err != nil {
		t.Errorf("%q, current %q, %v", kernels, name, err)
	}
	// Whoever waits for the lock can give up.
	unlock, err := lock(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, dir); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
}
