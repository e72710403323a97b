//go:build linux

package gvisor

import "testing"

func TestMapsIDs(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"the host":          {"         0          0 4294967295\n", true},
		"unshare -r":        {"         0       1000          1\n", false},
		"a rootless engine": {"         0       1000          1\n         1     100000      65536\n", false},
		"nothing":           {"", false},
		"no map":            {"x y z\n", false},
	} {
		if got := mapsIDs(c.text); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
