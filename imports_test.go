package glovebox_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gloveboxhq/glovebox"

// layers are the packages from the bottom up. A package imports only what
// stands above its own line here, never beside or below it.
var layers = [][]string{
	{"."},
	{"internal/linux", "internal/lock", "internal/account", "internal/firstgc", "internal/lazyre", "internal/unpack", "internal/dialguard", "internal/release", "internal/sample", "pool"},
	{"internal/tap", "internal/corpus", "internal/schema", "internal/keys", "internal/leftover", "compare", "classify", "redact", "artifact", "rootfs", "bench", "workcopy", "model"},
	{"language", "tier", "observe", "tier/cgroup", "policy", "audit"},
	{"host", "extract", "glove"},
	{"tier/attack", "tier/cost", "tier/den", "glove/wire", "image"},
	{"tier/process/seccomp", "tier/microvm/monitor", "tier/microvm/kernel"},
	{"tier/process", "tier/gvisor", "tier/container", "tier/microvm", "tier/wasm", "tier/tiertest"},
	{"engine"},
	{"edit", "repomap", "suite", "prove", "govern"},
	{"agent"},
	{"eval"},
	{"cmd/glovebox"},
}

// TestImportsRunOneWay reads the import statements of all packages.
func TestImportsRunOneWay(t *testing.T) {
	// A package that is not named belongs to the nearest one above it.
	layer := func(pkg string) int {
		for {
			for n, l := range layers {
				if slices.Contains(l, pkg) {
					return n
				}
			}
			if pkg == "." {
				return -1
			}
			pkg = path.Dir(pkg)
		}
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(name))
		if pkg != "." && layer(pkg) == 0 {
			t.Errorf("%s is on no layer: add it", pkg)
		}
		for _, i := range f.Imports {
			to, _ := strconv.Unquote(i.Path.Value)
			rel, ours := strings.CutPrefix(to, module)
			if !ours {
				continue
			}
			rel = strings.TrimPrefix(rel, "/")
			if rel == "" {
				rel = "."
			}
			edge := pkg + " → " + rel
			// A package may be split into several, which stand on one layer.
			inside := strings.HasPrefix(rel, pkg+"/") || strings.HasPrefix(pkg, rel+"/")
			if layer(rel) > layer(pkg) && !seen[edge] || layer(rel) == layer(pkg) && !inside && !seen[edge] {
				seen[edge] = true
				t.Errorf("%s goes the wrong way", edge)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
