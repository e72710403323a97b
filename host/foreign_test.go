//go:build !linux

package host

import (
	"errors"
	"io/fs"
	"testing"
)

// TestForeign: nothing of a host that is not Linux is taken for a box.
func TestForeign(t *testing.T) {
	h := New()
	if p, err := h.LookPath("go", "cmd", "sh"); p != "" || !errors.Is(err, ErrForeign) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %q, %v", p, err)
	}
	if out, err := h.Ask(t.Context(), "cmd", "/c", "ver"); out != "" || !errors.Is(err, ErrForeign) {
		t.Errorf("got %q, %v", out, err)
	}
}
