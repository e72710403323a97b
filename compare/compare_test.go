package compare

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestOutput(t *testing.T) {
	tests := []struct {
		name      string
		match     glovebox.Match
		tolerance float64
		want, got string
		differs   string
	}{
		{"exact, equal", "exact", 0, "a\n", "a\n", ""},
		{"exact, no end of line", "exact", 0, "a\n", "a", "the output ends after line 1 of 2"},
		{"exact, trailing space", "exact", 0, "a\nb", "a \nb", "line 1 differs"},
		{"trimmed by default", "", 0, "a\nb", "a  \r\nb\t\n\n\n", ""},
		{"trimmed keeps inner blank lines", "trimmed", 0, "a\n\nb", "a\nb", "line 2 differs"},
		{"trimmed keeps leading space", "trimmed", 0, "a", " a", "line 1 differs"},
		{"trimmed, more", "trimmed", 0, "a", "a\nb", "the output goes on after line 1"},
		{"trimmed, empty", "trimmed", 0, "a", "", "line 1 differs"},
		{"tolerant, near", "tolerant", 0, "0.1 x", "0.10000001\nx", ""},
		{"tolerant, far", "tolerant", 0, "0.1", "0.2", "field 1 differs"},
		{"tolerant, relative", "tolerant", 0.01, "1000", "1005", ""},
		{"tolerant, words", "tolerant", 0, "yes", "no", "field 1 differs"},
		{"tolerant, count", "tolerant", 0, "1 2", "1 2 3", "the output has 3 fields, not 2"},
		{"tolerant, not a number", "tolerant", 0, "1", "nan", "field 1 differs"},
		{"tolerant, both not numbers", "tolerant", 0, "NaN", "nan", ""},
		{"tolerant, infinity", "tolerant", 10, "1", "inf", "field 1 differs"},
		{"tolerant, infinity expected", "tolerant", 10, "inf", "1", "field 1 differs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := glovebox.Case{Stdout: tt.want, Match: tt.match, Tolerance: tt.tolerance}
			if got := Output(c, tt.got); got != tt.differs {
				t.Errorf("got %q, want %q", got, tt.differs)
			}
		})
	}
}
