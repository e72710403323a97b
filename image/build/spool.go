package build

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A spool keeps the contents of archives readable only in sequence, in a single
// file without a name.
type spool struct {
	f    *os.File
	size int64
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "spool-*")
	if err != nil {
		return nil, err
	}
	return &spool{f: f}, nil
}

// close removes the spool and its contents.
func (s *spool) close() error {
	return errors.Join(s.f.Close(), os.Remove(s.f.Name()))
}

// keep copies size bytes of r and returns how to read them again.
func (s *spool) keep(r io.Reader, size int64) (func() (io.ReadCloser, error), error) {
	at := s.size
	n, err := io.Copy(io.NewOffsetWriter(s.f, at), io.LimitReader(r, size))
	s.size += n
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, fmt.Errorf("%d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	return func() (io.ReadCloser, error) {
		return section{io.NewSectionReader(s.f, at, size)}, nil
	}, nil
}

// section is a part of the spool, without a need for closing.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }
