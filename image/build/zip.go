package build

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Bounds of a zip archive, beyond those of the image.
const (
	maxDirectory = 32 << 20 // bytes of its list of files
	maxMember    = 8 << 20  // of a file that we read ourselves
)

// openZip reads the list of files of an archive, and refuses an archive that
// could write to unexpected places.
func openZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	if err := checkDirectory(r, size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, "/")
		switch {
		case !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00:"):
			return nil, fmt.Errorf("it holds the name %.200q, which leads elsewhere", f.Name)
		case seen[name]:
			return nil, fmt.Errorf("it holds %.200q twice", name)
		case f.Flags&1 != 0:
			return nil, fmt.Errorf("%.200q in it is encrypted", name)
		}
		if mode := f.Mode(); !mode.IsRegular() && !mode.IsDir() {
			return nil, fmt.Errorf("it holds a %s, %.200q", kindOf(mode), name)
		}
		seen[name] = true
	}
	for name := range seen {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f := seen[dir]; f && !isZipDir(z, dir) {
				return nil, fmt.Errorf("%.200q in it is a file and a directory", dir)
			}
		}
	}
	return z, nil
}

func isZipDir(z *zip.Reader, name string) bool {
	info, err := fs.Stat(z, name)
	return err == nil && info.IsDir()
}

// checkDirectory bounds the list of files before it is read into memory.
func checkDirectory(r io.ReaderAt, size int64) error {
	const record = 22
	tail := make([]byte, min(size, 64<<10+record))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < record {
		return errors.New("it is no zip archive")
	}
	begin := int64(binary.LittleEndian.Uint32(tail[at+16:]))
	switch {
	case begin == 0xffffffff:
		return errors.New("it is a zip archive of more than 4 GiB")
	case size-begin > maxDirectory:
		return fmt.Errorf("its list of files has more than %d MiB", maxDirectory>>20)
	}
	return nil
}

// member returns the content of a small file of an archive.
func member(z *zip.Reader, name string) ([]byte, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMember+1))
	if err == nil && len(b) > maxMember {
		err = fmt.Errorf("%s has more than %d MiB", name, maxMember>>20)
	}
	return b, err
}
