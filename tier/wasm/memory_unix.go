//go:build unix

package wasm

import "golang.org/x/sys/unix"

// reserve takes addresses without memory behind them.
func reserve(size int64) []byte {
	if size == 0 {
		return []byte{}
	}
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return b
}

// commit makes reserved addresses memory.
func commit(b []byte) bool {
	return len(b) == 0 || unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE) == nil
}

func release(b []byte) {
	if len(b) > 0 {
		_ = unix.Munmap(b)
	}
}
