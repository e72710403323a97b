package rootfs

import (
	"context"
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

func BenchmarkTree(b *testing.B)  { benchmarkCold(b, (*Store).Tree) }
func BenchmarkImage(b *testing.B) { benchmarkCold(b, (*Store).Image) }

func benchmarkCold(b *testing.B, get func(*Store, context.Context, Plan) (*Root, error)) {
	s, err := Open(filepath.Join(b.TempDir(), "cache"))
	if err != nil {
		b.Fatal(err)
	}
	p := Base()
	for b.Loop() {
		if err := s.Refresh(); err != nil { // forgets what trees share, too
			b.Fatal(err)
		}
		if _, err := get(s, b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
