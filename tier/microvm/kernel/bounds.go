package kernel

import (
	"fmt"
	"io"
)

// Bounds of what is read. Debian's kernels for virtual machines have a fifth of
// each, and less.
const (
	maxPackage = 512 << 20 // a package
	maxTree    = 1 << 30   // a package's files, unpacked
	maxKept    = 512 << 20 // those of them that are looked at
	maxEntries = 200_000   // how many files
	maxImage   = 128 << 20 // a boot image
	maxVmlinux = 256 << 20 // the same uncompressed
	maxModule  = 64 << 20  // a module, uncompressed
	maxBuiltin = 4 << 20   // modules.builtin
)

// readAll reads to the end, of at most limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d bytes", limit)
	}
	return data, nil
}
