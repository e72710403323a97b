package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// DefaultPythonIndex is the index for looking up wheels by their hash.
const DefaultPythonIndex = "https://pypi.org/simple/"

// choose returns the wheel of a pin that fits the target best.
func (f *fetcher) choose(ctx context.Context, p *pin, t *target, index string) (remote, error) {
	if p.refused != "" {
		return remote{}, fmt.Errorf("%s: %s", p.name, p.refused)
	}
	if p.python != "" {
		if ok, err := t.python.satisfies(p.python); err != nil || !ok {
			return remote{}, fmt.Errorf("%s is for Python %.50s: %w", p.name, p.python, errors.Join(errUnfit, err))
		}
	}
	if len(p.files) > 0 {
		return p.best(p.files, t)
	}
	at, err := indexPage(index, p.name)
	if err != nil {
		return remote{}, err
	}
	// A page of an earlier build does: the hashes say which files are meant.
	kept := filepath.Join(f.dir, "page-"+sumOf(at))
	if b, err := os.ReadFile(kept); err == nil {
		if files, err := parseIndex(b, at); err == nil {
			if r, err := p.best(p.pinned(files), t); err == nil {
				return r, nil
			}
		}
	}
	f.report(Progress{Step: "look up", Name: p.name})
	b, err := f.page(ctx, at)
	if err != nil {
		return remote{}, fmt.Errorf("%s: %w", p.name, err)
	}
	files, err := parseIndex(b, at)
	if err != nil {
		return remote{}, fmt.Errorf("%s: %s: %w", p.name, at, err)
	}
	files = p.pinned(files)
	if len(files) == 0 {
		return remote{}, fmt.Errorf("%s: %s has no file with a hash of the lock", p.name, at)
	}
	r, err := p.best(files, t)
	if err == nil {
		err = writeFile(kept, b)
	}
	return r, err
}

func indexPage(index, project string) (string, error) {
	u, err := url.Parse(index)
	if err != nil {
		return "", err
	}
	return u.JoinPath(normal(project)).String() + "/", nil
}

// pinned are the files with a hash in the pin.
func (p *pin) pinned(files []remote) []remote {
	return slices.DeleteFunc(files, func(r remote) bool { return !slices.Contains(p.hashes, r.hash) })
}

var errUnfit = errors.New("it does not fit the image")

// best is the wheel with the best tags.
func (p *pin) best(files []remote, t *target) (remote, error) {
	ranks := t.ranks()
	var best remote
	place, sources := -1, 0
	for _, r := range files {
		w, err := parseWheelName(r.name)
		if err != nil {
			sources++
			continue
		}
		if normal(w.name) != normal(p.name) || p.version != "" && canonical(w.version) != canonical(p.version) {
			return remote{}, fmt.Errorf("%s %s: the lock gives it the file %.200q of something else", p.name, p.version, r.name)
		}
		if n := w.rank(ranks); n >= 0 && (place < 0 || n < place || n == place && r.name < best.name) {
			best, place = r, n
		}
	}
	switch {
	case place >= 0:
		return best, nil
	case sources == len(files):
		return remote{}, fmt.Errorf("%s %s: there is only its source, whose build would run its code: build a wheel of it elsewhere and pin that", p.name, p.version)
	}
	return remote{}, fmt.Errorf("%s %s: none of its %d files is for Python %d.%d on %s: %w", p.name, p.version, len(files), t.python.at(0), t.python.at(1), t.platforms()[0], errUnfit)
}

// canonical is a version in the form for comparisons.
func canonical(v string) string {
	return strings.NewReplacer("-", ".", "_", ".", "+", ".").Replace(strings.TrimPrefix(strings.ToLower(v), "v"))
}

// maxLinks bounds the files of one page of an index.
const maxLinks = 200_000

// parseIndex reads a page of a simple index (PEP 503 or 691). base is its URL.
func parseIndex(b []byte, base string) ([]remote, error) {
	from, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	links := htmlLinks
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		links = jsonLinks
	}
	var files []remote
	for _, l := range links(b) {
		u, err := from.Parse(l.url)
		if err != nil {
			continue
		}
		u.Fragment = ""
		name, err := url.PathUnescape(path.Base(u.EscapedPath()))
		if err != nil || l.hash == (Hash{}) {
			continue
		}
		files = append(files, remote{name: name, url: u.String(), hash: l.hash, size: l.size})
	}
	if len(files) == 0 {
		return nil, errors.New("it is no page of an index with hashes")
	}
	return files, nil
}

type link struct {
	url  string
	hash Hash
	size int64
}

func jsonLinks(b []byte) []link {
	var page struct {
		Files []struct {
			URL    string            `json:"url"`
			Hashes map[string]string `json:"hashes"`
			Size   int64             `json:"size"`
		} `json:"files"`
	}
	if json.Unmarshal(b, &page) != nil || len(page.Files) > maxLinks {
		return nil
	}
	var out []link
	for _, f := range page.Files {
		h, err := newHash("sha256", f.Hashes["sha256"])
		if err == nil {
			out = append(out, link{f.URL, h, max(f.Size, 0)})
		}
	}
	return out
}

func htmlLinks(b []byte) []link {
	var out []link
	z := html.NewTokenizer(bytes.NewReader(b))
	for len(out) < maxLinks {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken:
			name, more := z.TagName()
			for isLink := string(name) == "a"; isLink && more; {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) != "href" {
					continue
				}
				at, fragment, _ := strings.Cut(string(value), "#")
				kind, digits, _ := strings.Cut(fragment, "=")
				if h, err := newHash(kind, digits); err == nil {
					out = append(out, link{at, h, 0})
				}
			}
		}
	}
	return out
}
