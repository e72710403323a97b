package artifact

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	xzwriter "github.com/ulikunitz/xz"
)

// planted is what the tests' detector looks for.
const planted = "the-planted-value"

// finder is a detector that finds planted.
type finder struct{ seen []byte }

func (f *finder) Write(p []byte) (int, error) {
	if len(f.seen) < 1<<20 {
		f.seen = append(f.seen, p...)
	}
	return len(p), nil
}

func (f *finder) Close() error { return nil }

func (f *finder) Found() []string {
	if bytes.Contains(f.seen, []byte(planted)) {
		return []string{"planted"}
	}
	return nil
}

func detect(bool) Detector { return &finder{} }

// packed writes content through a compressor.
func packed[W io.WriteCloser](t testing.TB, open func(io.Writer) W, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t testing.TB, content string) string { return packed(t, gzip.NewWriter, content) }

func zipped(t testing.TB, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range names {
		name, content, _ := strings.Cut(n, "=")
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarred(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "a.txt", Mode: 0o644, Size: int64(len(content)), Format: tar.FormatPAX}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func chunk(kind, data string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(data)))) + kind + data + "\x00\x00\x00\x00"
}

// TestDetect: a secret is found in the bytes of what is not text, and in the
// members of what is packed, and the manifest says so.
func TestDetect(t *testing.T) {
	const text = "a line\nkey: " + planted + "\nand more\n"
	long := strings.Repeat("some text that is packed well\n", 200) + text
	zlibbed := packed(t, zlib.NewWriter, long)
	zst := func(w io.Writer) *zstd.Encoder {
		e, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	xzed := func(w io.Writer) *xzwriter.Writer {
		e, err := xzwriter.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	encrypted := []byte(zipped(t, "a.txt="+long))
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	deep := long
	for range 8 {
		deep = gzipped(t, deep)
	}
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprintf("%d=", i)
	}
	for _, c := range []struct {
		name, content string
		secrets       bool
		unscanned     bool
	}{
		{"bytes", "\x00\x01\x02SQLite format 3\x00" + planted + "\x00\xff", true, false},
		{"nothing", "\x00\x01\x02\xff\xfe\x00", false, false},
		{"gzip", gzipped(t, long), true, false},
		{"zlib", zlibbed, true, false},
		{"zstd", packed(t, zst, long), true, false},
		{"xz", packed(t, xzed, long), true, false},
		{"tar", tarred(t, long), true, false},
		{"tar.gz", gzipped(t, tarred(t, long)), true, false},
		{"zip", zipped(t, "x=y", "dir/a.txt="+long), true, false},
		{"zip in a zip", zipped(t, "b.zip="+zipped(t, "a.txt="+long)), true, false},
		{"zip in tar.gz", gzipped(t, tarred(t, zipped(t, "a.txt="+long))), true, false},
		{"a name in a zip", zipped(t, planted+"=x"), true, false},
		{"clean zip", zipped(t, "x=y"), false, false},
		{"PNG", "\x89PNG\r\n\x1a\n" + chunk("IHDR", strings.Repeat("\x00", 13)) + chunk("zTXt", "Comment\x00\x00"+zlibbed), true, false},
		{"PDF", "%PDF-1.7\n1 0 obj\n<< /Filter /FlateDecode >>\nstream\r\n" + zlibbed + "\r\nendstream\n", true, false},
		{"encrypted zip", string(encrypted), false, true},
		{"broken gzip", gzipped(t, long)[:60], false, true},
		{"too deep", deep, false, true},
		{"too many", zipped(t, many...), false, true},
		{"a bomb", gzipped(t, strings.Repeat("\x00", 200<<20)), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{"a.bin": {Data: []byte(c.content)}}
			s := NewMemory(1 << 30)
			m, err := Collect(t.Context(), fsys, nil, Limits{}, Guard{Detect: detect}, s)
			if err != nil || len(m.Artifacts) != 1 {
				t.Fatalf("%+v, %v", m, err)
			}
			a := m.Artifacts[0]
			if found := slices.Equal(a.Secrets, []string{"planted"}); found != c.secrets || a.Unscanned != c.unscanned {
				t.Errorf("%s: secrets %q, unscanned %t", a.MIME, a.Secrets, a.Unscanned)
			}
			m, err = Collect(t.Context(), fsys, nil, Limits{}, Guard{Detect: detect, Withhold: true}, s)
			if withheld := len(m.Artifacts) == 0 && len(m.Refused) == 1; err != nil || withheld != (c.secrets || c.unscanned) {
				t.Errorf("with Withhold: %+v, %v", m, err)
			}
		})
	}
}

// FuzzInspect: whatever the bytes, looking at them does not panic, and finds
// what stands in them as it is.
func FuzzInspect(f *testing.F) {
	for _, s := range []string{gzipped(f, "x"), zipped(f, "a=b"), tarred(f, "x"), packed(f, zlib.NewWriter, "x"), "BZh91AY&SY", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "%PDF-stream\nx\x9c", "\x89PNG\r\n\x1a\nzTXtx\x00\x00x\x9c"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		found, _ := inspect(t.Context(), detect, bytes.NewReader(b))
		if bytes.Contains(b, []byte(planted)) && len(found) == 0 {
			t.Errorf("%q: not found", b)
		}
	})
}
