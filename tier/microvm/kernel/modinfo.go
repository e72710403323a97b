package kernel

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// info holds a module's own description, from its section .modinfo. modules.dep
// follows from these descriptions; packages lack the file, because depmod
// writes it on installation.
type info struct {
	name    string
	version string   // of the kernel that it was built for
	needs   []string // must be loaded before
	wants   []string // had better be loaded before
}

const (
	maxModinfo = 1 << 20
	maxNeeds   = 64 // of one module
	maxLoaded  = 64 // modules altogether
)

// readInfo reads the description in an uncompressed module.
func readInfo(ko []byte) (info, error) {
	f, err := elf.NewFile(bytes.NewReader(ko))
	if err != nil {
		return info{}, err
	}
	s := f.Section(".modinfo")
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.FileSize > maxModinfo {
		return info{}, errors.New("it has no readable section .modinfo")
	}
	text, err := cut(ko, int64(s.Offset), int64(s.FileSize))
	if err != nil {
		return info{}, err
	}
	var i info
	for line := range bytes.SplitSeq(text, []byte{0}) {
		key, value, _ := strings.Cut(string(line), "=")
		switch key {
		case "name":
			i.name = plain(value)
		case "vermagic":
			i.version, _, _ = strings.Cut(value, " ")
		case "depends":
			for need := range strings.SplitSeq(value, ",") {
				if need != "" {
					i.needs = append(i.needs, plain(need))
				}
			}
		case "softdep":
			if pre, ok := strings.CutPrefix(value, "pre:"); ok {
				pre, _, _ = strings.Cut(pre, "post:")
				for want := range strings.FieldsSeq(pre) {
					i.wants = append(i.wants, plain(want))
				}
			}
		}
	}
	if len(i.needs)+len(i.wants) > maxNeeds {
		return info{}, fmt.Errorf("it needs more than %d others", maxNeeds)
	}
	return i, nil
}

// plain returns a module's name with "_" for "-", which are the same.
func plain(name string) string { return strings.ReplaceAll(name, "-", "_") }

// moduleName returns the name of the module in a file, and whether the file is
// a module.
func moduleName(file string) (string, bool) {
	base := path.Base(file)
	for _, end := range []string{".ko", ".ko.xz", ".ko.zst", ".ko.gz"} {
		if name, ok := strings.CutSuffix(base, end); ok {
			return plain(name), moduleNames().MatchString(plain(name))
		}
	}
	return "", false
}

// taken is a module that a guest may load; without a file it is built in.
type taken struct {
	module
	ko []byte
}

// choose takes from a tree the modules for guests, and their dependencies,
// uncompressed. Each module comes after its dependencies.
func choose(t *tree) ([]taken, error) {
	c := chooser{tree: t, done: map[string]bool{}}
	for _, name := range Required {
		if err := c.add(name, nil); err != nil {
			return nil, err
		}
	}
	for _, name := range Optional {
		if t.has(name) {
			if err := c.add(name, nil); err != nil {
				return nil, err
			}
		}
	}
	return c.list, nil
}

type chooser struct {
	tree *tree
	list []taken
	done map[string]bool
}

// add takes a module; way are those that led to it.
func (c *chooser) add(name string, way []string) error {
	if c.done[name] {
		return nil
	}
	if slices.Contains(way, name) {
		return fmt.Errorf("modules need each other: %s", strings.Join(append(way, name), ", "))
	}
	if len(c.list)+len(way) >= maxLoaded {
		return fmt.Errorf("more than %d modules need each other", maxLoaded)
	}
	read, isFile := c.tree.modules[name]
	if !isFile {
		if !c.tree.builtin[name] {
			return fmt.Errorf("kernel %s has no module %s", c.tree.version, strings.Join(append(slices.Clone(way), name), ", which needs "))
		}
		c.done[name] = true
		c.list = append(c.list, taken{module: module{Name: name}})
		return nil
	}
	packed, err := read()
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	ko, err := unpacked(packed, maxModule)
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	i, err := readInfo(ko)
	switch {
	case err != nil:
		return fmt.Errorf("module %s: %w", name, err)
	case i.name != name:
		return fmt.Errorf("module %s says that it is %q", name, i.name)
	case i.version != c.tree.version:
		return fmt.Errorf("module %s is for kernel %q, not for %s", name, i.version, c.tree.version)
	}
	needs := i.needs
	for _, want := range i.wants {
		// A dependency may be named by its function: crc32c is crc32c_generic.
		for _, w := range []string{want, want + "_generic"} {
			if c.tree.has(w) {
				needs = append(needs, w)
				break
			}
		}
	}
	way = append(slices.Clone(way), name)
	for _, need := range needs {
		if err := c.add(need, way); err != nil {
			return err
		}
	}
	c.done[name] = true
	c.list = append(c.list, taken{module{Name: name, File: "modules/" + name + ".ko", Needs: needs}, ko})
	return nil
}
