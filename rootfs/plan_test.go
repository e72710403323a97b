//go:build !windows

package rootfs

import (
	"testing"
	"time"
)

func TestLibraries(t *testing.T) {
	tests := []struct {
		name string
		libs []string
		want map[string]string // path in the root: source
	}{
		{name: "none"},
		{
			name: "glibc, Debian's layout",
			libs: []string{"/lib64/ld-linux-x86-64.so.2", "/home/u/v/lib/libpython3.so.1.0", "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/odd/libz.so.1", "/opt/libz.so.1"},
			want: map[string]string{
				"/usr/lib64/ld-linux-x86-64.so.2":             "/lib64/ld-linux-x86-64.so.2",
				"/usr/lib/x86_64-linux-gnu/libpython3.so.1.0": "/home/u/v/lib/libpython3.so.1.0",
				"/usr/lib/x86_64-linux-gnu/libc.so.6":         "/lib/x86_64-linux-gnu/libc.so.6",
				"/usr/lib/x86_64-linux-gnu/libz.so.1":         "/usr/lib/x86_64-linux-gnu/odd/libz.so.1",
			},
		},
		{
			name: "glibc, Fedora's layout",
			libs: []string{"/lib64/ld-linux-x86-64.so.2", "/usr/lib64/libc.so.6", "/usr/local/lib/libx.so"},
			want: map[string]string{
				"/usr/lib64/ld-linux-x86-64.so.2": "/lib64/ld-linux-x86-64.so.2",
				"/usr/lib64/libc.so.6":            "/usr/lib64/libc.so.6",
				"/usr/lib64/libx.so":              "/usr/local/lib/libx.so",
			},
		},
		{
			name: "musl",
			libs: []string{"/lib/ld-musl-x86_64.so.1", "/usr/local/lib/libx.so", "/lib/libc.musl-x86_64.so.1"},
			want: map[string]string{
				"/usr/lib/ld-musl-x86_64.so.1":   "/lib/ld-musl-x86_64.so.1",
				"/usr/lib/libx.so":               "/usr/local/lib/libx.so",
				"/usr/lib/libc.musl-x86_64.so.1": "/lib/libc.musl-x86_64.so.1",
			},
		},
		{
			name: "a store of its own",
			libs: []string{"/nix/store/g/lib/ld-linux-x86-64.so.2", "/nix/store/g/lib/libc.so.6", "/nix/store/z/lib/libz.so.1"},
			want: map[string]string{
				"/nix/store/g/lib/ld-linux-x86-64.so.2": "/nix/store/g/lib/ld-linux-x86-64.so.2",
				"/nix/store/g/lib/libc.so.6":            "/nix/store/g/lib/libc.so.6",
				"/nix/store/g/lib/libz.so.1":            "/nix/store/z/lib/libz.so.1",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Libraries(tt.libs)
			if len(got) != len(tt.want) {
				t.Errorf("%d entries, want %d", len(got), len(tt.want))
			}
			for _, e := range got {
				if tt.want[e.Path] != e.Source {
					t.Errorf("%s is %s, want %s", e.Path, e.Source, tt.want[e.Path])
				}
			}
		})
	}
}

func TestMergeLeavesItsPlans(t *testing.T) {
	a := Plan{Entries: make([]Entry, 1, 8)}
	b := a.Merge(Plan{Entries: []Entry{{Path: "/b"}}})
	c := a.Merge(Plan{Entries: []Entry{{Path: "/c"}}})
	if len(a.Entries) != 1 || b.Entries[1].Path != "/b" || c.Entries[1].Path != "/c" {
		t.Errorf("%v %v %v", a, b, c)
	}
}

func TestUTC(t *testing.T) {
	loc, err := time.LoadLocationFromTZData("X", []byte(utc))
	if err != nil {
		t.Fatal(err)
	}
	if name, offset := time.Unix(1e9, 0).In(loc).Zone(); name != "UTC" || offset != 0 {
		t.Errorf("%s %d", name, offset)
	}
}
