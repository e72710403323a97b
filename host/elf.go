package host

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MissingError lists required libraries missing on this machine.
type MissingError struct {
	// Missing holds, for each, "name (needed by file)".
	Missing []string
}

func (e *MissingError) Error() string {
	return "shared libraries not found: " + strings.Join(e.Missing, ", ")
}

// Libraries returns the dynamic loader and the shared libraries that the ELF
// files need, directly or indirectly, in the order of discovery. It searches
// like the loader: DT_RPATH and DT_RUNPATH with $ORIGIN, the directories of
// /etc/ld.so.conf, the loader's own. LD_LIBRARY_PATH is ignored, since a box
// has none. glibc and musl are known.
//
// The loader comes by the path in the programs. A library's directory is real;
// its name is the requested one, which may be a link. Statically linked files
// need nothing.
//
// If libraries are missing the error is a [*MissingError], and the rest is
// returned all the same: a toolchain may do without an optional module.
func (h *Host) Libraries(elfs ...string) ([]string, error) {
	c := &closure{configured: h.search(), have: map[string]bool{}}
	for _, p := range elfs {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, err
		}
		o, err := readObject(real, nil)
		if err != nil {
			return nil, err
		}
		if c.loader == "" {
			c.loader = o.loader
		}
		c.queue = append(c.queue, o)
	}
	// Breadth first, as the loader does.
	for len(c.queue) > 0 {
		o := c.queue[0]
		c.queue = c.queue[1:]
		c.add(o)
	}
	if len(c.missing) > 0 {
		return c.found, &MissingError{Missing: c.missing}
	}
	return c.found, nil
}

// object is the part of an ELF file that the loader reads.
type object struct {
	path    string
	class   elf.Class
	machine elf.Machine
	loader  string // PT_INTERP
	needed  []string
	rpath   []string
	runpath []string
	via     *object // which first needed it
}

func readObject(p string, via *object) (*object, error) {
	f, err := elf.Open(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	defer f.Close()
	o := &object{path: p, class: f.Class, machine: f.Machine, via: via}
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP && prog.Filesz < 4096 {
			b, err := io.ReadAll(prog.Open())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			o.loader = filepath.Clean(strings.TrimRight(string(b), "\x00"))
		}
	}
	// A file without a dynamic section has no dynamic strings.
	if o.needed, err = f.DynString(elf.DT_NEEDED); err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	rpath, _ := f.DynString(elf.DT_RPATH)
	runpath, _ := f.DynString(elf.DT_RUNPATH)
	o.rpath, o.runpath = o.dirs(rpath), o.dirs(runpath)
	return o, nil
}

// dirs splits a search path and puts the file's own directory for $ORIGIN.
func (o *object) dirs(paths []string) []string {
	var dirs []string
	for _, p := range paths {
		for d := range strings.SplitSeq(p, ":") {
			d = strings.NewReplacer("$ORIGIN", filepath.Dir(o.path), "${ORIGIN}", filepath.Dir(o.path)).Replace(d)
			if filepath.IsAbs(d) && !strings.Contains(d, "$") {
				dirs = append(dirs, filepath.Clean(d))
			}
		}
	}
	return dirs
}

// closure collects the requirements of a set of ELF files.
type closure struct {
	configured []string
	loader     string
	queue      []*object
	have       map[string]bool
	found      []string
	missing    []string
}

// add looks for the loader and the libraries that o needs.
func (c *closure) add(o *object) {
	if o.loader != "" && !c.have[filepath.Base(o.loader)] {
		c.have[filepath.Base(o.loader)] = true
		c.found = append(c.found, o.loader)
	}
	for _, name := range o.needed {
		base := filepath.Base(name)
		if c.have[base] {
			continue
		}
		c.have[base] = true
		lib := c.find(name, o)
		if lib == nil {
			c.missing = append(c.missing, fmt.Sprintf("%s (needed by %s)", name, o.path))
			continue
		}
		c.found = append(c.found, lib.path)
		c.queue = append(c.queue, lib)
	}
}

// find returns the library that the loader would take for name, needed by o.
func (c *closure) find(name string, o *object) *object {
	if strings.Contains(name, "/") {
		return o.match(name)
	}
	var dirs []string
	if len(o.runpath) == 0 {
		for up := o; up != nil; up = up.via {
			dirs = append(dirs, up.rpath...)
		}
	}
	dirs = append(dirs, o.runpath...)
	dirs = append(dirs, c.system(o)...)
	for _, dir := range dirs {
		if lib := o.match(filepath.Join(dir, name)); lib != nil {
			return lib
		}
	}
	return nil
}

