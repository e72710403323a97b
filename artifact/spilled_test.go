package artifact

import (
	"io"
	"os"
	"testing"
)

// TestSpilled: readers are apart, outlive the content, and nothing is left.
func TestSpilled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	m := NewMemory(4)
	b, err := m.Create("art_a")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"one ", "two ", "three"} {
		if _, err := io.WriteString(b, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	first, err := m.Open("art_a")
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Open("art_a")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []io.ReadCloser{first, second} {
		if got, err := io.ReadAll(r); string(got) != "one two three" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err == nil {
			t.Error("closed twice")
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}
