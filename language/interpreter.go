package language

import (
	"embed"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// relocation maps paths below a host directory to a directory of the box.
type relocation struct{ from, to string }

func (r relocation) path(p string) string {
	if rest, ok := strings.CutPrefix(p, r.from); ok && (rest == "" || rest[0] == '/') {
		return path.Clean(r.to + rest)
	}
	return p
}

// systemPrefix reports whether a prefix is the same on every machine.
func systemPrefix(prefix string) bool { return prefix == "/usr" || prefix == "/usr/local" }

// optionalLibraries returns the libraries found for all files. It fails only if the
// first file lacks a library.
func optionalLibraries(h Host, elfs []string) ([]string, error) {
	libs, err := h.Libraries(elfs...)
	if err != nil {
		if need, alone := h.Libraries(elfs[0]); alone != nil {
			return need, alone
		}
	}
	return libs, nil
}

// addDrivers adds our files in dir to a root.
func addDrivers(p *rootfs.Plan, from embed.FS, dir, to string) error {
	files, err := from.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		data, err := from.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		p.Add(rootfs.Entry{Path: to + f.Name(), Data: data})
	}
	return nil
}

// stageTests returns the staged test files and their paths.
func stageTests(tests []glovebox.File, ext string) (files []glovebox.File, names []string) {
	for i, f := range tests {
		name := f.Path
		if name == "" {
			name = "test" + strconv.Itoa(i) + ext
		}
		files = append(files, glovebox.File{Path: name, Data: f.Data, ReadOnly: true})
		names = append(names, name)
	}
	return files, names
}

// withoutFiles returns the files without the given names. If the program has a file
// with a test's name, the test takes precedence.
func withoutFiles(files []glovebox.File, names []string) []glovebox.File {
	return slices.DeleteFunc(slices.Clone(files), func(f glovebox.File) bool { return slices.Contains(names, f.Path) })
}