// match returns the file at p if it is of the same kind as o.
func (o *object) match(p string) *object {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
		p = filepath.Join(dir, filepath.Base(p))
	}
	lib, err := readObject(p, o)
	if err != nil || lib.class != o.class || lib.machine != o.machine {
		return nil
	}
	lib.loader = "" // a library that can be run, such as libc, is not run
	return lib
}

// triplets are the names of Debian's library directories.
var triplets = map[elf.Machine]string{
	elf.EM_X86_64:  "x86_64-linux-gnu",
	elf.EM_AARCH64: "aarch64-linux-gnu",
	elf.EM_RISCV:   "riscv64-linux-gnu",
	elf.EM_PPC64:   "powerpc64le-linux-gnu",
	elf.EM_S390:    "s390x-linux-gnu",
}

// system returns the directories that the loader searches for every file.
func (c *closure) system(o *object) []string {
	if name := filepath.Base(c.loader); strings.HasPrefix(name, "ld-musl-") {
		if b, err := os.ReadFile("/etc/" + strings.TrimSuffix(name, ".so.1") + ".path"); err == nil {
			return strings.FieldsFunc(string(b), func(r rune) bool { return r == ':' || r == '\n' })
		}
		return []string{"/lib", "/usr/local/lib", "/usr/lib"}
	}
	dirs := slices.Clone(c.configured)
	if t := triplets[o.machine]; t != "" {
		dirs = append(dirs, "/lib/"+t, "/usr/lib/"+t)
	}
	if o.class == elf.ELFCLASS64 {
		dirs = append(dirs, "/lib64", "/usr/lib64")
	}
	dirs = append(dirs, "/lib", "/usr/lib")
	if real, err := filepath.EvalSymlinks(c.loader); err == nil {
		dirs = append(dirs, filepath.Dir(real)) // where there is no /lib
	}
	return dirs
}

// configuredDirs returns the directories named in a file like /etc/ld.so.conf,
// itself or through included files.
func configuredDirs(conf string) []string {
	var dirs []string
	var read func(p string, depth int)
	read = func(p string, depth int) {
		b, err := os.ReadFile(p)
		if err != nil || depth > 8 {
			return
		}
		for line := range strings.Lines(string(b)) {
			line, _, _ = strings.Cut(line, "#")
			fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n\r:,", r) })
			if len(fields) == 0 || fields[0] == "hwcap" {
				continue
			}
			if fields[0] != "include" {
				for _, d := range fields {
					d, _, _ = strings.Cut(d, "=") // "dir=libc6", of old
					if filepath.IsAbs(d) {
						dirs = append(dirs, filepath.Clean(d))
					}
				}
				continue
			}
			for _, pattern := range fields[1:] {
				if !filepath.IsAbs(pattern) {
					pattern = filepath.Join(filepath.Dir(p), pattern)
				}
				files, _ := filepath.Glob(pattern)
				for _, f := range files {
					read(f, depth+1)
				}
			}
		}
	}
	read(conf, 0)
	return dirs
}

// ELFs returns the programs and shared libraries below dir in ELF for this kind
// of machine, such as the extension modules of an interpreter; for a file, the
// file alone. Links are not followed. ELFs reads the head of every executable
// file and every file with a library's name; remember the answer with
// [Host.Memo].
func (h *Host) ELFs(dir string) ([]string, error) {
	var elfs []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if !strings.Contains(d.Name(), ".so") && !strings.HasSuffix(d.Name(), ".node") {
			info, err := d.Info()
			if err != nil || info.Mode()&0o111 == 0 {
				return err
			}
		}
		ok, err := isELF(p)
		if ok {
			elfs = append(elfs, p)
		}
		return err
	})
	return elfs, err
}

// isELF reports whether p is a program or a shared library, by its head.
func isELF(p string) (bool, error) {
	f, err := os.Open(p)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [18]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		return false, err
	}
	if string(head[:4]) != elf.ELFMAG {
		return false, nil
	}
	kind := elf.Type(head[16])
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		kind = elf.Type(head[17])
	}
	return kind == elf.ET_EXEC || kind == elf.ET_DYN, nil
}
