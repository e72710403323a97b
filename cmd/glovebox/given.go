package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Bounds of a folder that a flag names.
const (
	maxFolderFiles = 10_000
	maxFolderBytes = 256 << 20
)

// given reads the files that a flag such as --tests or --file names, each as
// SRC or SRC:DEST. DEST is a path in the workspace; without it place says where
// a file goes. A folder stands for all files below it, in the order of their
// names: SRC/x goes to DEST/x. Links and the folder .git are left out.
func given(s *streams, flag string, names []string, bound int64, place func(src string) string) ([]glovebox.File, error) {
	var files []glovebox.File
	for _, name := range names {
		src, dest, placed := strings.Cut(name, ":")
		if !placed {
			dest = place(src)
		}
		var executable bool
		if src != "-" { // which is stdin, whatever has that name
			info, err := os.Stat(src)
			if err != nil {
				return nil, usageError{err}
			}
			executable = info.Mode()&0o111 != 0
			if info.IsDir() {
				below, err := folder(s, flag, src, dest, bound)
				if err != nil {
					return nil, err
				}
				files = append(files, below...)
				continue
			}
		}
		b, err := readBounded(s, src, bound)
		if err != nil {
			return nil, err
		}
		files = append(files, glovebox.File{Path: dest, Data: b, Executable: executable})
	}
	return files, nil
}

// base is where a file or a folder goes that has no DEST: under its own name.
// The contents of "." go to the workspace itself.
func base(src string) string {
	if b := filepath.Base(src); b != ".." {
		return b
	}
	return "."
}

// folder reads all files below src.
func folder(s *streams, flag, src, dest string, bound int64) ([]glovebox.File, error) {
	var files []glovebox.File
	var total int64
	err := filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case len(files) == maxFolderFiles:
			return usagef("%s %s: the folder has more than %d files", flag, src, maxFolderFiles)
		}
		b, err := readBounded(s, name, bound)
		if err != nil {
			return err
		}
		if total += int64(len(b)); total > maxFolderBytes {
			return usagef("%s %s: the folder has more than %d MiB", flag, src, maxFolderBytes>>20)
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files = append(files, glovebox.File{Path: path.Join(dest, filepath.ToSlash(rel)), Data: b, Executable: info.Mode()&0o111 != 0})
		return nil
	})
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return nil, err
	case err != nil:
		return nil, usageError{err}
	case len(files) == 0:
		return nil, usagef("%s %s: there is no file in the folder", flag, src)
	}
	return files, nil
}
