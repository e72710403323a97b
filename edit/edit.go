// Package edit reads the changes in a model's reply and makes them in a working
// copy: all, or none.
//
// # Forms
//
// A reply may mix these forms, with any prose around them. A path is relative
// to the repository and slash-separated. [Instructions] tells a model the first
// four.
//
// Search and replace. The path is on the line before the block, in the info
// string of the fence around it, or on the line above the fence. The fence may
// be left out. A block without a path is for the file of the previous block.
//
//	path/to/file.py
//	<<<<<<< SEARCH
//	old lines
//	=======
//	new lines
//	>>>>>>> REPLACE
//
// SEARCH must be whole lines found exactly once in the file, white space
// included. An empty SEARCH makes a new file, an empty REPLACE removes the
// lines. A line of equals signs in the text itself would be taken for the
// divider: a block with two dividers is malformed.
//
// Whole file. A closed fence with a path on the line above, in the info string
// (```python path/to/file.py, ```python title="a.py", ```python:a.py), or in a
// comment on the first line (# file: path/to/file.py, which is then no part of
// the file). A line above is a path only with nothing but marks around (`a.py`,
// **a.py**, ### a.py, 1. a.py, File: a.py); a path without a known suffix needs
// a slash and backquotes, or the label. A file with fences inside needs a
// longer fence. Text such as "# ... rest of the code" in place of code makes
// the edit malformed. A fence without a path is an example and is ignored.
//
// Delete and rename, each on a line of its own:
//
//	*** Delete File: path/to/file.py
//	*** Rename File: old/path.py -> new/path.py
//
// Unified diff, in a fence with the tag diff or patch, or bare. A diff begins
// with diff --git or with --- and +++ lines; /dev/null is no file. The counts
// in @@ lines are not believed, because models miscount. A hunk must apply
// exactly: at its line, or else at the only other match, with a note. An @@
// line may have no numbers.
//
// The patch form of some models: *** Begin Patch, then *** Add File: (each line
// with a +), *** Update File: (hunks after @@ lines, perhaps *** Move to:) and
// *** Delete File:, then *** End Patch.
//
// # Line ends
//
// A file keeps its kind of line ends, its byte order mark and, under
// search/replace, whether its last line ends. Replies are read with either
// kind.
//
// [ParsePatch] reads what git and diff write, strictly except for corrected
// line numbers.
package edit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Set is the edits of one reply or patch, in order.
type Set struct {
	Edits []Edit
	// Notes are short sentences about choices made by Parse and then by Apply:
	// an ignored fence, a hunk at another line.
	Notes []string
}

// Edit is one change of one file.
type Edit struct {
	Kind Kind
	// Path is the file, as the reply writes it; Apply checks it.
	Path string
	// From is the old path of a Rename.
	From string
	// Line is the edit's first line in the reply, from 1; 0 in a patch.
	Line int
	// New means that the file must not exist yet.
	New bool
	// Data is the content of a Whole.
	Data []byte
	// Blocks are those of a Replace.
	Blocks []Block
	// Hunks are those of a Patch, and in a patch the deleted lines of a Delete.
	Hunks []Hunk
	// Executable, in a patch, is the file's bit afterwards; nil leaves it.
	Executable *bool

	exact  bool // from a patch: bytes are as they are
	binary *binary
}

// Kind is a kind of edit.
type Kind string

// The kinds of edits.
const (
	Whole   Kind = "whole"
	Replace Kind = "replace"
	Patch   Kind = "patch"
	Delete  Kind = "delete"
	Rename  Kind = "rename"
)

// Block is one search/replace block. Both texts are whole lines.
type Block struct {
	Search, Replace string
	Line            int // in the reply
}

// Hunk is a place of a unified diff.
type Hunk struct {
	// Start is the first line of the old side, from 1; 0 means not known. Of a
	// hunk without an old side it is the line before.
	Start int
	Lines []Line
	Line  int // in the reply
}

// Line is a line of a hunk. Text ends with a line end, except for an
// unterminated last line.
type Line struct {
	Op   byte // ' ', '-' or '+'
	Text string
}

// binary is a binary change of a patch.
type binary struct {
	change *gitdiff.BinaryFragment
	was    string // git's name of the old content
}

// Problem is a kind of error.
type Problem string

// The kinds of errors.
const (
	// NoEdits: the reply holds no edit.
	NoEdits Problem = "no_edits"
	// Malformed: an edit is not written in one of the forms.
	Malformed Problem = "malformed"
	// OutsideAllowed: a path leaves the repository, or the rules do not allow
	// it.
	OutsideAllowed Problem = "outside_allowed"
	// NotFound: a file, or the text to change, does not exist.
	NotFound Problem = "not_found"
	// Ambiguous: the text to change occurs more than once.
	Ambiguous Problem = "ambiguous"
	// Exists: a new file's path is taken.
	Exists Problem = "exists"
	// TooLarge: a bound was passed.
	TooLarge Problem = "too_large"
	// NoChange: after all edits every file is unchanged.
	NoChange Problem = "no_change"
)

// Error is one fault of a reply's edits, phrased for correction by a model.
// Detail may quote lines of the file.
type Error struct {
	Kind   Problem
	Path   string // empty where it is about the whole reply
	Line   int    // in the reply; 0 where there is none
	Detail string
}

func (e *Error) Error() string {
	var at strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&at, "%s: ", e.Path)
	}
	if e.Line > 0 {
		fmt.Fprintf(&at, "(line %d of the reply) ", e.Line)
	}
	return fmt.Sprintf("%s%s: %s", at.String(), e.Kind, e.Detail)
}

// Problems returns the Errors in err. It is empty if the reply is not at fault,
// as for a folder that cannot be read.
func Problems(err error) []*Error {
	if e, ok := err.(*Error); ok {
		return []*Error{e}
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var list []*Error
		for _, e := range all.Unwrap() {
			list = append(list, Problems(e)...)
		}
		return list
	}
	if inner := errors.Unwrap(err); inner != nil {
		return Problems(inner)
	}
	return nil
}

// Bounds of what is read and done.
const (
	maxReply   = 16 << 20
	maxPatch   = 64 << 20
	maxLines   = 2_000_000
	maxEdits   = 2000     // edits, blocks and hunks together
	maxErrors  = 20       // that are told
	maxChanged = 64 << 20 // bytes of changed files
	maxScanned = 4 << 30  // bytes of files that are searched
)

// problems collects Errors.
type problems struct {
	list []error
	more int
}

func (p *problems) add(kind Problem, path string, line int, format string, args ...any) {
	if len(p.list) == maxErrors {
		p.more++
		return
	}
	p.list = append(p.list, &Error{Kind: kind, Path: clip(path, maxWidth), Line: line, Detail: fmt.Sprintf(format, args...)})
}

func (p *problems) err() error {
	if p.more > 0 {
		last := p.list[maxErrors-1].(*Error)
		last.Detail += fmt.Sprintf(" (and %d more errors)", p.more)
		p.more = 0
	}
	return errors.Join(p.list...)
}
