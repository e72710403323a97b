//go:build linux

package microvm

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// files lays texts out as the glove sends them.
func files(size int, texts ...string) []byte {
	var raw []byte
	for _, text := range texts {
		raw = append(raw, text...)
		raw = append(raw, make([]byte, size-len(text))...)
	}
	return raw
}

func TestParseWord(t *testing.T) {
	const size = 128
	for _, tc := range []struct {
		name string
		raw  []byte
		want word
		fail bool
	}{
		{"all", files(size, "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 1\n", "max 5\n", "1234\n"), word{2, 3, 5, 1234}, false},
		{"nothing", files(size, "", "", "0\n"), word{}, false},
		{"other names", files(size, "oom_killer 9\n oom_group_kill 1\n", "maximum 4\n", "0"), word{}, false},
		{"no number", files(size, "oom x\n", "max 5\n", "1"), word{0, 0, 5, 1}, true},
		{"below zero", files(size, "oom 0\n", "max -5\n", "1"), word{0, 0, -5, 1}, true},
		{"no peak", files(size, "oom 0\n", "max 0\n", ""), word{}, true},
		{"short", make([]byte, 3*size-1), word{}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseWord(tc.raw, size)
			if got != tc.want || (err != nil) != tc.fail {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func FuzzParseWord(f *testing.F) {
	f.Add(files(64, "oom 2\noom_kill 3\n", "max 5\n", "1234\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if w, err := parseWord(raw, len(raw)/3); err == nil && (w.kills < 0 || w.forks < 0 || w.peak < 0) {
			t.Errorf("%q is %+v", raw, w)
		}
	})
}

func TestLastWords(t *testing.T) {
	const killed = "Memory cgroup out of memory: Killed process 77 (python3) total-vm:1kB"
	for _, tc := range []struct {
		name, console string
		hit           bool
	}{
		{"its limit", "[    1.000000] quiet\n[   12.345678] " + killed + "\n", true},
		{"all memory", "[   12.345678] Out of memory: Killed process 77 (python3)\n", true},
		{"no process", "[   12.345678] Kernel panic - not syncing: Out of memory\n", false},
		{"a quotation", "[    1.000000] say [   12.345678] " + killed + "\n", false},
		{"no time before it", killed + "\n", false},
		{"nothing", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hits := lastWords([]byte(tc.console))
			if (len(hits) == 1) != tc.hit || tc.hit && (hits[0].Limit != glovebox.LimitMemory || !strings.Contains(hits[0].Evidence.Fact, "Killed process 77")) {
				t.Errorf("got %+v", hits)
			}
		})
	}
}

func TestInitramfsRefuses(t *testing.T) {
	for _, path := range []string{"/init", "../init", "a//b", "a/"} {
		if err := writeInitramfs(new(strings.Builder), []entry{{path: path}}); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}
