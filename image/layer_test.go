package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// An entry of a test's layer is written as a line:
//
//	dir/            a directory
//	name=content    a file; name*=content is executable
//	name->target    a symbolic link
//	name=>target    a hard link
//	name!c          a device (c, b) or pipe (p)
func header(t testing.TB, line string) (*tar.Header, string) {
	t.Helper()
	h := &tar.Header{ModTime: time.Unix(1700000000, 0), Mode: 0o644}
	if name, target, ok := strings.Cut(line, "->"); ok {
		h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeSymlink
		return h, ""
	}
	if name, target, ok := strings.Cut(line, "=>"); ok {
		h.Name, h.Linkname, h.Typeflag = name, target, tar.TypeLink
		return h, ""
	}
	if name, content, ok := strings.Cut(line, "="); ok {
		h.Typeflag, h.Size = tar.TypeReg, int64(len(content))
		if n, ok := strings.CutSuffix(name, "*"); ok {
			name, h.Mode = n, 0o755
		}
		h.Name = name
		return h, content
	}
	if name, kind, ok := strings.Cut(line, "!"); ok {
		h.Name, h.Typeflag = name, map[string]byte{"c": tar.TypeChar, "b": tar.TypeBlock, "p": tar.TypeFifo}[kind]
		return h, ""
	}
	h.Name, h.Typeflag, h.Mode = line, tar.TypeDir, 0o755
	return h, ""
}

