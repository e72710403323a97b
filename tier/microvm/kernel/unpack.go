package kernel

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
)

// maxWindow bounds the memory of a decompressor, whatever its input asks for.
// Kernels and packages at their best compression need as much.
const maxWindow = 128 << 20

// The first bytes of each compression.
var (
	magicGzip = []byte{0x1f, 0x8b}
	magicXz   = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
	magicZstd = []byte{0x28, 0xb5, 0x2f, 0xfd}
	magicLz4  = []byte{0x02, 0x21, 0x4c, 0x18} // the legacy frame, which the kernel uses
)

// compressed tells whether data begins like one of the compressions.
func compressed(data []byte) bool {
	for _, magic := range [][]byte{magicGzip, magicXz, magicZstd, magicLz4} {
		if bytes.HasPrefix(data, magic) {
			return true
		}
	}
	return false
}

// unpacker returns a reader of what r holds, decompressed if it is compressed.
func unpacker(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(len(magicXz))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, magicGzip):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, magicXz):
		x, err := xz.NewReader(b, maxWindow)
		return io.NopCloser(x), err
	case bytes.HasPrefix(head, magicZstd):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxTree))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case bytes.HasPrefix(head, magicLz4):
		return io.NopCloser(lz4.NewReader(b)), nil
	}
	return io.NopCloser(b), nil
}

// unpack returns data, decompressed if it is compressed, of at most limit bytes.
func unpack(data []byte, limit int64) ([]byte, error) {
	if !compressed(data) {
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("more than %d bytes", limit)
		}
		return data, nil
	}
	r, err := unpacker(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := readAll(r, limit)
	return out, errors.Join(err, r.Close())
}
