package repomap

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// How many symbols of a file are shown.
const (
	manySymbols = 120 // of one that the task is about
	someSymbols = 30
)

// Signatures are the files with their definitions, the most important for the
// task first: a line for each file, and a line for each symbol with its line
// number.
func (m *Map) Signatures(budget int, focus Focus) string {
	fo := m.look(focus)
	var lines []string
	size := 0
	for _, f := range m.ranked(fo) {
		if len(f.symbols) == 0 {
			continue
		}
		most := someSymbols
		if fo.weight[f] >= 10 {
			most = manySymbols
		}
		for _, l := range f.signatures(most, fo.names) {
			lines = append(lines, l)
			size += len(l)
		}
		// More than this fits into no budget: few tokens have twenty bytes.
		if size > 20*budget {
			break
		}
	}
	return m.fit(lines, budget, func(int) string { return "… more files\n" })
}

// signatures are the lines of one file: its name, and its most important
// symbols: named ones, then top-level ones.
func (f *file) signatures(most int, names map[string]bool) []string {
	order := make([]int, len(f.symbols))
	for i := range order {
		order[i] = i
	}
	rank := func(s Symbol) int {
		if names[s.Name] {
			return -1
		}
		return s.Depth
	}
	sort.SliceStable(order, func(i, j int) bool { return rank(f.symbols[order[i]]) < rank(f.symbols[order[j]]) })
	order = order[:min(most, len(order))]
	slices.Sort(order)

	lines := []string{fmt.Sprintf("%s (%d lines)\n", name(f.path), f.lines)}
	for _, i := range order {
		s := f.symbols[i]
		lines = append(lines, fmt.Sprintf("%s%d: %s\n", strings.Repeat("  ", 1+min(s.Depth, 8)), s.Line, s.Text))
	}
	if left := len(f.symbols) - len(order); left > 0 {
		lines = append(lines, fmt.Sprintf("  … %d more\n", left))
	}
	return lines
}
