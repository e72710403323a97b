package unpack

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// packed compresses text in a way that [Any] knows.
func packed(t testing.TB, p Packing, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch p {
	case Gzip:
		w = gzip.NewWriter(&b)
	case Zstd:
		w, err = zstd.NewWriter(&b)
	case Xz:
		w, err = xz.NewWriter(&b)
	case Lz4:
		l := lz4.NewWriter(&b)
		w, err = l, l.Apply(lz4.LegacyOption(true))
	default:
		return []byte(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAny(t *testing.T) {
	text := strings.Repeat("all that a layer holds\n", 5000)
	for _, p := range []Packing{None, Gzip, Zstd, Xz, Lz4} {
		t.Run(string(p), func(t *testing.T) {
			z, found, err := Any(bytes.NewReader(packed(t, p, text)))
			if err != nil || found != p {
				t.Fatalf("found %q: %v", found, err)
			}
			got, err := io.ReadAll(z)
			if err != nil || string(got) != text {
				t.Errorf("%d bytes of %d: %v", len(got), len(text), err)
			}
			if err := z.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// largeXz is a stream that asks for a dictionary of 4 GiB.
func largeXz(t testing.TB) []byte {
	b := packed(t, Xz, "x")
	// The block's header: its length in words, flags, the filter with the length
	// of its properties, the size of the dictionary, and a sum.
	const begin = 12
	end := begin + 4*int(b[begin])
	filter := bytes.Index(b[begin:end], []byte{0x21, 1})
	b[begin+filter+2] = 40
	binary.LittleEndian.PutUint32(b[end:], crc32.ChecksumIEEE(b[begin:end]))
	return b
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ hex, want string }{
		// Frames that ask for a window of 256 MiB and of 1 GiB.
		"zstd with a large window": {"28b52ffd0090", "window"},
		"xz with a large one":      {hex.EncodeToString(largeXz(t)), "dictionary"},
		"cut off":                  {"1f8b", "EOF"},
		"a broken header":          {"fd377a585a00ffff00000000", "xz"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := hex.DecodeString(strings.ReplaceAll(c.hex, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			z, _, err := Any(bytes.NewReader(b))
			if err == nil {
				_, err = io.ReadAll(z)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if _, err := Reader(strings.NewReader("x"), "brotli"); err == nil {
		t.Error("an unknown packing was read")
	}
}

// panics is a decoder with a fault, as klauspost/compress had with GO-2026-6865.
type panics struct{ read int }

func (p *panics) Read(b []byte) (int, error) {
	if p.read++; p.read > 1 {
		panic("index out of range [-1]")
	}
	return copy(b, "so far"), nil
}

func (*panics) Close() error { return nil }

// TestPanicIsAnError: a decoder that panics ends the stream, and is not called
// again.
func TestPanicIsAnError(t *testing.T) {
	decoder := &panics{}
	z := &guarded{ReadCloser: decoder, packing: Zstd}
	got, err := io.ReadAll(z)
	if err == nil || !strings.Contains(err.Error(), "zstd: the stream is broken") || string(got) != "so far" {
		t.Errorf("%q, %v", got, err)
	}
	if _, again := z.Read(make([]byte, 1)); again == nil || again.Error() != err.Error() || decoder.read != 2 {
		t.Errorf("read again: %v, %d reads", again, decoder.read)
	}
}

// FuzzAny: no stream ends the process, and none gives much more than it may.
func FuzzAny(f *testing.F) {
	for _, p := range []Packing{None, Gzip, Zstd, Xz, Lz4} {
		f.Add(packed(f, p, "all that a layer holds, all that a layer holds"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		z, _, err := Any(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer z.Close()
		_, err = io.Copy(io.Discard, io.LimitReader(z, 4<<20))
		if err != nil && strings.Contains(err.Error(), "its decoder failed") {
			t.Fatalf("a decoder panicked: %v", err)
		}
	})
}
