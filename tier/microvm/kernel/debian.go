package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// Where Debian's kernels come from if nothing else is said.
const (
	DefaultMirror = "https://deb.debian.org/debian"
	DefaultSuite  = "trixie"
)

// Keyrings are where Debian's keys are looked for: the package
// debian-archive-keyring has them.
var Keyrings = []string{
	"/usr/share/keyrings/debian-archive-keyring.gpg",
	"/usr/share/keyrings/debian-archive-keyring.pgp",
}

// Archive is one archive of Debian packages.
type Archive struct {
	URL   string // below which dists and pool are
	Suite string // its code name, such as "trixie", or "trixie-security"
}

// Archives returns a Debian mirror's archives of a suite and of its security
// updates. Empty words mean the defaults.
func Archives(mirror, suite string) []Archive {
	if mirror == "" {
		mirror = DefaultMirror
	}
	if suite == "" {
		suite = DefaultSuite
	}
	mirror = strings.TrimRight(mirror, "/")
	return []Archive{{mirror, suite}, {mirror + "-security", suite + "-security"}}
}

// Debian is the newest of Debian's kernels for virtual machines (packages
// linux-image-*-cloud-*). A kernel is accepted only by an unbroken chain: a key
// on this host signed the archive's InRelease, which has the hash of Packages,
// which has the hash of the package.
type Debian struct {
	// Archives are all searched; none means the default mirror and suite.
	Archives []Archive
	// Keyring is a file of OpenPGP keys; empty means the first of [Keyrings].
	Keyring string
	// Package is the name of one package; empty means the newest.
	Package string
}

const (
	maxRelease = 8 << 20
	maxKeyring = 4 << 20
	maxIndex   = 128 << 20 // Packages, compressed
	maxIndexed = 1 << 30   // the same uncompressed
)

func (s Debian) fetch(ctx context.Context, arch string, p *progress) (*tree, string, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, "", err
	}
	archives := s.Archives
	if len(archives) == 0 {
		archives = Archives("", "")
	}
	want := regexp.MustCompile(`^linux-image-[0-9][0-9A-Za-z.+~-]*-cloud-` + regexp.QuoteMeta(arch) + `$`)
	if s.Package != "" {
		want = regexp.MustCompile(`^` + regexp.QuoteMeta(s.Package) + `$`)
	}
	var best *deb
	for _, a := range archives {
		d, err := a.newest(ctx, p, keys, want, arch)
		if err != nil {
			return nil, "", err
		}
		if d != nil && (best == nil || compareVersions(d.version, best.version) > 0) {
			best = d
		}
	}
	if best == nil {
		return nil, "", fmt.Errorf("no package %s in %v", want, archives)
	}
	t, err := fetchDeb(ctx, p, best.url, best.sha256, best.size)
	return t, fmt.Sprintf("%s, signed by %s", best.url, best.signer), err
}

