// Package build makes images of pinned packages: the host's own interpreter and
// packages, Debian packages, Python wheels and npm archives.
//
// Unpacked code is never run on the host: no setup script, no lifecycle script,
// no maintainer script. Every download is verified by its hash before it is
// opened, and the same recipe with the same base gives the same digest.
package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Options are what a build uses.
type Options struct {
	// Store takes the image, and has its base.
	Store *image.Store
	// Cache is the directory of downloads, made if missing; empty means
	// "packages" in rootfs.DefaultDir.
	Cache string
	// Host and Roots are required for recipes that use files of the host.
	Host  language.Host
	Roots *rootfs.Store
	// Tiers may compile byte code, the best first, if the recipe asks for
	// compilation; Roots is then required too.
	Tiers []tier.Tier
	// Bounds are DefaultBounds where they are zero.
	Bounds Bounds
	// Progress is called now and then; never by two goroutines at a time.
	Progress func(Progress)
}

// Result is what was made.
type Result struct {
	Image *image.Image
	// Packages are the packages of the image, in order.
	Packages []Package
	// Notes are facts unexpected by a reader of the recipe, such as scripts
	// left unrun. They quote names chosen by packages.
	Notes []string
}

// Package is one package of an image.
type Package struct {
	Kind    string `json:"kind"` // host, debian, python or npm
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Hash    string `json:"hash,omitempty"`
}

// Build makes the image of a recipe and puts it into the store.
func Build(ctx context.Context, r *Recipe, o Options) (*Result, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	dir, err := cacheDir(o.Cache)
	if err != nil {
		return nil, fmt.Errorf("package cache: %w", err)
	}
	if o.Bounds == (Bounds{}) {
		o.Bounds = DefaultBounds
	}
	b := &builder{recipe: r, o: o, tree: newTree(o.Bounds), fetch: newFetcher(dir, o.Progress), arch: runtime.GOARCH}
	defer b.fetch.close()
	if b.spool, err = newSpool(dir); err != nil {
		return nil, err
	}
	defer b.spool.close()
	for _, step := range []func(context.Context) error{b.openBase, b.addHost, b.addDebian, b.addPython, b.addNPM, b.addLibraries} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	img, err := b.storeAll(ctx)
	if err != nil {
		return nil, err
	}
	return &Result{Image: img, Packages: b.packages, Notes: b.tree.notes}, nil
}

func cacheDir(dir string) (string, error) {
	if dir == "" {
		base, err := rootfs.DefaultDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(base, "packages")
	}
	dir, err := rootfs.Private(dir)
	if err != nil {
		return "", err
	}
	return dir, nil
}

// builder is one build.
type builder struct {
	recipe   *Recipe
	o        Options
	tree     *tree
	fetch    *fetcher
	spool    *spool
	arch     string // as Go names it
	base     *image.Image
	packages []Package
}

func (b *builder) brought(kind, name, version, hash string) {
	b.packages = append(b.packages, Package{kind, name, version, hash})
}

func (b *builder) openBase(ctx context.Context) (err error) {
	if err := b.checkHost(); err != nil {
		return err
	}
	if b.recipe.Base == "" {
		return b.tree.dir("/tmp", "")
	}
	if b.base, err = b.o.Store.Find(b.recipe.Base); err != nil {
		return fmt.Errorf("base: %w", err)
	}
	// linux/arm64/v8
	if p := strings.Split(string(b.base.Ref().Platform), "/"); len(p) > 1 {
		b.arch = p[1]
	}
	if b.arch != runtime.GOARCH && !b.recipe.Host.empty() {
		return fmt.Errorf("base: it is for %s, and this host is %s", b.arch, runtime.GOARCH)
	}
	if _, ok := machines[b.arch]; !ok {
		return fmt.Errorf("base: the architecture %.20q is not known", b.arch)
	}
	return b.tree.addBase(b.base)
}

// lock reads a lock of the recipe, and returns the directory for its relative
// paths.
func (b *builder) lock(name string) (text []byte, dir string, err error) {
	name = b.relative(name)
	text, err = readFile(name, maxLock)
	return text, filepath.Dir(name), err
}

