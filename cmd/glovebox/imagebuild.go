package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/image/build"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

type imageBuildCmd struct {
	File string `arg:"" optional:"" help:"A build file (YAML or JSON); flags add to it." type:"path"`

	Name        string            `help:"What the image is to be called." placeholder:"NAME"`
	Base        string            `help:"An image that is here, to lay the rest over." placeholder:"IMAGE"`
	Host        []string          `help:"Take a language's interpreter and what it needs from this host; repeat it." placeholder:"LANGUAGE" sep:"none"`
	HostPackage []string          `help:"Take an installed Debian package of this host and what it depends on; repeat it." placeholder:"PACKAGE" sep:"none"`
	HostFile    []string          `help:"Take a file or directory of this host; repeat it." placeholder:"SRC[:DEST]" sep:"none"`
	Deb         string            `help:"A list of Debian packages with their SHA-256 (apt-get --print-uris, or sha256sum)." placeholder:"FILE" type:"path"`
	Python      string            `help:"A lock of Python packages with hashes: requirements.txt, pylock.toml, uv.lock or poetry.lock." placeholder:"FILE" type:"path"`
	Index       string            `help:"Where to look up wheels by their hash (default https://pypi.org/simple/)." placeholder:"URL"`
	Compile     bool              `help:"Compile the image's Python modules, in a box: runs start faster."`
	Npm         string            `help:"A package-lock.json." placeholder:"FILE" type:"path"`
	Env         map[string]string `short:"e" help:"An environment variable of the image; repeat it." placeholder:"NAME=VALUE" mapsep:"none"`
	JSON        bool              `name:"json" help:"Print the result as JSON."`
}

// Help is shown by glovebox image build --help.
func (imageBuildCmd) Help() string {
	return `Nothing that a package brings is run: no setup.py, no postinstall, no postinst. What that leaves
undone is said. Every file is compared with its hash before it is opened, and the same recipe gives
the same digest.

Examples:
  glovebox image build --host python --python requirements.txt --name plots:1
  glovebox image build --base python@sha256:0123… --python uv.lock --name app:1
  glovebox image build --host javascript --npm package-lock.json --name front:1
  glovebox image build image.yaml

A build file:
  name: plots:1
  host: {languages: [python], packages: [fonts-dejavu-core]}
  python: {lock: requirements.txt}
  env: {MPLBACKEND: Agg}

Locks with hashes are made by, among others:
  pip-compile --generate-hashes    uv pip compile --generate-hashes    uv lock    npm install
  apt-get -o Acquire::ForceHash=SHA256 --print-uris -y install PACKAGE`
}

// Run runs the command.
func (c *imageBuildCmd) Run(s *streams) error {
	recipe, err := c.recipe()
	if err != nil {
		return usageError{err}
	}
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		roots, err := rootfs.Open("")
		if err != nil {
			return err
		}
		tiers, done, err := c.tiers(recipe)
		if err != nil {
			return err
		}
		defer done()
		m := newMeter(s.stderr)
		result, err := build.Build(ctx, recipe, build.Options{
			Store: store, Host: host.New(), Roots: roots, Tiers: tiers,
			Progress: func(p build.Progress) { m.show(strings.TrimSpace(p.Step+" "+p.Name), p.Done, p.Total) },
		})
		m.clear()
		if err != nil {
			return err
		}
		return c.print(s, result)
	})
}

// tiers are those that may be needed.
func (c *imageBuildCmd) tiers(r *build.Recipe) ([]tier.Tier, func(), error) {
	if !r.Python.Compile {
		return nil, func() {}, nil
	}
	e, err := engine.New(engine.Config{})
	if err != nil {
		return nil, nil, err
	}
	var tiers []tier.Tier
	for _, choice := range e.Choose(context.Background(), glovebox.TierAuto, []glovebox.Need{glovebox.NeedNative}) {
		if choice.Why == nil {
			tiers = append(tiers, choice.Tier)
		}
	}
	return tiers, func() { e.Close() }, nil
}

// recipe is the build file's with what the flags add.
func (c *imageBuildCmd) recipe() (*build.Recipe, error) {
	r := &build.Recipe{}
	if c.File != "" {
		var err error
		if r, err = build.ReadRecipe(c.File); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct {
		to   *string
		flag string
	}{
		{&r.Name, c.Name}, {&r.Base, c.Base}, {&r.Debian.List, c.Deb}, {&r.Python.Lock, c.Python}, {&r.Python.Index, c.Index}, {&r.NPM.Lock, c.Npm},
	} {
		if f.flag != "" {
			*f.to = f.flag
		}
	}
	r.Python.Compile = r.Python.Compile || c.Compile
	r.Host.Languages = append(r.Host.Languages, c.Host...)
	r.Host.Packages = append(r.Host.Packages, c.HostPackage...)
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, f := range c.HostFile {
		// Relative to where we are, not to the build file.
		if !strings.HasPrefix(f, "/") {
			f = here + "/" + f
		}
		r.Host.Files = append(r.Host.Files, f)
	}
	for name, value := range c.Env {
		if r.Env == nil {
			r.Env = map[string]string{}
		}
		r.Env[name] = value
	}
	return r, r.Check()
}

func (c *imageBuildCmd) print(s *streams, result *build.Result) error {
	if c.JSON {
		return printJSON(s.stdout, struct {
			image.Ref
			Packages []build.Package `json:"packages"`
			Notes    []string        `json:"notes,omitempty"`
		}{result.Image.Ref(), result.Packages, result.Notes})
	}
	p := newPainter(s.stdout)
	for _, n := range result.Notes {
		fmt.Fprintf(s.stdout, "%s %s\n", p.paint(yellow, "note:"), indent(printable(n)))
	}
	kinds := map[string]int{}
	for _, pkg := range result.Packages {
		kinds[pkg.Kind]++
	}
	for _, k := range []string{"host", "debian", "python", "npm"} {
		if kinds[k] > 0 {
			fmt.Fprintf(s.stdout, "%s %d from %s\n", p.paint(dim, "packages:"), kinds[k], map[string]string{
				"host": "this host", "debian": "Debian", "python": "wheels", "npm": "npm archives"}[k])
		}
	}
	return printImages(s, false, result.Image)
}

// measure counts the files of an image and their bytes.
func measure(img *image.Image) (files int, bytes int64, err error) {
	err = fs.WalkDir(img, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, bytes = files+1, bytes+info.Size()
		return nil
	})
	return files, bytes, err
}

// meter shows on a terminal how far something is.
type meter struct {
	w    *os.File // nil where nobody looks
	last time.Time
}

func newMeter(w any) *meter {
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return &meter{w: f}
	}
	return &meter{}
}

func (m *meter) show(what string, done, total int64) {
	if m.w == nil || time.Since(m.last) < 100*time.Millisecond {
		return
	}
	m.last = time.Now()
	text := strings.Join(strings.Fields(printable(what)), " ")
	switch {
	case total > 0:
		text += fmt.Sprintf("  %s of %s", classify.Bytes(done), classify.Bytes(total))
	case done > 0:
		text += "  " + classify.Bytes(done)
	}
	fmt.Fprintf(m.w, "\r\x1b[K%.100s", text)
}

func (m *meter) clear() {
	if m.w != nil {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
