package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Host lists the parts of an image that come from the building machine.
type Host struct {
	// Languages are names of languages, such as "python": their interpreters
	// and the required files, as in boxes by default.
	Languages []string `yaml:"languages"`
	// Packages are Debian packages installed here; their dependencies come with
	// them.
	Packages []string `yaml:"packages"`
	// Files are files and directories, each as SOURCE or SOURCE:PATH.
	Files []string `yaml:"files"`
}

func (h *Host) empty() bool { return len(h.Languages)+len(h.Packages)+len(h.Files) == 0 }

// addHost copies the parts from the host.
func (b *builder) addHost(ctx context.Context) error {
	h := &b.recipe.Host
	if h.empty() {
		return nil
	}
	b.fetch.report(Progress{Step: "copy", Name: "the host's files"})
	plan := rootfs.Base()
	for _, name := range h.Languages {
		l := language.ByName(name)
		if l == nil || l.Find == nil {
			return fmt.Errorf("host: %.50q is no language that is known", name)
		}
		tools, err := l.Find(ctx, b.o.Host)
		if err != nil {
			return fmt.Errorf("host: %w", err)
		}
		plan = plan.Merge(b.withoutOurs(tools.Root))
		b.brought("host", l.Name, tools.Version, "")
	}
	if len(h.Packages) > 0 {
		packages, err := b.hostPackages(h.Packages)
		if err != nil {
			return err
		}
		plan = plan.Merge(packages)
	}
	for _, f := range h.Files {
		e, err := b.hostFile(f)
		if err != nil {
			return fmt.Errorf("host: %w", err)
		}
		plan.Add(e)
		b.brought("host", e.Source, "", "")
	}
	root, err := b.o.Roots.Tree(ctx, plan)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return b.tree.addTree(root.Tree)
}

// hostFile reads SOURCE or SOURCE:PATH.
func (b *builder) hostFile(f string) (rootfs.Entry, error) {
	from, to, _ := strings.Cut(f, ":")
	from, err := filepath.Abs(b.relative(from))
	if err != nil {
		return rootfs.Entry{}, err
	}
	to = path.Clean(cmp.Or(to, filepath.ToSlash(from)))
	if !path.IsAbs(to) || to == "/" {
		return rootfs.Entry{}, fmt.Errorf("%q: the place in the image must be an absolute path", f)
	}
	return rootfs.Entry{Path: to, Source: from}, nil
}

func (b *builder) hostPackages(names []string) (rootfs.Plan, error) {
	dpkg, err := openDpkg(dpkgDir)
	if err != nil {
		return rootfs.Plan{}, err
	}
	list, err := dpkg.closure(names)
	if err != nil {
		return rootfs.Plan{}, fmt.Errorf("host: %w", err)
	}
	plan, err := dpkg.plan(list)
	for _, p := range list {
		b.brought("host", p["Package"], p["Version"], "")
	}
	for _, n := range dpkg.notes {
		b.tree.note("%s", n)
	}
	return plan, err
}

// withoutOurs leaves two parts out of a toolchain: our own drivers, which are
// laid over an image in use, and the host's own packages of a Python that gets
// the packages of a lock. The rest is copied unchanged: a cache for the loader
// would hide the base's, and know nothing of other packages, and directories
// named in a program may come from other packages.
func (b *builder) withoutOurs(plan rootfs.Plan) rootfs.Plan {
	locked := b.recipe.Python.Lock != ""
	var out rootfs.Plan
	for _, e := range plan.Entries {
		base := path.Base(e.Path)
		switch {
		case e.Data != nil && (strings.HasPrefix(e.Path, "/opt/glovebox/") || strings.HasPrefix(base, "sitecustomize.")):
		case locked && e.Source != "" && (base == "site-packages" || base == "dist-packages"):
			out.Add(rootfs.Entry{Path: e.Path, Dir: true})
		default:
			e.Linked = false
			out.Add(e)
		}
	}
	return out
}

// fromHost is where the nodes of addTree come from.
const fromHost = "the host"

// addTree takes a tree made by package rootfs. Times are kept: the compiled
// form of a Python module is valid for a source of one time only.
func (t *tree) addTree(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil || rel == "." {
			return err
		}
		at := path.Join("/", filepath.ToSlash(rel))
		switch d.Type() {
		case fs.ModeDir:
			return t.dir(at, fromHost)
		case fs.ModeSymlink:
			if real := t.nodes[at]; real != nil && real.mode.IsDir() {
				return nil // the base has its own directory there
			}
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return t.symlink(at, fromHost, to)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return t.file(at, fromHost, info.Mode(), info.ModTime().UTC(), info.Size(), func() (io.ReadCloser, error) { return os.Open(name) })
	})
}

// relative resolves a path of the recipe.
func (b *builder) relative(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(b.recipe.Dir, name)
}

var errNoHost = errors.New("nothing of the host can be taken: its languages and roots were not given")

func (b *builder) checkHost() error {
	if !b.recipe.Host.empty() && (b.o.Host == nil || b.o.Roots == nil) {
		return errNoHost
	}
	return nil
}
