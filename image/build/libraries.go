package build

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// addLibraries brings shared libraries required by packages but not included,
// such as libstdc++: from the host, if the interpreter also comes from the
// host; else a note names the libraries.
func (b *builder) addLibraries(ctx context.Context) error {
	lacking := b.tree.lacking(machines[b.arch].elf)
	if len(lacking) > 0 && len(b.recipe.Host.Languages) > 0 {
		var found []string
		for _, name := range slices.Sorted(maps.Keys(lacking)) {
			if at := hostLibrary(name, machines[b.arch].uname); at != "" {
				found = append(found, at)
			}
		}
		libs, err := b.o.Host.Libraries(found...)
		if len(libs) == 0 && err != nil && len(found) > 0 {
			return fmt.Errorf("host: %w", err)
		}
		placed := rootfs.Plan{Entries: rootfs.Libraries(append(found, libs...))}
		root, err := b.o.Roots.Tree(ctx, rootfs.Base().Merge(b.withoutOurs(placed)))
		if err != nil {
			return fmt.Errorf("host: %w", err)
		}
		if err := b.tree.addTree(root.Tree); err != nil {
			return err
		}
		lacking = b.tree.lacking(machines[b.arch].elf)
	}
	for _, name := range slices.Sorted(maps.Keys(lacking)) {
		b.tree.note("%s needs the library %s, which the image does not have", lacking[name], name)
	}
	return nil
}

// maxELF bounds a program or library whose needs are read.
const maxELF = 1 << 30

// lacking are the libraries required by programs and libraries of packages but
// missing from the image, each with the requiring package.
func (t *tree) lacking(machine elf.Machine) map[string]string {
	have, asked := map[string]bool{}, map[string]string{}
	for p, n := range t.nodes {
		name := path.Base(p)
		have[name] = true
		if n.base || n.open == nil || n.from == fromHost || n.size > maxELF ||
			n.mode&0o111 == 0 && !strings.Contains(name, ".so") && !strings.HasSuffix(name, ".node") {
			continue
		}
		for _, lib := range n.needed(machine) {
			if by := asked[lib]; by == "" || n.from < by {
				asked[lib] = n.from
			}
		}
	}
	maps.DeleteFunc(asked, func(lib, _ string) bool { return have[lib] })
	return asked
}

// needed are the libraries required by an ELF file.
func (n *node) needed(machine elf.Machine) []string {
	r, err := n.open()
	if err != nil {
		return nil
	}
	defer r.Close()
	at, ok := r.(io.ReaderAt)
	if !ok {
		return nil
	}
	magic := make([]byte, 4)
	if _, err := at.ReadAt(magic, 0); err != nil || !bytes.Equal(magic, []byte(elf.ELFMAG)) {
		return nil
	}
	f, err := elf.NewFile(at)
	if err != nil || f.Machine != machine {
		return nil
	}
	libs, _ := f.ImportedLibraries()
	return slices.DeleteFunc(libs, func(s string) bool { return !libraryName(s) })
}

// libraryName tells the name of a library from a path or worse.
func libraryName(s string) bool {
	return s != "" && len(s) < 200 && strings.IndexFunc(s, func(r rune) bool {
		return !(r < 0x80 && isAlnum(byte(r)) || strings.ContainsRune("._+-", r))
	}) < 0
}

// hostLibrary finds a library where the loader looks by default.
func hostLibrary(name, machine string) string {
	for _, dir := range []string{"/lib/" + machine + "-linux-gnu", "/usr/lib/" + machine + "-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"} {
		if info, err := os.Stat(path.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return path.Join(dir, name)
		}
	}
	return ""
}
