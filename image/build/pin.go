package build

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A pin is one Python project of a lock: this version, and one of these files
// or of the files with these hashes.
type pin struct {
	name    string // as the lock has it
	version string
	marker  string // when it is wanted
	python  string // the versions of Python that it is for
	hashes  []Hash // of any of its files, where the lock names no files
	files   []remote
	// refused is the reason why we do not take this entry of the lock.
	refused string
}

// Bounds of lock files.
const (
	maxLock = 32 << 20
	maxPins = 20_000
)

// parsePythonLock reads a lock of Python packages. The content determines the
// kind: pylock.toml (PEP 751), uv.lock, poetry.lock, or requirements.txt with
// hashes. Relative paths in the lock start at dir.
func parsePythonLock(b []byte, dir string) ([]pin, error) {
	if len(b) > maxLock {
		return nil, fmt.Errorf("a lock of more than %d MiB", maxLock>>20)
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, errors.New("it is no text")
	}
	pins, err := parsePins(b, dir)
	if err != nil {
		return nil, err
	}
	if len(pins) > maxPins {
		return nil, fmt.Errorf("it names %d packages: %d is the limit", len(pins), maxPins)
	}
	for _, p := range pins {
		if requirementName().FindString(p.name) != p.name || p.version != "" && !versionText(p.version) {
			return nil, fmt.Errorf("%.100q %.100q is no name and version", p.name, p.version)
		}
	}
	return pins, nil
}

func versionText(s string) bool {
	return len(s) < 100 && strings.IndexFunc(s, func(r rune) bool { return !(r < 0x80 && isAlnum(byte(r)) || strings.ContainsRune(".!+-_*", r)) }) < 0
}

func parsePins(b []byte, dir string) ([]pin, error) {
	if !isTOML(b) {
		return parseRequirements(string(b), dir)
	}
	var lock tomlLock
	if err := toml.Unmarshal(b, &lock); err != nil {
		return nil, err
	}
	switch {
	case len(lock.Packages) > 0:
		return lock.pylock(dir)
	case lock.Metadata.LockVersion != "":
		return lock.poetry()
	default:
		return lock.uv(dir)
	}
}

// isTOML tells a TOML lock from requirements, which never begin a line with a
// table's [ and have no key = value.
func isTOML(b []byte) bool {
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, assigned := bytes.Cut(line, []byte("="))
		return line[0] == '[' || assigned && !bytes.HasPrefix(line, []byte("-")) && !bytes.ContainsAny(bytes.TrimSpace(key), "=<>!~[;@ ") && !bytes.Contains(line, []byte("=="))
	}
	return false
}

// tomlLock is the part of pylock.toml, uv.lock and poetry.lock that we need.
type tomlLock struct {
	LockVersion string        `toml:"lock-version"` // pylock.toml
	Version     any           `toml:"version"`      // uv.lock
	Packages    []tomlPackage `toml:"packages"`     // pylock.toml
	Package     []tomlPackage `toml:"package"`      // the others
	Metadata    struct {
		LockVersion string                `toml:"lock-version"`
		Files       map[string][]tomlFile `toml:"files"` // poetry before 1.5
	} `toml:"metadata"`
}

type tomlPackage struct {
	Name           string         `toml:"name"`
	Version        string         `toml:"version"`
	Marker         string         `toml:"marker"`
	Markers        any            `toml:"markers"` // poetry: text, or one for each group
	RequiresPython string         `toml:"requires-python"`
	Wheels         []tomlFile     `toml:"wheels"`
	Files          []tomlFile     `toml:"files"` // poetry
	Sdist          any            `toml:"sdist"`
	Source         map[string]any `toml:"source"`
	Optional       bool           `toml:"optional"`
	Category       string         `toml:"category"` // poetry before 1.5
	Groups         []string       `toml:"groups"`
	VCS            any            `toml:"vcs"`
	Directory      any            `toml:"directory"`
	Archive        any            `toml:"archive"`
	Dependencies   any            `toml:"dependencies"`
}

type tomlFile struct {
	Name   string            `toml:"name"`
	File   string            `toml:"file"` // poetry
	URL    string            `toml:"url"`
	Path   string            `toml:"path"`
	Hash   string            `toml:"hash"`
	Hashes map[string]string `toml:"hashes"`
	Size   int64             `toml:"size"`
}

// remote returns the file to fetch, by its strongest hash.
func (f *tomlFile) remote(dir string) (remote, error) {
	r := remote{name: f.Name, url: f.URL, size: f.Size}
	if f.Path != "" && f.URL == "" {
		r.path = filepath.Join(dir, filepath.FromSlash(f.Path))
		if filepath.IsAbs(f.Path) {
			r.path = f.Path
		}
	}
	for _, from := range []string{f.File, f.Path, urlPath(f.URL)} {
		if r.name == "" && from != "" {
			r.name = path.Base(from)
		}
	}
	hashes := f.Hashes
	if f.Hash != "" {
		h, err := parseHash(f.Hash)
		r.hash = h
		return r, err
	}
	for algorithm, digits := range hashes {
		if strength[algorithm] > strength[r.hash.Algorithm] {
			h, err := newHash(algorithm, digits)
			if err != nil {
				return r, err
			}
			r.hash = h
		}
	}
	if r.hash == (Hash{}) {
		return r, fmt.Errorf("%.200q has no sha256", r.name)
	}
	return r, nil
}

