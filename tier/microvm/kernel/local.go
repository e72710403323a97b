package kernel

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readLocal reads a boot image and a directory of modules, such as
// /lib/modules/VERSION.
func readLocal(image, modules string) (*tree, error) {
	data, err := readFile(image, maxImage)
	if err != nil {
		return nil, err
	}
	t := &tree{image: data, modules: map[string]func() ([]byte, error){}, whole: modules == ""}
	if modules == "" {
		return t, nil
	}
	builtin, err := readFile(filepath.Join(modules, "modules.builtin"), maxBuiltin)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	t.builtin = readBuiltin(builtin)
	n := 0
	err = filepath.WalkDir(modules, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if n++; n > maxEntries {
			return fmt.Errorf("%s has more than %d files", modules, maxEntries)
		}
		return t.add(filepath.ToSlash(name), func() ([]byte, error) { return readFile(name, maxModule) })
	})
	return t, err
}

// readFile reads a regular file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	data, err := readAll(f, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}
