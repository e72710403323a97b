package tap

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTap(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
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
