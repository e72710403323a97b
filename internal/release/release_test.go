package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// TestMain lets this executable stand for glovebox: it prints its arguments.
func TestMain(m *testing.M) {
	if os.Getenv("RELEASE_TEST") != "" {
		fmt.Println("glovebox", strings.Join(os.Args[1:], " "))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// made makes a release of this executable for this system.
func made(t *testing.T) (release, target) {
	t.Helper()
	i := slices.IndexFunc(targets, func(t target) bool { return t.os == runtime.GOOS && t.arch == runtime.GOARCH })
	if i < 0 {
		t.Skip("there is no release for " + runtime.GOOS + "/" + runtime.GOARCH)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	r := release{version: "1.2.3", out: t.TempDir(), date: time.Unix(1_700_000_000, 0).UTC(), licence: []byte("L"), notice: []byte("N")}
	for _, step := range []func(target, []byte) error{r.archive, r.wheel, r.npmPlatform, r.sbom, r.image} {
		if err := step(targets[i], exe); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.npmLauncher(); err != nil {
		t.Fatal(err)
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	return r, targets[i]
}

// runs starts what was installed, which must pass arguments and status on.
func runs(t *testing.T, exe string) {
	t.Helper()
	cmd := exec.Command(exe, "a", "b c")
	cmd.Env = append(os.Environ(), "RELEASE_TEST=1")
	out, _ := cmd.CombinedOutput()
	if string(out) != "glovebox a b c\n" || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("status %d: %s", cmd.ProcessState.ExitCode(), out)
	}
}

func need(t *testing.T, tool string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err == nil {
		err = exec.Command(path, args...).Run()
	}
	if err != nil {
		t.Skipf("no %s %s here: %v", tool, strings.Join(args, " "), err)
	}
	return path
}

func TestInstall(t *testing.T) {
	r, to := made(t)
	install := func(t *testing.T, cmd *exec.Cmd) {
		t.Helper()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Run("wheel", func(t *testing.T) {
		python := need(t, "python3", "-m", "pip", "--version")
		dir := t.TempDir()
		install(t, exec.Command(python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--root-user-action=ignore",
			"--target", dir, filepath.Join(r.out, fmt.Sprintf("glovebox-1.2.3-py3-none-%s.whl", to.wheel))))
		runs(t, filepath.Join(dir, "bin", to.exe()))
	})
	t.Run("npm", func(t *testing.T) {
		npm := need(t, "npm", "--version")
		dir := t.TempDir()
		install(t, exec.Command(npm, "install", "--offline", "--no-audit", "--no-fund", "--cache", t.TempDir(), "--prefix", dir,
			filepath.Join(r.out, fmt.Sprintf("glovebox-%s-%s-1.2.3.tgz", to.npmOS, to.cpu)), filepath.Join(r.out, "glovebox-npm-1.2.3.tgz")))
		runs(t, filepath.Join(dir, "node_modules", ".bin", "glovebox"))
	})
	t.Run("archive", func(t *testing.T) {
		tar := need(t, "tar", "--version")
		dir := t.TempDir()
		name := fmt.Sprintf("glovebox_1.2.3_%s_%s", to.os, to.arch)
		install(t, exec.Command(tar, "-xf", filepath.Join(r.out, name+".tar.gz"), "-C", dir))
		runs(t, filepath.Join(dir, name, to.exe()))
	})
	t.Run("checksums", func(t *testing.T) {
		sum := exec.Command(need(t, "sha256sum", "--version"), "-c", "checksums.txt")
		sum.Dir = r.out
		install(t, sum)
	})
	t.Run("image", func(t *testing.T) {
		img, err := tarball.ImageFromPath(filepath.Join(r.out, "glovebox_1.2.3_image_"+to.arch+".tar"), nil)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil || config.Architecture != to.arch || !slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/glovebox"}) {
			t.Errorf("%+v, error %v", config, err)
		}
	})
	t.Run("parts", func(t *testing.T) {
		data, err := os.ReadFile(filepath.Join(r.out, fmt.Sprintf("glovebox_1.2.3_%s_%s.cdx.json", to.os, to.arch)))
		if err != nil {
			t.Fatal(err)
		}
		var bom struct {
			Components []struct{ Name, PURL string }
		}
		if err := json.Unmarshal(data, &bom); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprint(bom), "pkg:golang/github.com/google/go-containerregistry@v") {
			t.Errorf("%+v", bom)
		}
	})
}

// TestSame: the same executable makes the same bytes.
func TestSame(t *testing.T) {
	r, _ := made(t)
	again, _ := made(t)
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		a, err1 := os.ReadFile(filepath.Join(r.out, e.Name()))
		b, err2 := os.ReadFile(filepath.Join(again.out, e.Name()))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", e.Name(), err1, err2)
		}
	}
}

// TestNotice: each module that is linked has a licence that we pass on.
func TestNotice(t *testing.T) {
	if testing.Short() {
		t.Skip("asks go list for five systems")
	}
	t.Chdir("../..")
	t.Setenv("GOPROXY", "off")
	if out, err := exec.Command("go", "list", "-deps", "./cmd/glovebox").CombinedOutput(); err != nil {
		t.Skipf("the modules are not on this machine: %.200s", out)
	}
	r := release{out: t.TempDir()}
	if err := r.readNotice(); err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{"gvisor.dev/gvisor ", "github.com/tetratelabs/wazero ", "github.com/Microsoft/go-winio ", "Go go1"} {
		if !bytes.Contains(r.notice, []byte("\n"+module)) {
			t.Errorf("no %s", module)
		}
	}
}
