package sample

import (
	"fmt"
	"testing"
)

// TestPicked: a sample is about as large as it should be, the same each time, and
// another for another seed; the samples of some seeds have all rows.
func TestPicked(t *testing.T) {
	const rows, of = 1000, 4
	ever := map[int]bool{}
	for s := range 60 {
		n := 0
		for i := range rows {
			if picked(fmt.Sprint(s), fmt.Sprint("TestTable/row_", i), of) {
				ever[i] = true
				n++
			}
		}
		if n < rows/of*3/4 || n > rows/of*5/4 {
			t.Errorf("seed %d has %d of %d rows", s, n, rows)
		}
	}
	if len(ever) != rows {
		t.Errorf("60 seeds have %d of %d rows", len(ever), rows)
	}
}
