package build

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Hash is the digest of a file's content.
type Hash struct {
	Algorithm string // sha256, sha384 or sha512
	Hex       string // lower case
}

// strength orders the algorithms that are taken; others are not proof enough.
var strength = map[string]int{"sha256": 1, "sha384": 2, "sha512": 3}

// newHash checks a digest in hexadecimal digits.
func newHash(algorithm, digits string) (Hash, error) {
	h := Hash{strings.ToLower(algorithm), strings.ToLower(digits)}
	sum := h.sum()
	if sum == nil {
		return Hash{}, fmt.Errorf("a hash of kind %.20q is no proof: sha256, sha384 or sha512 is needed", algorithm)
	}
	if b, err := hex.DecodeString(h.Hex); err != nil || len(b) != sum.Size() {
		return Hash{}, fmt.Errorf("%.150q is no %s digest", digits, h.Algorithm)
	}
	return h, nil
}

// parseHash reads a digest as lock files write it: sha256:0a1b….
func parseHash(s string) (Hash, error) {
	algorithm, digits, ok := strings.Cut(s, ":")
	if !ok {
		return Hash{}, fmt.Errorf("%.150q is no hash: it is written as sha256:…", s)
	}
	return newHash(algorithm, digits)
}

// parseIntegrity reads a subresource integrity (sha512-base64, several with
// blanks between) and returns the strongest hash of it, as npm does.
func parseIntegrity(s string) (Hash, error) {
	var best Hash
	for part := range strings.FieldsSeq(s) {
		algorithm, digest, ok := strings.Cut(part, "-")
		digest, _, _ = strings.Cut(digest, "?")
		if !ok || strength[algorithm] <= strength[best.Algorithm] {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(digest)
		if err != nil {
			return Hash{}, fmt.Errorf("integrity %.150q: %w", part, err)
		}
		if best, err = newHash(algorithm, hex.EncodeToString(b)); err != nil {
			return Hash{}, err
		}
	}
	if best == (Hash{}) {
		return Hash{}, fmt.Errorf("integrity %.150q holds no sha256, sha384 or sha512", s)
	}
	return best, nil
}

// String returns the hash as algorithm:hex.
func (h Hash) String() string { return h.Algorithm + ":" + h.Hex }

// sum returns a new sum of the hash's kind, or nil.
func (h Hash) sum() hash.Hash {
	switch h.Algorithm {
	case "sha256":
		return sha256.New()
	case "sha384":
		return sha512.New384()
	case "sha512":
		return sha512.New()
	}
	return nil
}
