package artifact

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/gloveboxhq/glovebox"
)

// summary prints a manifest, an entry a line: "+ name size mime", "- name:
// reason".
func summary(m Manifest) string {
	var b strings.Builder
	for _, a := range m.Artifacts {
		fmt.Fprintf(&b, "+ %s %d %s\n", a.Name, a.Size, a.MIME)
	}
	for _, r := range m.Refused {
		fmt.Fprintf(&b, "- %s: %s\n", r.Name, r.Reason)
	}
	return b.String()
}

func files(names ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, n := range names {
		name, content, _ := strings.Cut(n, "=")
		m[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return m
}

func TestCollect(t *testing.T) {
	long := strings.Repeat("n", 200)
	tests := []struct {
		name   string
		fsys   fs.FS
		before Baseline
		limits Limits
		want   string
	}{
		{name: "nothing", fsys: files(), want: ""},
		{
			name: "types by content, not by name",
			fsys: files("a.png=hello", "b.txt=\x89PNG\r\n\x1a\n", "c=%PDF-1.7\n", `d.exe={"a": 1}`, "e=", "f.txt=\x7fELF\x02\x01\x01", "g=<html><body></body></html>"),
			want: "+ a.png 5 text/plain; charset=utf-8\n+ b.txt 8 image/png\n+ c 9 application/pdf\n+ d.exe 8 application/json\n+ e 0 text/plain\n+ f.txt 7 application/x-elf\n+ g 26 text/html; charset=utf-8\n",
		},
		{
			name: "what was staged and is unchanged is left out",
			fsys: files("main.py=code", "data.csv=1,2", "same=size", "d/in=x"),
			before: Staged(
				glovebox.File{Path: "./main.py", Data: []byte("code")}, glovebox.File{Path: "data.csv", Data: []byte("1,2,3")},
				glovebox.File{Path: "same", Data: []byte("SIZE")}, glovebox.File{Path: "d/in", Data: []byte("x")}, glovebox.File{Path: "gone"}),
			want: "+ data.csv 3 text/plain; charset=utf-8\n+ same 4 text/plain; charset=utf-8\n",
		},
		{
			name: "caches of interpreters",
			fsys: files("__pycache__/main.cpython-311.pyc=x", "pkg/__pycache__/a.pyc=x", ".pytest_cache/v/x=1", ".cache/go-build/00=x", ".python_history=x", "pycache=x"),
			want: "+ pycache 1 text/plain; charset=utf-8\n",
		},
		{
			name: "hostile names",
			fsys: files("new\nline=x", "esc\x1b[31mred=x", `back\slash=x`, `x\n=x`, "rtl\u202egpj.exe=x", "snow☃=x", "tag\U000e0041=x", long+"/"+long+"/"+long+"=x", " =x", "-rf=x"),
			want: "+ \x20 1 text/plain; charset=utf-8\n+ -rf 1 text/plain; charset=utf-8\n+ back\\\\slash 1 text/plain; charset=utf-8\n" +
				"+ esc\\x1b[31mred 1 text/plain; charset=utf-8\n+ new\\x0aline 1 text/plain; charset=utf-8\n+ rtl\\u202egpj.exe 1 text/plain; charset=utf-8\n" +
				"+ snow☃ 1 text/plain; charset=utf-8\n+ tag\\U000e0041 1 text/plain; charset=utf-8\n+ x\\\\n 1 text/plain; charset=utf-8\n" +
				"- " + long + "/" + long + "/" + long[:110] + "…: its name is 602 bytes long: at most 512\n",
		},
		{
			name:   "count, shallow files first",
			fsys:   files("z=1", "a/b=2", "a/c=3", "y=4"),
			limits: Limits{Count: 3},
			want:   "+ a/b 1 text/plain; charset=utf-8\n+ y 1 text/plain; charset=utf-8\n+ z 1 text/plain; charset=utf-8\n- …: 1 more were left: there are more than 3 artifacts\n",
		},
		{
			name:   "bytes of one file and of all",
			fsys:   files("a=123456", "b=12345", "c=12345", "d=1234", "e=1"),
			limits: Limits{FileBytes: 5, TotalBytes: 10},
			want: "+ b 5 text/plain; charset=utf-8\n+ c 5 text/plain; charset=utf-8\n" +
				"- a: is 6 bytes long: at most 5\n- d: all artifacts together would be more than 10 bytes\n- e: all artifacts together would be more than 10 bytes\n",
		},
		{
			name:   "depth",
			fsys:   files("a/b/c=1", "a/b/c2=1", "a/b/d/e=1", "a/f=1"),
			limits: Limits{Depth: 3},
			want: "+ a/b/c 1 text/plain; charset=utf-8\n+ a/b/c2 1 text/plain; charset=utf-8\n+ a/f 1 text/plain; charset=utf-8\n" +
				"- a/b/d: is a directory at depth 3: what is in it is too deep\n",
		},
		{
			name: "a depth bomb",
			fsys: files(strings.Repeat("d/", 2000) + "x=1"),
			want: "- d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d: is a directory at depth 16: what is in it is too deep\n",
		},
		{
			name: "files that are not what they say",
			fsys: liars{
				"grows":   {size: 3, content: io.LimitReader(zeros{}, 1<<40)},
				"shrinks": {size: 100, content: strings.NewReader("short")},
				"breaks":  {size: 10, content: io.MultiReader(strings.NewReader("12345"), broken{})},
				"device":  {size: 0, content: zeros{}, opened: fs.ModeDevice},
				"locked":  {open: &fs.PathError{Op: "open", Path: "/host/path/locked", Err: syscall.EACCES}},
				"unknown": {size: 2, content: strings.NewReader("ok"), listed: fs.ModeIrregular},
				"pipe":    {listed: fs.ModeNamedPipe},
				"bad\xff": {open: &fs.PathError{Op: "open", Path: "bad", Err: fs.ErrInvalid}},
				"../up":   {size: 1},
				"..":      {listed: fs.ModeDir},
			},
			limits: Limits{FileBytes: 1 << 20},
			want: "+ shrinks 5 text/plain; charset=utf-8\n+ unknown 2 text/plain; charset=utf-8\n" +
				"- ./..: is not a file name\n- ./../up: is not a file name\n- bad\\xff: cannot be read: its name is not valid\n- breaks: cannot be read: broken\n" +
				"- device: is not a regular file\n- grows: grew past 1048576 bytes while it was read\n- locked: cannot be read: permission denied\n- pipe: is a named pipe\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewMemory(1 << 20)
			defer s.Close()
			m, err := Collect(t.Context(), tt.fsys, tt.before, tt.limits, Guard{}, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(m); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			// The store has what the manifest says, and nothing else.
			if len(s.blobs) != len(m.Artifacts) {
				t.Errorf("the store has %d contents of %d", len(s.blobs), len(m.Artifacts))
			}
			for _, a := range m.Artifacts {
				b := read(t, s, a.ID)
				sum := sha256.Sum256(b)
				if int64(len(b)) != a.Size || hex.EncodeToString(sum[:]) != a.SHA256 {
					t.Errorf("%s: the store has %d bytes, sum %x", a.Name, len(b), sum)
				}
			}
		})
	}
}

func read(t *testing.T, s Store, id string) []byte {
	t.Helper()
	r, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// liars is a file system of one directory whose files differ from what is said
// of them.
type liars map[string]liar

type liar struct {
	listed, opened fs.FileMode
	size           int64
	content        io.Reader
	open           error
}

func (l liars) Open(name string) (fs.File, error) {
	f, ok := l[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if f.open != nil {
		return nil, f.open
	}
	return &liarFile{f, name}, nil
}

func (l liars) ReadDir(string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	for name, f := range l {
		list = append(list, &liarFile{f, name})
	}
	return list, nil
}

type liarFile struct {
	liar
	name string
}

func (f *liarFile) Name() string               { return f.name }
func (f *liarFile) Type() fs.FileMode          { return f.listed }
func (f *liarFile) IsDir() bool                { return f.listed.IsDir() }
func (f *liarFile) Info() (fs.FileInfo, error) { return f.Stat() }
func (f *liarFile) Stat() (fs.FileInfo, error) {
	fsys := fstest.MapFS{"f": {Mode: f.opened}}
	info, err := fs.Stat(fsys, "f")
	return sized{info, f.size}, err
}
func (f *liarFile) Read(p []byte) (int, error) { return f.content.Read(p) }
func (f *liarFile) Close() error               { return nil }

type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestManyFiles: a flood stays small, in the manifest and in the store.
func TestManyFiles(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 100_000 {
		fsys[fmt.Sprintf("f%06d", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	for i := range 100 {
		fsys[fmt.Sprintf("link%d", i)] = &fstest.MapFile{Mode: fs.ModeSymlink}
	}
	for _, tt := range []struct {
		limits    Limits
		artifacts int
		refused   []string // the last ones
	}{
		{Limits{}, 256, []string{"more than 65536 entries", "65280 more were left: there are more than 256 artifacts"}},
		{Limits{Entries: 1 << 20, Count: 10}, 10, []string{"symbolic link", "36 more were refused", "99990 more were left: there are more than 10 artifacts"}},
	} {
		s := NewMemory(1 << 20)
		m, err := Collect(t.Context(), fsys, nil, tt.limits, Guard{}, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Artifacts) != tt.artifacts || len(m.Refused) > maxRefused+2 {
			t.Errorf("%d artifacts, %d refused", len(m.Artifacts), len(m.Refused))
		}
		for i, want := range tt.refused {
			if got := m.Refused[len(m.Refused)-len(tt.refused)+i]; !strings.Contains(got.Reason, want) {
				t.Errorf("got %+v, want %q", got, want)
			}
		}
	}
}

func TestCollectEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	fsys := liars{"a": {size: 10, content: cancels{cancel, why}}, "b": {size: 1, content: zeros{}}}
	s := NewMemory(1 << 20)
	m, err := Collect(ctx, fsys, nil, Limits{}, Guard{}, s)
	if !errors.Is(err, why) || len(m.Artifacts) != 0 || len(s.blobs) != 0 {
		t.Errorf("got %v, %+v", err, m)
	}
	if _, err := Collect(t.Context(), fstest.MapFS{".": {Mode: 0o644}}, nil, Limits{}, Guard{}, s); err == nil {
		t.Error("a workspace that cannot be read is no error")
	}
	if _, err := Collect(t.Context(), files("a=1"), nil, Limits{}, Guard{}, full{s}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the store is full: %v", err)
	}
}

// cancels ends the context in the middle of a file.
type cancels struct {
	cancel context.CancelCauseFunc
	why    error
}

func (c cancels) Read(p []byte) (int, error) { c.cancel(c.why); return 1, nil }

// full is a store whose disk is full.
type full struct{ Store }

func (f full) Create(id string) (Blob, error) {
	b, err := f.Store.Create(id)
	return fullBlob{b}, err
}

type fullBlob struct{ Blob }

func (fullBlob) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestIDsTellNothing(t *testing.T) {
	a, b := NewID(), NewID()
	if a == b || !validID(a) || len(a) < 26 {
		t.Errorf("%s %s", a, b)
	}
}

func TestEscapeTellsNamesApart(t *testing.T) {
	names := []string{"\x1b", `\x1b`, `\\x1b`, "\u202e", `\u202e`, "\xff", "\u00ff", "\ufffd", "\U000e0001", "\u00a0", " ", "\u2028", "a\u0301", "á"}
	var escaped []string
	for _, n := range names {
		e := Escape(n)
		if strings.ContainsFunc(e, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e || r == 0x2028 }) {
			t.Errorf("%q is still %q", n, e)
		}
		if slices.Contains(escaped, e) {
			t.Errorf("%q: another name is %q too", n, e)
		}
		escaped = append(escaped, e)
	}
}

func TestStores(t *testing.T) {
	tests := map[string]func(t *testing.T) Store{
		"memory":        func(*testing.T) Store { return NewMemory(1 << 20) },
		"memory, spilt": func(*testing.T) Store { return NewMemory(5) },
		"directory": func(t *testing.T) Store {
			d, err := OpenDir(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		},
	}
	for name, open := range tests {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			id := NewID()
			b, err := s.Create(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"one ", "two ", "three"} {
				if _, err := b.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("there before it is complete: %v", err)
				}
			}
			if _, err := s.Create(id); !errors.Is(err, fs.ErrExist) {
				t.Errorf("made twice: %v", err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			if err := b.Discard(); err != nil {
				t.Error(err)
			}
			if _, err := s.Create(id); !errors.Is(err, fs.ErrExist) {
				t.Errorf("made twice: %v", err)
			}
			// Two readers do not disturb each other, nor does a deletion.
			r, err := s.Open(id)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got := read(t, s, id); string(got) != "one two three" {
				t.Errorf("got %q", got)
			}
			if err := s.Delete(id); err != nil {
				t.Error(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != "one two three" {
				t.Errorf("got %q, %v", got, err)
			}
			if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there after it was deleted: %v", err)
			}
			if err := s.Delete(id); err != nil {
				t.Errorf("deleted twice: %v", err)
			}

			b, err = s.Create(id)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Write([]byte("given up")); err != nil {
				t.Fatal(err)
			}
			if err := b.Discard(); err != nil {
				t.Error(err)
			}
			if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there after it was given up: %v", err)
			}
			if m, ok := s.(*Memory); ok && m.used != 0 {
				t.Errorf("%d bytes are still counted", m.used)
			}
			for _, id := range []string{"", "art_", "../x", "art_../x", "art_A", "art_x/y", strings.Repeat("art_x", 40)} {
				if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("open %q: %v", id, err)
				}
			}
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	m := NewMemory(1 << 20)
	var ids []string
	for range 4 {
		id := NewID()
		ids = append(ids, id)
		b, err := m.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := b.Write(bytes.Repeat([]byte("x"), 10_000)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if m.used > 1<<20 {
		t.Errorf("%d bytes are in memory", m.used)
	}
	for _, id := range ids {
		if got := read(t, m, id); len(got) != 1_000_000 {
			t.Errorf("got %d bytes", len(got))
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("files that a crash would leave: %v, %v", left, err)
	}
	if err := m.Close(); err != nil || m.used != 0 {
		t.Errorf("%v, %d", err, m.used)
	}
}

// TestEviction: whatever bound is reached, the oldest complete contents go, and
// who asks for one of them is told.
func TestEviction(t *testing.T) {
	put := func(m *Memory, id, content string) error {
		b, err := m.Create(id)
		if err != nil {
			return err
		}
		if _, err := b.Write([]byte(content)); err != nil {
			return errors.Join(err, b.Discard())
		}
		return b.Close()
	}
	wide := bounds{memory: 100, one: 100, total: 100, files: 100, contents: 100}
	for _, tt := range []struct {
		name   string
		narrow func(*bounds)
	}{
		{"contents", func(b *bounds) { b.contents = 3 }},
		{"bytes in memory and in files", func(b *bounds) { b.total, b.memory = 15, 5 }},
		{"bytes in files", func(b *bounds) { b.total, b.memory = 15, 0 }},
		{"files", func(b *bounds) { b.files, b.memory = 3, 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMemory(0)
			m.bounds = wide
			tt.narrow(&m.bounds)
			defer m.Close()
			if err := put(m, "deleted", "12345"); err != nil {
				t.Fatal(err)
			}
			if err := m.Delete("deleted"); err != nil {
				t.Fatal(err)
			}
			var all []string
			for i := range 100 {
				id := fmt.Sprint("art_", i)
				if all = append(all, id); i > 2 {
					all = all[1:]
				}
				if err := put(m, id, "12345"); err != nil {
					t.Fatal(err)
				}
				if len(m.blobs) > 3 || m.total > 15 || m.used > m.bounds.memory || m.files > 3 {
					t.Fatalf("it holds %d contents, %d bytes, %d of them in memory, %d files", len(m.blobs), m.total, m.used, m.files)
				}
			}
			for _, id := range all {
				if got := read(t, m, id); string(got) != "12345" {
					t.Errorf("%s is %q", id, got)
				}
			}
			if _, err := m.Open("art_96"); !errors.Is(err, ErrEvicted) || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("an evicted one: %v", err)
			}
			for _, id := range []string{"deleted", "art_100"} {
				if _, err := m.Open(id); errors.Is(err, ErrEvicted) || !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s, which was not evicted: %v", id, err)
				}
			}
			if n := len(m.gone.ids); n > m.bounds.contents || n != len(m.gone.ring) {
				t.Errorf("%d and %d evicted ones are remembered", n, len(m.gone.ring))
			}
			if err := m.Close(); err != nil || m.used != 0 || m.total != 0 || m.files != 0 || m.whole.Len() != 0 {
				t.Errorf("%v; %d bytes, %d in memory, %d files, %d whole", err, m.total, m.used, m.files, m.whole.Len())
			}
		})
	}
	t.Run("what is being written stays", func(t *testing.T) {
		m := NewMemory(0)
		m.bounds = bounds{memory: 8, one: 8, total: 10, files: 2, contents: 2}
		defer m.Close()
		b, err := m.Create("open")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Write([]byte("123456")); err != nil {
			t.Fatal(err)
		}
		for _, content := range []string{"1234", "4321"} {
			if err := put(m, content, content); err != nil {
				t.Fatal(err)
			}
		}
		if err := put(m, "too much", "12345"); err == nil {
			t.Error("more was taken than fits")
		}
		if err := put(m, "far too much", "12345678901"); err == nil {
			t.Error("more was taken than ever fits")
		}
		if c, err := m.Create("second"); err != nil {
			t.Error(err)
		} else if _, err := m.Create("third"); err == nil {
			t.Error("more are written than the store may hold")
		} else if err := c.Discard(); err != nil {
			t.Error(err)
		}
		if _, err := b.Write([]byte("7890")); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if got := read(t, m, "open"); string(got) != "1234567890" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("readers go on", func(t *testing.T) {
		m := NewMemory(0)
		m.bounds = bounds{memory: 0, one: 0, total: 5, files: 1, contents: 1}
		defer m.Close()
		if err := put(m, "a", "12345"); err != nil {
			t.Fatal(err)
		}
		r, err := m.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := put(m, "b", "54321"); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "12345" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestDirSweepsWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"art_a.part", "art_b", "other.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 || list[0].Name() != "art_b" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestAnySize: what a step makes by itself is no artifact, whatever it is.
func TestAnySize(t *testing.T) {
	s := NewMemory(1 << 20)
	defer s.Close()
	m, err := Collect(t.Context(), files("a=1", "b=2"), Baseline{"a": {Size: AnySize}}, Limits{}, Guard{}, s)
	if err != nil || len(m.Artifacts) != 1 || m.Artifacts[0].Name != "b" {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestFilter: texts pass the filter, and what is counted is what is stored.
func TestFilter(t *testing.T) {
	png := "\x89PNG\r\n\x1a\nsecret"
	s := NewMemory(1 << 20)
	defer s.Close()
	filter := func(_ string, w io.Writer) io.WriteCloser { return &upper{w} }
	m, err := Collect(t.Context(), fstest.MapFS{"a.txt": {Data: []byte("secret\n")}, "b.json": {Data: []byte(`{"a": "secret"}`)}, "c.png": {Data: []byte(png)}}, nil, Limits{}, Guard{Filter: filter}, s)
	if err != nil || len(m.Artifacts) != 3 {
		t.Fatalf("got %+v, %v", m, err)
	}
	for i, want := range []string{"SECRET\n!", `{"A": "SECRET"}!`, png} {
		a := m.Artifacts[i]
		r, err := s.Open(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(r)
		r.Close()
		if string(got) != want || a.Size != int64(len(want)) || a.SHA256 != fmt.Sprintf("%x", sha256.Sum256(got)) {
			t.Errorf("%s is %q, %d bytes, %s", a.Name, got, a.Size, a.SHA256)
		}
	}
}

// upper is a filter that keeps something back until it is closed.
type upper struct{ w io.Writer }

func (u *upper) Write(p []byte) (int, error) {
	_, err := u.w.Write(bytes.ToUpper(p))
	return len(p), err
}

func (u *upper) Close() error {
	_, err := u.w.Write([]byte("!"))
	return err
}
