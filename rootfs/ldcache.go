package rootfs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"path"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// loaderCache is the file read by glibc's dynamic loader before a search of the
// loader's own directories.
const loaderCache = "/etc/ld.so.cache"

// cacheIDs mark the libraries accepted by a loader of this architecture: of
// glibc, and 64 bits wide (FLAG_ELF_LIBC6 and the architecture's flag in
// glibc's ldconfig.h).
var cacheIDs = map[string]int32{"amd64": 0x0303, "arm64": 0x0a03}

// cacheHeader and cacheEntry are glibc's cache_file_new and file_entry_new
// (sysdeps/generic/dl-cache.h); offsets of strings count from the header.
type (
	cacheHeader struct {
		Magic      [20]byte
		Count      uint32
		Strings    uint32 // their length
		ByteOrder  uint8
		_          [3]byte
		Extensions uint32 // none
		_          [3]uint32
	}
	cacheEntry struct {
		ID        int32
		Name      uint32
		Path      uint32
		OSVersion uint32
		Hardware  uint64 // for any
	}
)

// cacheOf returns a cache that finds libraries at these paths by their last
// elements; nil for an architecture with loaders that would reject the cache.
func cacheOf(arch string, paths []string) []byte {
	id, ok := cacheIDs[arch]
	if !ok {
		return nil
	}
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return oddName().MatchString(path.Base(p)) })
	slices.SortFunc(paths, func(a, b string) int { return compareLibraries(path.Base(b), path.Base(a)) })
	const littleEndian = 2
	h := cacheHeader{Count: uint32(len(paths)), ByteOrder: littleEndian}
	copy(h.Magic[:], "glibc-ld.so.cache1.1")
	begin := binary.Size(h) + len(paths)*binary.Size(cacheEntry{})
	var entries []cacheEntry
	var strings []byte
	for _, p := range paths {
		at := uint32(begin + len(strings))
		// A name is the end of its path.
		entries = append(entries, cacheEntry{ID: id, Name: at + uint32(len(p)-len(path.Base(p))), Path: at})
		strings = append(append(strings, p...), 0)
	}
	h.Strings = uint32(len(strings))
	var b bytes.Buffer
	for _, part := range []any{h, entries, strings} {
		_ = binary.Write(&b, binary.LittleEndian, part) // of fixed sizes, to memory
	}
	return b.Bytes()
}

// oddName matches names that the loader may order differently: it compares
// numbers as 32 bits, and bytes as the machine's characters. The loader finds
// the libraries by searching directories.
var oddName = lazyre.New(`[^ -~]|[0-9]{10}|(^|[^0-9])0[0-9]`)

// compareLibraries orders names as the loader's binary search does
// (_dl_cache_libcmp): numbers by their value, and after all else.
func compareLibraries(a, b string) int {
	digit := func(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }
	number := func(s string) (n uint64, rest string) {
		for ; digit(s); s = s[1:] {
			n = n*10 + uint64(s[0]-'0')
		}
		return n, s
	}
	for a != "" && b != "" {
		switch {
		case digit(a) && digit(b):
			var x, y uint64
			x, a = number(a)
			y, b = number(b)
			if x != y {
				return cmp.Compare(x, y)
			}
		case digit(a):
			return 1
		case digit(b):
			return -1
		case a[0] != b[0]:
			return cmp.Compare(a[0], b[0])
		default:
			a, b = a[1:], b[1:]
		}
	}
	return cmp.Compare(len(a), len(b))
}
