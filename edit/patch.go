package edit

import (
	"bytes"
	"os"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// ParsePatch reads a patch as git or diff write it: text and binary changes, new,
// deleted and renamed files, modes. An empty patch is [NoEdits].
func ParsePatch(patch []byte) (*Set, error) {
	var bad problems
	if len(patch) > maxPatch {
		bad.add(TooLarge, "", 0, "the patch has %d bytes: at most %d are read", len(patch), maxPatch)
		return nil, bad.err()
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(patch))
	if err != nil {
		bad.add(Malformed, "", 0, "%s", clip(strings.TrimPrefix(err.Error(), "gitdiff: "), 2*maxWidth))
		return nil, bad.err()
	}
	git := bytes.HasPrefix(patch, []byte("diff --git ")) || bytes.Contains(patch, []byte("\ndiff --git "))
	var gone, rest []Edit
	count := 0
	for _, f := range files {
		edits, err := patched(f, git)
		if err != nil {
			bad.list = append(bad.list, err)
			if len(bad.list) == maxErrors {
				break
			}
		}
		for _, e := range edits {
			count += 1 + len(e.Hunks)
			if e.Kind == Delete {
				gone = append(gone, e)
			} else {
				rest = append(rest, e)
			}
		}
	}
	switch {
	case len(bad.list) > 0:
	case count > 50*maxEdits:
		bad.add(TooLarge, "", 0, "the patch has %d changes: at most %d are made", count, 50*maxEdits)
	case count == 0:
		bad.add(NoEdits, "", 0, "the patch changes nothing")
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	// A patch has no order; a deleted file may be in the way of a new one.
	return &Set{Edits: append(gone, rest...)}, nil
}

// patched returns the edits of one file's part of a patch.
func patched(f *gitdiff.File, git bool) ([]Edit, error) {
	from, to := f.OldName, f.NewName
	if !git {
		from, to = traditional(from), traditional(to)
	}
	e := Edit{Kind: Patch, Path: to, exact: true}
	if to == "" {
		e.Path = from
	}
	for _, t := range f.TextFragments {
		h := Hunk{Start: int(t.OldPosition)}
		for _, l := range t.Lines {
			op := byte(' ')
			switch l.Op {
			case gitdiff.OpDelete:
				op = '-'
			case gitdiff.OpAdd:
				op = '+'
			}
			h.Lines = append(h.Lines, Line{Op: op, Text: l.Line})
		}
		e.Hunks = append(e.Hunks, h)
	}
	if f.NewMode != 0 {
		if kind := f.NewMode & 0o170000; kind == 0o120000 || kind == 0o160000 || f.NewMode&os.ModeSymlink != 0 {
			return nil, &Error{Kind: Malformed, Path: e.Path, Detail: "it makes a symbolic link or a submodule"}
		}
		x := f.NewMode&0o111 != 0
		e.Executable = &x
	}
	if f.IsBinary {
		if f.BinaryFragment == nil {
			return nil, &Error{Kind: Malformed, Path: e.Path, Detail: "a binary change without its data"}
		}
		e.binary = &binary{change: f.BinaryFragment, was: f.OldOIDPrefix}
	}
	switch {
	case f.IsCopy:
		return nil, &Error{Kind: Malformed, Path: e.Path, Detail: "copies in patches are not supported"}
	case f.IsDelete:
		e.Kind = Delete
	case f.IsNew:
		e.Kind, e.New = Whole, true
		for _, h := range e.Hunks {
			for _, l := range h.Lines {
				e.Data = append(e.Data, l.Text...)
			}
		}
		e.Hunks = nil
	case f.IsRename:
		return []Edit{{Kind: Rename, From: from, Path: to, exact: true}, e}, nil
	}
	return []Edit{e}, nil
}

// traditional is a name of a patch without git's headers, still with the
// prefixes a/ and b/.
func traditional(name string) string {
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}
