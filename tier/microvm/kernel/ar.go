package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// arReader reads the members of an ar archive, the outer form of a Debian
// package, in sequence.
type arReader struct {
	r    io.Reader
	left int64 // of the member
	pad  int64 // behind it
	n    int
}

const (
	arMagic      = "!<arch>\n"
	arHeader     = 60
	maxArMembers = 16
)

func newAr(r io.Reader) (*arReader, error) {
	var magic [len(arMagic)]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || string(magic[:]) != arMagic {
		return nil, errors.New("it is not an ar archive")
	}
	return &arReader{r: r}, nil
}

// next goes to the next member, skipping the unread rest of the current one;
// [io.EOF] is the end.
func (a *arReader) next() (name string, size int64, err error) {
	if _, err := io.CopyN(io.Discard, a.r, a.left); err != nil {
		return "", 0, fmt.Errorf("a member is cut short: %w", io.ErrUnexpectedEOF)
	}
	if n, err := io.CopyN(io.Discard, a.r, a.pad); err != nil && !(err == io.EOF && n == 0) {
		return "", 0, err
	}
	a.left, a.pad = 0, 0
	var h [arHeader]byte
	switch n, err := io.ReadFull(a.r, h[:]); {
	case err == io.EOF && n == 0:
		return "", 0, io.EOF
	case err != nil:
		return "", 0, fmt.Errorf("a header is cut short: %w", err)
	case !bytes.Equal(h[58:], []byte("`\n")):
		return "", 0, errors.New("a header without its end")
	}
	if a.n++; a.n > maxArMembers {
		return "", 0, fmt.Errorf("more than %d members", maxArMembers)
	}
	size, err = strconv.ParseInt(strings.TrimRight(string(h[48:58]), " "), 10, 64)
	if err != nil || size < 0 {
		return "", 0, fmt.Errorf("a member of %q bytes", h[48:58])
	}
	a.left, a.pad = size, size%2
	return strings.TrimSuffix(strings.TrimRight(string(h[:16]), " "), "/"), size, nil
}

// Read reads from the member.
func (a *arReader) Read(p []byte) (int, error) {
	if a.left == 0 {
		return 0, io.EOF
	}
	n, err := a.r.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	if err == io.EOF && a.left > 0 {
		err = io.ErrUnexpectedEOF
	} else if err == io.EOF {
		err = nil // the member ends, which the next call says
	}
	return n, err
}
