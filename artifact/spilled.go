package artifact

import (
	"io"
	"io/fs"
	"os"
	"sync"
)

// spilled is a content in a temporary file. The file exists until released by
// the store and all readers: a content may be dropped during a read.
type spilled struct {
	file *os.File

	mu    sync.Mutex
	users int
}

// reader returns the content, which is complete.
func (s *spilled) reader() (io.ReadCloser, error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return &spilledReader{SectionReader: io.NewSectionReader(s.file, 0, info.Size()), s: s}, nil
}

// release lets go of it; of none, too.
func (s *spilled) release() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	return s.file.Close()
}

// spilledReader reads at a position of its own.
type spilledReader struct {
	*io.SectionReader
	s    *spilled
	once sync.Once
}

func (r *spilledReader) Close() error {
	err := fs.ErrClosed
	r.once.Do(func() { err = r.s.release() })
	return err
}
