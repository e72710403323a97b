//go:build linux

package microvm

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
)

// entry is a file of an initramfs, or, without data, a directory.
type entry struct {
	path string // without a leading slash; the directories above come before
	mode uint32 // with the file's type
	data []byte
}

// Types of files in a mode.
const (
	typeDir  = 0o040000
	typeFile = 0o100000
)

// writeInitramfs writes a cpio archive in the format that the kernel unpacks
// (newc: Documentation/driver-api/early-userspace/buffer-format.rst). The same
// entries give the same bytes.
func writeInitramfs(w io.Writer, entries []entry) error {
	at := 0
	put := func(b []byte) error {
		n, err := w.Write(b)
		at += n
		return err
	}
	pad := func() error { return put(make([]byte, -at&3)) }
	for i, e := range append(entries, entry{path: "TRAILER!!!"}) {
		if e.path != path.Clean(e.path) || !filepath.IsLocal(e.path) {
			return fmt.Errorf("initramfs: %q is no clean path", e.path)
		}
		links := 1
		if e.mode&typeDir != 0 {
			links = 2
		}
		// magic ino mode uid gid nlink mtime size dev(2) rdev(2) namesize check
		head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
			i+1, e.mode, 0, 0, links, 0, len(e.data), 0, 0, 0, 0, len(e.path)+1, 0, e.path)
		for _, step := range []func() error{
			func() error { return put([]byte(head)) }, pad,
			func() error { return put(e.data) }, pad,
		} {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}
