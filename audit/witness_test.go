package audit

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestWitnessFile(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	file := filepath.Join(t.TempDir(), "heads")
	l := open(t, dir, key, Anchor{WitnessFile(file), true})
	add(t, l, 5)
	appendTo(t, filepath.Dir(file), "heads", origin+"\n3\nAA") // a crash
	o := trusted(key)
	o.WitnessFile = file
	mustVerify(t, dir, o)
	add(t, l, 5)
	mustVerify(t, dir, o)
	f := readFolder(t, dir)
	if got, err := os.ReadFile(file); err != nil || string(got) != f[headsFile] {
		t.Errorf("the witness has not the log's heads: %v", err)
	}
}

func TestWitnessCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no tee")
	}
	dir, key, file := t.TempDir(), signerOf("a"), filepath.Join(t.TempDir(), "head")
	l := open(t, dir, key, Anchor{WitnessCommand{Args: []string{"tee", file}}, true})
	add(t, l, 1)
	if got, err := os.ReadFile(file); err != nil || string(got) != readFolder(t, dir)[checkpointFile] {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := l.Checkpoint(); err != nil {
		t.Error(err)
	}
}

// TestFailingWitness: a required witness that fails refuses the run, and the log stays
// sound; another one is logged.
func TestFailingWitness(t *testing.T) {
	for name, w := range map[string]Witness{
		"no program":    WitnessCommand{},
		"not there":     WitnessCommand{Args: []string{"/nonexistent/witness"}},
		"too slow":      WitnessCommand{Args: []string{"sleep", "60"}, Timeout: time.Millisecond},
		"not writable":  WitnessFile("/nonexistent/heads"),
		"not a regular": WitnessFile(os.TempDir()),
	} {
		t.Run(name, func(t *testing.T) {
			dir, key := t.TempDir(), signerOf("a")
			l := open(t, dir, key)
			l.options.Anchors = []Anchor{{w, true}}
			if _, err := l.Append(context.Background(), Entry{KindPolicy, numbered{1}}); err == nil {
				t.Error("no error")
			}
			mustVerify(t, dir, trusted(key))
			var logged strings.Builder
			l.options.Anchors[0].Required = false
			l.options.Logger = slog.New(slog.NewTextHandler(&logged, nil))
			add(t, l, 1)
			if !strings.Contains(logged.String(), "not witnessed") {
				t.Errorf("logged %q", logged.String())
			}
			mustVerify(t, dir, trusted(key))
		})
	}
}
