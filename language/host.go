package language

import (
	"context"
	"io/fs"
)

// Host gives a Language access to the machine for finding its toolchain.
type Host interface {
	// LookPath finds a program as the operator would call it and returns its real
	// path: links, shims and version managers resolved. If none of the names
	// exists, the error is fs.ErrNotExist.
	LookPath(names ...string) (string, error)
	// Ask runs one of the operator's trusted programs with a short deadline and an
	// empty environment (PATH, HOME, LANG) and returns its stdout.
	Ask(ctx context.Context, args ...string) (string, error)
	// Libraries returns the dynamic loader and the shared libraries needed by the
	// ELF files, in the order of discovery. The loader has the path named in the
	// programs. A library has a resolved directory and the requested name.
	// rootfs.Libraries places them. If libraries are missing, the error names the
	// missing and the found ones.
	Libraries(elfs ...string) ([]string, error)
	// ELFs returns the programs and shared libraries below dir, such as the
	// extension modules of an interpreter, as input for Libraries. For a file, ELFs
	// returns only the file.
	ELFs(dir string) ([]string, error)
	// Stat describes a file or directory, following links.
	Stat(name string) (fs.FileInfo, error)
	// Memo sets v, a pointer to a value that JSON can hold, to the result of an
	// earlier fill with the same key and unchanged files. Otherwise Memo calls
	// fill. See [Remember].
	Memo(key string, files []string, v any, fill func() error) error
}

// Remember returns the result of an earlier find with the same key, perhaps from
// another process, as long as no file has changed its size, modification time or
// inode. Otherwise Remember calls find. A language wraps its whole discovery in
// Remember, because asking an interpreter can take ten times as long as a run. The
// key names the language; the files are the interpreter and all other inputs of the
// answer. A rootfs.Plan with a Skip cannot be remembered: remember the facts, and
// build the plan from them.
func Remember[T any](h Host, key string, files []string, find func() (T, error)) (T, error) {
	var v T
	err := h.Memo(key, files, &v, func() (err error) {
		v, err = find()
		return err
	})
	return v, err
}
