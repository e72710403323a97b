package repomap

import (
	"math"
	"path"
	"slices"
	"sort"
	"strings"
)

// maxDefiners is the maximum of files with definitions of an unambiguous name.
const maxDefiners = 3

// link resolves the imports, and weighs the files by imports and by their uses
// of each other's names.
func (m *Map) link() {
	r := newResolver(m.files, m.by)
	for _, f := range m.files {
		seen := map[*file]bool{f: true}
		for _, target := range f.targets {
			for _, to := range f.lang.candidates(f, target, r) {
				if !seen[to] && len(f.imports) < maxImports {
					seen[to] = true
					f.imports = append(f.imports, to)
					to.importers = append(to.importers, f)
				}
			}
		}
		f.targets = nil
	}

	definers := map[uint32][]*file{}
	for _, f := range m.files {
		for _, s := range f.symbols {
			if len(s.Name) < minName {
				continue
			}
			h := hash(s.Name)
			if d := definers[h]; len(d) <= maxDefiners && !slices.Contains(d, f) {
				definers[h] = append(d, f)
			}
		}
	}
	users := map[*file]int{}
	for _, f := range m.files {
		seen := map[*file]bool{f: true}
		for _, h := range f.names {
			if d := definers[h]; len(d) <= maxDefiners {
				for _, to := range d {
					if !seen[to] {
						seen[to] = true
						users[to]++
					}
				}
			}
		}
		f.names = nil
	}
	for _, f := range m.files {
		f.weight = 2*math.Log2(float64(1+len(f.importers))) + math.Log2(float64(1+users[f])) - float64(f.depth())/2
		if f.test {
			f.weight -= 4
		}
	}
}

// focus is a Focus after the look-up.
type focus struct {
	files  []*file         // named, the most important first
	names  map[string]bool // identifiers of the text that something defines
	listed []string        // the same, in the order of the text
	weight map[*file]float64
}

// maxText is how many bytes of a task are looked at.
const maxText = 64 << 10

// look finds what a task is about.
func (m *Map) look(o Focus) *focus {
	f := &focus{names: map[string]bool{}, weight: map[*file]float64{}}
	text := o.Text[:min(len(o.Text), maxText)]
	add := func(to *file) {
		if to != nil && !slices.Contains(f.files, to) {
			f.files = append(f.files, to)
			f.weight[to] += 100
		}
	}
	for _, p := range o.Files {
		add(m.by[path.Clean(p)])
	}
	for _, to := range m.named(text) {
		add(to)
	}
	words(text, func(w string) {
		d := m.defined[w]
		if len(w) < minName && !strings.ContainsAny(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") || len(d) == 0 || f.names[w] {
			return
		}
		f.names[w] = true
		f.listed = append(f.listed, w)
		for _, to := range d {
			f.weight[to] += 16 / float64(len(d))
		}
	})
	for _, named := range f.files {
		for _, to := range named.imports {
			f.weight[to] += 20
		}
		for _, to := range named.importers {
			if !to.test {
				f.weight[to] += 10
			}
		}
	}
	return f
}

// named finds the paths in a text, whole or by their end, in the text's order.
// An ambiguous name counts for no file.
func (m *Map) named(text string) []*file {
	var found []*file
	var ends map[string]*file
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r\"'`()[]{}<>,;|*", r) }) {
		w = strings.TrimLeft(strings.TrimRight(w, ".:?!"), "/")
		// A line is often written after the name.
		if i := strings.IndexByte(w, ':'); i > 0 {
			w = w[:i]
		}
		w = strings.TrimPrefix(w, "./")
		if !strings.ContainsAny(w, "./") {
			continue
		}
		if f := m.by[w]; f != nil {
			found = append(found, f)
			continue
		}
		if ends == nil {
			ends = m.ends()
		}
		if f := ends[w]; f != nil {
			found = append(found, f)
		}
	}
	return found
}

// ends are the files by the last one, two and three names of their paths; nil
// for an ambiguous end.
func (m *Map) ends() map[string]*file {
	ends := map[string]*file{}
	for _, f := range m.files {
		at := len(f.path)
		for range 3 {
			at = strings.LastIndexByte(f.path[:at], '/')
			end := f.path[at+1:]
			if _, twice := ends[end]; twice {
				ends[end] = nil
			} else {
				ends[end] = f
			}
			if at < 0 {
				break
			}
		}
	}
	return ends
}

// ranked returns the files by their weight for a task, the heaviest first.
func (m *Map) ranked(fo *focus) []*file {
	order := slices.Clone(m.files)
	sort.SliceStable(order, func(i, j int) bool {
		return order[i].weight+fo.weight[order[i]] > order[j].weight+fo.weight[order[j]]
	})
	return order
}
