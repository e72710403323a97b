package build

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A wheelFile is an open wheel, verified as a whole, and against the wheel's
// list of files (RECORD).
type wheelFile struct {
	wheelName
	file     string // its name
	zip      *zip.Reader
	info     string // the name of its .dist-info
	metadata textproto.MIMEHeader
}

// openWheel reads a wheel. Nothing in it is run: a wheel has no setup step.
func openWheel(name string, f *os.File) (*wheelFile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	w := &wheelFile{file: name}
	if w.wheelName, err = parseWheelName(name); err != nil {
		return nil, err
	}
	if w.zip, err = openZip(f, info.Size()); err != nil {
		return nil, err
	}
	if err := w.findInfo(); err != nil {
		return nil, err
	}
	format, err := w.header("WHEEL")
	if err != nil {
		return nil, err
	}
	if v := format.Get("Wheel-Version"); !strings.HasPrefix(v, "1.") {
		return nil, fmt.Errorf("it is of the wheel format %.20q; 1.x is known", v)
	}
	if w.metadata, err = w.header("METADATA"); err != nil {
		return nil, err
	}
	if got := w.metadata.Get("Name"); normal(got) != normal(w.name) {
		return nil, fmt.Errorf("it calls itself %.100q within", got)
	}
	return w, nil
}

// findInfo finds the one .dist-info directory.
func (w *wheelFile) findInfo() error {
	for _, f := range w.zip.File {
		top, _, _ := strings.Cut(f.Name, "/")
		if !strings.HasSuffix(top, ".dist-info") || top == w.info {
			continue
		}
		if w.info != "" {
			return errors.New("it has more than one .dist-info")
		}
		w.info = top
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(w.info, ".dist-info"), "-")
	if normal(name) != normal(w.name) {
		return fmt.Errorf("it has no .dist-info of %s", w.name)
	}
	return nil
}

// header reads a file of the form of mail headers.
func (w *wheelFile) header(name string) (textproto.MIMEHeader, error) {
	b, err := member(w.zip, w.info+"/"+name)
	if err != nil {
		return nil, err
	}
	h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(b, "\n\n"...)))).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return h, nil
}

// recorded is RECORD's entry for a file.
type recorded struct {
	hash Hash
	size int64 // -1 where it does not say it
}

// record reads RECORD: the hash of every file of the wheel, and nothing else.
func (w *wheelFile) record() (map[string]recorded, error) {
	b, err := member(w.zip, w.info+"/RECORD")
	if err != nil {
		return nil, err
	}
	list, err := parseRecord(b)
	if err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for _, f := range w.zip.File {
		present[f.Name] = true
	}
	for name := range list {
		if !present[name] {
			return nil, fmt.Errorf("RECORD lists %.200q, which is not there", name)
		}
	}
	return list, nil
}

func parseRecord(b []byte) (map[string]recorded, error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = 3
	list := map[string]recorded{}
	for {
		line, err := r.Read()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("RECORD: %w", err)
		}
		if _, twice := list[line[0]]; twice {
			return nil, fmt.Errorf("RECORD lists %.200q twice", line[0])
		}
		entry := recorded{size: -1}
		if line[1] != "" {
			algorithm, digest, _ := strings.Cut(line[1], "=")
			sum, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(digest, "="))
			if err == nil {
				entry.hash, err = newHash(algorithm, hex.EncodeToString(sum))
			}
			if err != nil {
				return nil, fmt.Errorf("RECORD: %.200q: %w", line[0], err)
			}
		}
		if line[2] != "" {
			if entry.size, err = strconv.ParseInt(line[2], 10, 64); err != nil || entry.size < 0 {
				return nil, fmt.Errorf("RECORD: %.200q has the size %.30q", line[0], line[2])
			}
		}
		list[line[0]] = entry
	}
}

// unsigned reports whether a file cannot be in RECORD with a hash.
func (w *wheelFile) unsigned(name string) bool {
	base, ok := strings.CutPrefix(name, w.info+"/RECORD")
	return ok && (base == "" || base == ".jws" || base == ".p7s")
}

// install unpacks the wheel to where the interpreter looks for it.
func (w *wheelFile) install(t *tree, p *python, s *spool) error {
	list, err := w.record()
	if err != nil {
		return err
	}
	for _, f := range w.zip.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		said, ok := list[f.Name]
		if !w.unsigned(f.Name) && (!ok || said.hash == Hash{}) {
			return fmt.Errorf("RECORD has no hash of %.200q", f.Name)
		}
		if err := w.member(t, p, s, f, said); err != nil {
			return fmt.Errorf("%.200q: %w", f.Name, err)
		}
	}
	if err := t.data(path.Join(p.site, w.info, "INSTALLER"), w.file, 0o644, "glovebox\n"); err != nil {
		return err
	}
	return w.scripts(t, p)
}

