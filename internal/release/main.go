// Command release makes the installable files: static executables for each
// system in an archive, Debian and RPM packages, Python wheels, npm packages
// and a container image with the executable, their checksums, the list of their
// parts (SBOM) and the parts' licences (NOTICE). The same commit makes the same
// bytes.
//
//	go run ./internal/release -version 0.1.0 -out dist
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a supported system, with its names in the various package formats.
type target struct {
	os, arch   string
	wheel      string // the platform tags of Python's wheels
	npmOS, cpu string
}

var targets = []target{
	{"linux", "amd64", "manylinux2014_x86_64.musllinux_1_1_x86_64", "linux", "x64"},
	{"linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64", "linux", "arm64"},
	{"darwin", "amd64", "macosx_11_0_x86_64", "darwin", "x64"},
	{"darwin", "arm64", "macosx_11_0_arm64", "darwin", "arm64"},
	{"windows", "amd64", "win_amd64", "win32", "x64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

// exe is the name of the executable there.
func (t target) exe() string {
	if t.os == "windows" {
		return "glovebox.exe"
	}
	return "glovebox"
}

// release holds the values common to all files.
type release struct {
	version string
	out     string
	date    time.Time // of the commit
	licence []byte
	notice  []byte
}

func main() {
	version := flag.String("version", "0.0.0", "the version, such as 0.1.0")
	out := flag.String("out", "dist", "the folder that everything is put into")
	only := flag.String("only", "", "the systems, such as linux/amd64,windows/amd64 (default all)")
	packages := flag.Bool("packages", true, "make .deb and .rpm by nfpm, which the Go proxy must have")
	flag.Parse()
	if err := makeAll(*version, *out, *only, *packages); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func makeAll(version, out, only string, packages bool) error {
	r := release{version: version, out: out}
	wanted := strings.FieldsFunc(only, func(c rune) bool { return c == ',' })
	for _, w := range wanted {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.String() == w }) {
			return fmt.Errorf("-only %s: there are %v", w, targets)
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var err error
	if r.date, err = commitDate(); err != nil {
		return err
	}
	if r.licence, err = os.ReadFile("LICENSE"); err != nil {
		return err
	}
	if err := r.readNotice(); err != nil {
		return err
	}
	for _, t := range targets {
		if len(wanted) > 0 && !slices.Contains(wanted, t.String()) {
			continue
		}
		fmt.Fprintf(os.Stderr, "release: %v\n", t)
		if err := r.makeTarget(t, packages); err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
	}
	if err := r.npmLauncher(); err != nil {
		return err
	}
	return r.checksums()
}

// commitDate is the time of all files in the results.
func commitDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("the date of the commit (SOURCE_DATE_EPOCH): %w", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func (r *release) makeTarget(t target, packages bool) error {
	exe, err := r.build(t)
	if err != nil {
		return err
	}
	steps := []func(target, []byte) error{r.archive, r.wheel, r.npmPlatform, r.sbom}
	if t.os == "linux" {
		steps = append(steps, r.image)
		if packages {
			steps = append(steps, r.packages)
		}
	}
	for _, step := range steps {
		if err := step(t, exe); err != nil {
			return err
		}
	}
	return nil
}

// build returns the executable.
func (r *release) build(t target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, t.exe())
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -X main.released="+r.version, "-o", exe, "./cmd/glovebox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(exe)
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// checksums writes checksums.txt in the format of sha256sum -c.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, e := range entries {
		if e.IsDir() || e.Name() == "checksums.txt" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.write("checksums.txt", text.Bytes())
}
