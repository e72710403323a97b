package workcopy

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// A search finds a hundred differences and gives up. maxPasses bounds the
// repeated searches of the rest; the final rest is replaced as a whole, which
// is still right.
const (
	perPass   = 100
	maxPasses = 500
)

// diffLines returns the differences of two lists of lines, in order.
func diffLines(old, new []string) []lcs.Diff {
	// Each distinct line becomes a number, for fast comparison.
	ids := map[string]rune{}
	number := func(lines []string) []rune {
		out := make([]rune, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = rune(len(ids))
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	a, b := number(old), number(new)

	var done []lcs.Diff
	todo := []lcs.Diff{{End: len(a), ReplEnd: len(b)}}
	for passes := 0; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if d.Start == d.End && d.ReplStart == d.ReplEnd {
			continue
		}
		oneSided := d.Start == d.End || d.ReplStart == d.ReplEnd
		looked := passes > 0 && d.End-d.Start+d.ReplEnd-d.ReplStart <= perPass
		if oneSided || looked || passes == maxPasses {
			done = append(done, d)
			continue
		}
		passes++
		found := lcs.DiffRunes(a[d.Start:d.End], b[d.ReplStart:d.ReplEnd])
		for i := len(found) - 1; i >= 0; i-- {
			f := lcs.Diff{
				Start: d.Start + found[i].Start, End: d.Start + found[i].End,
				ReplStart: d.ReplStart + found[i].ReplStart, ReplEnd: d.ReplStart + found[i].ReplEnd,
			}
			if f == d { // nothing in common
				done = append(done, d)
			} else {
				todo = append(todo, f)
			}
		}
	}
	return done
}

// splitLines splits a text after each line end.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
