package language

import (
	"context"
	"io/fs"
)

// Host is what a Language may ask of the machine to find its toolchain.
type Host interface {
	// LookPath finds a program as the operator would call it and returns its
	// real path: links, shims and version managers resolved. The error is
	// fs.ErrNotExist where none of the names exists.
	LookPath(names ...string) (string, error)
	// Ask runs a trusted program of the operator's with a short deadline and
	// an empty environment (PATH, HOME, LANG) and returns its stdout.
	Ask(ctx context.Context, args ...string) (string, error)
	// Libraries returns the dynamic loader and the shared libraries that the
	// ELF files need, in the order they are found: the loader by the path that
	// programs name it by, a library with its directory resolved, by the name
	// it is asked for. rootfs.Libraries places them. Where some are missing it
	// returns an error that names them and those that it found.
	Libraries(elfs ...string) ([]string, error)
	// ELFs returns the programs and shared libraries below dir, such as the
	// extension modules of an interpreter, so that Libraries can find what
	// they need; of a file, it alone.
	ELFs(dir string) ([]string, error)
	// Stat tells of a file or directory; links are followed.
	Stat(name string) (fs.FileInfo, error)
	// Memo sets v, a pointer to something that JSON can hold, to what fill
	// found under the same key when files were as they are now, or calls fill.
	// See [Remember].
	Memo(key string, files []string, v any, fill func() error) error
}

// Remember returns what find found before, perhaps in another process, under
// the same key, as long as none of the files has changed: their size,
// modification time and inode. Else it calls find. A language wraps its whole
// discovery in it, since asking an interpreter takes ten times as long as a
// run may; the key names the language, the files are the interpreter and what
// else the answer hangs on. A rootfs.Plan with a Skip cannot be remembered:
// remember the facts, and make the plan of them.
func Remember[T any](h Host, key string, files []string, find func() (T, error)) (T, error) {
	var v T
	err := h.Memo(key, files, &v, func() (err error) {
		v, err = find()
		return err
	})
	return v, err
}
