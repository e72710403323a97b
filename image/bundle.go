package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Since version 3 cosign keeps a signature as a Sigstore bundle: a manifest
// that refers to the image (OCI 1.1) has one layer, the bundle, in which a DSSE
// envelope signs an in-toto statement about the image's digest. See cosign's
// specs/BUNDLE_SPEC.md, sigstore/protobuf-specs and the DSSE protocol.
const (
	bundleTypes     = "application/vnd.dev.sigstore.bundle"
	statementFormat = "application/vnd.in-toto+json"

	// signPredicate is what cosign's signatures state. Lists of parts and reports
	// of builds are statements of the same form, and are no signatures.
	signPredicate       = "https://sigstore.dev/cosign/sign/v1"
	predicateAnnotation = "dev.sigstore.bundle.predicateType"
)

// isBundle reports the media type of a Sigstore bundle, of any version.
func isBundle(t types.MediaType) bool { return strings.HasPrefix(string(t), bundleTypes) }

// mayBeBundle reports whether a manifest in a list may hold a signature. Some
// tools give the manifest the type of the empty configuration, or no type.
func mayBeBundle(d v1.Descriptor) bool {
	switch p := d.Annotations[predicateAnnotation]; {
	case p != "" && p != signPredicate:
		return false
	case d.ArtifactType == "" || d.ArtifactType == "application/vnd.oci.empty.v1+json":
		return true
	}
	return isBundle(types.MediaType(d.ArtifactType))
}

// bundles returns the digests of possible bundles: manifests referring to the
// given manifest, as listed by the registry. A registry without this query
// lists the manifests in an index with the digest as the tag.
func (r *registry) bundles(ctx context.Context, of v1.Hash) []string {
	var index *v1.IndexManifest
	for _, place := range [][2]string{{"referrers", of.String()}, {"manifests", of.Algorithm + "-" + of.Hex}} {
		b, _, err := r.document(ctx, place[0], place[1])
		if err != nil {
			continue
		}
		if i, err := v1.ParseIndexManifest(bytes.NewReader(b)); err == nil && i.MediaType.IsIndex() {
			index = i
			break
		}
	}
	if index == nil {
		return nil
	}
	var found []string
	for _, d := range index.Manifests {
		if mayBeBundle(d) && checkDescriptor(d, maxManifest) == nil && len(found) < maxSignatures {
			found = append(found, d.Digest.String())
		}
	}
	return found
}

// envelope holds the relevant part of a bundle. Certificates, time stamps and
// log entries identify a signer without a key; our key is given.
type envelope struct {
	Payload     []byte            `json:"payload"`
	PayloadType string            `json:"payloadType"`
	Signatures  []bundleSignature `json:"signatures"`
}

type bundleSignature struct {
	Sig string `json:"sig"` // base64
}

// signed returns the bytes that are signed: DSSE's pre-authentication encoding.
func (e *envelope) signed() []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
}

// parseBundle returns the envelope in a bundle.
func parseBundle(b []byte) (*envelope, error) {
	if len(b) > maxPayload {
		return nil, errors.New("signature: a bundle that is too long")
	}
	var bundle struct {
		MediaType types.MediaType `json:"mediaType"`
		Envelope  *envelope       `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(b, &bundle); err != nil {
		return nil, fmt.Errorf("signature: a bundle: %w", err)
	}
	switch e := bundle.Envelope; {
	case !isBundle(bundle.MediaType):
		return nil, fmt.Errorf("signature: a bundle of the type %.80q", bundle.MediaType)
	case e == nil || e.PayloadType != statementFormat:
		return nil, errors.New("signature: a bundle without a signed statement")
	case len(e.Signatures) > maxSignatures:
		return nil, fmt.Errorf("signature: a bundle with more than %d", maxSignatures)
	default:
		return e, nil
	}
}

// parseStatement returns the digests that a statement vouches for.
func parseStatement(b []byte) ([]string, error) {
	var s struct {
		Type    string `json:"_type"`
		Subject []struct {
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		PredicateType string `json:"predicateType"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("signature: a statement: %w", err)
	}
	if !strings.HasPrefix(s.Type, "https://in-toto.io/Statement/") || s.PredicateType != signPredicate {
		return nil, fmt.Errorf("signature: a statement of the type %.80q about %.80q", s.Type, s.PredicateType)
	}
	var digests []string
	for _, subject := range s.Subject {
		d := "sha256:" + subject.Digest["sha256"]
		if _, err := parseDigest(d); err != nil {
			return nil, fmt.Errorf("signature: %w", err)
		}
		digests = append(digests, d)
	}
	return digests, nil
}
