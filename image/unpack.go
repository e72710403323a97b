package image

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// packing is how an archive is compressed.
type packing string

const (
	packedNot  packing = "tar"
	packedGzip packing = "gzip"
	packedZstd packing = "zstd"
	packedXz   packing = "xz"
)

// maxWindow bounds the memory that a compressed stream may ask for. The
// strongest levels of zstd and xz ask for 128 and 64 MiB.
const maxWindow = 128 << 20

// unpack returns what a compressed stream holds.
func unpack(r io.Reader, p packing) (io.ReadCloser, error) {
	switch p {
	case packedGzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return z, nil
	case packedZstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(2*maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return z.IOReadCloser(), nil
	case packedXz:
		z, err := xz.NewReader(r, maxWindow)
		if err != nil {
			return nil, fmt.Errorf("xz: %w", err)
		}
		return io.NopCloser(z), nil
	}
	return io.NopCloser(r), nil
}

// sniff tells how a stream is compressed by its first bytes, which stay in
// the reader.
func sniff(r *bufio.Reader) packing {
	head, _ := r.Peek(6)
	for _, m := range []struct {
		magic string
		p     packing
	}{{"\x1f\x8b", packedGzip}, {"\x28\xb5\x2f\xfd", packedZstd}, {"\xfd7zXZ\x00", packedXz}} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.p
		}
	}
	return packedNot
}

// unpackAny is unpack of a stream that tells by itself how it is compressed.
func unpackAny(r io.Reader) (io.ReadCloser, packing, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	p := sniff(b)
	z, err := unpack(b, p)
	return z, p, err
}
