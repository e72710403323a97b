package repomap

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
)

const (
	// maxFolders is how deep the tree goes; what is deeper stands there too.
	maxFolders = 24
	// maxShown is the maximum of files shown in one folder.
	maxShown = 400
)

// folder is a folder of the tree.
type folder struct {
	name    string // with the names of the folders that only hold the next
	depth   int
	last    bool // vendored: others are opened first
	folders []*folder
	files   []*file
	count   int // of files, at any depth
	shown   int // files that are shown; -1 while the folder is closed
}

// Tree is the tree of the folders, a line for each. Folders are opened from the
// root on, within the budget; a folder beyond it is shown with the number of
// its files.
func (m *Map) Tree(budget int) string {
	root := m.folders()
	tokens := 0
	price := func(f *folder) int {
		n := 0
		for _, l := range f.lines(nil, true) {
			n += m.o.Count(l)
		}
		return n
	}
	// Folders are opened level by level.
	for level := []*folder{root}; len(level) > 0; {
		sort.SliceStable(level, func(i, j int) bool { return !level[i].last && level[j].last })
		var next []*folder
		for _, f := range level {
			for _, shown := range []int{maxShown, 20, 5} {
				f.shown = min(shown, len(f.files))
				if p := price(f); tokens+p <= budget || f == root && shown == 5 {
					tokens += p
					next = append(next, f.folders...)
					break
				}
				f.shown = -1
			}
		}
		level = next
	}
	return m.fit(root.lines(nil, false), budget, func(left int) string { return fmt.Sprintf("… %d more lines\n", left) })
}

// lines adds the lines of a folder's contents; of its own level only where flat
// is set.
func (f *folder) lines(to []string, flat bool) []string {
	indent := strings.Repeat("  ", f.depth)
	for _, d := range f.folders {
		if d.shown < 0 || flat {
			to = append(to, fmt.Sprintf("%s%s/ (%s)\n", indent, name(d.name), files(d.count)))
			continue
		}
		to = append(to, fmt.Sprintf("%s%s/\n", indent, name(d.name)))
		to = d.lines(to, false)
	}
	shown := max(f.shown, 0)
	for _, file := range f.files[:shown] {
		to = append(to, indent+name(within(file))+"\n")
	}
	if left := len(f.files) - shown; left > 0 {
		to = append(to, fmt.Sprintf("%s… %s more\n", indent, files(left)))
	}
	return to
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// within is a file's name in the folder that shows it.
func within(file *file) string {
	if strings.Count(file.path, "/") <= maxFolders {
		return path.Base(file.path)
	}
	return "…/" + path.Base(file.path)
}

// folders makes the tree.
func (m *Map) folders() *folder {
	root := &folder{shown: -1}
	by := map[string]*folder{"": root}
	var open func(dir string) *folder
	open = func(dir string) *folder {
		if f := by[dir]; f != nil {
			return f
		}
		up, base := "", dir
		if i := strings.LastIndexByte(dir, '/'); i >= 0 {
			up, base = dir[:i], dir[i+1:]
		}
		parent := open(up)
		f := &folder{name: base, shown: -1, last: parent.last || vendored().MatchString(dir+"/")}
		parent.folders = append(parent.folders, f)
		by[dir] = f
		return f
	}
	for _, file := range m.files {
		dir := path.Dir(file.path)
		if dir == "." {
			dir = ""
		}
		// Cut off folders that are too deep.
		if parts := strings.SplitN(dir, "/", maxFolders+1); len(parts) > maxFolders {
			dir = strings.Join(parts[:maxFolders], "/")
		}
		f := open(dir)
		f.files = append(f.files, file)
	}
	root.close(0)
	return root
}

// close sorts and counts a folder, and joins it with a folder that is its only
// child.
func (f *folder) close(depth int) {
	for f.name != "" && len(f.files) == 0 && len(f.folders) == 1 {
		only := f.folders[0]
		f.name, f.folders, f.files = f.name+"/"+only.name, only.folders, only.files
	}
	f.depth = depth
	f.count = len(f.files)
	slices.SortFunc(f.folders, func(a, b *folder) int { return cmp.Compare(a.name, b.name) })
	for _, d := range f.folders {
		d.close(depth + 1)
		f.count += d.count
	}
}
