package main

import "testing"

func TestAdd(t *testing.T) {
	for _, c := range [][3]int{{2, 3, 5}, {4, 4, 8}} {
		if got := add(c[0], c[1]); got != c[2] {
			t.Errorf("add(%d, %d) = %d", c[0], c[1], got)
		}
	}
}
