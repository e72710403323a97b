package build

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// parseDebList reads a closed list of Debian packages, one a line, as apt and
// sha256sum write them:
//
//	'https://…/libblas3_3.11.0-2_amd64.deb' libblas3_3.11.0-2_amd64.deb 148592 SHA256:9aae…
//	9aae…  https://…/libblas3_3.11.0-2_amd64.deb
//
// A place without https:// is a file, relative to dir. Packages are unpacked in
// the list's order.
func parseDebList(text, dir string) ([]remote, error) {
	if len(text) > maxLock {
		return nil, fmt.Errorf("a list of more than %d MiB", maxLock>>20)
	}
	var out []remote
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		r, err := parseDebLine(fields, dir)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if seen[r.name] {
			return nil, fmt.Errorf("line %d: %s is there twice", n, r.name)
		}
		if seen[r.name] = true; len(out) >= maxPins {
			return nil, fmt.Errorf("more than %d packages", maxPins)
		}
		out = append(out, r)
	}
	return out, nil
}

func parseDebLine(fields []string, dir string) (r remote, err error) {
	var at string
	switch {
	case len(fields) == 4 && strings.HasPrefix(fields[0], "'"):
		at = strings.Trim(fields[0], "'")
		if r.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil || r.size <= 0 {
			return r, fmt.Errorf("%.50q is no size", fields[2])
		}
		if strings.HasPrefix(fields[3], "MD5") {
			return r, errors.New("an MD5 sum is no proof: let apt write the other one (apt-get -o Acquire::ForceHash=SHA256 --print-uris …)")
		}
		r.hash, err = parseHash(fields[3])
	case len(fields) == 2:
		at = strings.TrimPrefix(fields[1], "*")
		r.hash, err = newHash("sha256", fields[0])
	default:
		return r, errors.New("it is neither a line of apt --print-uris nor of sha256sum")
	}
	if err != nil {
		return r, err
	}
	if strings.Contains(at, "://") {
		r.url, r.name = at, path.Base(urlPath(at))
	} else {
		if r.path = at; !filepath.IsAbs(at) {
			r.path = filepath.Join(dir, filepath.FromSlash(at))
		}
		r.name = filepath.Base(r.path)
	}
	if !strings.HasSuffix(r.name, ".deb") || len(r.name) > 255 {
		return r, fmt.Errorf("%.200q is not the name of a package: NAME_VERSION_ARCHITECTURE.deb", r.name)
	}
	return r, nil
}

// A debFile is the part of a Debian package before its files.
type debFile struct {
	control paragraph
	text    string            // the control file as it is
	scripts map[string]string // maintainer scripts, which are never run
}

// Names of the scripts that dpkg would run.
var maintainerScripts = []string{"preinst", "postinst", "prerm", "postrm", "config"}

// install unpacks a package: deb(5).
func installDeb(t *tree, f *os.File, s *spool, name, arch string) (*debFile, error) {
	var deb *debFile
	members := []string{}
	err := eachMember(f, func(member string, r io.Reader) (err error) {
		kind, _, _ := strings.Cut(member, ".tar")
		switch {
		case len(members) == 0 && member != "debian-binary":
			return errors.New("it is no Debian package")
		case member == "debian-binary":
			b, err := io.ReadAll(io.LimitReader(r, 100))
			if err != nil || !bytes.HasPrefix(b, []byte("2.")) {
				return errors.Join(err, fmt.Errorf("format %.20q is not known", b))
			}
		case kind == "control" && deb == nil:
			if deb, err = readControl(member, r); err == nil {
				err = deb.check(name, arch)
			}
		case kind == "data" && deb != nil:
			err = deb.unpack(t, s, member, r)
			kind = "data"
		case strings.HasPrefix(member, "_"): // to be ignored
		default:
			return fmt.Errorf("it holds %.20q out of its place", member)
		}
		members = append(members, kind)
		return err
	})
	if err != nil {
		return nil, err
	}
	if members[len(members)-1] != "data" {
		return nil, errors.New("it has no data")
	}
	return deb, t.data("/var/lib/dpkg/status.d/"+deb.control["Package"], name, 0o644, strings.TrimRight(deb.text, "\n")+"\n")
}

// eachMember calls do with the members of an ar archive.
func eachMember(f io.Reader, do func(name string, r io.Reader) error) error {
	magic := make([]byte, 8)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != "!<arch>\n" {
		return errors.New("it is no Debian package")
	}
	for n := 0; ; n++ {
		var head [60]byte
		if _, err := io.ReadFull(f, head[:]); err == io.EOF && n > 0 {
			return nil
		} else if err != nil {
			return fmt.Errorf("the archive is cut off: %w", err)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || size < 0 || string(head[58:]) != "`\n" || n > 20 {
			return errors.New("the archive is damaged")
		}
		body := &io.LimitedReader{R: f, N: size}
		if err := do(strings.TrimRight(strings.TrimSpace(string(head[:16])), "/"), body); err != nil {
			return err
		}
		rest := body.N
		if n, err := io.Copy(io.Discard, body); err != nil || n != rest {
			return fmt.Errorf("the archive is cut off")
		}
		if size%2 == 1 {
			if _, err := io.ReadFull(f, head[:1]); err != nil && err != io.EOF {
				return err
			}
		}
	}
}

// packings are the endings of a package's archives.
var packings = map[string]unpack.Packing{".tar": unpack.None, ".gz": unpack.Gzip, ".xz": unpack.Xz, ".zst": unpack.Zstd}

// unpacked returns the contents of a member that is a tar archive.
func unpacked(member string, r io.Reader) (io.ReadCloser, error) {
	p, ok := packings[path.Ext(member)]
	if !ok {
		return nil, fmt.Errorf("%.20q is packed in an unknown way", member)
	}
	return unpack.Reader(r, p)
}

// readControl reads control.tar.
func readControl(member string, r io.Reader) (*debFile, error) {
	z, err := unpacked(member, r)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	d := &debFile{scripts: map[string]string{}}
	for in := tar.NewReader(io.LimitReader(z, 4*maxMember)); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
		name := path.Base(h.Name)
		wanted := name == "control"
		for _, s := range maintainerScripts {
			wanted = wanted || name == s
		}
		if h.Typeflag != tar.TypeReg || !wanted {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(in, maxMember))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
		if name == "control" {
			d.text = string(b)
		} else {
			d.scripts[name] = string(b)
		}
	}
	list, err := parseControl(d.text)
	if err != nil || len(list) != 1 {
		return nil, errors.Join(err, errors.New("its control file does not describe one package"))
	}
	d.control = list[0]
	return d, nil
}

