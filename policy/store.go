package policy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// File is a policy file on disk.
type File struct {
	Path  string
	Layer Layer
}

// Store keeps the newest policy of files that may change. A change becomes the policy as
// a whole or not at all. A Store is safe for concurrent use.
type Store struct {
	files   []File
	current atomic.Pointer[Policy]

	mu      sync.Mutex
	active  []Source
	pending []Source
	stamps  []stamp
}

// stamp is what a file that is being written changes.
type stamp struct {
	size int64
	time time.Time
}

// OpenStore loads the files. The error is that of the first load.
func OpenStore(files ...File) (*Store, error) {
	s := &Store{files: files}
	if err := s.Reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// Current returns the policy in force.
func (s *Store) Current() *Policy { return s.current.Load() }

// Reload reads all files now. After an error the policy before stays in force.
func (s *Store) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sources, stamps, err := s.read()
	if err != nil {
		return err
	}
	return s.activate(sources, stamps)
}

// activate makes a policy of the sources the current one.
func (s *Store) activate(sources []Source, stamps []stamp) error {
	s.stamps, s.pending = stamps, nil
	if s.current.Load() != nil && equal(sources, s.active) {
		return nil
	}
	p, err := Load(sources...)
	if err != nil {
		return err
	}
	s.active = sources
	s.current.Store(p)
	return nil
}

// Watch looks at the files at each interval until ctx ends. Changed files become the
// policy when two looks in a row find the same bytes, so that a file that is being
// written is left alone. Report, which may be nil, is called after each attempt, with
// the error of one that failed.
func (s *Store) Watch(ctx context.Context, interval time.Duration, report func(error)) {
	ticker := time.NewTicker(max(interval, 10*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if tried, err := s.look(); tried && report != nil {
				report(err)
			}
		}
	}
}

// look compares the files with the policy, and tries bytes that were there before too.
func (s *Store) look() (tried bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sources, stamps, err := s.read()
	if err != nil {
		s.pending = nil
		return true, err
	}
	switch {
	case equal(sources, s.active):
		s.pending, s.stamps = nil, stamps
		return false, nil
	case s.pending == nil || !equal(sources, s.pending) || !equalStamps(stamps, s.stamps):
		s.pending, s.stamps = sources, stamps
		return false, nil
	}
	return true, s.activate(sources, stamps)
}

func (s *Store) read() ([]Source, []stamp, error) {
	var sources []Source
	var stamps []stamp
	for _, f := range s.files {
		data, at, err := readFile(f.Path)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, Source{Name: f.Path, Layer: f.Layer, Data: data})
		stamps = append(stamps, at)
	}
	return sources, stamps, nil
}

// readFile reads a regular file of a bounded size.
func readFile(path string) ([]byte, stamp, error) {
	// A named pipe would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, stamp{}, fmt.Errorf("policy: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, stamp{}, fmt.Errorf("policy: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, stamp{}, fmt.Errorf("policy: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, stamp{}, fmt.Errorf("policy: %w", err)
	}
	return data, stamp{info.Size(), info.ModTime()}, nil
}

func equal(a, b []Source) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Layer != b[i].Layer || !bytes.Equal(a[i].Data, b[i].Data) {
			return false
		}
	}
	return true
}

func equalStamps(a, b []stamp) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].size != b[i].size || !a[i].time.Equal(b[i].time) {
			return false
		}
	}
	return true
}
