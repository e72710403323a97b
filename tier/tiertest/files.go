package tiertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// fileTests are about a box's files and their way out.
var fileTests = map[string]func(*suite, *testing.T){
	"staged": func(s *suite, t *testing.T) {
		big := bytes.Repeat([]byte("glovebox"), 700_000) // more than one script carries
		files := []glovebox.File{
			{Path: "empty"}, {Path: "a/b/c/deep", Data: []byte("deep")}, {Path: "a/beside", Data: []byte("beside")},
			{Path: "big", Data: big}, {Path: "read only", Data: big, ReadOnly: true}, {Path: "run", Data: []byte("x"), Executable: true},
			{Path: "ünïcode ✓ -rf *", Data: []byte("name")},
		}
		box := s.open(t, files...)
		same(t, box, files)
		fsys := workspace(t, box)
		for _, f := range files {
			info, err := fs.Stat(fsys, f.Path)
			if err != nil {
				t.Error(err)
			} else if x := info.Mode()&0o111 != 0; x != f.Executable {
				t.Errorf("%s has mode %v", f.Path, info.Mode())
			}
		}
	},
	"staged files can be written": func(s *suite, t *testing.T) {
		box := s.open(t, glovebox.File{Path: "a/file", Data: []byte("old")}, program("p", func(s *glove.Script) {
			create(s, "a/file", "new")
			create(s, "a/other", "more")
			s.Call("unlink", linux.SYS_UNLINKAT, linux.AT_FDCWD, "p", 0)
		}))
		run(box, "p").ok(t)
		same(t, box, []glovebox.File{{Path: "a/file", Data: []byte("new")}, {Path: "a/other", Data: []byte("more")}})
		if _, err := fs.Stat(workspace(t, box), "p"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a removed file: %v", err)
		}
	},
	"read-only files stay": func(s *suite, t *testing.T) {
		want := []glovebox.File{
			{Path: "top", Data: []byte("top"), ReadOnly: true},
			{Path: "a/b/deep", Data: []byte("deep"), ReadOnly: true},
		}
		box := s.open(t, append(slices.Clone(want), program("p", func(s *glove.Script) {
			try := func(nr uintptr, args ...any) { s.Call("try", nr, args...).Ignore() }
			for _, f := range want {
				dir, _, _ := strings.Cut(f.Path, "/")
				try(linux.SYS_FCHMODAT, linux.AT_FDCWD, f.Path, 0o777)
				try(linux.SYS_FCHOWNAT, linux.AT_FDCWD, f.Path, tier.UID, tier.GID, 0)
				for _, flags := range []int{linux.O_WRONLY, linux.O_RDWR | linux.O_TRUNC, linux.O_WRONLY | linux.O_APPEND} {
					fd := s.Buffer(8)
					s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, f.Path, flags, 0).To(fd).Ignore()
					s.CallOn(fd, "write", linux.SYS_WRITE, "forged", 6).Ignore()
					s.CallOn(fd, "ftruncate", linux.SYS_FTRUNCATE, 1).Ignore()
				}
				try(linux.SYS_TRUNCATE, f.Path, 0)
				try(linux.SYS_RENAMEAT2, linux.AT_FDCWD, f.Path, linux.AT_FDCWD, f.Path+".old", 0)
				try(linux.SYS_UNLINKAT, linux.AT_FDCWD, f.Path, 0)
				try(linux.SYS_SYMLINKAT, "/etc/passwd", linux.AT_FDCWD, f.Path)
				try(linux.SYS_RENAMEAT2, linux.AT_FDCWD, "p", linux.AT_FDCWD, f.Path, 0)
				try(linux.SYS_RENAMEAT2, linux.AT_FDCWD, "p", linux.AT_FDCWD, f.Path, linux.RENAME_EXCHANGE)
				try(linux.SYS_MKDIRAT, linux.AT_FDCWD, "mine", 0o777)
				try(linux.SYS_RENAMEAT2, linux.AT_FDCWD, "mine", linux.AT_FDCWD, dir, linux.RENAME_EXCHANGE)
				try(linux.SYS_MOUNT, "tmpfs", dir, "tmpfs", 0, 0)
				try(linux.SYS_UMOUNT2, f.Path, linux.MNT_DETACH)
				// By way of the descriptor's link, and by a second name.
				fd := s.Buffer(8)
				s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, f.Path, linux.O_RDONLY, 0).To(fd).Ignore()
				try(linux.SYS_OPENAT, linux.AT_FDCWD, "/proc/self/fd/3", linux.O_RDWR|linux.O_TRUNC, 0)
				try(linux.SYS_LINKAT, linux.AT_FDCWD, f.Path, linux.AT_FDCWD, "second", 0)
				try(linux.SYS_FCHMODAT, linux.AT_FDCWD, "second", 0o777)
				try(linux.SYS_TRUNCATE, "second", 0)
			}
			for _, dir := range []string{"a/b", "a"} {
				try(linux.SYS_FCHMODAT, linux.AT_FDCWD, dir, 0o777)
				try(linux.SYS_RENAMEAT2, linux.AT_FDCWD, dir, linux.AT_FDCWD, "gone", 0)
				try(linux.SYS_UNLINKAT, linux.AT_FDCWD, dir, linux.AT_REMOVEDIR)
			}
		}))...)
		run(box, "p").ok(t)
		same(t, box, want)
	},
	"read-only files of a command stay": func(s *suite, t *testing.T) {
		want := glovebox.File{Path: "sub/late", Data: []byte("late"), ReadOnly: true}
		box := s.open(t, program("trap", func(s *glove.Script) {
			// Remains of the previous command must not lead the file astray.
			s.Call("symlink", linux.SYS_SYMLINKAT, tier.Temp, linux.AT_FDCWD, "link")
			s.Call("mkdir", linux.SYS_MKDIRAT, linux.AT_FDCWD, "dir", 0o777)
		}), program("p", func(s *glove.Script) {
			s.Call("try", linux.SYS_UNLINKAT, linux.AT_FDCWD, want.Path, 0).Ignore()
			s.Call("try", linux.SYS_RENAMEAT2, linux.AT_FDCWD, "sub", linux.AT_FDCWD, "gone", 0).Ignore()
			s.Call("try", linux.SYS_TRUNCATE, want.Path, 0).Ignore()
		}))
		run(box, "trap").ok(t)
		run(box, "p", func(c *tier.Command) { c.Files = []glovebox.File{want} }).ok(t)
		same(t, box, []glovebox.File{want})
		r := run(box, "p", func(c *tier.Command) { c.Files = []glovebox.File{{Path: "link/file", Data: []byte("astray")}} })
		if r.Cause != glovebox.CauseBox {
			t.Errorf("a file was written through a link: %+v", r.Outcome)
		}
	},
	"hostile names": func(s *suite, t *testing.T) {
		names := []string{"new\nline", "\x1b[31mred", "-rf", "...", " ", "\xff\xfe", "con\"quote'", strings.Repeat("n", 255), "..\\..\\x", "a:b"}
		box := s.open(t, program("p", func(s *glove.Script) {
			for _, name := range names {
				create(s, name, "data of "+name)
			}
		}))
		run(box, "p").ok(t)
		fsys := workspace(t, box)
		entries, err := fs.ReadDir(fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		for _, name := range names {
			if !slices.Contains(got, name) {
				t.Errorf("%q is not listed in %q", name, got)
			}
			if data, err := fs.ReadFile(fsys, name); fs.ValidPath(name) && (err != nil || string(data) != "data of "+name) {
				t.Errorf("%q holds %q, %v", name, data, err)
			}
		}
		for _, name := range []string{"", "/etc/passwd", "../etc/passwd", "a/../../etc/passwd", "/", "..", "p/", "p\x00x"} {
			if data, err := fs.ReadFile(fsys, name); err == nil {
				t.Errorf("%q opened and holds %q", name, data)
			}
		}
	},
	"links and special files": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) {
			for name, to := range map[string]string{"passwd": "/etc/passwd", "root": "/", "self": "self", "up": "..", "inside": "p", "proc": "/proc/1"} {
				s.Call("symlink", linux.SYS_SYMLINKAT, to, linux.AT_FDCWD, name)
			}
			s.Call("fifo", linux.SYS_MKNODAT, linux.AT_FDCWD, "fifo", linux.S_IFIFO|0o666, 0)
			fd := s.Buffer(8)
			s.Call("socket", linux.SYS_SOCKET, linux.AF_UNIX, linux.SOCK_STREAM, 0).To(fd)
			s.CallOn(fd, "bind", linux.SYS_BIND, []byte("\x01\x00socket\x00"), 9)
			create(s, "closed", "mode 0")
			s.Call("chmod", linux.SYS_FCHMODAT, linux.AT_FDCWD, "closed", 0)
		}))
		run(box, "p").ok(t)
		fsys := workspace(t, box)
		for _, name := range []string{"passwd", "root", "self", "up", "inside", "proc", "fifo", "socket", "root/etc/passwd", "up/etc/passwd", "proc/environ", "missing"} {
			if f, err := fsys.Open(name); err == nil {
				f.Close()
				t.Errorf("%s opened", name)
			}
		}
		entries, err := fs.ReadDir(fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			want := fs.FileMode(0)
			switch e.Name() {
			case "fifo":
				want = fs.ModeNamedPipe
			case "socket":
				want = fs.ModeSocket
			case "p", "closed":
			default:
				want = fs.ModeSymlink
			}
			if e.Type() != want {
				t.Errorf("%s is listed as %v", e.Name(), e.Type())
			}
		}
	},
	"a look is what is there": func(s *suite, t *testing.T) {
		staged := []string{"same", "changed", "gone", "link", "fifo", "dir", "closed", "big"}
		for _, more := range []int{0, 60} { // files, more than a look tells
			var files []glovebox.File
			for _, name := range staged {
				files = append(files, glovebox.File{Path: name, Data: []byte(name)})
			}
			box := s.open(t, append(files, program("q", func(*glove.Script) {}), program("p", func(s *glove.Script) {
				for _, name := range staged[2:6] {
					s.Call("unlink", linux.SYS_UNLINKAT, linux.AT_FDCWD, name, 0)
				}
				write := func(name, data string) {
					fd := s.Buffer(8)
					s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, name, linux.O_WRONLY, 0).To(fd)
					s.CallOn(fd, "write", linux.SYS_WRITE, data, len(data))
				}
				write("changed", "CHANGED")
				write("big", strings.Repeat("b", 10<<10))
				s.Call("symlink", linux.SYS_SYMLINKAT, "/etc/passwd", linux.AT_FDCWD, "link")
				s.Call("fifo", linux.SYS_MKNODAT, linux.AT_FDCWD, "fifo", linux.S_IFIFO|0o666, 0)
				s.Call("mkdir", linux.SYS_MKDIRAT, linux.AT_FDCWD, "dir", 0o777)
				s.Call("chmod", linux.SYS_FCHMODAT, linux.AT_FDCWD, "closed", 0)
				create(s, "new", "NEW")
				for i := range more {
					create(s, fmt.Sprintf("file %d", i), "more")
				}
			}))...)
			all := func() (seen []string) {
				fsys := workspace(t, box)
				entries, err := fs.ReadDir(fsys, ".")
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					data, err := fs.ReadFile(fsys, e.Name())
					if e.Name() != "p" && e.Name() != "q" {
						seen = append(seen, fmt.Sprintf("%s %v %.20q %d %v", e.Name(), e.Type(), data, len(data), err != nil))
					}
				}
				slices.Sort(seen)
				return seen
			}
			for _, names := range [][]string{{"gone", "link", "fifo", "dir", "closed"}, {"same", "changed", "big", "new"}, {"../etc/passwd", "/etc/passwd", "", ".", "a\x00", "dir/x", "same"}} {
				if names[0] == "gone" {
					run(box, "p", func(c *tier.Command) { c.Look = names }).ok(t)
				} else {
					run(box, "q", func(c *tier.Command) { c.Look = names }).ok(t)
				}
				looked := all()
				run(box, "q").ok(t)
				if asked := all(); !slices.Equal(looked, asked) || len(asked) != len(staged)+more {
					t.Errorf("%d more, looked at %q: %q; asked: %q", more, names, looked, asked)
				}
			}
		}
	},
	"a workspace after a kill": func(s *suite, t *testing.T) {
		box := s.open(t, program("p", func(s *glove.Script) { create(s, "partial", "so far"); pause(s) }))
		run(box, "p", func(c *tier.Command) { c.Wall = s.soon() })
		if fsys, err := box.Workspace(); err == nil {
			if data, err := fs.ReadFile(fsys, "partial"); err != nil || string(data) != "so far" {
				t.Errorf("holds %q, %v", data, err)
			}
		}
		box.Close()
		if _, err := box.Workspace(); err == nil {
			t.Error("a closed box has a workspace")
		}
	},
	"boxes share nothing": func(s *suite, t *testing.T) {
		leave := program("leave", func(s *glove.Script) {
			for _, dir := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
				create(s, dir+"/mine", "secret")
			}
			fd := s.Buffer(8)
			s.Call("socket", linux.SYS_SOCKET, linux.AF_UNIX, linux.SOCK_STREAM, 0).To(fd)
			s.CallOn(fd, "bind", linux.SYS_BIND, []byte("\x01\x00\x00neighbour"), 12)
			s.CallOn(fd, "listen", linux.SYS_LISTEN, 1)
			write(s, 1, "up")
			pause(s)
		})
		find := program("find", func(s *glove.Script) {
			for _, dir := range []string{tier.Workspace, tier.Temp, "/dev/shm"} {
				must(s, linux.ENOENT, linux.SYS_OPENAT, linux.AT_FDCWD, dir+"/mine", linux.O_RDONLY, 0)
			}
			fd := s.Buffer(8)
			s.Call("socket", linux.SYS_SOCKET, linux.AF_UNIX, linux.SOCK_STREAM, 0).To(fd)
			nobody := s.Label()
			s.CallOn(fd, "connect", linux.SYS_CONNECT, []byte("\x01\x00\x00neighbour"), 12).IfError(nobody)
			s.Call("exit", linux.SYS_EXIT_GROUP, 98)
			s.Place(nobody)
			alone(s)
		})
		first, second := s.open(t, leave), s.open(t, find)
		ctx, cancel := context.WithCancel(context.Background())
		up, done := make(chan bool, 1), make(chan glovebox.Outcome)
		go func() {
			done <- first.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/leave"}, Stdout: writer(func(p []byte) (int, error) { up <- true; return len(p), nil })})
		}()
		<-up
		run(second, "find").ok(t)
		cancel()
		<-done
	},
}

func workspace(t *testing.T, box tier.Box) fs.FS {
	t.Helper()
	fsys, err := box.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

// same fails where a workspace does not hold the files.
func same(t *testing.T, box tier.Box, files []glovebox.File) {
	t.Helper()
	fsys := workspace(t, box)
	for _, f := range files {
		if got, err := fs.ReadFile(fsys, f.Path); err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s holds %d bytes %.20q, want %d, %v", f.Path, len(got), got, len(f.Data), err)
		}
	}
}