// pack makes a layer.
func pack(t testing.TB, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, l := range lines {
		h, content := header(t, l)
		if err := w.WriteHeader(h); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flat applies layers and lists the tree, one node a line, as header reads
// them.
func flat(t testing.TB, b Bounds, drop bool, layers ...[]byte) (string, Dropped, error) {
	t.Helper()
	var data bytes.Buffer
	f := newFlattener(b, drop, &data)
	for _, l := range layers {
		if err := f.apply(t.Context(), bytes.NewReader(l), int64(len(l))); err != nil {
			return "", f.dropped, err
		}
	}
	root, err := f.finish()
	if err != nil {
		return "", f.dropped, err
	}
	// What is kept on the disk is the same.
	var index bytes.Buffer
	if err := writeIndex(&index, root, f.dropped); err != nil {
		t.Fatal(err)
	}
	root, dropped, err := readIndex(index.Bytes(), int64(data.Len()))
	if err != nil || dropped != f.dropped {
		t.Fatalf("the index does not read back: %v, dropped %+v and %+v", err, dropped, f.dropped)
	}
	return list(root, data.Bytes()), dropped, nil
}

func list(root *node, data []byte) string {
	var out strings.Builder
	_ = root.walk("", func(p string, n *node) error {
		switch {
		case n.kind == kindDir:
			fmt.Fprintf(&out, "%s/\n", p)
		case n.kind == kindLink:
			fmt.Fprintf(&out, "%s->%s\n", p, n.link)
		default:
			exec := ""
			if n.exec {
				exec = "*"
			}
			fmt.Fprintf(&out, "%s%s=%s\n", p, exec, data[n.at:n.at+n.size])
		}
		return nil
	})
	return out.String()
}

func TestApply(t *testing.T) {
	tests := []struct {
		name   string
		layers [][]string
		want   string // lines joined by a space
	}{
		{"one layer", [][]string{{"./", "./a/", "./a/f=F", "a/x*=X", "l->a/f", "h=>a/f", "/abs=A"}}, "/a/ /a/f=F /a/x*=X /abs=A /h=F /l->a/f"},
		{"parents that nobody names", [][]string{{"a/b/c=1"}}, "/a/ /a/b/ /a/b/c=1"},
		{"case makes a difference", [][]string{{"Etc/f=1", "eTc/f=2", "F=3", "f=4"}}, "/Etc/ /Etc/f=1 /F=3 /eTc/ /eTc/f=2 /f=4"},
		{"the last of two wins", [][]string{{"f=1", "f=2"}}, "/f=2"},
		{"a later layer replaces", [][]string{{"f=1", "d/x=1", "l->f"}, {"f=2", "d=file", "l=3"}}, "/d=file /f=2 /l=3"},
		{"a directory over a link", [][]string{{"real/f=1", "l->real"}, {"l/", "l/g=2"}}, "/l/ /l/g=2 /real/ /real/f=1"},
		{"directories merge", [][]string{{"d/a=1"}, {"d/", "d/b=2"}}, "/d/ /d/a=1 /d/b=2"},
		{"a whiteout", [][]string{{"a=1", "d/x=1", "d/y=1"}, {".wh.a", "d/.wh.x", ".wh.none"}}, "/d/ /d/y=1"},
		{"a whiteout of a directory", [][]string{{"d/x=1", "d/e/y=1", "k=1"}, {".wh.d"}}, "/k=1"},
		{"a whiteout does not hide its own layer", [][]string{{"a=1", "d/x=1"}, {"a=2", ".wh.a", "d/y=2", ".wh.d"}}, "/a=2 /d/ /d/y=2"},
		{"opaque, before and after", [][]string{{"d/x=1", "d/e/y=1"}, {"d/new=2", "d/.wh..wh..opq", "d/e/z=2"}}, "/d/ /d/e/ /d/e/z=2 /d/new=2"},
		{"an opaque root", [][]string{{"d/x=1", "y=1"}, {".wh..wh..opq", "z=2"}}, "/z=2"},
		{"the other whiteouts mean nothing", [][]string{{"a=1"}, {".wh..wh.plnk/", ".wh..wh.aufs=x"}}, "/a=1"},
		{"hard links of an earlier layer, and of a link", [][]string{{"f=1", "s->f"}, {"h=>f", "t=>s", ".wh.f"}}, "/h=1 /s->f /t->f"},
		{"a hard link keeps what it had", [][]string{{"f=1", "h=>f"}, {"f=2"}}, "/f=2 /h=1"},
		{"links lead where they like", [][]string{{"a->/etc/shadow", "b->../../../x", "c->c"}}, "/a->/etc/shadow /b->../../../x /c->c"},
		{"where boxes have their own", [][]string{{"tmp->/", "workspace->/etc", "opt->/workspace", "etc->/etc", "proc=file", "sys/x=1", "dev/y=1"}}, ""},
		{"where boxes have files", [][]string{{"etc/passwd/x=1", "etc/hosts->/x", "etc/group=g", "opt/glovebox/driver.py=evil", "opt/own=1"}}, "/etc/ /etc/group=g /etc/hosts->/x /opt/ /opt/own=1"},
		{"odd names", [][]string{{"a\nb=1", "\xff\xfe=2", "...=3", " =4", "C:\\x=5"}}, "/ =4 /...=3 /C:\\x=5 /a\nb=1 /\xff\xfe=2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var layers [][]byte
			for _, l := range tt.layers {
				layers = append(layers, pack(t, l...))
			}
			got, _, err := flat(t, DefaultBounds, false, layers...)
			if err != nil {
				t.Fatal(err)
			}
			if got = strings.TrimSuffix(strings.ReplaceAll(got, "\n/", " /"), "\n"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	small := Bounds{Bytes: 8192, Files: 4, Layers: 2, Ratio: 10}
	tests := []struct {
		name   string
		layers [][]string
		bounds Bounds
		want   string
	}{
		{"up", [][]string{{"../x=1"}}, DefaultBounds, "leads out"},
		{"up within", [][]string{{"a/../../x=1"}}, DefaultBounds, "leads out"},
		{"up that stays", [][]string{{"a/../x=1"}}, DefaultBounds, "leads out"},
		{"through a link of its own", [][]string{{"l->/", "l/root/.bashrc=1"}}, DefaultBounds, `through "l", which is a symbolic link`},
		{"through a link of an earlier layer", [][]string{{"l->/etc"}, {"l/passwd=1"}}, DefaultBounds, "symbolic link"},
		{"through a link to a link", [][]string{{"a->b", "b->/tmp", "a/x=1"}}, DefaultBounds, "symbolic link"},
		{"a directory through a link", [][]string{{"a->b", "a/d/"}}, DefaultBounds, "symbolic link"},
		{"a whiteout through a link", [][]string{{"real/f=1", "l->real"}, {"l/.wh.f"}}, DefaultBounds, "symbolic link"},
		{"opaque through a link", [][]string{{"real/f=1", "l->real"}, {"l/.wh..wh..opq"}}, DefaultBounds, "symbolic link"},
		{"through a file", [][]string{{"f=1", "f/x=2"}}, DefaultBounds, "which is a file"},
		{"a hard link out", [][]string{{"h=>../../etc/passwd"}}, DefaultBounds, "leads out"},
		{"a hard link to the host's", [][]string{{"h=>/etc/passwd"}}, DefaultBounds, "not there"},
		{"a hard link through a link", [][]string{{"etc/x=1", "l->etc", "h=>l/x"}}, DefaultBounds, "symbolic link"},
		{"a hard link to a directory", [][]string{{"d/", "h=>d"}}, DefaultBounds, "a directory"},
		{"a hard link to the root", [][]string{{"h=>/"}}, DefaultBounds, "a directory"},
		{"a hard link to itself", [][]string{{"h=>h"}}, DefaultBounds, "not there"},
		{"a hard link to what comes later", [][]string{{"h=>f", "f=1"}}, DefaultBounds, "not there"},
		{"a whiteout of nothing", [][]string{{".wh."}}, DefaultBounds, "no name"},
		{"a whiteout of up", [][]string{{"a/.wh..."}}, DefaultBounds, "no name"},
		{"the root as a link", [][]string{{"./->/"}}, DefaultBounds, "root is not a directory"},
		{"the root as a file", [][]string{{".=x"}}, DefaultBounds, "root is not a directory"},
		{"a link without a target", [][]string{{"l->"}}, DefaultBounds, "empty"},
		{"a character device", [][]string{{"null!c"}}, DefaultBounds, "character device"},
		{"a block device", [][]string{{"etc/sda!b"}}, DefaultBounds, "block device"},
		{"a pipe", [][]string{{"p!p"}}, DefaultBounds, "named pipe"},
		{"a directory and a file at once", [][]string{{"d/x=1", "d=2"}}, DefaultBounds, "something else"},
		{"a long link", [][]string{{"l->" + strings.Repeat("x", maxLink+1)}}, DefaultBounds, "longer"},
		{"a long name", [][]string{{strings.Repeat("x", maxName+1) + "=1"}}, DefaultBounds, "longer"},
		{"a long path", [][]string{{strings.Repeat("abc/", maxPath/4) + "x=1"}}, DefaultBounds, "longer"},
		{"a deep path", [][]string{{strings.Repeat("a/", maxDepth) + "x=1"}}, DefaultBounds, "deeper"},
		{"too many entries", [][]string{{"a=1", "b=1", "c=1", "d=1", "e=1"}}, small, "more than 4 entries"},
		{"too many directories that nobody names", [][]string{{"a/b/c/d/e=1"}}, small, "more than 4 entries"},
		{"too many entries of all layers", [][]string{{"a=1", "b=1", "c=1"}, {"a=1", "b=1"}}, small, "more than 4 entries"},
		{"too many layers", [][]string{{}, {}, {}}, small, "more than 2 layers"},
		{"too many bytes", [][]string{{"a=" + strings.Repeat("x", 9000)}}, small, "unpacked"},
		{"hard links that add up", [][]string{{"a=" + strings.Repeat("x", 3000), "b=>a", "c=>a"}}, small, "unpacked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var layers [][]byte
			for _, l := range tt.layers {
				layers = append(layers, pack(t, l...))
			}
			got, _, err := flat(t, tt.bounds, false, layers...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q; the tree is\n%s", err, tt.want, got)
			}
		})
	}
}

// raw makes a layer of headers that a test writes itself.
func raw(t *testing.T, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDropped(t *testing.T) {
	layer := raw(t,
		&tar.Header{Typeflag: tar.TypeChar, Name: "./dev/null", Devmajor: 1, Devminor: 3},
		&tar.Header{Typeflag: tar.TypeFifo, Name: "dev/initctl"},
		&tar.Header{Typeflag: tar.TypeReg, Name: "dev/file"},
		&tar.Header{Typeflag: tar.TypeReg, Name: "bin/su", Mode: 0o4755},
		&tar.Header{Typeflag: tar.TypeReg, Name: "bin/wall", Mode: 0o2644},
		&tar.Header{Typeflag: tar.TypeReg, Name: "bin/ping", Mode: 0o700, Uid: 5, PAXRecords: map[string]string{"SCHILY.xattr.security.capability": "\x01\x00\x00\x02"}},
	)
	got, dropped, err := flat(t, DefaultBounds, false, layer)
	if want := "/bin/\n/bin/ping*=\n/bin/su*=\n/bin/wall=\n"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if want := (Dropped{Devices: 2, SetID: 2, Attributes: 1, Reserved: 1}); dropped != want {
		t.Errorf("dropped %+v, want %+v", dropped, want)
	}
	got, dropped, err = flat(t, DefaultBounds, true, pack(t, "f=1", "null!c", "sda!b", "p!p"))
	if err != nil || got != "/f=1\n" || dropped.Devices != 3 {
		t.Errorf("where the operator says drop: %s, %+v, %v", got, dropped, err)
	}
}

// TestLies has archives whose headers say what is not so.
func TestLies(t *testing.T) {
	whole := pack(t, "f="+strings.Repeat("x", 3000), "g=1")
	field := func(b []byte, at int, s string) []byte {
		b = bytes.Clone(b)
		copy(b[at:], s)
		copy(b[148:], "        ")
		sum := 0
		for _, c := range b[:512] {
			sum += int(c)
		}
		copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
		return b
	}
	tests := []struct {
		name  string
		layer []byte
		want  string
	}{
		{"cut in a header", whole[:300], "unexpected EOF"},
		{"cut in a file", whole[:2048], "unexpected EOF"},
		{"a size of a TiB", field(whole, 124, "\x80\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00"), "unpacks to more"},
		{"a negative size", field(whole, 124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "invalid tar header"},
		{"not an archive", []byte(strings.Repeat("no tar ", 200)), "invalid tar header"},
		{"an unknown type", field(whole, 156, "Z"), "unknown type"},
		{"contiguous", field(whole, 156, "7"), "unknown type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := flat(t, DefaultBounds, false, tt.layer)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q; the tree is\n%.200s", err, tt.want, got)
			}
		})
	}
}

// gnuSparse is a sparse file of PAX format 1.0: size bytes, all of them holes.
func gnuSparse(t *testing.T, size int64) []byte {
	t.Helper()
	records := ""
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=s", fmt.Sprintf("GNU.sparse.realsize=%d", size)} {
		n := len(r) + 3
		for len(fmt.Sprintf("%d %s\n", n, r)) != n {
			n++
		}
		records += fmt.Sprintf("%d %s\n", n, r)
	}
	var b bytes.Buffer
	block := func(name string, kind byte, content string) {
		h := make([]byte, 512)
		copy(h, name)
		copy(h[100:], "0000644\x000000000\x000000000\x00")
		copy(h[124:], fmt.Sprintf("%011o\x00", len(content)))
		copy(h[136:], "00000000000\x00")
		copy(h[148:], "        ")
		h[156] = kind
		copy(h[257:], "ustar\x0000")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		b.Write(h)
		b.WriteString(content)
		b.Write(make([]byte, (512-len(content)%512)%512))
	}
	block("PaxHeaders/s", 'x', records)
	entries := fmt.Sprintf("1\n%d\n0\n", size)
	block("GNUSparseFile/s", '0', entries+strings.Repeat("\x00", 512-len(entries)))
	b.Write(make([]byte, 1024))
	return b.Bytes()
}

func TestSparse(t *testing.T) {
	got, _, err := flat(t, DefaultBounds, false, gnuSparse(t, 100))
	if want := "/s=" + strings.Repeat("\x00", 100) + "\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, _, err := flat(t, DefaultBounds, false, gnuSparse(t, 1<<40)); err == nil || !strings.Contains(err.Error(), "bomb") {
		t.Errorf("a TiB of holes: %v", err)
	}
	if _, _, err := flat(t, DefaultBounds, false, gnuSparse(t, 1<<62)); err == nil {
		t.Error("holes without end are taken")
	}
}

func TestCorpus(t *testing.T) {
	dir := filepath.Join(corpus.Dir(t), "archives")
	tests := []struct {
		name, refused string
		want          string
	}{
		{name: "traverse.tar", refused: "leads out"},
		{name: "traverse-via-links.tar", refused: "symbolic link"},
		{name: "traverse-slash-at-the-end.tar", refused: "symbolic link"},
		{name: "specialfiles.tar", refused: "named pipe"},
		{name: "case-insensitive.tar", want: "/Tmp/\n/Tmp/test-file="},
		{name: "specialmodes.tar", want: "/setuidstuff.txt="},
		{name: "winshort.tar", want: "/ANDROI~2="},
		{name: "xattr.tar", want: "/something.txt="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, tt.name))
			if err != nil {
				t.Skipf("this archive is not here: %v", err)
			}
			got, dropped, err := flat(t, DefaultBounds, false, b)
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("got %v, want %q; the tree is\n%s", err, tt.refused, got)
				}
				return
			}
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("%v, the tree is\n%s", err, got)
			}
			if tt.name == "specialmodes.tar" && dropped.SetID == 0 || tt.name == "xattr.tar" && dropped.Attributes != 1 {
				t.Errorf("dropped %+v", dropped)
			}
		})
	}
}

