// Package sample lets large tables of tests run a part of their rows.
//
// The rows' names and GLOVEBOX_SAMPLE determine the part. Any text, such as a
// commit's id, picks its own part, so that a series of commits runs all rows;
// "all" runs each. Without GLOVEBOX_SAMPLE the part is always the same. A row
// named by -run is run.
package sample

import (
	"flag"
	"hash/fnv"
	"os"
	"strings"
	"testing"
)

// Row skips a test that is a row of a table, unless it is in the sample: see
// [Has].
func Row(t testing.TB, of uint32) {
	t.Helper()
	if !Has(t, "", of) {
		t.Skip("not in this sample; GLOVEBOX_SAMPLE=all runs each row")
	}
}

// Has reports whether a row without a test of its own is in the sample: one of
// so many, or with -short one of four times as many.
func Has(t testing.TB, row string, of uint32) bool {
	seed := os.Getenv("GLOVEBOX_SAMPLE")
	if testing.Short() {
		of *= 4
	}
	return seed == "all" || named() || picked(seed, t.Name()+"/"+row, of)
}

// Some returns one of every so many rows, evenly spaced: from the first on, or
// with a seed from a later row.
func Some[T any](rows []T, of int) []T {
	seed := os.Getenv("GLOVEBOX_SAMPLE")
	if seed == "all" {
		return rows
	}
	first := 0
	if seed != "" && len(rows) > 0 {
		first = int(sum(seed) % uint32(min(of, len(rows))))
	}
	var some []T
	for i := first; i < len(rows); i += of {
		some = append(some, rows[i])
	}
	return some
}

// picked reports whether a name is in a seed's sample.
func picked(seed, name string, of uint32) bool {
	return sum(seed+"\n"+name)%of == 0
}

func sum(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32() ^ h.Sum32()>>16 // the low bits alone are much alike
}

// named reports whether -run names rows.
func named() bool {
	f := flag.Lookup("test.run")
	return f != nil && strings.Contains(f.Value.String(), "/")
}
