package build

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// DefaultNPMRegistry is the registry of packages without a URL in the lock.
const DefaultNPMRegistry = "https://registry.npmjs.org/"

// npmPackage is one package of a package-lock.json.
type npmPackage struct {
	path     string // node_modules/a/node_modules/b
	name     string
	version  string
	file     remote
	bin      map[string]string
	dev      bool
	optional bool
	os, cpu  []string
	libc     []string
	// scripts means that installation would run code of the package.
	scripts bool
	// refused is the reason why we do not take this entry of the lock.
	refused string
}

var npmPath = lazyre.New(`^(node_modules/(@[A-Za-z0-9_.~-]+/)?[A-Za-z0-9_.~-]+)(/node_modules/(@[A-Za-z0-9_.~-]+/)?[A-Za-z0-9_.~-]+)*$`)

// parseNPMLock reads a package-lock.json or npm-shrinkwrap.json of version 2
// or 3.
func parseNPMLock(b []byte) ([]npmPackage, error) {
	if len(b) > maxLock {
		return nil, fmt.Errorf("a lock of more than %d MiB", maxLock>>20)
	}
	var lock struct {
		LockfileVersion int `json:"lockfileVersion"`
		Packages        map[string]struct {
			Name      string            `json:"name"`
			Version   string            `json:"version"`
			Resolved  string            `json:"resolved"`
			Integrity string            `json:"integrity"`
			Link      bool              `json:"link"`
			InBundle  bool              `json:"inBundle"`
			Dev       bool              `json:"dev"`
			Optional  bool              `json:"optional"`
			DevOpt    bool              `json:"devOptional"`
			Scripts   bool              `json:"hasInstallScript"`
			OS        []string          `json:"os"`
			CPU       []string          `json:"cpu"`
			Libc      []string          `json:"libc"`
			Bin       map[string]string `json:"bin"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, err
	}
	if lock.LockfileVersion != 2 && lock.LockfileVersion != 3 {
		return nil, fmt.Errorf("a package-lock.json of version %d; 2 and 3 are known: npm 7 and later write them", lock.LockfileVersion)
	}
	if len(lock.Packages) > maxPins {
		return nil, fmt.Errorf("it names %d packages: %d is the limit", len(lock.Packages), maxPins)
	}
	var out []npmPackage
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		in := lock.Packages[at]
		if at == "" || in.InBundle {
			continue // the project itself, and what comes within another one
		}
		p := npmPackage{path: at, version: in.Version, bin: in.Bin, dev: in.Dev, optional: in.Optional || in.DevOpt,
			os: in.OS, cpu: in.CPU, libc: in.Libc, scripts: in.Scripts}
		p.name = at
		if i := strings.LastIndex(at, "node_modules/"); i >= 0 {
			p.name = at[i+len("node_modules/"):]
		}
		// The name of an alias is the destination, not the identity.
		origin := p.name
		if in.Name != "" {
			origin = in.Name
		}
		switch {
		case in.Link, !npmPath().MatchString(at), strings.Contains(at+"/", "/../"), strings.Contains(at+"/", "/./"):
			p.refused = "it is a directory of the project, not a package: pack it (npm pack) and pin the archive"
		case in.Integrity == "":
			p.refused = "the lock has no integrity of it"
		default:
			hash, err := parseIntegrity(in.Integrity)
			if err != nil {
				return nil, fmt.Errorf("%.200s: %w", at, err)
			}
			if in.Resolved == "" {
				in.Resolved = DefaultNPMRegistry + origin + "/-/" + path.Base(origin) + "-" + url.PathEscape(in.Version) + ".tgz"
			}
			p.file = remote{name: p.name + "@" + p.version, url: in.Resolved, hash: hash}
			if u, err := url.Parse(in.Resolved); err != nil || u.Scheme != "https" && u.Scheme != "http" {
				p.refused = fmt.Sprintf("it comes from %.100q: only archives from a registry are taken", in.Resolved)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// fits reports whether a package is for the platform, as npm reads its lists: a
// name, or ! and an excluded name.
func (p *npmPackage) fits(arch, libc string) bool {
	return npmFits(p.os, "linux") && npmFits(p.cpu, machines[arch].npm) && (libc == "" || npmFits(p.libc, libc))
}

func npmFits(list []string, mine string) bool {
	wanted, names := false, 0
	for _, name := range list {
		if not, ok := strings.CutPrefix(name, "!"); ok {
			if not == mine {
				return false
			}
			continue
		}
		names++
		wanted = wanted || name == mine || name == "any"
	}
	return wanted || names == 0
}

// install unpacks the archive of a package into the directory into. Nothing in
// it is run.
func (p *npmPackage) install(t *tree, f *os.File, s *spool, into string) error {
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root := path.Join(into, p.path)
	seen := map[string]bool{}
	links := 0
	for in := tar.NewReader(io.LimitReader(z, t.bounds.Bytes)); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		// The first element is the archive's own, whatever its name.
		_, rel, _ := strings.Cut(strings.TrimPrefix(h.Name, "./"), "/")
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeSymlink, tar.TypeLink:
			links++
			continue // as npm does
		case tar.TypeReg:
		default:
			return fmt.Errorf("%.200q is neither a file nor a directory", h.Name)
		}
		if rel == "" || path.Clean("/"+rel) != "/"+rel || strings.Contains("/"+rel+"/", "/../") {
			return fmt.Errorf("the name %.200q leads elsewhere", h.Name)
		}
		if seen[rel] {
			return fmt.Errorf("it holds %.200q twice", rel)
		}
		if seen[rel] = true; len(seen) > t.bounds.Files {
			return errors.New("it holds too many files")
		}
		if h.Size < 0 || h.Size > t.bounds.Bytes-t.bytes {
			return fmt.Errorf("%.200q has %d bytes, and the image may have %d", rel, h.Size, t.bounds.Bytes)
		}
		open, err := s.keep(in, h.Size)
		if err != nil {
			return fmt.Errorf("%.200q: %w", rel, err)
		}
		if err := t.file(path.Join(root, rel), p.file.name, h.FileInfo().Mode(), epoch, h.Size, open); err != nil {
			return err
		}
	}
	if !seen["package.json"] {
		return errors.New("it has no package.json")
	}
	if links > 0 {
		t.note("%s: %d links in its archive are left out, as npm does", p.file.name, links)
	}
	if p.scripts {
		t.note("%s: its install scripts were not run; what they would have made is missing", p.file.name)
	}
	return p.bins(t, root)
}

// bins links the package's programs into .bin, as npm does.
func (p *npmPackage) bins(t *tree, root string) error {
	dir := strings.TrimSuffix(root, p.name) + ".bin"
	for _, name := range slices.Sorted(maps.Keys(p.bin)) {
		file := path.Clean("/" + p.bin[name])
		if !scriptName().MatchString(name) {
			return fmt.Errorf("%.100q is no name of a program", name)
		}
		n := t.nodes[path.Join(root, file)]
		if n == nil || !n.mode.IsRegular() {
			t.note("%s: its program %s is not in the archive", p.file.name, name)
			continue
		}
		n.mode = 0o755
		if err := t.symlink(path.Join(dir, name), p.file.name, path.Join("..", p.name, file)); err != nil {
			return err
		}
	}
	return nil
}
