package build

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// dpkgDir is dpkg's database of installed packages.
const dpkgDir = "/var/lib/dpkg"

// hostPackages reads dpkg's database itself, and makes a plan of the files of
// the named packages and of all their dependencies.
type hostPackages struct {
	dir       string // dpkgDir
	installed map[string]paragraph
	provided  map[string][]string
	notes     []string
}

func openDpkg(dir string) (*hostPackages, error) {
	b, err := readFile(filepath.Join(dir, "status"), 256<<20)
	if err != nil {
		return nil, fmt.Errorf("the packages of this host: %w", err)
	}
	list, err := parseControl(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s/status: %w", dir, err)
	}
	h := &hostPackages{dir: dir, installed: map[string]paragraph{}, provided: map[string][]string{}}
	for _, p := range list {
		if name := p["Package"]; debName().MatchString(name) && strings.HasSuffix(p["Status"], " installed") {
			h.installed[name] = p
			for _, as := range p.provides() {
				h.provided[as] = append(h.provided[as], name)
			}
		}
	}
	return h, nil
}

// closure are the packages and their dependencies, in the order of first
// mention.
func (h *hostPackages) closure(names []string) ([]paragraph, error) {
	var out []paragraph
	seen := map[string]bool{}
	for queue := slices.Clone(names); len(queue) > 0; {
		name := queue[0]
		queue = queue[1:]
		p := h.find(name)
		if p == nil {
			return nil, fmt.Errorf("the package %.100q is not installed on this host (apt-get install %.100s)", name, name)
		}
		if seen[p["Package"]] {
			continue
		}
		seen[p["Package"]] = true
		out = append(out, p)
		for _, any := range p.needs() {
			at := slices.IndexFunc(any, func(n string) bool { return h.find(n) != nil })
			if at < 0 {
				return nil, fmt.Errorf("%s needs %s, which is not installed", p["Package"], strings.Join(any, " or "))
			}
			queue = append(queue, any[at])
		}
	}
	return out, nil
}

func (h *hostPackages) find(name string) paragraph {
	if p := h.installed[name]; p != nil {
		return p
	}
	if by := h.provided[name]; len(by) > 0 {
		return h.installed[by[0]]
	}
	return nil
}

// plan makes entries of the files of packages.
func (h *hostPackages) plan(packages []paragraph) (rootfs.Plan, error) {
	var plan rootfs.Plan
	taken := map[string]bool{}
	for _, p := range packages {
		list, err := h.list(p)
		if err != nil {
			return plan, err
		}
		changed := h.conffiles(p)
		for _, name := range list {
			if unneeded(name) || taken[name] || changed[name] {
				continue
			}
			e, err := h.entry(name)
			if err != nil {
				return plan, err
			}
			if e != nil {
				taken[name] = true
				plan.Add(*e)
			}
		}
	}
	plan.Add(h.alternatives(taken)...)
	return plan, nil
}

// list are the names of a package's files, as dpkg -L prints them.
func (h *hostPackages) list(p paragraph) ([]string, error) {
	name := p["Package"]
	b, err := readFile(filepath.Join(h.dir, "info", name+".list"), 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = readFile(filepath.Join(h.dir, "info", name+":"+p["Architecture"]+".list"), 64<<20)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(b), "\n"), func(s string) bool { return valid(s) != nil || s == "/" }), nil
}

// entry makes an entry of a file of the host, or nil for files without one.
func (h *hostPackages) entry(name string) (*rootfs.Entry, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // such as what a host leaves out on purpose
	}
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return &rootfs.Entry{Path: name, Dir: true}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		if to, err := os.Stat(name); err == nil && to.IsDir() && path.Dir(name) == "/" {
			return nil, nil // the merged /usr, which the layout brings
		}
		to, err := os.Readlink(name)
		if err != nil || to == "" {
			return nil, err
		}
		return &rootfs.Entry{Path: name, Link: to}, nil
	case info.Mode().IsRegular() && info.Mode()&0o004 == 0:
		h.notes = append(h.notes, name+" is left out: not everybody may read it on this host")
		return nil, nil
	case info.Mode().IsRegular():
		return &rootfs.Entry{Path: name, Source: name}, nil
	}
	return nil, nil
}

// conffiles are the modified configuration files of a package: the operator's
// changes are the host's own.
func (h *hostPackages) conffiles(p paragraph) map[string]bool {
	changed := map[string]bool{}
	for line := range strings.Lines(p["Conffiles"]) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		f, err := os.Open(fields[0])
		if err != nil {
			continue
		}
		sum := md5.New() // as dpkg has it: it tells a change, it proves nothing
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil || hex.EncodeToString(sum.Sum(nil)) != fields[1] {
			changed[fields[0]] = true
			h.notes = append(h.notes, fields[0]+" is left out: it was changed on this host")
		}
	}
	return changed
}

// alternatives are the links of /etc/alternatives that lead to a taken file.
func (h *hostPackages) alternatives(taken map[string]bool) []rootfs.Entry {
	var out []rootfs.Entry
	list, _ := os.ReadDir(filepath.Join(h.dir, "alternatives"))
	for _, d := range list {
		b, err := readFile(filepath.Join(h.dir, "alternatives", d.Name()), 1<<20)
		if err != nil {
			continue
		}
		// The first lines: the mode, the link, then the name and the link of
		// each slave, and an empty line.
		head, _, _ := bytes.Cut(b, []byte("\n\n"))
		lines := strings.Split(string(head), "\n")
		if len(lines) < 2 {
			continue
		}
		pairs := append([]string{d.Name()}, lines[1:]...)
		for i := 0; i+1 < len(pairs); i += 2 {
			name, link := pairs[i], pairs[i+1]
			to, err := os.Readlink("/etc/alternatives/" + name)
			if err != nil || !taken[to] || valid(link) != nil {
				continue
			}
			out = append(out,
				rootfs.Entry{Path: "/etc/alternatives/" + name, Link: to},
				rootfs.Entry{Path: link, Link: "/etc/alternatives/" + name})
		}
	}
	return out
}
