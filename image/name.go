package image

import (
	"fmt"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// maxReference bounds the text of a reference.
const maxReference = 1024

// dockerHub is the usual name of the registry of short names; its host has a
// different name.
const dockerHub = "docker.io"

// A reference is what a user calls an image in a registry: a repository with
// a tag, a digest, or both.
type reference struct {
	repository name.Repository
	tag        string // "latest" where neither is given
	digest     string // "sha256:…", or empty
}

// The syntax of hosts and repositories in the distribution specification and
// Docker. The library accepts more, such as "..".
var (
	hostText = lazyre.New(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)
	repoText = lazyre.New(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
)

// parseReference reads "python", "python:3.12", "ghcr.io/acme/tool@sha256:…",
// "python:3.12@sha256:…".
func parseReference(s string) (reference, error) {
	if len(s) > maxReference {
		return reference{}, fmt.Errorf("image reference: longer than %d bytes", maxReference)
	}
	rest, digest, pinned := strings.Cut(s, "@")
	if pinned {
		if _, err := parseDigest(digest); err != nil {
			return reference{}, fmt.Errorf("image reference %q: %w", s, err)
		}
	}
	tag, err := name.NewTag(rest)
	if err != nil {
		return reference{}, fmt.Errorf("image reference: %w", err)
	}
	if !hostText().MatchString(tag.RegistryStr()) || !repoText().MatchString(tag.RepositoryStr()) {
		return reference{}, fmt.Errorf("image reference %q: not a host and a path of lower-case names", s)
	}
	r := reference{repository: tag.Repository, tag: tag.TagStr(), digest: digest}
	if pinned && !strings.Contains(path.Base(rest), ":") {
		r.tag = ""
	}
	return r, nil
}

// repo returns the repository as people write it: "docker.io/library/python".
func (r reference) repo() string {
	host := r.repository.RegistryStr()
	if host == name.DefaultRegistry {
		host = dockerHub
	}
	return host + "/" + r.repository.RepositoryStr()
}

// String returns the normalised reference, the name of an image in the store.
func (r reference) String() string {
	s := r.repo()
	if r.tag != "" {
		s += ":" + r.tag
	}
	if r.digest != "" {
		s += "@" + r.digest
	}
	return s
}

// want is the identifier to request from a registry: the digest, or else the
// tag.
func (r reference) want() string {
	if r.digest != "" {
		return r.digest
	}
	return r.tag
}

// parseDigest reads "sha256:<64 hexadecimal digits>".
func parseDigest(s string) (v1.Hash, error) {
	h, err := v1.NewHash(s)
	if err != nil {
		return v1.Hash{}, fmt.Errorf("digest: %w", err)
	}
	return h, checkDigest(h)
}

// checkDigest accepts no hash but SHA-256, by which the store is sorted. Hashes
// from the registries' JSON come unchecked.
func checkDigest(h v1.Hash) error {
	if h.Algorithm != "sha256" {
		return fmt.Errorf("digest %.80q is not of sha256", h.String())
	}
	if len(h.Hex) != 64 || strings.Trim(h.Hex, "0123456789abcdef") != "" {
		return fmt.Errorf("digest %.80q is not 64 hexadecimal digits", h.String())
	}
	return nil
}
