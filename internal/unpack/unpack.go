// Package unpack reads compressed streams made by strangers: layers, packages
// and kernels. It bounds the memory for a stream, and a decoder's panic fails
// the stream, not the process.
package unpack

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
	"github.com/pierrec/lz4/v4"
)

// Packing is how a stream is compressed.
type Packing string

// The kinds of compression that are known.
const (
	None Packing = "tar" // not compressed
	Gzip Packing = "gzip"
	Zstd Packing = "zstd"
	Xz   Packing = "xz"
	Lz4  Packing = "lz4" // the legacy frame, which Linux kernels use
)

// MaxWindow bounds the memory of a decoder, in bytes, whatever its stream asks
// for. The strongest levels of zstd and xz ask for 128 and 64 MiB.
const MaxWindow = 128 << 20

// magics are the first bytes of each compression.
var magics = []struct {
	magic   string
	packing Packing
}{
	{"\x1f\x8b", Gzip},
	{"\x28\xb5\x2f\xfd", Zstd},
	{"\xfd7zXZ\x00", Xz},
	{"\x02\x21\x4c\x18", Lz4},
}

// magicLength is the length of the longest of them.
const magicLength = 6

// Sniff returns the compression of a stream from its head, of which six bytes
// are enough. Unknown means None.
func Sniff(head []byte) Packing {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.packing
		}
	}
	return None
}

// Any is [Reader] for a stream whose first bytes determine its compression.
func Any(r io.Reader) (io.ReadCloser, Packing, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(magicLength)
	if err != nil && err != io.EOF {
		return nil, None, err
	}
	p := Sniff(head)
	z, err := Reader(b, p)
	return z, p, err
}

// Reader returns what a compressed stream holds. Closing it does not close r.
func Reader(r io.Reader, p Packing) (z io.ReadCloser, err error) {
	defer func() {
		if r := recover(); r != nil {
			z, err = nil, broken(p, r)
		}
	}()
	switch p {
	case Gzip:
		z, err = gzip.NewReader(r)
	case Zstd:
		var d *zstd.Decoder
		// One goroutine, that of the caller: a panic elsewhere could not be caught.
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(2*MaxWindow))
		if err == nil {
			z = d.IOReadCloser()
		}
	case Xz:
		var x *xz.Reader
		x, err = xz.NewReader(r, MaxWindow)
		z = io.NopCloser(x)
	case Lz4:
		z = io.NopCloser(lz4.NewReader(r))
	case None:
		return io.NopCloser(r), nil
	default:
		return nil, fmt.Errorf("compressed by %.20q, which is not known", string(p))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return &guarded{ReadCloser: z, packing: p}, nil
}

// guarded makes an error of a panic in a decoder.
type guarded struct {
	io.ReadCloser
	packing Packing
	failed  error
}

// Read implements [io.Reader].
func (g *guarded) Read(p []byte) (n int, err error) {
	if g.failed != nil { // a decoder that panicked is in no state to go on
		return 0, g.failed
	}
	defer func() {
		if r := recover(); r != nil {
			g.failed = broken(g.packing, r)
			n, err = 0, g.failed
		}
	}()
	return g.ReadCloser.Read(p)
}

// broken is the error of a decoder that panicked.
func broken(p Packing, panicked any) error {
	return fmt.Errorf("%s: the stream is broken: its decoder failed: %v", p, panicked)
}
