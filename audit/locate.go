package audit

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// at makes a fault with the offset of its first entry.
func (c *check) at(index, through int64, what string) error {
	return &Fault{Index: index, Through: through, Offset: c.offsetOf(index), What: what}
}

// offsetOf finds the offset of an entry's line.
func (c *check) offsetOf(index int64) int64 {
	var offset, n int64
	f, err := openFile(filepath.Join(c.dir, logFile))
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.LimitReader(f, c.size), 1<<16)
	for n < index {
		part, err := lines.ReadSlice('\n')
		offset += int64(len(part))
		if err == nil {
			n++
		} else if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	return offset
}

// narrow finds the first of some entries that is not the one of the hashes file. The
// file is believed only where it gives the root of a signed head.
func (c *check) narrow(from, through int64, what string) error {
	if i, ok := c.differs(from, through); ok {
		return c.at(i, i, what)
	}
	return c.at(from, through, what)
}

func (c *check) differs(from, through int64) (int64, bool) {
	own := c.sources[0].next
	if own == nil || own.Size <= through {
		return 0, false
	}
	f, err := openFile(filepath.Join(c.dir, hashesFile))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	stored := storedHashes{f}
	log, err := openFile(filepath.Join(c.dir, logFile))
	if err != nil {
		return 0, false
	}
	defer log.Close()
	if _, err := log.Seek(c.soundAt, io.SeekStart); err != nil {
		return 0, false
	}
	lines := bufio.NewReaderSize(io.LimitReader(log, c.size-c.soundAt), maxLine)
	tree := frontier{c.sound.n, slices.Clone(c.sound.roots)}
	first := int64(-1)
	for tree.n < own.Size {
		n := tree.n
		want, err := stored.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
		if err != nil {
			return 0, false
		}
		line, err := lines.ReadSlice('\n')
		if first < 0 && (err != nil || tlog.RecordHash(line[:len(line)-1]) != want[0]) {
			first = n
		}
		tree.add(want[0], nil)
	}
	signed := false
	for _, v := range c.keys {
		signed = signed || own.verify(v)
	}
	if first < from || first > through || !signed || tree.root() != own.Root {
		return 0, false
	}
	return first, true
}
