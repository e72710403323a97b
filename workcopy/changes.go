package workcopy

import "sort"

// Change is the change of one file since the copy was made.
type Change struct {
	Path string
	Kind Kind
	// Old and New are the contents; Old is nil for an added file, New for a
	// deleted one. They must not be changed.
	Old, New []byte
	// OldExecutable and Executable are the bits before and after.
	OldExecutable, Executable bool
}

// Kind is a kind of change.
type Kind string

// The kinds of change.
const (
	Added    Kind = "added"
	Modified Kind = "modified"
	Deleted  Kind = "deleted"
)

// Changes lists the differences from the folder, by path. A file with its
// original contents is not listed, whatever was written in between.
func (c *Copy) Changes() []Change {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var all []Change
	for p, e := range c.edits {
		ch := Change{Path: p, Kind: Modified}
		if e.was != nil {
			ch.Old, ch.OldExecutable = e.was.data, e.was.executable
		} else {
			ch.Kind = Added
		}
		if e.is != nil {
			ch.New, ch.Executable = e.is.data, e.is.executable
		} else {
			ch.Kind = Deleted
		}
		all = append(all, ch)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all
}

// Lines counts the lines that the change adds and removes.
func (ch Change) Lines() (added, removed int) {
	for _, d := range diffLines(splitLines(string(ch.Old)), splitLines(string(ch.New))) {
		added += d.ReplEnd - d.ReplStart
		removed += d.End - d.Start
	}
	return added, removed
}
