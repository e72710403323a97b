package image

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// node is one file, directory or link of a tree.
type node struct {
	kind     kind
	exec     bool              // of a file
	link     string            // of a link: its target, which is never looked up outside the tree
	size, at int64             // of a file: its length, and where it starts in the data
	sum      [sha256.Size]byte // of a file: the hash of its content
	seconds  int64             // of a file: when it was modified, since 1970
	children map[string]*node  // of a directory
	cleared  int               // the last layer that hid what those below it had here
	layer    int               // the layer that it is of, while layers are applied
}

type kind byte

const (
	kindDir kind = iota
	kindFile
	kindLink
)

func (k kind) String() string {
	return [...]string{"directory", "file", "symbolic link"}[k]
}

func newDir(layer int) *node { return &node{kind: kindDir, children: map[string]*node{}, layer: layer} }

// names returns the names in a directory, in order.
func (n *node) names() []string { return slices.Sorted(maps.Keys(n.children)) }

// walk calls fn for the nodes below the directory n, parents before their
// children.
func (n *node) walk(at string, fn func(path string, n *node) error) error {
	for _, name := range n.names() {
		c, p := n.children[name], at+"/"+name
		if err := fn(p, c); err != nil {
			return err
		}
		if c.kind == kindDir {
			if err := c.walk(p, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// count returns the number of nodes below n, and their bytes.
func (n *node) count() (files int, bytes int64) {
	for _, c := range n.children {
		f, b := c.count()
		files, bytes = files+1+f, bytes+b+c.size
	}
	return files, bytes
}

// split returns the elements of a name below the root, in any notation. up
// reports "..", useless in archives of a tree.
func split(name string) (elements []string, up bool) {
	// A name may be part of a text of a megabyte, which need not stay.
	for e := range strings.SplitSeq(strings.Clone(name), "/") {
		switch e {
		case "", ".":
		case "..":
			return nil, true
		default:
			elements = append(elements, e)
		}
	}
	return elements, false
}
