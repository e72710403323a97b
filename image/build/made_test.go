package build

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// member is one entry of an archive that a test makes.
type testFile struct {
	name, body string
	mode       fs.FileMode
	link       string
	kind       byte // of tar
}

// makeWheel makes a wheel of files, with the files that every wheel has. Files
// of the same name as one of these replace it; the body "-" leaves it out.
func makeWheel(t testing.TB, name, version string, files ...testFile) []byte {
	t.Helper()
	info := fmt.Sprintf("%s-%s.dist-info", name, version)
	own := map[string]string{
		info + "/WHEEL":    "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "/METADATA": fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\ntext\n", name, version),
	}
	for _, f := range files {
		delete(own, f.name)
	}
	for _, n := range slices.Sorted(maps.Keys(own)) {
		files = append(files, testFile{name: n, body: own[n]})
	}
	record := ""
	given := slices.ContainsFunc(files, func(f testFile) bool { return f.name == info+"/RECORD" })
	for _, f := range files {
		sum := sha256.Sum256([]byte(f.body))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.body))
	}
	if !given {
		files = append(files, testFile{name: info + "/RECORD", body: record + info + "/RECORD,,\n"})
	}
	return makeZip(t, files...)
}

func makeZip(t testing.TB, files ...testFile) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		if f.body == "-" {
			continue
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.mode != 0 {
			h.SetMode(f.mode)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(w, f.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makeTar(t testing.TB, files ...testFile) []byte {
	t.Helper()
	var b bytes.Buffer
	out := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.body)), Linkname: f.link, Typeflag: f.kind}
		if f.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if err := out.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(out, f.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// makeDeb makes a Debian package; control are further files of control.tar.
func makeDeb(t testing.TB, name string, fields string, control []testFile, data ...testFile) []byte {
	t.Helper()
	text := fmt.Sprintf("Package: %s\nVersion: 1.0\nArchitecture: all\n%s", name, fields)
	control = append([]testFile{{name: "./control", body: text}}, control...)
	return makeAr("debian-binary", []byte("2.0\n"), "control.tar.gz", gzipped(t, makeTar(t, control...)), "data.tar.gz", gzipped(t, makeTar(t, data...)))
}

// makeAr makes an ar archive of names and contents in turn.
func makeAr(members ...any) []byte {
	b := []byte("!<arch>\n")
	for i := 0; i < len(members); i += 2 {
		body := members[i+1].([]byte)
		b = fmt.Appendf(b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", members[i], 0, 0, 0, "100644", len(body))
		b = append(b, body...)
		if len(body)%2 == 1 {
			b = append(b, '\n')
		}
	}
	return b
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// opened writes b to a file of the test and opens it.
func opened(t testing.TB, b []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func testSpool(t testing.TB) *spool {
	t.Helper()
	s, err := newSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

// testBounds are small, so that bombs need not be large.
var testBounds = Bounds{Bytes: 4 << 20, Files: 200}

// testPython is a tree with an interpreter.
func testPython(t testing.TB) (*tree, *python) {
	t.Helper()
	tr := newTree(testBounds)
	for _, f := range []string{"/usr/local/bin/python3.11", "/usr/local/lib/python3.11/os.py"} {
		if err := tr.data(f, "", 0o755, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.symlink("/usr/local/bin/python3", "", "python3.11"); err != nil {
		t.Fatal(err)
	}
	p, err := tr.findPython("amd64", "")
	if err != nil {
		t.Fatal(err)
	}
	return tr, p
}

// content reads a file of a tree, or says why it cannot.
func (t *tree) content(p string) string {
	n := t.stat(p)
	if n == nil || n.open == nil {
		return "(no file " + p + ")"
	}
	r, err := n.open()
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// has tells whether a file was added whose path contains text.
func (t *tree) has(text string) bool {
	for p := range t.nodes {
		if strings.Contains(p, text) {
			return true
		}
	}
	return false
}

// wantError fails the test unless err speaks of what is wrong.
func wantError(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func clean(p string) bool { return path.IsAbs(p) && path.Clean(p) == p && !strings.Contains(p, "..") }

// sri is a hash as npm writes it.
func sri(t testing.TB, h Hash) string {
	t.Helper()
	b, err := hex.DecodeString(h.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return h.Algorithm + "-" + base64.StdEncoding.EncodeToString(b)
}
