//go:build !windows

package host

import (
	"io/fs"
	"syscall"
)

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
