package audit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// frontier is a Merkle tree of which only the roots of the perfect subtrees are kept,
// the largest first: enough to add leaves and to know the root.
type frontier struct {
	n     int64
	roots []tlog.Hash
}

// add adds a leaf, and appends to stored the hashes that the hashes file gets for it.
func (f *frontier) add(leaf tlog.Hash, stored []tlog.Hash) []tlog.Hash {
	stored = append(stored, leaf)
	for m := f.n; m&1 == 1; m >>= 1 {
		last := len(f.roots) - 1
		leaf = tlog.NodeHash(f.roots[last], leaf)
		f.roots = f.roots[:last]
		stored = append(stored, leaf)
	}
	f.roots = append(f.roots, leaf)
	f.n++
	return stored
}

func (f *frontier) root() tlog.Hash {
	if len(f.roots) == 0 {
		return sha256.Sum256(nil)
	}
	last := len(f.roots) - 1
	h := f.roots[last]
	for i := last - 1; i >= 0; i-- {
		h = tlog.NodeHash(f.roots[i], h)
	}
	return h
}

// storedHashes reads a hashes file.
type storedHashes struct{ io.ReaderAt }

// ReadHashes implements tlog.HashReader.
func (s storedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if _, err := s.ReadAt(hashes[i][:], at*tlog.HashSize); err != nil {
			return nil, fmt.Errorf("hashes file: %w", err)
		}
	}
	return hashes, nil
}

// frontier reads the frontier of the first n leaves.
func (s storedHashes) frontier(n int64) (frontier, error) {
	var at []int64
	for rest, start := uint64(n), int64(0); rest != 0; {
		level := bits.Len64(rest) - 1
		at = append(at, tlog.StoredHashIndex(level, start>>level))
		start += 1 << level
		rest &^= 1 << level
	}
	roots, err := s.ReadHashes(at)
	return frontier{n, roots}, err
}
