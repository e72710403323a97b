package rootfs

import (
	"path/filepath"
	"testing"
)

// BenchmarkWarm is what every run pays: the key of a plan that is built.
func BenchmarkWarm(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "cache"))
	if err != nil {
		b.Fatal(err)
	}
	p := Base()
	if _, err := s.Tree(b.Context(), p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Tree(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTree(b *testing.B)  { benchmarkCold(b, kindTree, writeTree) }
func BenchmarkImage(b *testing.B) { benchmarkCold(b, kindImage, writeImage) }

func benchmarkCold(b *testing.B, k kind, w writer) {
	s, err := Open(filepath.Join(b.TempDir(), "cache"))
	if err != nil {
		b.Fatal(err)
	}
	p := Base()
	for b.Loop() {
		if err := s.Refresh(); err != nil {
			b.Fatal(err)
		}
		if _, _, err := s.root(b.Context(), p, k, w); err != nil {
			b.Fatal(err)
		}
	}
}
