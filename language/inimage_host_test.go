package language

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// liar is an image whose programs name directories of the host.
type liar struct {
	dir   string // of the host, which the image must not learn anything of
	asked []string
}

func (l *liar) LookPath(names ...string) (string, error) { return filepath.Join(l.dir, names[0]), nil }

func (l *liar) Ask(_ context.Context, args ...string) (string, error) {
	for _, a := range args {
		switch {
		case strings.Contains(a, "RbConfig"):
			return strings.Join([]string{"3.3.0", "/usr", l.dir, l.dir, l.dir, l.dir}, "\n"), nil
		case strings.Contains(a, "Test::More"):
			return strings.Join([]string{"5.38.0", "/usr", l.dir, l.dir, "+" + l.dir + "/secret.so Test2"}, "\n"), nil
		case strings.Contains(a, "print(_VERSION)"):
			return "Lua 5.4", nil
		case strings.Contains(a, "PHP_VERSION"):
			return "8.3.0\n" + l.dir + "\ntokenizer", nil
		case a == "--version":
			return "v22.1.0", nil
		}
	}
	return "5.2.0", nil
}

func (l *liar) Libraries(elfs ...string) ([]string, error) {
	l.asked = append(l.asked, elfs...)
	return nil, nil
}

func (l *liar) ELFs(string) ([]string, error) { return nil, nil }

func (l *liar) Stat(string) (fs.FileInfo, error) {
	return fs.Stat(fstest.MapFS{"d": {Mode: fs.ModeDir | 0o755}}, "d")
}

func (l *liar) Memo(_ string, _ []string, _ any, fill func() error) error { return fill() }

// TestImageReadsNoHost looks for toolchains in an image that names files of the
// host as its own: what the host has there changes nothing.
func TestImageReadsNoHost(t *testing.T) {
	for _, lang := range All() {
		if lang.FindInImage != nil || lang == Wasm {
			continue
		}
		t.Run(lang.Name, func(t *testing.T) {
			dir := t.TempDir()
			find := func() (*liar, *Toolchain) {
				l := &liar{dir: dir}
				tc, err := lang.InImage(t.Context(), l)
				if err != nil {
					t.Fatal(err)
				}
				return l, tc
			}
			before, clean := find()
			for _, name := range []string{"secret.so", "sub/secret.so", "bash", "cat", "ls", "sh", "tokenizer.so"} {
				p := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte("\x7fELF\x02\x01\x01"), 0o755)); err != nil {
					t.Fatal(err)
				}
			}
			after, tc := find()
			if !slices.Equal(before.asked, after.asked) {
				t.Errorf("files of the host were looked at: %q", after.asked)
			}
			if !reflect.DeepEqual(clean.Root, tc.Root) {
				t.Errorf("the root depends on the host: %v", tc.Root)
			}
			for _, e := range tc.Root.Entries {
				if e.Source != "" && !strings.HasPrefix(e.Path, "/opt/glovebox/") {
					t.Errorf("%s is copied from the host's %s", e.Path, e.Source)
				}
			}
		})
	}
}