func (d *debFile) check(name, arch string) error {
	pkg, got := d.control["Package"], d.control["Architecture"]
	if !debName().MatchString(pkg) {
		return fmt.Errorf("%.100q is no name of a package", pkg)
	}
	if called, _, _ := strings.Cut(name, "_"); called != pkg {
		return fmt.Errorf("it is the package %s", pkg)
	}
	if mine := machines[arch].debian; got != "all" && got != mine {
		return fmt.Errorf("it is for %.50s, the image is for %s", got, mine)
	}
	return nil
}

// unpack places the files of data.tar. Like dpkg, it follows existing links of
// directories: /lib of a package is /usr/lib of the image.
func (d *debFile) unpack(t *tree, s *spool, member string, r io.Reader) error {
	z, err := unpacked(member, r)
	if err != nil {
		return err
	}
	defer z.Close()
	from := d.control["Package"]
	specials, links := 0, map[string]string{}
	in := tar.NewReader(io.LimitReader(z, 2*t.bounds.Bytes))
	for n := 0; ; n++ {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		if n > t.bounds.Files {
			return errors.New("it holds too many files")
		}
		name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "."), "/")
		if name == "" {
			continue
		}
		if !strings.HasPrefix(name, "/") {
			name = "/" + name
		}
		if err := valid(name); err != nil {
			return err
		}
		if unneeded(name) {
			continue
		}
		if h.Mode&0o6000 != 0 && h.Typeflag == tar.TypeReg {
			specials++
		}
		if err := d.entry(t, s, in, h, name, links); err != nil {
			return fmt.Errorf("%.200s: %w", name, err)
		}
	}
	if specials > 0 {
		t.note("%s: %d programs that would change the user have lost that right", from, specials)
	}
	return nil
}

// entry places one entry of data.tar.
func (d *debFile) entry(t *tree, s *spool, r io.Reader, h *tar.Header, name string, links map[string]string) error {
	from := d.control["Package"]
	switch h.Typeflag {
	case tar.TypeDir:
		return t.dir(name, from)
	case tar.TypeSymlink:
		if at, err := t.locate(name, false); err != nil {
			return err
		} else if n := t.nodes[at]; n != nil && n.mode.IsDir() {
			return nil // dpkg keeps a directory that is there
		}
		return t.symlink(name, from, h.Linkname)
	case tar.TypeLink:
		to := path.Join("/", strings.TrimPrefix(h.Linkname, "."))
		at, err := t.locate(to, false)
		if err != nil {
			return err
		}
		n := t.nodes[at]
		if n == nil || !n.mode.IsRegular() || n.from != from {
			return fmt.Errorf("it is a link to %.200s, which is no file of the package", to)
		}
		return t.file(name, from, n.mode, n.time, n.size, n.open)
	case tar.TypeReg:
		if h.Size < 0 || h.Size > t.bounds.Bytes-t.bytes {
			return fmt.Errorf("it has %d bytes, and the image may have %d", h.Size, t.bounds.Bytes)
		}
		open, err := s.keep(r, h.Size)
		if err != nil {
			return err
		}
		return t.file(name, from, h.FileInfo().Mode(), h.ModTime, h.Size, open)
	}
	return fmt.Errorf("it is a %s", kindOf(h.FileInfo().Mode()))
}

// unneeded leaves out files for people that no program reads, as Debian's own
// slim images do. Licences stay.
func unneeded(name string) bool {
	for _, dir := range []string{"/usr/share/doc", "/usr/share/man", "/usr/share/info", "/usr/share/lintian", "/usr/share/bug", "/usr/share/locale", "/usr/share/doc-base"} {
		if strings.HasPrefix(name, dir+"/") {
			return path.Base(name) != "copyright"
		}
	}
	return false
}

// layout makes the links of a merged /usr, where a base has not made its own.
func (t *tree) layout() error {
	for _, l := range [][2]string{{"/bin", "usr/bin"}, {"/sbin", "usr/sbin"}, {"/lib", "usr/lib"}, {"/lib64", "usr/lib64"}} {
		if t.nodes[l[0]] != nil {
			continue
		}
		if err := errors.Join(t.dir("/"+l[1], ""), t.symlink(l[0], "", l[1])); err != nil {
			return err
		}
	}
	return nil
}
