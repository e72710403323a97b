package policy

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestStoreReloadsWholeOrNot: a good generation replaces, a bad one does not.
func TestStoreReloadsWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	op, tenant := filepath.Join(dir, "op.yaml"), filepath.Join(dir, "t.yaml")
	write(t, op, "version: 1\nlimits: {max: {wall: 10s}}\n")
	write(t, tenant, "version: 1\nlimits: {max: {wall: 5s}}\n")
	s, err := OpenStore(File{op, LayerOperator}, File{tenant, LayerTenant})
	if err != nil {
		t.Fatal(err)
	}
	first := s.Current()
	if err := s.Reload(); err != nil || s.Current() != first {
		t.Errorf("files that did not change made a new generation (%v)", err)
	}
	write(t, op, "version: 1\nlimits: {max: {wall: 4s}}\n") // the tenant's now widens
	if err := s.Reload(); err == nil || s.Current() != first {
		t.Errorf("a bad generation was taken (%v)", err)
	}
	write(t, tenant, "version: 1\nlimits: {max: {wall: 3s}}\n")
	if err := s.Reload(); err != nil || s.Current().Hash() == first.Hash() {
		t.Errorf("a good generation was not taken (%v)", err)
	}
	if err := os.Remove(tenant); err != nil {
		t.Fatal(err)
	}
	second := s.Current()
	if err := s.Reload(); err == nil || s.Current() != second {
		t.Error("a file that is gone changed the policy")
	}
	if _, err := OpenStore(File{dir, LayerOperator}); err == nil {
		t.Error("a folder is a policy")
	}
}

// TestStoreWaitsForWriters: bytes count when two looks find the same. A file cut short by
// a writer is a valid policy that allows more, and must not be taken.
func TestStoreWaitsForWriters(t *testing.T) {
	op := filepath.Join(t.TempDir(), "op.yaml")
	write(t, op, "version: 1\ncommands: deny\n")
	s, err := OpenStore(File{op, LayerOperator})
	if err != nil {
		t.Fatal(err)
	}
	first := s.Current()
	write(t, op, "version: 1\n")
	if tried, err := s.look(); tried || err != nil || s.Current() != first {
		t.Fatalf("the first look took the file (%v)", err)
	}
	write(t, op, "version: 1\ncommands: ask\n")
	if tried, _ := s.look(); tried || s.Current() != first {
		t.Fatal("other bytes were taken at the first look")
	}
	if tried, err := s.look(); !tried || err != nil || s.Current() == first {
		t.Fatalf("the same bytes twice were not taken (%v)", err)
	}
	second := s.Current()
	write(t, op, "version: 2\n")
	s.look()
	if tried, err := s.look(); !tried || err == nil || s.Current() != second {
		t.Fatalf("a bad file was taken (%v)", err)
	}
}

// TestStoreUnderLoad: each reader sees one of the two generations, never a mix.
func TestStoreUnderLoad(t *testing.T) {
	op := filepath.Join(t.TempDir(), "op.yaml")
	texts := []string{"version: 1\nname: one\nlimits: {max: {wall: 1s}}\n", "version: 1\nname: two\nlimits: {max: {wall: 2s}}\n"}
	write(t, op, texts[0])
	s, err := OpenStore(File{op, LayerOperator})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { s.Watch(ctx, time.Millisecond, nil) })
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				p := s.Current()
				want := map[string]int64{"one": 1e9, "two": 2e9}[p.Name()]
				if got := p.effective["limits.max.wall"].number; got != want {
					t.Errorf("%s has %d", p.Name(), got)
				}
			}
		})
	}
	for i := range 20 {
		tmp := op + ".new"
		write(t, tmp, texts[i%2])
		if err := os.Rename(tmp, op); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	wg.Wait()
}
