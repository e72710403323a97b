package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func (s *Store) blobPath(h v1.Hash) string { return filepath.Join(s.dir, "blobs", "sha256", h.Hex) }

// hasBlob reports whether a blob with the digest and size exists. Blobs are
// checked before being named.
func (s *Store) hasBlob(d v1.Descriptor) bool {
	info, err := os.Lstat(s.blobPath(d.Digest))
	return err == nil && info.Mode().IsRegular() && info.Size() == d.Size
}

// putBlob stores the contents of r if digest and size are as in d. A descriptor
// without a digest accepts any contents of at most its size.
func (s *Store) putBlob(ctx context.Context, d v1.Descriptor, r io.Reader) (v1.Descriptor, error) {
	f, err := s.temp("blob")
	if err != nil {
		return d, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	d, err = copyBlob(ctx, f, d, r)
	if err != nil {
		return d, err
	}
	return d, s.adopt(f, d)
}

// adopt gives a checked file of ours its place among the blobs.
func (s *Store) adopt(f *os.File, d v1.Descriptor) error {
	if err := errors.Join(f.Chmod(0o400), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.blobPath(d.Digest))
}

// copyBlob copies r to w and checks it on the way.
func copyBlob(ctx context.Context, w io.Writer, d v1.Descriptor, r io.Reader) (v1.Descriptor, error) {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(&contextReader{ctx, r}, d.Size+1))
	got := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))}
	switch known := d.Digest != (v1.Hash{}); {
	case err != nil:
		return d, err
	case n > d.Size && known:
		return d, fmt.Errorf("blob %s: more than the %d bytes that its manifest says", d.Digest, d.Size)
	case n > d.Size:
		return d, fmt.Errorf("more than %d MiB", d.Size>>20)
	case n < d.Size && known:
		return d, fmt.Errorf("blob %s: %d bytes, not the %d that its manifest says", d.Digest, n, d.Size)
	case known && got != d.Digest:
		return d, fmt.Errorf("blob %s: its content has the digest %s", d.Digest, got)
	}
	d.Digest, d.Size = got, n
	return d, nil
}

// openBlob opens a blob of the store.
func (s *Store) openBlob(d v1.Descriptor) (*os.File, error) {
	f, err := os.Open(s.blobPath(d.Digest))
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("blob %s is missing: pull or import the image again", d.Digest)
	}
	return f, err
}

// readBlob returns a small blob, after checking its digest again.
func (s *Store) readBlob(h v1.Hash, most int64) ([]byte, error) {
	f, err := s.openBlob(v1.Descriptor{Digest: h})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("blob %s: more than %d KiB", h, most>>10)
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != h.Hex {
		return nil, fmt.Errorf("blob %s: its content has changed on the disk", h)
	}
	return b, nil
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// putBytes stores a small blob.
func (s *Store) putBytes(ctx context.Context, b []byte) (v1.Descriptor, error) {
	return s.putBlob(ctx, v1.Descriptor{Size: int64(len(b))}, bytes.NewReader(b))
}
