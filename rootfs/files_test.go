//go:build linux

package rootfs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// strange is a tree of files that is not the host's.
type strange struct {
	key   string
	files []File
}

func (s strange) Key() string { return s.key }

func (s strange) Walk(fn func(File) error) error {
	for _, f := range s.files {
		if err := fn(f); err != nil {
			return err
		}
	}
	return nil
}

func content(p, s string, mode fs.FileMode) File {
	return File{Path: p, Mode: mode, Size: int64(len(s)), Key: s, Modified: time.Unix(7, 0), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(s)), nil
	}}
}

func TestFiles(t *testing.T) {
	host := t.TempDir()
	write(t, host, "secret=of the host")
	tree := strange{"1", []File{
		{Path: "/a", Mode: fs.ModeDir | 0o777},
		content("/a/f", "F", 0o4640),
		content("/a/x", "X", 0o700),
		{Path: "/etc", Mode: fs.ModeSymlink, Link: host},
		{Path: "/leak", Mode: fs.ModeSymlink, Link: filepath.Join(host, "secret")},
		{Path: "/up", Mode: fs.ModeSymlink, Link: "../../../.." + host},
	}}
	tests := []struct {
		name string
		plan []Entry
		want string
	}{
		{
			name: "links stay links, whatever the host has there",
			plan: []Entry{{Path: "/", Files: tree}},
			want: "/a/ 755\n/a/f 444 F\n/a/x 555 X\n/etc -> " + host + "\n/leak -> " + host + "/secret\n/up -> ../../../.." + host + "\n",
		},
		{
			name: "what is laid over it replaces, and goes through its links within the root",
			plan: []Entry{{Path: "/", Files: tree}, {Path: "/leak", Data: []byte("ours")}, {Path: "/up/g", Data: []byte("G")}, {Path: "/etc", Data: []byte("E")}},
			want: "/a/ 755\n/a/f 444 F\n/a/x 555 X\n/etc 444 E\n/leak 444 ours\n" + parents(host) + host + "/g 444 G\n/up -> ../../../.." + host + "\n",
		},
		{
			name: "below another directory",
			plan: []Entry{{Path: "/sub", Files: strange{"2", tree.files[:2]}}},
			want: "/sub/ 755\n/sub/a/ 755\n/sub/a/f 444 F\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := resolve(t.Context(), Plan{tt.plan}, DefaultBounds)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, nodes); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			dir := t.TempDir()
			if err := (pool{filepath.Join(dir, "pool")}).writeTree(t.Context(), filepath.Join(dir, "tree"), nodes); err != nil {
				t.Error(err)
			}
			if err := writeImage(t.Context(), filepath.Join(dir, "image"), nodes); err != nil {
				t.Error(err)
			}
			if list, err := os.ReadDir(host); err != nil || len(list) != 1 {
				t.Errorf("the host has %v, %v", list, err)
			}
		})
	}
}

// parents lists the directories that lead to dir, and dir.
func parents(dir string) string {
	if dir == "/" {
		return ""
	}
	return parents(filepath.Dir(dir)) + dir + "/ 755\n"
}

func TestFilesRefused(t *testing.T) {
	for name, f := range map[string]File{
		"relative":        content("f", "", 0),
		"up":              content("/../f", "", 0),
		"NUL":             content("/a\x00", "", 0),
		"a device":        {Path: "/d", Mode: fs.ModeDevice},
		"less than it is": {Path: "/f", Size: 5, Open: content("/f", "abc", 0).Open},
	} {
		t.Run(name, func(t *testing.T) {
			nodes, err := resolve(t.Context(), Plan{[]Entry{{Path: "/", Files: strange{"1", []File{f}}}}}, DefaultBounds)
			if err != nil {
				return
			}
			dir := t.TempDir()
			if err := (pool{filepath.Join(dir, "pool")}).writeTree(t.Context(), filepath.Join(dir, "tree"), nodes); err == nil {
				t.Error("it is in the tree")
			}
			if err := writeImage(t.Context(), filepath.Join(dir, "image"), nodes); err == nil {
				t.Error("it is in the image")
			}
		})
	}
	huge := strange{"1", []File{{Path: "/f", Size: 1 << 40}}}
	if _, err := resolve(t.Context(), Plan{[]Entry{{Path: "/", Files: huge}}}, DefaultBounds); err == nil {
		t.Error("a TiB is taken")
	}
	if err := (&Entry{Path: "/", Files: huge, Dir: true}).valid(); err == nil {
		t.Error("two contents are taken")
	}
}

func TestFilesKey(t *testing.T) {
	s := openStore(t)
	seen := map[string]string{}
	for name, e := range map[string]Entry{
		"one": {Path: "/", Files: strange{key: "1"}}, "two": {Path: "/", Files: strange{key: "2"}}, "elsewhere": {Path: "/x", Files: strange{key: "1"}}, "a link": {Path: "/", Link: "1"},
	} {
		k, err := s.Key(Plan{[]Entry{e}})
		if err != nil || seen[k] != "" {
			t.Errorf("%s: %v, as %s", name, err, seen[k])
		}
		seen[k] = name
	}
}
