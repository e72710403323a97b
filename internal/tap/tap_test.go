package tap

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestTap(t *testing.T) {
	r, w := pipe(t)
	for _, text := range []string{"", "one", strings.Repeat("many ", 100000), "again"} {
		var got bytes.Buffer
		tap := Open(r, &got)
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		tap.Stop()
		if got.String() != text {
			t.Errorf("%d bytes came through, want %d", got.Len(), len(text))
		}
	}
}

func TestTapOfAClosedPipe(t *testing.T) {
	r, w := pipe(t)
	var got bytes.Buffer
	tap := Open(r, &got)
	if _, err := w.WriteString("last words"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	tap.Stop()
	if got.String() != "last words" {
		t.Errorf("%q came through", &got)
	}
}

// TestPipe: a pipe ends, has deadlines both ways, and says what it is.
func TestPipe(t *testing.T) {
	r, w := pipe(t)
	for _, f := range []*os.File{r, w} {
		if info, err := f.Stat(); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
			t.Errorf("%v, %v", info, err)
		}
	}
	soon := time.Now().Add(10 * time.Millisecond)
	if err := r.SetReadDeadline(soon); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an empty pipe gives %d bytes and %v", n, err)
	}
	if err := w.SetWriteDeadline(soon); err != nil {
		t.Fatal(err)
	}
	if n, err := w.Write(make([]byte, 8<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a full pipe takes %d bytes and gives %v", n, err)
	}
	r, w = pipe(t)
	if _, err := w.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got, err := io.ReadAll(r); string(got) != "end" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	r, w = pipe(t)
	r.Close()
	if _, err := w.WriteString("nobody reads"); err == nil {
		t.Error("a pipe without a reader takes bytes")
	}
}
