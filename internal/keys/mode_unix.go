//go:build !windows

package keys

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const permissive = false

// ours reports whether a file belongs to the user that runs this.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// syncDir makes a new name in a folder durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