// member places one file.
func (w *wheelFile) member(t *tree, p *python, s *spool, f *zip.File, said recorded) error {
	to, script, err := w.place(p, f.Name)
	if err != nil {
		return err
	}
	size := int64(f.UncompressedSize64)
	if size < 0 || size > t.bounds.Bytes-t.bytes {
		return fmt.Errorf("it has %d bytes, and the image may have %d", f.UncompressedSize64, t.bounds.Bytes)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	var in io.Reader = r
	sum := said.hash.sum()
	if sum != nil {
		in = io.TeeReader(r, sum)
	}
	open, err := s.keep(in, size)
	if err != nil {
		return err
	}
	// The archive's own checksum is compared at the end.
	if n, err := io.Copy(io.Discard, in); err != nil || n > 0 {
		return errors.Join(err, fmt.Errorf("%d bytes more than it says", n))
	}
	if sum != nil && hex.EncodeToString(sum.Sum(nil)) != said.hash.Hex {
		return errors.New("its content is not what RECORD says")
	}
	if said.size >= 0 && said.size != size {
		return fmt.Errorf("it has %d bytes where RECORD says %d", size, said.size)
	}
	mode := f.Mode()
	if script {
		mode = 0o755
		if open, size, err = p.script(open, size); err != nil {
			return err
		}
	}
	if base := path.Base(to); path.Dir(to) == p.site && (strings.HasSuffix(base, ".pth") || base == "sitecustomize.py" || base == "usercustomize.py") {
		t.note("%s: %s runs at every start of Python in a box", w.file, base)
	}
	if err := p.guards(t, to); err != nil {
		return err
	}
	return t.file(to, w.file, mode, epoch, size, open)
}

// interpreter matches the programs that run code in a box.
var interpreter = lazyre.New(`^(python|node|nodejs|php|ruby|perl|lua|go|bash|dash|sh|env)[0-9.]*$`)

// guards refuses a file in place of an original file of the image from before
// its wheels: the interpreter and its library judge the code in a box. Packages
// with their programs may be replaced by a different version.
func (p *python) guards(t *tree, to string) error {
	at, err := t.locate(to, false)
	if err != nil {
		return err
	}
	old := t.nodes[at]
	dir, name := path.Split(at)
	program := strings.HasSuffix(dir, "/bin/")
	if program && interpreter().MatchString(name) {
		for _, bin := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/"} {
			if n := t.stat(bin + name); n != nil && !strings.HasSuffix(n.from, ".whl") {
				return fmt.Errorf("it would be found in place of %s%s of %s", bin, name, n.origin())
			}
		}
	}
	switch {
	case old == nil || old.mode.IsDir() || strings.HasSuffix(old.from, ".whl"):
	case strings.HasPrefix(at, p.site+"/"):
	case program:
	default:
		return fmt.Errorf("it would replace %s of %s", at, old.origin())
	}
	return nil
}

// place returns the destination of a file of the wheel, and whether it is a
// script.
func (w *wheelFile) place(p *python, name string) (to string, script bool, err error) {
	top, rest, _ := strings.Cut(name, "/")
	data := strings.TrimSuffix(w.info, ".dist-info") + ".data"
	if top != data {
		return path.Join(p.site, name), false, nil
	}
	scheme, rest, _ := strings.Cut(rest, "/")
	switch scheme {
	case "purelib", "platlib":
		return path.Join(p.site, rest), false, nil
	case "scripts":
		return path.Join(p.bin, rest), true, nil
	case "data":
		return path.Join(p.prefix, rest), false, nil
	case "headers":
		return path.Join(p.prefix, "include", fmt.Sprintf("python%d.%d", p.python[0], p.python[1]), w.name, rest), false, nil
	}
	return "", false, fmt.Errorf("nobody knows where %.50q goes", scheme)
}

// script gives a script that asks for python the image's interpreter.
func (p *python) script(open func() (io.ReadCloser, error), size int64) (func() (io.ReadCloser, error), int64, error) {
	r, err := open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	in := bufio.NewReader(r)
	if head, _ := in.Peek(8); string(head) != "#!python" || size > maxMember {
		return open, size, nil
	}
	first, err := in.ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		return nil, 0, err
	}
	_, args, _ := strings.Cut(strings.TrimSpace(first), " ")
	text := strings.TrimSpace("#!"+p.exe+" "+args) + "\n" + string(rest)
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }, int64(len(text)), nil
}

var (
	scriptName = lazyre.New(`^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$`)
	entryPoint = lazyre.New(`^([A-Za-z_][\w.]{0,199}):([A-Za-z_][\w.]{0,199})\s*(\[[^\]]*\])?$`)
)

// scripts writes the programs named in entry_points.txt.
func (w *wheelFile) scripts(t *tree, p *python) error {
	b, err := member(w.zip, w.info+"/entry_points.txt")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	section := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
			continue
		case line[0] == '[':
			section = strings.Trim(line, "[] ")
			continue
		case section != "console_scripts" && section != "gui_scripts":
			continue
		}
		name, target, _ := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		m := entryPoint().FindStringSubmatch(strings.TrimSpace(target))
		if !scriptName().MatchString(name) || m == nil {
			return fmt.Errorf("entry_points.txt: %.200q names no function to call", line)
		}
		object, _, _ := strings.Cut(m[2], ".")
		text := fmt.Sprintf("#!%s\nimport sys\nfrom %s import %s\nif __name__ == \"__main__\":\n    sys.exit(%s())\n", p.exe, m[1], object, m[2])
		if err := p.guards(t, path.Join(p.bin, name)); err != nil {
			return err
		}
		if err := t.data(path.Join(p.bin, name), w.file, 0o755, text); err != nil {
			return err
		}
	}
	return nil
}

var requirementName = lazyre.New(`^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)`)

// missing are the projects that the wheel needs and the image lacks.
func (w *wheelFile) missing(have map[string]bool, t *target) []string {
	var names []string
	for _, line := range w.metadata.Values("Requires-Dist") {
		spec, marker, _ := strings.Cut(line, ";")
		m := requirementName().FindStringSubmatch(spec)
		if m == nil || have[normal(m[1])] {
			continue
		}
		if needed, err := t.marker(marker); err == nil && needed {
			names = append(names, m[1])
		}
	}
	return names
}
