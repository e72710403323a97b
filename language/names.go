package language

import (
	"path"
	"slices"

	"github.com/gloveboxhq/glovebox"
)

// maxNames bounds the total length of a program's file names, in bytes: drivers
// receive all names in one argument, and Linux allows 128 KiB for an argument.
const maxNames = 64 << 10

// Told returns the number of bytes of file names that the drivers receive for a
// program, and the maximum. For a tree, which has no main file, the drivers receive
// only the names of source files.
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
