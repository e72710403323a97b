package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// compileScript compiles the Python sources listed on stdin, the n-th to the
// file n of the working directory. It imports none of them. The byte code has
// the form that is never compared with its source, because an image does not
// change.
const compileScript = `
import sys, py_compile
for n, name in enumerate(sys.stdin.read().splitlines()):
    try:
        py_compile.compile(name, str(n), name, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    except Exception:
        pass  # such as a template, or code for another version
`

// Bounds of compilation.
const (
	maxSources = 50_000
	maxCode    = 16 << 20 // of one file
)

var compileLimits = glovebox.Limits{
	Wall: 10 * time.Minute, CPU: 10 * time.Minute, Memory: 2 * glovebox.GiB,
	FileSize: maxCode, Disk: glovebox.GiB, Files: maxSources + 100,
}

// sources are the modules without byte code in the directories that Python
// imports from.
func (t *tree) sources(p *python) []string {
	lib := fmt.Sprintf("lib/python%d.%d/", p.python[0], p.python[1])
	var list []string
	for at, n := range t.nodes {
		inside := strings.HasPrefix(at, p.prefix+"/"+lib) || strings.HasPrefix(at, "/usr/"+lib) || strings.HasPrefix(at, "/usr/lib/python3/")
		if inside && n.mode.IsRegular() && strings.HasSuffix(at, ".py") && !strings.ContainsAny(at, "\r\n") && t.nodes[p.compiled(at)] == nil {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// compiled is where the byte code of a module belongs.
func (p *python) compiled(source string) string {
	dir, name := path.Split(source)
	return fmt.Sprintf("%s__pycache__/%s.cpython-%d%d.pyc", dir, strings.TrimSuffix(name, ".py"), p.python[0], p.python[1])
}

// compile adds the byte code of the image's Python modules. The image's own
// interpreter makes it, in a box: the result is as trustworthy as the image.
func (b *builder) compile(ctx context.Context, img *image.Image) (*image.Image, error) {
	t := newTree(b.o.Bounds)
	if err := t.addBase(img); err != nil {
		return nil, err
	}
	p, err := t.findPython(b.arch, b.recipe.Python.Version)
	if err != nil {
		return nil, err
	}
	sources := t.sources(p)
	if len(sources) > maxSources {
		return nil, fmt.Errorf("it has %d Python modules: %d is the limit", len(sources), maxSources)
	}
	b.fetch.report(Progress{Step: "compile", Name: fmt.Sprintf("%d Python modules in a box", len(sources))})
	box, err := b.openBox(ctx, img)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	var stderr bytes.Buffer
	out := box.Run(ctx, tier.Command{
		// The seed makes the order of constant sets the same; -S keeps out the
		// code that packages run at each start.
		Args:  []string{p.exe, "-S", "-s", "-c", compileScript},
		Env:   []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "PYTHONHASHSEED=0"},
		Stdin: []byte(strings.Join(sources, "\n")), Stderr: &limited{b: &stderr},
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
		return nil, fmt.Errorf("the compilation ended by %s, exit code %d: %.300q", out.Cause, out.ExitCode, stderr.String())
	}
	made, err := box.Workspace()
	if err != nil {
		return nil, err
	}
	failed := 0
	for n, source := range sources {
		err := b.takeCode(t, made, fmt.Sprint(n), p.compiled(source))
		if errors.Is(err, fs.ErrNotExist) {
			failed++
		} else if err != nil {
			return nil, fmt.Errorf("byte code of %s: %w", source, err)
		}
	}
	if failed > 0 {
		b.tree.note("%d of %d Python modules cannot be compiled, and are left as they are", failed, len(sources))
	}
	return b.store(ctx, t, b.recipe.Name, img, image.Config{})
}

// takeCode takes one file made in the box.
func (b *builder) takeCode(t *tree, made fs.FS, name, to string) error {
	f, err := made.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	code, err := io.ReadAll(io.LimitReader(f, maxCode+1))
	// A magic number, flags for "never compared", and a hash.
	if err == nil && (len(code) > maxCode || len(code) < 16 || !bytes.Equal(code[2:8], []byte{'\r', '\n', 1, 0, 0, 0})) {
		err = errors.New("it is none")
	}
	if err != nil {
		return err
	}
	size := int64(len(code))
	open, err := b.spool.keep(bytes.NewReader(code), size)
	if err != nil {
		return err
	}
	return t.file(to, "byte code", 0o644, epoch, size, open)
}

// openBox opens a box with the image in the first tier enforceable on this
// host.
func (b *builder) openBox(ctx context.Context, img *image.Image) (tier.Box, error) {
	refused := errors.New("to compile, a box is needed, and no tier was given")
	if len(b.o.Tiers) > 0 {
		refused = nil
	}
	for _, t := range b.o.Tiers {
		root, err := b.root(ctx, t, img.Plan())
		if err != nil {
			return nil, err
		}
		box, err := t.Open(ctx, tier.Spec{Root: root, Limits: compileLimits.WithDefaults()})
		if err == nil || !tier.IsKind(err, tier.KindUnsupported) {
			return box, err
		}
		refused = errors.Join(refused, err)
	}
	return nil, refused
}

// root makes a root in the form that the tier boots.
func (b *builder) root(ctx context.Context, t tier.Tier, plan rootfs.Plan) (*rootfs.Root, error) {
	switch t := t.(type) {
	case tier.ImageRoot:
		return b.o.Roots.Image(ctx, plan.Merge(t.ImageRoot()))
	case tier.TreeRoot:
		return b.o.Roots.Tree(ctx, plan.Merge(t.TreeRoot()))
	}
	return b.o.Roots.Tree(ctx, plan)
}

// limited keeps the beginning of what is written.
type limited struct{ b *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), maxSaid-l.b.Len())])
	return len(p), nil
}

const maxSaid = 4 << 10
