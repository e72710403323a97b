package lock

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTry: each file that is open is a holder of its own, as in another process.
func TestTry(t *testing.T) {
	for _, tc := range []struct {
		name          string
		first, second Kind
		want          bool
	}{
		{"two readers", Shared, Shared, true},
		{"a reader and a writer", Shared, Exclusive, false},
		{"a writer and a reader", Exclusive, Shared, false},
		{"two writers", Exclusive, Exclusive, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			open := func() *os.File {
				f, err := Open(name)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
				return f
			}
			first, second := open(), open()
			if ok, err := Try(first, tc.first); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if ok, err := Try(second, tc.second); ok != tc.want || err != nil {
				t.Fatal(ok, err)
			}
			if _, err := first.WriteString("content"); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(name); err != nil || string(b) != "content" {
				t.Errorf("a locked file has %q, %v", b, err)
			}
			if first.Close(); !tc.want {
				if ok, err := Try(second, tc.second); !ok || err != nil {
					t.Errorf("after the holder has closed: %v, %v", ok, err)
				}
			}
		})
	}
}

func TestOpenFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	if f, err := Open(link); err == nil {
		f.Close()
		if _, err := os.Lstat(filepath.Join(dir, "file")); err == nil {
			t.Error("a link was followed")
		}
	}
}

func TestTryFails(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if ok, err := Try(f, Exclusive); ok || err == nil {
		t.Error("a closed file was locked")
	}
}