func (b *builder) addDebian(ctx context.Context) error {
	name := b.recipe.Debian.List
	if name == "" {
		return nil
	}
	text, dir, err := b.lock(name)
	if err != nil {
		return err
	}
	list, err := parseDebList(string(text), dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := b.fetch.all(ctx, list); err != nil {
		return err
	}
	if err := b.tree.layout(); err != nil {
		return err
	}
	var packages []paragraph
	var alternatives []alternative
	for _, r := range list {
		b.fetch.report(Progress{Step: "unpack", Name: r.name})
		deb, err := b.addDeb(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		packages = append(packages, deb.control)
		found, unknown := readAlternatives(deb.scripts["postinst"])
		alternatives = append(alternatives, found...)
		b.left(deb, len(found), unknown)
		b.brought("debian", deb.control["Package"], deb.control["Version"], r.hash.String())
	}
	for _, s := range unmet(packages, b.installed()) {
		b.tree.note("%s, which neither the list nor the base has", s)
	}
	return b.tree.alternatives(alternatives)
}

func (b *builder) addDeb(ctx context.Context, r remote) (*debFile, error) {
	f, err := b.fetch.get(ctx, r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return installDeb(b.tree, f, b.spool, r.name, b.arch)
}

// left notes the scripts of a package that were not run.
func (b *builder) left(deb *debFile, alternatives, unknown int) {
	var names []string
	for _, s := range []string{"preinst", "postinst"} {
		if deb.scripts[s] != "" {
			names = append(names, s)
		}
	}
	switch {
	case len(names) == 0:
	case alternatives > 0 && unknown == 0:
		b.tree.note("%s: %s not run; the alternatives that it names are made", deb.control["Package"], strings.Join(names, " and "))
	default:
		b.tree.note("%s: %s not run", deb.control["Package"], strings.Join(names, " and "))
	}
}

// installed are the Debian packages of the base, by all their names.
func (b *builder) installed() map[string]bool {
	have := map[string]bool{}
	n := b.tree.stat("/var/lib/dpkg/status")
	if n == nil || n.open == nil || n.size > 256<<20 {
		return have
	}
	r, err := n.open()
	if err != nil {
		return have
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, n.size))
	if err != nil {
		return have
	}
	list, _ := parseControl(string(text))
	for _, p := range list {
		for _, name := range p.provides() {
			have[name] = true
		}
	}
	return have
}

func (b *builder) addPython(ctx context.Context) error {
	name := b.recipe.Python.Lock
	if name == "" {
		return nil
	}
	text, dir, err := b.lock(name)
	if err != nil {
		return err
	}
	pins, err := parsePythonLock(text, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	python, err := b.tree.findPython(b.arch, b.recipe.Python.Version)
	if err != nil {
		return err
	}
	wheels, err := b.wheels(ctx, pins, python)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := b.fetch.all(ctx, wheels); err != nil {
		return err
	}
	var metadata []*wheelFile
	for _, r := range wheels {
		b.fetch.report(Progress{Step: "unpack", Name: r.name})
		w, err := b.addWheel(ctx, r, python)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		metadata = append(metadata, w)
		b.brought("python", w.name, w.version, r.hash.String())
	}
	have := b.tree.projects()
	for _, w := range metadata {
		for _, m := range w.missing(have, &python.target) {
			b.tree.note("%s needs %s, which neither the lock nor the base has", w.name, m)
		}
	}
	return nil
}

// wheels chooses a file for every pin that the target wants.
func (b *builder) wheels(ctx context.Context, pins []pin, python *python) ([]remote, error) {
	index := cmp.Or(b.recipe.Python.Index, DefaultPythonIndex)
	var wheels []remote
	versions := map[string]string{}
	var errs []error
	for i := range pins {
		p := &pins[i]
		wanted, err := python.marker(p.marker)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if !wanted {
			continue
		}
		r, err := b.fetch.choose(ctx, p, &python.target, index)
		if err != nil {
			if errs = append(errs, err); ctx.Err() != nil || len(errs) == 10 {
				break
			}
			continue
		}
		if other, twice := versions[normal(p.name)]; twice && other != r.hash.Hex {
			return nil, fmt.Errorf("%s is there twice, in two versions", p.name)
		} else if twice {
			continue
		}
		versions[normal(p.name)] = r.hash.Hex
		wheels = append(wheels, r)
	}
	slices.SortFunc(wheels, func(a, b remote) int { return strings.Compare(a.name, b.name) })
	return wheels, errors.Join(errs...)
}

func (b *builder) addWheel(ctx context.Context, r remote, python *python) (*wheelFile, error) {
	f, err := b.fetch.get(ctx, r)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, err := openWheel(r.name, f)
	if err != nil {
		return nil, err
	}
	if want := w.metadata.Get("Requires-Python"); want != "" {
		if ok, err := python.python.satisfies(want); err != nil || !ok {
			return nil, fmt.Errorf("it is for Python %.50s: %w", want, errors.Join(errUnfit, err))
		}
	}
	return w, w.install(b.tree, python, b.spool)
}

func (b *builder) addNPM(ctx context.Context) error {
	name := b.recipe.NPM.Lock
	if name == "" {
		return nil
	}
	text, _, err := b.lock(name)
	if err != nil {
		return err
	}
	list, err := parseNPMLock(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	libc := "glibc"
	if b.tree.stat("/lib/ld-musl-"+machines[b.arch].uname+".so.1") != nil {
		libc = "musl"
	}
	var packages []npmPackage
	var files []remote
	for _, p := range list {
		if p.dev && !b.recipe.NPM.Dev {
			continue
		}
		fits := p.fits(b.arch, libc)
		if !fits && p.optional {
			continue
		}
		switch {
		case p.refused != "":
			return fmt.Errorf("%s: %.200s: %s", name, p.path, p.refused)
		case !fits:
			return fmt.Errorf("%s: %.200s is not for linux on %s", name, p.path, b.arch)
		}
		packages, files = append(packages, p), append(files, p.file)
	}
	if err := b.fetch.all(ctx, files); err != nil {
		return err
	}
	into := cmp.Or(b.recipe.NPM.Into, "/")
	for _, p := range packages {
		b.fetch.report(Progress{Step: "unpack", Name: p.file.name})
		if err := b.addNPMPackage(ctx, &p, into); err != nil {
			return fmt.Errorf("%s: %w", p.file.name, err)
		}
		b.brought("npm", p.name, p.version, p.file.hash.String())
	}
	return nil
}

func (b *builder) addNPMPackage(ctx context.Context, p *npmPackage, into string) error {
	f, err := b.fetch.get(ctx, p.file)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.install(b.tree, f, b.spool, into)
}

// storeAll gives the store the image: a layer over the base, and a layer with
// byte code.
func (b *builder) storeAll(ctx context.Context) (*image.Image, error) {
	config := image.Config{Cmd: b.recipe.Command}
	if b.base != nil {
		config.Env = slices.Clone(b.base.Config().Env)
	}
	for _, name := range slices.Sorted(maps.Keys(b.recipe.Env)) {
		config.Env = slices.DeleteFunc(config.Env, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		config.Env = append(config.Env, name+"="+b.recipe.Env[name])
	}
	if !b.recipe.Python.Compile {
		return b.store(ctx, b.tree, b.recipe.Name, b.base, config)
	}
	plain, err := b.store(ctx, b.tree, "", b.base, config)
	if err != nil {
		return nil, err
	}
	return b.compile(ctx, plain)
}

// store gives the store the difference of a tree from an image.
func (b *builder) store(ctx context.Context, t *tree, name string, base *image.Image, config image.Config) (*image.Image, error) {
	b.fetch.report(Progress{Step: "store", Name: name, Total: t.bytes})
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(t.write(ctx, w))
	}()
	defer func() { r.Close(); <-done }()
	return b.o.Store.ImportRootFS(ctx, r, image.ImportOptions{
		Name: name, Platform: image.Platform("linux/" + b.arch), Config: config, Base: base,
	})
}
