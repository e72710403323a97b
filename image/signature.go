package image

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Signatures are cosign's, in two kinds. Up to version 2 the signatures of the
// manifest sha256:<hex> are in the image with the tag sha256-<hex>.sig, whose
// layers are payloads ("simple signing") naming the digest, with the signature
// of the payload as an annotation. Since version 3 they are bundles, in
// manifests that refer to the image's; see bundle.go. Both are checked against
// a public key, without any network.
const (
	payloadType types.MediaType = "application/vnd.dev.cosign.simplesigning.v1+json"

	signatureAnnotation = "dev.cosignproject.cosign/signature"
	payloadClaim        = "cosign container image signature"
)

// Bounds of a stranger's signatures of one image.
const (
	maxSignatures = 64
	maxPayload    = 64 << 10
)

func signatureTag(h v1.Hash) string { return h.Algorithm + "-" + h.Hex + ".sig" }

// pullSignatures stores the registry's signatures of an image, and returns
// their digests. Missing or unavailable signatures only matter to a policy with
// keys.
func (s *Store) pullSignatures(ctx context.Context, reg *registry, r Ref) ([]string, error) {
	var found []string
	for _, of := range []string{r.Digest, r.Index} {
		digest, err := parseDigest(of)
		if err != nil {
			continue
		}
		for _, id := range append([]string{signatureTag(digest)}, reg.bundles(ctx, digest)...) {
			b, d, err := reg.manifest(ctx, id)
			if err == nil {
				err = s.putSignatures(ctx, b, func(d v1.Descriptor) error {
					payload := reg.blob(ctx, d)
					defer payload.Close()
					_, err := s.putBlob(ctx, d, payload)
					return err
				})
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err == nil && len(found) < maxSignatures {
				found = append(found, d.Digest.String())
			}
		}
	}
	return found, nil
}

// putSignatures stores a manifest of signatures, and by fetch its payloads.
func (s *Store) putSignatures(ctx context.Context, b []byte, fetch func(v1.Descriptor) error) error {
	payloads, err := signaturesIn(b)
	if err != nil {
		return err
	}
	if _, err := s.putBytes(ctx, b); err != nil {
		return err
	}
	for _, d := range payloads {
		if !s.hasBlob(d) {
			if err := fetch(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// signaturesIn returns the payloads in a manifest of signatures.
func signaturesIn(b []byte) ([]v1.Descriptor, error) {
	if len(b) > maxManifest {
		return nil, errors.New("signatures: too long")
	}
	m, err := v1.ParseManifest(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("signatures: %w", err)
	}
	var payloads []v1.Descriptor
	for _, d := range m.Layers {
		if !isBundle(d.MediaType) && (d.MediaType != payloadType || d.Annotations[signatureAnnotation] == "") {
			continue
		}
		if err := checkDescriptor(d, maxPayload); err != nil {
			return nil, fmt.Errorf("signatures: %w", err)
		}
		if payloads = append(payloads, d); len(payloads) > maxSignatures {
			return nil, fmt.Errorf("signatures: more than %d", maxSignatures)
		}
	}
	if len(payloads) == 0 {
		return nil, errors.New("signatures: there are none in it")
	}
	return payloads, nil
}

// signed fails for an image signed by none of the keys.
func (s *Store) signed(r Ref, keys [][]byte) error {
	var public []any
	for _, k := range keys {
		p, err := parseKey(k)
		if err != nil {
			return fmt.Errorf("image policy: %w", err)
		}
		public = append(public, p)
	}
	digests := []string{r.Digest}
	if r.Index != "" && s.lists(r.Index, r.Digest) {
		digests = append(digests, r.Index)
	}
	reason := "it has no signature"
	for _, of := range r.Signatures {
		reason = "no signature of it is by a key of the policy"
		digest, err := parseDigest(of)
		if err != nil {
			continue
		}
		b, err := s.readBlob(digest, maxManifest)
		if err != nil {
			continue
		}
		payloads, err := signaturesIn(b)
		if err != nil {
			continue
		}
		for _, d := range payloads {
			content, err := s.readBlob(d.Digest, maxPayload)
			if err != nil {
				continue
			}
			signs, byKey := vouched(d, content, public)
			if slices.ContainsFunc(signs, func(s string) bool { return slices.Contains(digests, s) }) {
				return nil
			}
			if byKey {
				reason = "the signature by a key of the policy is not of this image"
			}
		}
	}
	return fmt.Errorf("%w: %s (%s): %s", ErrPolicy, r.Name, r.Digest, reason)
}

// vouched returns the digests vouched for by a signature in a store, and
// whether one of the keys made the signature; else no digests.
func vouched(d v1.Descriptor, content []byte, keys []any) (digests []string, byKey bool) {
	signedBy := func(message []byte, signature string) bool {
		sig, err := base64.StdEncoding.DecodeString(signature)
		return err == nil && slices.ContainsFunc(keys, func(k any) bool { return verifies(k, message, sig) })
	}
	if isBundle(d.MediaType) {
		e, err := parseBundle(content)
		if err != nil || !slices.ContainsFunc(e.Signatures, func(s bundleSignature) bool { return signedBy(e.signed(), s.Sig) }) {
			return nil, false
		}
		digests, _ = parseStatement(e.Payload)
		return digests, true
	}
	if !signedBy(content, d.Annotations[signatureAnnotation]) {
		return nil, false
	}
	if digest, err := parsePayload(content); err == nil {
		digests = append(digests, digest)
	}
	return digests, true
}

// lists reports whether an index of the store has the manifest.
func (s *Store) lists(index, manifest string) bool {
	digest, err := parseDigest(index)
	if err != nil {
		return false
	}
	b, err := s.readBlob(digest, maxManifest)
	if err != nil {
		return false
	}
	i, err := v1.ParseIndexManifest(bytes.NewReader(b))
	return err == nil && slices.ContainsFunc(i.Manifests, func(d v1.Descriptor) bool { return d.Digest.String() == manifest })
}

// parseKey reads a public key.
func parseKey(text []byte) (any, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("a key is not one PEM block of a PUBLIC KEY")
	}
	k, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("a public key: %w", err)
	}
	switch k := k.(type) {
	case ed25519.PublicKey:
		return k, nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return k, nil
		}
	}
	return nil, errors.New("a public key is of another kind than ECDSA on P-256 and Ed25519")
}

func verifies(key any, payload, signature []byte) bool {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(k, payload, signature)
	case *ecdsa.PublicKey:
		sum := sha256.Sum256(payload)
		return ecdsa.VerifyASN1(k, sum[:], signature)
	}
	return false
}

// parsePayload returns the digest vouched for by a payload. The payload's
// reference is ignored, as in cosign: the signature is about content.
func parsePayload(b []byte) (string, error) {
	if len(b) > maxPayload {
		return "", errors.New("signature: a payload that is too long")
	}
	var p struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
			Type string `json:"type"`
		} `json:"critical"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	if p.Critical.Type != payloadClaim {
		return "", fmt.Errorf("signature: a payload of the type %.80q", p.Critical.Type)
	}
	if _, err := parseDigest(p.Critical.Image.Digest); err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	return p.Critical.Image.Digest, nil
}
