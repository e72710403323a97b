//go:build !windows

package approval

import (
	"errors"
	"fmt"
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

// inode identifies a folder on this host: a copy has another one.
func inode(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("%s has no inode", dir)
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino), nil
}

// syncDir makes a new name in a folder durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
