//go:build linux

package native

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUnusedPair(t *testing.T) {
	for _, tc := range []struct {
		ids  string
		pid  int
		want uint32
		ok   bool
	}{
		{"         0          0 4294967295\n", 1, firstUser + 2, true},
		{"         0          0 4294967295\n", maxPID - 1, firstUser + 2*maxPID - 2, true},
		{"0 100000 65536\n", 7, 65536 - 1<<14 - 1024 + 14, true},
		{"0 1000 1\n", 7, 0, false},
		{"0 1000 1\n1 100000 65536\n", 1 << 13, 65537 - 1<<14 - 1024, true},
	} {
		file := filepath.Join(t.TempDir(), "map")
		if err := os.WriteFile(file, []byte(tc.ids), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readMap(file).unusedPair(tc.pid)
		if got != tc.want || (err == nil) != tc.ok {
			t.Errorf("%q, %d: got %d, %v, want %d", tc.ids, tc.pid, got, err, tc.want)
		}
	}
}

func TestHolds(t *testing.T) {
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
		if got := (idMap{text: []byte(c.text)}).holds(FreeUsers, FreeUsersCount); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
