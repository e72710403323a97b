package language

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// goSources are our programs and packages compiled into the kit by the host's Go.
//
//go:embed golang/driver/main.go golang/driver/together.go golang/runner/runner.go golang/runner/verbose.go
//go:embed golang/wire/codec.go golang/wire/link.go golang/wire/objects.go golang/wire/report.go
var goSources embed.FS

// goKitDeadline bounds the building of a kit, which compiles the whole standard
// library once.
const goKitDeadline = 10 * time.Minute

// findGo finds Go and builds its kit, once per toolchain: the compiler, the linker,
// the compiled standard library and our own code, all with neutral paths. The build
// takes half a minute the first time and almost nothing later.
func findGo(ctx context.Context, h Host) (*Toolchain, error) {
	goExe, err := h.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("Go was not found (%w): %s", err, installGo)
	}
	kit, err := goKit(ctx, goExe)
	if err != nil {
		return nil, fmt.Errorf("preparing Go from %s: %w", goExe, err)
	}
	version, err := os.ReadFile(filepath.Join(kit, "version"))
	if err != nil {
		return nil, err
	}
	root := rootfs.Base()
	root.Add(
		rootfs.Entry{Path: goTools, Source: filepath.Join(kit, "pkg")},
		rootfs.Entry{Path: goDriver, Source: filepath.Join(kit, "driver")},
	)
	return &Toolchain{
		Language: "go",
		Version:  strings.TrimSpace(string(version)),
		Exe:      goDriver,
		Tools:    map[string]string{"driver": goDriver},
		Path:     "/usr/local/bin:/usr/bin:/bin",
		Root:     root,
	}, nil
}

// goKit returns the kit directory for the toolchain of goExe. The directory appears
// complete or not at all.
func goKit(ctx context.Context, goExe string) (string, error) {
	key, err := goKitKey(goExe)
	if err != nil {
		return "", err
	}
	cache, err := rootfs.DefaultDir()
	if err != nil {
		return "", err
	}
	all, err := rootfs.Private(filepath.Join(cache, "toolchains"))
	if err != nil {
		return "", err
	}
	kit := filepath.Join(all, "go-"+key)
	if _, err := os.Stat(kit); err == nil {
		now := time.Now()
		os.Chtimes(filepath.Join(kit, "version"), now, now) // marks the kit as used
		return kit, nil
	}
	sweepKits(all)
	ctx, cancel := context.WithTimeout(ctx, goKitDeadline)
	defer cancel()
	part, err := os.MkdirTemp(all, "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := (&goMaker{exe: goExe, dir: part}).make(ctx); err != nil {
		return "", err
	}
	// Another process may have finished first: its kit is equivalent.
	if err := os.Rename(part, kit); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return kit, nil
}

// goKitAge is the retention time of an unused kit, left by a removed Go or
// Glovebox.
const goKitAge = 14 * 24 * time.Hour

// sweepKits removes partial kits left by crashes, and unused kits.
func sweepKits(dir string) {
	sweep := func(pattern, mark string, age time.Duration) {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, p := range found {
			if info, err := os.Stat(filepath.Join(p, mark)); err == nil && time.Since(info.ModTime()) > age {
				os.RemoveAll(p)
			}
		}
	}
	sweep("part-*", ".", 2*goKitDeadline)
	sweep("go-*", "version", goKitAge)
}

// goKitKey identifies the toolchain and our own code.
func goKitKey(goExe string) (string, error) {
	info, err := os.Stat(goExe)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "kit 4\n%s\n%d\n%d\n", goExe, info.Size(), info.ModTime().UnixNano())
	err = fs.WalkDir(goSources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := goSources.ReadFile(name)
		fmt.Fprintf(sum, "%s\n%d\n%s", name, len(data), data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:12]), err
}

// goMaker makes a kit in dir.
type goMaker struct {
	exe string
	dir string
	// tools is the directory of the host's compiler.
	tools string
	// config is the importcfg with host paths, boxed the importcfg with box paths.
	config, boxed bytes.Buffer
}

