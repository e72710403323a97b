//go:build !windows

package rootfs

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// write makes files of the host below dir. A content "-> x" makes a link,
// "dir" ends names with a slash, "x:" marks an executable.
func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(strings.ReplaceAll(link, "DIR", dir), p)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else if body, ok := strings.CutPrefix(content, "x:"); ok {
			if err = os.WriteFile(p, []byte(body), 0o755); err == nil {
				err = os.Chmod(p, 0o755|fs.ModeSetuid|fs.ModeSetgid)
			}
		} else {
			err = os.WriteFile(p, []byte(content), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// listing prints nodes below /, one each: "path mode content".
func listing(t *testing.T, nodes []*node) string {
	t.Helper()
	var b strings.Builder
	for _, n := range nodes[1:] {
		switch n.mode.Type() {
		case fs.ModeDir:
			fmt.Fprintf(&b, "%s/ %o\n", n.path, n.mode.Perm())
		case fs.ModeSymlink:
			fmt.Fprintf(&b, "%s -> %s\n", n.path, n.link)
		default:
			var content strings.Builder
			if err := n.copyTo(&content); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %o %s\n", n.path, n.mode, content.String())
		}
	}
	return b.String()
}

func TestResolve(t *testing.T) {
	skipB := func(rel string, d fs.DirEntry) bool { return rel == "b" || rel == "sub/b" }
	tests := []struct {
		name  string
		files []string
		plan  []Entry // DIR in Source is the host's directory
		want  string
	}{
		{
			name: "what we write",
			plan: []Entry{
				{Path: "/etc/a", Data: []byte("A")},
				{Path: "/bin/b", Data: []byte("B"), Mode: 0o6777},
				{Path: "/x", Dir: true, Mode: 0o777},
				{Path: "/empty"},
				{Path: "/l", Link: "../../etc"},
			},
			want: "/bin/ 755\n/bin/b 555 B\n/empty 444 \n/etc/ 755\n/etc/a 444 A\n/l -> ../../etc\n/x/ 755\n",
		},
		{
			name:  "a directory, its modes and links",
			files: []string{"s/f=F", "s/run=x:R", "s/d/g=G", "s/d/up=-> ../f", "s/abs=-> DIR/s/d/g", "s/tod=-> d", "s/none=-> nowhere", "s/loop=-> loop"},
			plan:  []Entry{{Path: "/s", Source: "DIR/s"}},
			want:  "/s/ 755\n/s/abs -> d/g\n/s/d/ 755\n/s/d/g 444 G\n/s/d/up -> ../f\n/s/f 444 F\n/s/run 555 R\n/s/tod -> d\n",
		},
		{
			name:  "links that lead out are what they lead to",
			files: []string{"s/f=-> ../out/f", "s/d=-> ../out", "out/f=F", "out/in=-> f", "out/deep/x=-> ../f"},
			plan:  []Entry{{Path: "/s", Source: "DIR/s"}},
			want:  "/s/ 755\n/s/d/ 755\n/s/d/deep/ 755\n/s/d/deep/x -> ../f\n/s/d/f 444 F\n/s/d/in -> f\n/s/f 444 F\n",
		},
		{
			name:  "what is skipped, and a link to it",
			files: []string{"s/a=-> b", "s/b=B", "s/sub/b=x", "s/sub/c=-> ../b"},
			plan:  []Entry{{Path: "/s", Source: "DIR/s", Skip: skipB, SkipKey: "1"}},
			want:  "/s/ 755\n/s/a 444 B\n/s/sub/ 755\n/s/sub/c 444 B\n",
		},
		{
			name:  "a link to a directory that is skipped, with links of its own",
			files: []string{"s/a=-> b", "s/b/x=X", "s/b/y=-> x"},
			plan:  []Entry{{Path: "/s", Source: "DIR/s", Skip: skipB, SkipKey: "1"}},
			want:  "/s/ 755\n/s/a/ 755\n/s/a/x 444 X\n/s/a/y -> x\n",
		},
		{
			name:  "a source that is a link",
			files: []string{"v1/f=F", "v=-> v1"},
			plan:  []Entry{{Path: "/v", Source: "DIR/v"}, {Path: "/f", Source: "DIR/v/f"}},
			want:  "/f 444 F\n/v/ 755\n/v/f 444 F\n",
		},
		{
			name:  "later entries replace and merge",
			files: []string{"s/f=F", "s/g=G", "t/f=T", "t/h=H"},
			plan: []Entry{
				{Path: "/s", Source: "DIR/s"}, {Path: "/s", Source: "DIR/t"},
				{Path: "/s/g", Data: []byte("mine")}, {Path: "/s/h", Link: "g"},
				{Path: "/e", Dir: true}, {Path: "/e", Data: []byte("file")},
			},
			want: "/e 444 file\n/s/ 755\n/s/f 444 T\n/s/g 444 mine\n/s/h -> g\n",
		},
		{
			name: "through the links of the root, never out of it",
			plan: []Entry{
				{Path: "/usr/lib", Dir: true}, {Path: "/lib", Link: "usr/lib"}, {Path: "/lib64", Link: "/lib"},
				{Path: "/lib64/x", Data: []byte("X")}, {Path: "/lib", Dir: true},
				{Path: "/up", Link: "../../../../tmp"}, {Path: "/up/y", Data: []byte("Y")},
			},
			want: "/lib -> usr/lib\n/lib64 -> /lib\n/tmp/ 755\n/tmp/y 444 Y\n/up -> ../../../../tmp\n/usr/ 755\n/usr/lib/ 755\n/usr/lib/x 444 X\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, tt.files...)
			nodes, err := resolve(t.Context(), in(dir, tt.plan), DefaultBounds)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(t, nodes); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// in puts dir for DIR in the sources of a plan.
func in(dir string, entries []Entry) Plan {
	p := Plan{Entries: append([]Entry(nil), entries...)}
	for i := range p.Entries {
		p.Entries[i].Source = strings.ReplaceAll(p.Entries[i].Source, "DIR", dir)
	}
	return p
}

func TestResolveRefuses(t *testing.T) {
	tests := []struct {
		name   string
		make   func(t *testing.T, dir string)
		plan   []Entry
		bounds Bounds
		want   string
	}{
		{name: "relative path", plan: []Entry{{Path: "etc/x"}}, want: "not absolute and clean"},
		{name: "dotted path", plan: []Entry{{Path: "/a/../../x"}}, want: "not absolute and clean"},
		{name: "NUL", plan: []Entry{{Path: "/a\x00b"}}, want: "not absolute and clean"},
		{name: "relative source", plan: []Entry{{Path: "/a", Source: "x"}}, want: "not absolute"},
		{name: "two contents", plan: []Entry{{Path: "/a", Data: []byte("x"), Link: "y"}}, want: "more than one"},
		{name: "skip without key", plan: []Entry{{Path: "/a", Source: "DIR", Skip: func(string, fs.DirEntry) bool { return true }}}, want: "SkipKey"},
		{name: "linked without a source", plan: []Entry{{Path: "/a", Data: []byte("x"), Linked: true}}, want: "Linked needs a Source"},
		{name: "a linked directory", plan: []Entry{{Path: "/a", Source: "DIR", Linked: true}}, want: "Linked is for a file"},
		{name: "missing source", plan: []Entry{{Path: "/a", Source: "DIR/none"}}, want: "no such file"},
		{name: "file over a full directory", plan: []Entry{{Path: "/a/b"}, {Path: "/a"}}, want: "not empty"},
		{name: "directory below a file", plan: []Entry{{Path: "/a"}, {Path: "/a/b"}}, want: "is a file"},
		{name: "links in a circle", plan: []Entry{{Path: "/a", Link: "b"}, {Path: "/b", Link: "a"}, {Path: "/a/x"}}, want: "too many links"},
		{
			name: "named pipe", plan: []Entry{{Path: "/a", Source: "DIR"}}, want: "named pipe",
			make: func(t *testing.T, dir string) {
				if err := syscall.Mkfifo(filepath.Join(dir, "p"), 0o666); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "socket", plan: []Entry{{Path: "/a", Source: "DIR"}}, want: "socket",
			make: func(t *testing.T, dir string) {
				l, err := net.Listen("unix", filepath.Join(dir, "s"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
			},
		},
		{
			name: "link to a device", plan: []Entry{{Path: "/a", Source: "DIR"}}, want: "device",
			make: func(t *testing.T, dir string) { write(t, dir, "n=-> /dev/null") },
		},
		{
			name: "followed in a circle", plan: []Entry{{Path: "/a", Source: "DIR/s"}}, want: "circle",
			make: func(t *testing.T, dir string) { write(t, dir, "s/up=-> ..") },
		},
		{
			name: "too many bytes", plan: []Entry{{Path: "/a", Source: "DIR"}}, bounds: Bounds{Bytes: 1 << 20, Files: 10}, want: "more than 1 MiB",
			make: func(t *testing.T, dir string) {
				write(t, dir, "big=")
				if err := os.Truncate(filepath.Join(dir, "big"), 1<<40); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "too many files", plan: []Entry{{Path: "/a", Source: "DIR"}}, bounds: Bounds{Bytes: 1 << 20, Files: 3}, want: "more than 3 files",
			make: func(t *testing.T, dir string) { write(t, dir, "1=", "2=", "3=") },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Short, for the socket's name.
			dir, err := os.MkdirTemp("", "r")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if tt.make != nil {
				tt.make(t, dir)
			}
			if tt.bounds == (Bounds{}) {
				tt.bounds = DefaultBounds
			}
			_, err = resolve(t.Context(), in(dir, tt.plan), tt.bounds)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestChangedWhileCopied(t *testing.T) {
	for name, change := range map[string]func(p string) error{
		"other":   func(p string) error { return os.Chtimes(p, epoch, epoch) },
		"longer":  func(p string) error { return os.WriteFile(p, []byte("longer"), 0o644) },
		"shorter": func(p string) error { return os.WriteFile(p, nil, 0o644) },
		"a link": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Symlink("/etc/passwd", p)
		},
		"a pipe": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return syscall.Mkfifo(p, 0o666)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "f=1234")
			nodes, err := resolve(t.Context(), in(dir, []Entry{{Path: "/f", Source: "DIR/f"}}), DefaultBounds)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(filepath.Join(dir, "f")); err != nil {
				t.Fatal(err)
			}
			if err := (pool{filepath.Join(dir, "pool")}).writeTree(t.Context(), filepath.Join(dir, "tree"), nodes); err == nil {
				t.Error("it was copied into the tree")
			}
			if err := writeImage(t.Context(), filepath.Join(dir, "image"), nodes); err == nil {
				t.Error("it was copied into the image")
			}
		})
	}
}