func (s Debian) keys() (openpgp.EntityList, error) {
	files := Keyrings
	if s.Keyring != "" {
		files = []string{s.Keyring}
	}
	for _, name := range files {
		data, err := readFile(name, maxKeyring)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		keys, err := openpgp.ReadKeyRing(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return keys, nil
	}
	return nil, fmt.Errorf("this host has no keys to prove Debian's packages by (%s): install debian-archive-keyring, name a keyring, give a package's SHA-256, or files of your own", strings.Join(files, ", "))
}

// deb is a package on offer in an archive.
type deb struct {
	version string
	url     string
	sha256  string
	size    int64
	signer  string
}

// newest finds the newest package of the wanted name, or nil.
func (a Archive) newest(ctx context.Context, p *progress, keys openpgp.KeyRing, want *regexp.Regexp, arch string) (*deb, error) {
	dist, err := url.JoinPath(a.URL, "dists", a.Suite)
	if err != nil {
		return nil, err
	}
	var signed bytes.Buffer
	if _, err := fetch(ctx, p, dist+"/InRelease", &signed, maxRelease); err != nil {
		return nil, err
	}
	release, signer, err := verify(signed.Bytes(), keys, a.Suite, time.Now())
	if err != nil {
		return nil, fmt.Errorf("%s/InRelease: %w", dist, err)
	}
	index, err := a.index(ctx, p, dist, release, "main/binary-"+arch+"/Packages")
	if err != nil {
		return nil, err
	}
	defer index.Close()
	p.begin("looking through "+dist, 0)
	var best *deb
	err = readParagraphs(p.count(ctx, index, maxIndexed), func(f map[string]string) error {
		if !want.MatchString(f["package"]) || f["architecture"] != arch {
			return nil
		}
		if best != nil && compareVersions(f["version"], best.version) <= 0 {
			return nil
		}
		size, err := strconv.ParseInt(f["size"], 10, 64)
		name := f["filename"]
		if err != nil || size <= 0 || size > maxPackage || !isSHA256(f["sha256"]) || !fs.ValidPath(name) {
			return fmt.Errorf("the entry of %s is wrong", f["package"])
		}
		at, err := url.JoinPath(a.URL, name)
		best = &deb{f["version"], at, strings.ToLower(f["sha256"]), size, signer}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: Packages: %w", dist, err)
	}
	return best, nil
}

// verify returns the fields of a Release file signed by one of the keys, and
// the signer.
func verify(signed []byte, keys openpgp.KeyRing, suite string, now time.Time) (map[string]string, string, error) {
	block, _ := clearsign.Decode(signed)
	if block == nil {
		return nil, "", errors.New("it is not signed")
	}
	by, err := block.VerifySignature(keys, nil)
	if err != nil {
		return nil, "", fmt.Errorf("no key of this host has signed it as it is (an old debian-archive-keyring lacks new keys): %w", err)
	}
	var release map[string]string
	// Only signed text is read, never the text around it.
	err = readParagraphs(bytes.NewReader(block.Bytes), func(f map[string]string) error {
		if release != nil {
			return errors.New("it has two paragraphs")
		}
		release = f
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	// A server may hand out the file of a different archive, or an old one.
	if release["codename"] != suite && release["suite"] != suite {
		return nil, "", fmt.Errorf("it is of %q, not of %q", release["codename"], suite)
	}
	if until := release["valid-until"]; until != "" {
		t, err := time.Parse("Mon, 02 Jan 2006 15:04:05 MST", until)
		if err != nil {
			return nil, "", err
		}
		if now.After(t) {
			return nil, "", fmt.Errorf("it was valid until %s: the mirror is out of date, or this host's clock is wrong", until)
		}
	}
	return release, fmt.Sprintf("%X", by.PrimaryKey.Fingerprint), nil
}

// index gets a file by its hash in a Release file, uncompressed.
func (a Archive) index(ctx context.Context, p *progress, dist string, release map[string]string, name string) (io.ReadCloser, error) {
	for _, ending := range []string{".gz", ".xz"} {
		sum, size, ok := listed(release["sha256"], name+ending)
		if !ok {
			continue
		}
		if size > maxIndex {
			return nil, fmt.Errorf("%s/%s%s has %d bytes", dist, name, ending, size)
		}
		// By its hash the file stays available while the archive changes.
		at := []string{dist + "/" + name + ending}
		if strings.EqualFold(release["acquire-by-hash"], "yes") {
			at = slices.Insert(at, 0, dist+"/"+path.Dir(name)+"/by-hash/SHA256/"+sum)
		}
		var err error
		for _, at := range at {
			var data bytes.Buffer
			var got string
			got, err = fetch(ctx, p, at, &data, size)
			if errors.Is(err, errMissing) {
				continue
			}
			if err == nil && got != sum {
				err = fmt.Errorf("%s has the SHA-256 %s, not %s: the mirror may be changing, try again", at, got, sum)
			}
			if err != nil {
				return nil, err
			}
			z, _, err := unpack.Any(&data)
			return z, err
		}
		return nil, err
	}
	return nil, fmt.Errorf("%s/InRelease has no hash of %s", dist, name)
}

// listed finds a file in the field SHA256 of a Release file.
func listed(field, name string) (sum string, size int64, ok bool) {
	for line := range strings.SplitSeq(field, "\n") {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != name || !isSHA256(f[0]) {
			continue
		}
		size, err := strconv.ParseInt(f[1], 10, 64)
		return strings.ToLower(f[0]), size, err == nil && size >= 0
	}
	return "", 0, false
}
