package approval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

func FuzzDisplay(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.text, h.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		parts := []Part{{Title: "program file", Name: name, Text: text}, {Title: "arguments", Items: []string{name, text}}}
		roundTrip(t, parts)
		if row := Escape(text); strings.ContainsAny(row, "\n\r\t\x1b") {
			t.Errorf("%q", row)
		}
	})
}

// FuzzParse: whatever reads as parts is what Render writes for them.
func FuzzParse(f *testing.F) {
	for _, h := range hostile {
		if text, err := Render([]Part{{Title: "a", Name: h.text, Text: h.text}, {Title: "b", Items: []string{h.text}}}); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := Parse(text)
		if err != nil {
			return
		}
		checkRows(t, text)
		if again, err := Render(parts); err != nil || again != text {
			t.Errorf("%q reads as %+q, which is %q, %v", text, parts, again, err)
		}
	})
}

// FuzzEnvelope: an envelope that nobody signed has no content.
func FuzzEnvelope(f *testing.F) {
	k := keyOf("a")
	good, err := seal(context.Background(), k, stateType, state{Store: "s", Sequence: 1, Requests: []entry{}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"payloadType":"","payload":"","signatures":[]}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s state
		if _, err := unseal(data, stateType, []keys.Public{k.Public()}, &s); err == nil && string(data) != string(good) {
			t.Errorf("%q is taken for signed", data)
		}
	})
}

// FuzzState: a store survives whatever the right key signed, and whatever its anchor
// holds, and no job runs by that.
func FuzzState(f *testing.F) {
	w := newWorld(f)
	q, _ := w.granted(GrantOptions{})
	name, err := anchorName(w.Store.o.Anchor, w.Store.dir)
	if err != nil {
		f.Fatal(err)
	}
	anchored, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	file := filepath.Join(w.dir, stateFile)
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	var s state
	if _, err := unseal(data, stateType, w.Store.o.Trusted, &s); err != nil {
		f.Fatal(err)
	}
	payload, err := encode(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload, anchored)
	f.Add(payload, []byte("{}\n"))
	f.Add([]byte("{}\n"), anchored)
	f.Fuzz(func(t *testing.T, payload, anchored []byte) {
		signed, err := seal(t.Context(), keyOf("a"), stateType, raw(payload))
		if err != nil {
			return
		}
		for name, data := range map[string][]byte{name: anchored, file: signed} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.List(t.Context()); err != nil {
			return
		}
		if g, err := w.Use(t.Context(), q); err == nil && string(signed) != string(data) {
			t.Errorf("runs by %+v", g)
		}
	})
}

// raw is JSON as it is.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) { return r, nil }
