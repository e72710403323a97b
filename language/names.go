package language

import (
	"path"
	"slices"

	"github.com/gloveboxhq/glovebox"
)

// maxNames is how many bytes the names of a program's files may have together:
// drivers are told of them in one argument, and Linux takes 128 KiB.
const maxNames = 64 << 10

// Told says how many bytes of names the drivers are told of a program, and how
// many they can be told. Of a tree, which has no main file, they are told of the
// source files only.
func (l *Language) Told(p *glovebox.Program) (bytes, most int64) {
	tree := p.Main == ""
	for _, f := range p.Files {
		if !tree || slices.Contains(l.Extensions, path.Ext(f.Path)) || path.Ext(f.Path) == ".json" {
			bytes += int64(len(f.Path)) + 1
		}
	}
	if most = maxNames; tree {
		most = max(most, l.Names)
	}
	return bytes, most
}
