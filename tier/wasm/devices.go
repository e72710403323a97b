package wasm

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"

	esys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// devices puts the devices of one command into /dev: the streams, the box's
// descriptors as /dev/fd/3 and on, zeros and random bytes.
func (t *tree) devices(std [3]esys.File, given []*os.File, random io.Reader) {
	dev := t.mkdirs("/dev")
	clear(dev.children)
	put := func(dir *node, name string, open func(esys.Oflag) (esys.File, esys.Errno)) {
		n := t.newNode(name, fs.ModeDevice|fs.ModeCharDevice|0o666)
		n.device = open
		dir.add(n)
	}
	same := func(f esys.File) func(esys.Oflag) (esys.File, esys.Errno) {
		return func(esys.Oflag) (esys.File, esys.Errno) { return keptOpen{f}, 0 }
	}
	fds := t.mkdirs("/dev/fd")
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		put(dev, name, same(std[i]))
		put(fds, strconv.Itoa(i), same(std[i]))
	}
	for i, f := range given {
		if f != nil {
			given := &stream{r: f, w: f}
			put(fds, strconv.Itoa(3+i), func(esys.Oflag) (esys.File, esys.Errno) {
				if given.closed {
					return nil, esys.EBADF
				}
				return given, 0
			})
		}
	}
	put(dev, "null", same(&stream{r: eof{}, w: io.Discard}))
	put(dev, "zero", same(&stream{r: zeros{}, w: io.Discard}))
	put(dev, "random", same(&stream{r: random}))
	put(dev, "urandom", same(&stream{r: random}))
}

// keptOpen is a file whose Close does nothing: it is opened again and again.
type keptOpen struct{ esys.File }

func (keptOpen) Close() esys.Errno { return 0 }

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// stream is a sequential file. Once closed, it stays closed until the command
// ends: a driver closes the descriptor for reports before the start of
// untrusted code.
type stream struct {
	esys.UnimplementedFile
	r      io.Reader
	w      io.Writer
	closed bool
}

func (s *stream) Close() esys.Errno { s.closed = true; return 0 }

func (s *stream) IsDir() (bool, esys.Errno) { return false, 0 }

func (s *stream) Stat() (sys.Stat_t, esys.Errno) {
	return sys.Stat_t{Mode: fs.ModeDevice | fs.ModeCharDevice | 0o666, Nlink: 1}, 0
}

func (s *stream) Read(b []byte) (int, esys.Errno) {
	if s.r == nil || s.closed {
		return 0, esys.EBADF
	}
	if len(b) == 0 {
		return 0, 0
	}
	n, err := s.r.Read(b)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return 0, esys.EIO
	}
	return n, 0
}

func (s *stream) Write(b []byte) (int, esys.Errno) {
	if s.w == nil || s.closed {
		return 0, esys.EBADF
	}
	n, err := s.w.Write(b)
	if n == 0 && err != nil {
		return 0, esys.EIO
	}
	return n, 0
}
