package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// An origin is the source of an imported image: documents by name, and blobs by
// digest.
type origin interface {
	// document returns a small file.
	document(name string) ([]byte, error)
	// fetch puts a blob into the store.
	fetch(ctx context.Context, d v1.Descriptor) error
}

// folder is an OCI layout as a directory. Nothing outside it is read.
type folder struct {
	store *Store
	root  *os.Root
}

// open opens a regular file: a pipe would wait for a writer.
func (f *folder) open(name string) (*os.File, error) {
	want, err := f.root.Lstat(name)
	if err == nil && !want.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name)
	}
	if err != nil {
		return nil, err
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err2 := file.Stat(); err2 != nil || !os.SameFile(want, info) {
		err = fmt.Errorf("%s changed while it was opened", name)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (f *folder) document(name string) ([]byte, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err == nil && len(b) > maxManifest {
		err = fmt.Errorf("%s: more than %d MiB", name, maxManifest>>20)
	}
	return b, err
}

func (f *folder) fetch(ctx context.Context, d v1.Descriptor) error {
	if f.store.hasBlob(d) {
		return nil
	}
	file, err := f.open(blobName(d.Digest))
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = f.store.putBlob(ctx, d, file)
	return err
}

// blobName is where an OCI layout has a blob.
func blobName(h v1.Hash) string { return path.Join("blobs", h.Algorithm, h.Hex) }

// archive is a tar file with documents and blobs. Each file was stored as a
// blob of its own digest; no name in the archive became a name on the host.
type archive struct {
	store *Store
	files map[string]v1.Descriptor
	links map[string]string
}

// maxArchive bounds the files of an archive: blobs and documents.
const maxArchive = 4096

// spool stores the files of an archive.
func (s *Store) spool(ctx context.Context, r io.Reader) (*archive, error) {
	stream, done, err := s.unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	defer done()
	a := &archive{store: s, files: map[string]v1.Descriptor{}, links: map[string]string{}}
	for t := tar.NewReader(stream); ; {
		h, err := t.Next()
		if err == io.EOF {
			return a, nil
		}
		if err == nil {
			err = a.add(ctx, h, t)
		}
		if err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
}

func (a *archive) add(ctx context.Context, h *tar.Header, content io.Reader) error {
	elements, err := elements(h.Name)
	if err != nil {
		return fmt.Errorf("%.200q: %w", h.Name, err)
	}
	name := strings.Join(elements, "/")
	if len(a.files)+len(a.links) >= maxArchive {
		return fmt.Errorf("more than %d files", maxArchive)
	}
	switch h.Typeflag {
	case tar.TypeReg:
		// Of two files with one name, a reader finds the last.
		d, err := a.store.putBlob(ctx, v1.Descriptor{Size: min(h.Size, a.store.Bounds.Bytes)}, content)
		if err != nil {
			return fmt.Errorf("%.200q: %w", h.Name, err)
		}
		a.files[name] = d
	case tar.TypeSymlink:
		// Older engines write a layer once and link to it.
		a.links[name] = path.Join(path.Dir(name), h.Linkname)
	case tar.TypeLink:
		a.links[name] = path.Clean(h.Linkname)
	case tar.TypeDir, tar.TypeXGlobalHeader:
	default:
		return fmt.Errorf("%.200q: an entry of type %q in an archive of an image", h.Name, h.Typeflag)
	}
	return nil
}

// file returns the blob of a stored file.
func (a *archive) file(name string) (v1.Descriptor, error) {
	clean := path.Clean(name)
	for range maxLinks {
		if d, ok := a.files[clean]; ok {
			return d, nil
		}
		to, ok := a.links[clean]
		if !ok {
			break
		}
		clean = to
	}
	return v1.Descriptor{}, fmt.Errorf("archive: %.200q is not in it", name)
}

func (a *archive) document(name string) ([]byte, error) {
	d, err := a.file(name)
	if err != nil {
		return nil, err
	}
	return a.store.readBlob(d.Digest, maxManifest)
}

func (a *archive) fetch(_ context.Context, d v1.Descriptor) error {
	if a.store.hasBlob(d) {
		return nil
	}
	have, err := a.file(blobName(d.Digest))
	switch {
	case err != nil:
		return err
	case have.Digest != d.Digest:
		return fmt.Errorf("blob %s: its content has the digest %s", d.Digest, have.Digest)
	}
	return fmt.Errorf("blob %s: %d bytes, not the %d that its manifest says", d.Digest, have.Size, d.Size)
}

// unpacked returns the contents of a stream in any compression, within the
// bounds.
func (s *Store) unpacked(ctx context.Context, r io.Reader) (io.Reader, func(), error) {
	in := &tally{r: &contextReader{ctx, r}}
	z, _, err := unpack.Any(in)
	if err != nil {
		return nil, nil, err
	}
	return &ratioReader{r: z, in: in, bounds: s.Bounds}, func() { z.Close() }, nil
}

// tally counts what is read.
type tally struct {
	r io.Reader
	n int64
}

func (t *tally) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	return n, err
}

// ratioReader ends a stream beyond a length, absolute or relative to the
// compressed form.
type ratioReader struct {
	r      io.Reader
	in     *tally
	n      int64
	bounds Bounds
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	for _, most := range []int64{r.bounds.Bytes, ratioFloor + r.in.n*r.bounds.Ratio} {
		if r.n > most {
			return n, tooBig(most, r.bounds)
		}
	}
	return n, err
}

var errNoImages = errors.New("there is no image in it")
