package image

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Policy lists the images that may be used. All others are refused.
type Policy struct {
	// Allow are the images that may be used, each
	//
	//   - a digest, "sha256:…", of a manifest or an index;
	//   - or a pattern of a name, "docker.io/library/python" or
	//     "ghcr.io/acme/**:1.*": "*" is any text within one element of the
	//     path or the tag, "**" is any number of elements, and without a tag
	//     all tags are meant. A short name is one of docker.io. Only images
	//     pulled from the registry of the name match;
	//   - or such a pattern after "import:", for images that were imported or
	//     built here: an archive's own names prove nothing.
	Allow []string
	// Pin gives, by a pattern of names as above, the only permitted digest of
	// images with this name.
	Pin map[string]string
	// Keys are public keys, PEM, ECDSA on P-256 or Ed25519, and the image must
	// be signed by one of them. Empty asks for no signature.
	Keys [][]byte
}

// Check reports why the policy does not let an image be used, or nil. A nil
// policy lets every image be used.
func (s *Store) Check(i *Image, p *Policy) error {
	if p == nil {
		return nil
	}
	// The same content may have several names; one allowed name is enough. A
	// pin holds for the name in use.
	all, err := s.List()
	if err != nil {
		return err
	}
	err = s.check(i.ref, p)
	for _, r := range all {
		if err == nil {
			break
		}
		if r.Digest == i.ref.Digest && p.pinned(i.ref) == nil {
			if s.check(r, p) == nil {
				err = nil
			}
		}
	}
	return err
}

func (s *Store) check(r Ref, p *Policy) error {
	if p == nil {
		return nil
	}
	if err := p.allows(r); err != nil {
		return err
	}
	if err := p.pinned(r); err != nil {
		return err
	}
	if len(p.Keys) > 0 {
		return s.signed(r, p.Keys)
	}
	return nil
}

// ErrPolicy is the error of [Store.Check] where the policy refuses.
var ErrPolicy = errors.New("refused by the image policy")

// importMark begins patterns for images from sources other than a registry.
const importMark = "import:"

// allows fails for an image that the list does not name.
func (p *Policy) allows(r Ref) error {
	for _, a := range p.Allow {
		if strings.HasPrefix(a, "sha256:") {
			if a == r.Digest || a == r.Index {
				return nil
			}
			continue
		}
		rest, imported := strings.CutPrefix(a, importMark)
		pattern, err := parsePattern(rest)
		if err != nil {
			return err
		}
		if imported == (r.Source != SourceRegistry) && pattern.matches(r.Name) {
			return nil
		}
	}
	what := r.Name
	if r.Source != SourceRegistry {
		what = importMark + what
	}
	if r.Digest != "" {
		what = strings.TrimPrefix(what+" ("+r.Digest+")", " ")
	}
	return fmt.Errorf("%w: %s is not on the list of allowed images", ErrPolicy, what)
}

// mayAllow reports whether an image may turn out to be allowed before its
// digest is known.
func (p *Policy) mayAllow(r Ref) bool {
	return p.allows(r) == nil || slices.ContainsFunc(p.Allow, func(a string) bool { return strings.HasPrefix(a, "sha256:") })
}

// pinned fails for an image whose name stands for another digest.
func (p *Policy) pinned(r Ref) error {
	for _, text := range slices.Sorted(maps.Keys(p.Pin)) {
		pattern, err := parsePattern(text)
		if err != nil {
			return err
		}
		digest := p.Pin[text]
		if _, err := parseDigest(digest); err != nil {
			return fmt.Errorf("image policy: pin of %q: %w", text, err)
		}
		if pattern.matches(r.Name) && digest != r.Digest && digest != r.Index {
			return fmt.Errorf("%w: %s is pinned to %s, and this is %s", ErrPolicy, r.Name, digest, r.Digest)
		}
	}
	return nil
}

// pattern is a pattern of names.
type pattern struct {
	elements []string
	tag      string // empty: any
}

var patternText = lazyre.New(`^[A-Za-z0-9._*-]+(:[0-9*]+)?(/[A-Za-z0-9._*-]+)*(:[A-Za-z0-9._*-]+)?$`)

// parsePattern reads a pattern of names, where short ones mean docker.io.
func parsePattern(s string) (pattern, error) {
	if len(s) > maxReference || !patternText().MatchString(s) {
		return pattern{}, fmt.Errorf("image policy: %.80q is not a pattern of names", s)
	}
	elements := strings.Split(s, "/")
	last := len(elements) - 1
	name, tag, _ := strings.Cut(elements[last], ":")
	elements[last] = name
	if last == 0 && strings.Contains(name, ".") {
		return pattern{}, fmt.Errorf("image policy: %.80q is a registry without a repository: add /**", s)
	}
	if first := elements[0]; first == "index.docker.io" {
		elements[0] = dockerHub
	} else if !strings.ContainsAny(first, ".:*") && first != "localhost" {
		hub := []string{dockerHub}
		if last == 0 {
			hub = append(hub, "library")
		}
		elements = append(hub, elements...)
	}
	return pattern{elements, tag}, nil
}

// matches reports whether the normalised name is of the pattern.
func (p pattern) matches(name string) bool {
	ref, err := parseReference(name)
	if err != nil {
		return false
	}
	return (p.tag == "" || matchElement(p.tag, ref.tag)) && matchElements(p.elements, strings.Split(ref.repo(), "/"))
}

func matchElements(pattern, name []string) bool {
	// As matchElement, with "**" for "*".
	var star, mark = -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, mark = p, n
			p++
		case p < len(pattern) && matchElement(pattern[p], name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// matchElement matches text with "*" for any text; no other character is
// special in a parsed pattern.
func matchElement(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}