func FuzzApply(f *testing.F) {
	f.Add(pack(f, "a/", "a/f=F", "l->a", "h=>a/f", "a/.wh.x", ".wh..wh..opq"), pack(f, ".wh.a", "b*=1", "dev/null!c"))
	f.Add(pack(f, "l->/", "l/x=1"), []byte("x"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		b := Bounds{Bytes: 1 << 20, Files: 1000, Layers: 2, Ratio: 10}
		// flat reads the index back, with all that it checks.
		first, _, err := flat(t, b, false, one, two)
		if err != nil {
			return
		}
		if again, _, err := flat(t, b, false, one, two); err != nil || again != first {
			t.Errorf("not the same again: %v", err)
		}
	})
}

// FuzzEntries has archives that are well made, of entries that are not.
func FuzzEntries(f *testing.F) {
	f.Add("a/\na/f=F\nl->a\nh=>a/f\n\na/.wh.f\n.wh..wh..opq\na/../b=1")
	f.Add("l->/\nl/x=1\n\nl/\nl/y=2\n\n.wh.l\nh=>l/y\ndev/null!c\nopt->x\netc->/etc")
	f.Fuzz(func(t *testing.T, text string) {
		var layers [][]byte
		for _, l := range strings.Split(text, "\n\n") {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, line := range strings.Split(l, "\n") {
				h, content := header(t, line)
				if w.WriteHeader(h) == nil {
					_, _ = w.Write([]byte(content))
				}
			}
			_ = w.Close()
			layers = append(layers, b.Bytes())
		}
		got, _, err := flat(t, Bounds{Bytes: 1 << 20, Files: 1000, Layers: 20, Ratio: 10}, false, layers...)
		if err != nil {
			return
		}
		for _, r := range reserved {
			if r.empty && strings.Contains("\n"+got, "\n"+r.path) && strings.Contains("\n"+got, "\n"+r.path+"/") {
				t.Errorf("%s is the image's: %q", r.path, got)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	var index bytes.Buffer
	root := newDir(0)
	root.children["d"] = newDir(0)
	root.children["f"] = &node{kind: kindFile, size: 3, seconds: 7}
	root.children["l"] = &node{kind: kindLink, link: "../x"}
	if err := writeIndex(&index, root, Dropped{SetID: 300}); err != nil {
		f.Fatal(err)
	}
	f.Add(index.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		root, dropped, err := readIndex(b, 100)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := writeIndex(&again, root, dropped); err != nil {
			t.Fatal(err)
		}
		if root, _, err = readIndex(again.Bytes(), 100); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		_ = root.walk("", func(p string, n *node) error {
			if n.kind == kindFile && (n.at < 0 || n.size < 0 || n.at+n.size > 100) || strings.Contains(p+"/", "/../") {
				t.Errorf("%s: %d bytes at %d", p, n.size, n.at)
			}
			return nil
		})
	})
}