// pin makes a pin of the fields common to all kinds of TOML locks.
func (p *tomlPackage) pin(dir string) (pin, error) {
	out := pin{name: p.Name, version: p.Version, marker: p.Marker, python: p.RequiresPython}
	for _, f := range p.Wheels {
		r, err := f.remote(dir)
		if err != nil {
			return out, fmt.Errorf("%s: %w", p.Name, err)
		}
		out.files = append(out.files, r)
	}
	if len(out.files) == 0 {
		out.refused = "the lock has no wheel of it, only its source, whose build would run its code"
	}
	return out, nil
}

func (l *tomlLock) pylock(dir string) ([]pin, error) {
	if !strings.HasPrefix(l.LockVersion, "1.") {
		return nil, fmt.Errorf("a pylock.toml of version %.20q; 1.0 is known", l.LockVersion)
	}
	var pins []pin
	for _, p := range l.Packages {
		out, err := p.pin(dir)
		if err != nil {
			return nil, err
		}
		if p.VCS != nil || p.Directory != nil || p.Archive != nil {
			out.refused = "the lock has a source tree of it and no wheel"
		}
		pins = append(pins, out)
	}
	return pins, nil
}

func (l *tomlLock) poetry() ([]pin, error) {
	var pins []pin
	for _, p := range l.Package {
		if p.Optional || p.Category != "" && p.Category != "main" || len(p.Groups) > 0 && !slices.Contains(p.Groups, "main") {
			continue
		}
		files := p.Files
		if len(files) == 0 {
			files = l.Metadata.Files[p.Name]
		}
		out := pin{name: p.Name, version: p.Version, marker: p.poetryMarker()}
		if kind, ok := p.Source["type"].(string); ok && kind != "legacy" {
			out.refused = fmt.Sprintf("the lock has it from a %.20s, not from an index", kind)
		}
		for _, f := range files {
			h, err := parseHash(f.Hash)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
			out.hashes = append(out.hashes, h)
		}
		pins = append(pins, out)
	}
	return pins, nil
}

func (p *tomlPackage) poetryMarker() string {
	switch m := p.Markers.(type) {
	case string:
		return m
	case map[string]any:
		s, _ := m["main"].(string)
		return s
	}
	return ""
}

// uv takes the project's own dependencies, as uv sync --no-dev does: the lock
// also holds the packages of all groups and extras.
func (l *tomlLock) uv(dir string) ([]pin, error) {
	if v := fmt.Sprint(l.Version); v != "1" {
		return nil, fmt.Errorf("no lock that is known: a pylock.toml has lock-version, a uv.lock version = 1 and a poetry.lock [metadata]")
	}
	byName := map[string][]*tomlPackage{}
	var queue []wanted
	for i := range l.Package {
		p := &l.Package[i]
		byName[p.Name] = append(byName[p.Name], p)
		if p.local() {
			queue = append(queue, wanted{p, ""})
		}
	}
	if len(queue) == 0 {
		return nil, errors.New("the uv.lock has no project of its own: export it (uv export --format requirements-txt)")
	}
	// A package is wanted if the markers hold on any way to it.
	markers := map[*tomlPackage][]string{}
	var order []*tomlPackage
	for steps := 0; len(queue) > 0; steps++ {
		if steps > 10*maxPins {
			return nil, errors.New("its dependencies do not end")
		}
		w := queue[0]
		queue = queue[1:]
		if slices.Contains(markers[w.pkg], w.marker) || slices.Contains(markers[w.pkg], "") {
			continue
		}
		if len(markers[w.pkg]) == 0 {
			order = append(order, w.pkg)
		}
		if markers[w.pkg] = append(markers[w.pkg], w.marker); len(markers[w.pkg]) > 16 {
			markers[w.pkg] = []string{""} // as good as always
		}
		needs, err := w.pkg.needs(byName, w.marker)
		if err != nil {
			return nil, err
		}
		queue = append(queue, needs...)
	}
	var pins []pin
	for _, p := range order {
		if p.local() {
			continue
		}
		out, err := p.pin(dir)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(markers[p], "") {
			out.marker = "(" + strings.Join(markers[p], ") or (") + ")"
		}
		pins = append(pins, out)
	}
	return pins, nil
}

type wanted struct {
	pkg    *tomlPackage
	marker string
}

// local reports whether the package is the project itself, rather than a
// dependency.
func (p *tomlPackage) local() bool {
	for _, kind := range []string{"virtual", "editable", "directory"} {
		if _, ok := p.Source[kind]; ok {
			return true
		}
	}
	return false
}

// needs are the dependencies of a package of a uv.lock.
func (p *tomlPackage) needs(byName map[string][]*tomlPackage, under string) ([]wanted, error) {
	list, _ := p.Dependencies.([]any)
	var out []wanted
	for _, d := range list {
		m, _ := d.(map[string]any)
		name, _ := m["name"].(string)
		version, _ := m["version"].(string)
		marker, _ := m["marker"].(string)
		if under != "" && marker != "" {
			marker = "(" + under + ") and (" + marker + ")"
		} else if marker == "" {
			marker = under
		}
		if len(marker) > maxMarker {
			marker = under
		}
		found := false
		for _, to := range byName[name] {
			if version == "" || to.Version == version {
				found = true
				out = append(out, wanted{to, marker})
			}
		}
		if !found {
			return nil, fmt.Errorf("%s needs %.100q, which the lock does not hold", p.Name, name)
		}
	}
	return out, nil
}
