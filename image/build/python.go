package build

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// python is the interpreter of an image, and the directory of its packages.
type python struct {
	target
	exe    string // such as /usr/bin/python3.11
	prefix string // such as /usr
	site   string // site-packages, or Debian's dist-packages
	bin    string // for scripts
}

var pythonExe = lazyre.New(`^python(3\.[0-9]{1,3})$`)

// findPython finds the interpreter of the image. wanted is a version such as
// 3.11 or 3.11.7, or empty for python3.
func (t *tree) findPython(arch, wanted string) (*python, error) {
	m, ok := machines[arch]
	if !ok {
		return nil, fmt.Errorf("there are no wheels for %s", arch)
	}
	p := &python{target: target{machine: m.uname}}
	name := "python3"
	if wanted != "" {
		v, err := parseRelease(wanted)
		if err != nil || len(v) < 2 {
			return nil, fmt.Errorf("python version %q: write it as 3.11", wanted)
		}
		name, p.python = fmt.Sprintf("python%d.%d", v[0], v[1]), v
	}
	for _, prefix := range []string{"/usr/local", "/usr"} {
		n := t.stat(prefix + "/bin/" + name)
		if n == nil || !n.mode.IsRegular() {
			continue
		}
		p.exe, p.prefix = n.path, prefix
		if m := pythonExe().FindStringSubmatch(path.Base(n.path)); m != nil && p.python == nil {
			p.python, _ = parseRelease(m[1])
		}
		break
	}
	switch {
	case p.exe == "" && wanted != "":
		return nil, fmt.Errorf("the image has no %s", name)
	case p.exe == "":
		return nil, errors.New("the image has no Python for the packages: give a base image that has one, or take the host's (--host python)")
	case p.python == nil:
		return nil, fmt.Errorf("%s does not say its version: give it (python.version)", p.exe)
	}
	lib := fmt.Sprintf("lib/python%d.%d", p.python[0], p.python[1])
	p.site = path.Join(p.prefix, lib, "site-packages")
	if p.prefix == "/usr" && t.stat("/usr/lib/python3") != nil {
		// Debian's Python keeps its own packages in this directory, and looks
		// for the rest in /usr/local.
		p.prefix = "/usr/local"
		p.site = path.Join(p.prefix, lib, "dist-packages")
	}
	p.bin = p.prefix + "/bin"
	return p, t.findLibc(p)
}

// findLibc finds the C library that binary wheels must match.
func (t *tree) findLibc(p *python) error {
	if t.stat("/lib/ld-musl-"+p.machine+".so.1") != nil {
		// The library does not say its version; 1.2 is of 2020.
		p.libc, p.version = "musl", release{1, 2}
		return nil
	}
	for _, dir := range []string{"/lib64", "/usr/lib64", "/lib/" + p.machine + "-linux-gnu", "/usr/lib/" + p.machine + "-linux-gnu", "/lib", "/usr/lib"} {
		n := t.stat(dir + "/libc.so.6")
		if n == nil || n.open == nil {
			continue
		}
		v, err := glibcVersion(n)
		if err != nil {
			return fmt.Errorf("%s: %w", n.path, err)
		}
		p.libc, p.version = "glibc", v
		return nil
	}
	return nil // wheels without compiled code fit all the same
}

// maxLibc bounds the C library that is read.
const maxLibc = 32 << 20

// glibcVersion reads the newest version of the library's interface.
func glibcVersion(n *node) (release, error) {
	r, err := n.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, min(n.size, maxLibc)))
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(strings.NewReader(string(b)))
	if err != nil {
		return nil, err
	}
	defs, err := f.DynamicVersions()
	if err != nil {
		return nil, err
	}
	best := release{2, 0}
	for _, d := range defs {
		if v, err := parseRelease(strings.TrimPrefix(d.Name, "GLIBC_")); err == nil && strings.HasPrefix(d.Name, "GLIBC_2.") && best.compare(v) < 0 {
			best = v
		}
	}
	return best[:2], nil
}

var distInfo = lazyre.New(`^([A-Za-z0-9_.]+)-[^/-]+(-py3(\.[0-9]+)?)?\.(dist|egg)-info$`)

// projects are the normalised names of the Python projects in the image.
func (t *tree) projects() map[string]bool {
	have := map[string]bool{}
	for p := range t.nodes {
		if m := distInfo().FindStringSubmatch(path.Base(p)); m != nil {
			have[normal(m[1])] = true
		}
	}
	return have
}

// addBase takes over the names of a base image.
func (t *tree) addBase(base baseImage) error {
	return fs.WalkDir(base, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		n := &node{path: "/" + name, base: true, mode: d.Type() | 0o755}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			if n.link, err = base.ReadLink(name); err != nil {
				return err
			}
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil {
				return err
			}
			n.size = info.Size()
			n.open = func() (io.ReadCloser, error) { return base.Open(name) }
		}
		return t.add(n)
	})
}

// baseImage is the part of image.Image that a build needs.
type baseImage interface {
	fs.FS
	ReadLink(name string) (string, error)
}
