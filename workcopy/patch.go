package workcopy

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // not for security: git names contents so
	"encoding/hex"
	"fmt"
	"os"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// contextLines is how many lines a hunk shows around a change.
const contextLines = 3

// Patch returns the changes as git writes them, for git apply: added and deleted
// files, changed modes, quoted names, missing line ends, and binary files in
// full. No changes make an empty patch.
func (c *Copy) Patch() ([]byte, error) {
	var out bytes.Buffer
	for _, ch := range c.Changes() {
		f, err := ch.patch()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ch.Path, err)
		}
		out.WriteString(f.String())
	}
	return out.Bytes(), nil
}

// patch is one file's part of a patch.
func (ch Change) patch() (*gitdiff.File, error) {
	f := &gitdiff.File{
		OldName: ch.Path, NewName: ch.Path,
		OldMode: fileMode(ch.OldExecutable), NewMode: fileMode(ch.Executable),
	}
	switch ch.Kind {
	case Added:
		f.IsNew, f.OldName, f.OldMode = true, "", 0
	case Deleted:
		f.IsDelete, f.NewName, f.NewMode = true, "", 0
	case Modified:
		if ch.OldExecutable == ch.Executable {
			f.NewMode = 0 // stands in the index line
		}
	}
	if bytes.Equal(ch.Old, ch.New) && ch.Kind == Modified {
		return f, nil // its mode alone
	}
	f.OldOIDPrefix, f.NewOIDPrefix = noBlob, noBlob
	if ch.Kind != Added {
		f.OldOIDPrefix = BlobName(ch.Old)
	}
	if ch.Kind != Deleted {
		f.NewOIDPrefix = BlobName(ch.New)
	}
	if IsBinary(ch.Old) || IsBinary(ch.New) {
		var err error
		f.IsBinary = true
		if f.BinaryFragment, err = binaryFragment(ch.New); err == nil {
			f.ReverseBinaryFragment, err = binaryFragment(ch.Old)
		}
		return f, err
	}
	f.TextFragments = hunks(splitLines(string(ch.Old)), splitLines(string(ch.New)))
	return f, nil
}

func fileMode(executable bool) os.FileMode {
	if executable {
		return 0o100755
	}
	return 0o100644
}

// BlobName is git's name of a content, in full, as required in a patch of a
// binary file.
func BlobName(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// noBlob is the name of the content of an absent file.
const noBlob = "0000000000000000000000000000000000000000"

// IsBinary reports whether git takes a content for binary: there is a NUL in
// its first 8000 bytes.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

func binaryFragment(data []byte) (*gitdiff.BinaryFragment, error) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return &gitdiff.BinaryFragment{Method: gitdiff.BinaryPatchLiteral, Size: int64(len(data)), RawData: packed.Bytes()}, nil
}

// hunks makes the hunks between two lists of lines. Changes with no more than
// two contexts in between share a hunk.
func hunks(old, new []string) []*gitdiff.TextFragment {
	var all []*gitdiff.TextFragment
	diffs := diffLines(old, new)
	for i := 0; i < len(diffs); {
		j := i + 1
		for j < len(diffs) && diffs[j].Start-diffs[j-1].End <= 2*contextLines {
			j++
		}
		first, last := diffs[i], diffs[j-1]
		h := &gitdiff.TextFragment{
			LeadingContext:  int64(min(contextLines, first.Start)),
			TrailingContext: int64(min(contextLines, len(old)-last.End)),
		}
		at := first.Start - int(h.LeadingContext)
		keep := func(to int) {
			for ; at < to; at++ {
				h.Lines = append(h.Lines, gitdiff.Line{Op: gitdiff.OpContext, Line: old[at]})
			}
		}
		for _, d := range diffs[i:j] {
			keep(d.Start)
			for ; at < d.End; at++ {
				h.Lines = append(h.Lines, gitdiff.Line{Op: gitdiff.OpDelete, Line: old[at]})
				h.LinesDeleted++
			}
			for _, l := range new[d.ReplStart:d.ReplEnd] {
				h.Lines = append(h.Lines, gitdiff.Line{Op: gitdiff.OpAdd, Line: l})
				h.LinesAdded++
			}
		}
		keep(last.End + int(h.TrailingContext))
		shown := int64(len(h.Lines))
		h.OldLines, h.NewLines = shown-h.LinesAdded, shown-h.LinesDeleted
		h.OldPosition = int64(first.Start) - h.LeadingContext
		h.NewPosition = int64(first.ReplStart) - h.LeadingContext
		// Lines count from 1; an empty side names the line before it.
		if h.OldLines > 0 {
			h.OldPosition++
		}
		if h.NewLines > 0 {
			h.NewPosition++
		}
		all = append(all, h)
		i = j
	}
	return all
}
