// Package compare compares a program's output with the expected output. It runs
// outside of every box.
package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// defaultTolerance is the tolerance of a case without its own.
const defaultTolerance = 1e-6

// Output compares an output with the expected output of a case. It returns ""
// if they match, else one sentence on the first difference.
func Output(c glovebox.Case, actual string) string {
	if actual == c.Stdout {
		return "" // whatever may differ does not
	}
	switch c.Match {
	case glovebox.MatchExact:
		return lines(c.Stdout, actual)
	case glovebox.MatchTolerant:
		return fields(c.Stdout, actual, c.Tolerance)
	default:
		return lines(trim(c.Stdout), trim(actual))
	}
}

// trim drops white space at the end of each line, and empty lines at the end.
func trim(s string) string {
	list := strings.Split(s, "\n")
	for i, l := range list {
		list[i] = strings.TrimRight(l, " \t\r\f\v")
	}
	return strings.TrimRight(strings.Join(list, "\n"), "\n")
}

func lines(want, got string) string {
	if want == got {
		return ""
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d differs", i+1)
		}
	}
	if len(g) < len(w) {
		return fmt.Sprintf("the output ends after line %d of %d", len(g), len(w))
	}
	return fmt.Sprintf("the output goes on after line %d", len(w))
}

func fields(want, got string, tolerance float64) string {
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	w, g := strings.Fields(want), strings.Fields(got)
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] && !near(w[i], g[i], tolerance) {
			return fmt.Sprintf("field %d differs", i+1)
		}
	}
	if len(w) != len(g) {
		return fmt.Sprintf("the output has %d fields, not %d", len(g), len(w))
	}
	return ""
}

// near reports whether two fields are numbers within the tolerance. NaN is near
// NaN only, and an infinity is near itself only.
func near(want, got string, tolerance float64) bool {
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	if math.IsNaN(w) || math.IsNaN(g) {
		return math.IsNaN(w) && math.IsNaN(g)
	}
	if w == g {
		return true
	}
	d := math.Abs(w - g)
	return !math.IsInf(d, 0) && (d <= tolerance || d <= tolerance*math.Abs(w))
}

// ParseMatch returns the way to compare that a name stands for.
func ParseMatch(name string) (glovebox.Match, error) {
	switch m := glovebox.Match(name); m {
	case "", glovebox.MatchExact, glovebox.MatchTrimmed, glovebox.MatchTolerant:
		return m, nil
	}
	return "", fmt.Errorf("match %q is not one of %s, %s and %s", name, glovebox.MatchExact, glovebox.MatchTrimmed, glovebox.MatchTolerant)
}
