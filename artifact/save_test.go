package artifact

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestSave(t *testing.T) {
	long := strings.Repeat("é", 150)
	tests := []struct {
		name  string
		there func(dir string) error // what the directory holds already
		names []string
		want  []string
	}{
		{name: "as they are", names: []string{"a.txt", "d/e/b c.csv", "☃"}, want: []string{"a.txt", "d/e/b c.csv", "☃"}},
		{name: "out of the directory", names: []string{"../x", "/etc/passwd", "a/../../x", "..", "", "."}, want: []string{"_/x", "_/etc/passwd", "a/_/_/x", "_~2", "_~3", "_~4"}},
		{name: "hidden, options, homes", names: []string{".bashrc", ".git/hooks/post-checkout", "-rf", "~user", " x"}, want: []string{"_.bashrc", "_.git/hooks/post-checkout", "_-rf", "_~user", "_ x"}},
		{name: "escaped", names: []string{`a\x1b[31m`, `b\\c`, "d\x1be", "c\u202ed", "nl\n", "x:y*?", "bad\xff"}, want: []string{"a_x1b[31m", "b__c", "d_e", "c_d", "nl_", "x_y__", "bad_"}},
		{name: "case", names: []string{"Plot.png", "plot.PNG", "PLOT.png", "D/x", "d/X"}, want: []string{"Plot.png", "plot~2.PNG", "PLOT~3.png", "D/x", "D/X~2"}},
		{name: "a file and a directory", names: []string{"a", "A/b", "c/d", "C"}, want: []string{"a", "A_b", "c/d", "C~2"}},
		{name: "too long, too deep", names: []string{long, strings.Repeat("d/", 30) + "x"}, want: []string{strings.Repeat("é", 100), "x"}},
		{name: "endings", names: []string{"a.", "b ", "...", "c. . ."}, want: []string{"a", "b", "_", "c"}},
		{
			name: "what is there stays",
			there: func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "a.txt"), []byte("mine"), 0o600)
			},
			names: []string{"a.txt", "a.txt/b"}, want: []string{"a~2.txt", "a.txt_b"},
		},
		{
			name: "links that are there are not followed",
			there: func(dir string) error {
				outside := filepath.Join(filepath.Dir(dir), "outside")
				for _, err := range []error{
					os.Mkdir(outside, 0o755), os.Symlink(outside, filepath.Join(dir, "d")), os.Mkdir(filepath.Join(dir, "in"), 0o755),
					os.Symlink("in", filepath.Join(dir, "e")), os.Symlink("../outside/f", filepath.Join(dir, "f")),
				} {
					if err != nil {
						return err
					}
				}
				return nil
			},
			names: []string{"d/x", "e/x", "f"}, want: []string{"d_x", "e_x", "f~2"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			if tt.there != nil {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := tt.there(dir); err != nil {
					t.Fatal(err)
				}
			}
			s := NewMemory(1 << 20)
			var artifacts []glovebox.Artifact
			for _, name := range tt.names {
				a := glovebox.Artifact{ID: NewID(), Name: name, Size: int64(len(name))}
				b, err := s.Create(a.ID)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := b.Write([]byte(name)); err != nil {
					t.Fatal(err)
				}
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
				artifacts = append(artifacts, a)
			}
			saved, err := Save(t.Context(), dir, s, artifacts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, f := range saved {
				got = append(got, f.Path)
				p := filepath.Join(dir, f.Path)
				info, err := os.Lstat(p)
				if err != nil {
					t.Fatal(err)
				}
				if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
					t.Errorf("%s has mode %v", f.Path, info.Mode())
				}
				if b, err := os.ReadFile(p); err != nil || string(b) != tt.names[i] || f.ID != artifacts[i].ID {
					t.Errorf("%s holds %q, %v", f.Path, b, err)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "a.txt")); tt.name == "what is there stays" && string(b) != "mine" {
				t.Errorf("overwritten: %q, %v", b, err)
			}
			if list, _ := os.ReadDir(filepath.Join(dir, "../outside")); len(list) > 0 {
				t.Errorf("written outside: %v", list)
			}
		})
	}
}

// TestSaveFails: a content that is not what the manifest says leaves no file.
func TestSaveFails(t *testing.T) {
	s := NewMemory(1 << 20)
	id := NewID()
	b, err := s.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, a := range []glovebox.Artifact{{ID: id, Name: "a", Size: 1}, {ID: NewID(), Name: "a"}} {
		dir := t.TempDir()
		if saved, err := Save(t.Context(), dir, s, []glovebox.Artifact{a}); err == nil || len(saved) > 0 {
			t.Errorf("got %v, %v", saved, err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("left: %v, %v", list, err)
		}
	}
}

func FuzzHarmless(f *testing.F) {
	for _, name := range []string{"a", "../../etc/passwd", ".x/.y", "a\x00b", `c:\x`, "\xff/\xfe", strings.Repeat("a/", 100), "~", "/", "..."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := harmless(name)
		if clean, err := glovebox.CleanPath(got); err != nil || clean != got || !fs.ValidPath(got) {
			t.Fatalf("%q became %q: %v", name, got, err)
		}
		for part := range strings.SplitSeq(got, "/") {
			if strings.ContainsRune(".-~ ", rune(part[0])) || len(part) > maxPart+1 {
				t.Fatalf("%q became %q", name, got)
			}
		}
		if strings.ContainsRune(Escape(name), 0x1b) {
			t.Fatalf("%q is shown as it is", name)
		}
	})
}