func (m *goMaker) make(ctx context.Context) error {
	out, err := m.ask(ctx, "env", "GOTOOLDIR", "GOVERSION")
	if err != nil {
		return err
	}
	tools, version, _ := strings.Cut(strings.TrimSpace(out), "\n")
	m.tools = tools
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "go"), " ")
	pkg := filepath.Join(m.dir, "pkg")
	if err := os.MkdirAll(pkg, 0o755); err != nil {
		return err
	}
	for _, tool := range []string{"compile", "link"} {
		if err := copyExecutable(filepath.Join(pkg, tool), filepath.Join(tools, tool)); err != nil {
			return err
		}
	}
	// A toolchain may come without vet. Then nothing is vetted.
	if err := copyExecutable(filepath.Join(pkg, "vet"), filepath.Join(tools, "vet")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := m.standardLibrary(ctx); err != nil {
		return err
	}
	for _, name := range []string{"wire", "runner"} {
		if err := m.compile(ctx, name); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(pkg, "importcfg"), m.boxed.Bytes(), 0o644); err != nil {
		return err
	}
	build := []string{"build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(m.dir, "driver")}
	for _, name := range []string{"main.go", "together.go"} {
		source, err := m.source("driver", name)
		if err != nil {
			return err
		}
		build = append(build, source)
	}
	if _, err := m.ask(ctx, build...); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.dir, "version"), []byte(version), 0o644)
}

// standardLibrary compiles every package of the standard library, without host
// paths and without debugging data.
func (m *goMaker) standardLibrary(ctx context.Context) error {
	list, err := m.ask(ctx, "list", "-export", "-trimpath", "-gcflags=all=-dwarf=false", "-f", "{{.ImportPath}}={{.Export}}", "std")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		name, archive, _ := strings.Cut(strings.TrimSpace(line), "=")
		if archive == "" { // unsafe, and packages consisting only of tests
			continue
		}
		to := m.archive(name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := copyExecutable(to, archive); err != nil {
			return err
		}
		if err := os.Chmod(to, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// archive notes the paths of a compiled package, here and in a box.
func (m *goMaker) archive(name string) string {
	file := "lib/" + name + ".a"
	here := filepath.Join(m.dir, "pkg", file)
	fmt.Fprintf(&m.config, "packagefile %s=%s\n", name, here)
	fmt.Fprintf(&m.boxed, "packagefile %s=%s/%s\n", name, goTools, file)
	return here
}

// compile compiles one of our packages.
func (m *goMaker) compile(ctx context.Context, name string) error {
	entries, err := goSources.ReadDir("golang/" + name)
	if err != nil {
		return err
	}
	config := filepath.Join(m.dir, "importcfg")
	if err := os.WriteFile(config, m.config.Bytes(), 0o600); err != nil {
		return err
	}
	to := m.archive("glovebox/" + name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	args := []string{
		"-o", to, "-p", "glovebox/" + name, "-importcfg", config, "-complete", "-pack",
		"-dwarf=false", "-trimpath", m.dir + "=>glovebox",
	}
	for _, e := range entries {
		file, err := m.source(name, e.Name())
		if err != nil {
			return err
		}
		args = append(args, file)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(m.tools, "compile"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile: %w: %s", err, out)
	}
	return nil
}

// source writes one of our files for the toolchain to read.
func (m *goMaker) source(dir, name string) (string, error) {
	data, err := goSources.ReadFile("golang/" + dir + "/" + name)
	if err != nil {
		return "", err
	}
	to := filepath.Join(m.dir, "src", dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	return to, os.WriteFile(to, data, 0o644)
}

// ask runs the go command, outside any module and without the network.
func (m *goMaker) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, m.exe, args...)
	cmd.Dir = m.dir
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "XDG_CACHE_HOME", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOFLAGS=", "GOENV=off", "GOTOOLCHAIN=local", "GOPROXY=off", "GOWORK=off", "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}

// copyExecutable copies a file, with mode 0755.
func copyExecutable(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
