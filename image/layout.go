package image

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Annotations by which tools describe manifests in a layout.
const (
	refAnnotation        = "org.opencontainers.image.ref.name"
	containerdAnnotation = "io.containerd.image.name"
	cosignAnnotation     = "kind"
	cosignImage          = "dev.cosignproject.cosign/image"
	cosignImageIndex     = "dev.cosignproject.cosign/imageIndex"
	cosignSignatures     = "dev.cosignproject.cosign/sigs"
)

// layout takes the images listed in an OCI layout.
func (s *Store) layout(ctx context.Context, from origin, o ImportOptions) ([]*Image, error) {
	b, err := from.document("oci-layout")
	if err != nil {
		return nil, fmt.Errorf("not an OCI layout: %w", err)
	}
	var version struct {
		V string `json:"imageLayoutVersion"`
	}
	if err := json.Unmarshal(b, &version); err != nil || !strings.HasPrefix(version.V, "1.") {
		return nil, fmt.Errorf("not an OCI layout of version 1, but of %.20q", version.V)
	}
	if b, err = from.document("index.json"); err != nil {
		return nil, err
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	if len(index.Manifests) > maxManifests {
		return nil, fmt.Errorf("index.json: more than %d manifests", maxManifests)
	}
	listed, signatures := sortLayout(index.Manifests)
	if len(listed) > 1 && !slices.ContainsFunc(listed, func(d v1.Descriptor) bool { return d.Platform == nil || claimed(d) != nil }) {
		// One image, made for several platforms.
		one, err := choose(b, o.Platform)
		if err != nil {
			return nil, err
		}
		listed = []v1.Descriptor{one}
	}
	switch {
	case len(listed) == 0:
		return nil, errNoImages
	case len(listed) > 1 && o.Name != "":
		return nil, fmt.Errorf("it holds %d images: one name is not enough (the names that it claims can be kept)", len(listed))
	}
	var signed []string
	for _, d := range signatures {
		b, err := s.fetchDocument(ctx, from, d)
		if err != nil {
			return nil, err
		}
		if err := s.putSignatures(ctx, b, func(d v1.Descriptor) error { return from.fetch(ctx, d) }); err != nil {
			return nil, err
		}
		signed = append(signed, d.Digest.String())
	}
	var images []*Image
	for _, d := range listed {
		i, err := s.fromLayout(ctx, from, d, signed, o)
		if err != nil {
			return nil, err
		}
		images = append(images, i)
	}
	return images, nil
}

// sortLayout separates a layout's list into images and their signatures.
func sortLayout(list []v1.Descriptor) (images, signatures []v1.Descriptor) {
	for _, d := range list {
		switch kind := d.Annotations[cosignAnnotation]; {
		case kind == cosignSignatures, isBundle(types.MediaType(d.ArtifactType)), strings.HasPrefix(d.Annotations[refAnnotation], "sha256-") && strings.HasSuffix(d.Annotations[refAnnotation], ".sig"):
			if len(signatures) < maxSignatures {
				signatures = append(signatures, d)
			}
		case kind != "" && kind != cosignImage && kind != cosignImageIndex:
			// Attestations and the like.
		case d.MediaType.IsImage() || d.MediaType.IsIndex():
			images = append(images, d)
		}
	}
	return images, signatures
}

// claimed returns the names that a layout gives an image. A tag without a
// repository is none.
func claimed(d v1.Descriptor) []string {
	if n := d.Annotations[containerdAnnotation]; n != "" {
		return []string{n}
	}
	if n := d.Annotations[refAnnotation]; strings.ContainsAny(n, ":/") {
		return []string{n}
	}
	return nil
}

// fetchDocument stores a manifest, an index or signatures, and returns it.
func (s *Store) fetchDocument(ctx context.Context, from origin, d v1.Descriptor) ([]byte, error) {
	if err := checkDescriptor(d, maxManifest); err != nil {
		return nil, err
	}
	if err := from.fetch(ctx, d); err != nil {
		return nil, err
	}
	return s.readBlob(d.Digest, maxManifest)
}

func (s *Store) fromLayout(ctx context.Context, from origin, d v1.Descriptor, signed []string, o ImportOptions) (*Image, error) {
	r := Ref{Source: SourceLayout, Signatures: signed, DropSpecial: o.DropSpecial}
	names := claimed(d)
	b, err := s.fetchDocument(ctx, from, d)
	if err != nil {
		return nil, err
	}
	t, err := mediaTypeOf(b, d.MediaType)
	if err != nil {
		return nil, err
	}
	if t.IsIndex() {
		r.Index = d.Digest.String()
		if d, err = choose(b, o.Platform); err != nil {
			return nil, err
		}
		if b, err = s.fetchDocument(ctx, from, d); err != nil {
			return nil, err
		}
		if t, err = mediaTypeOf(b, d.MediaType); err != nil {
			return nil, err
		}
		if t.IsIndex() {
			return nil, fmt.Errorf("index: %s in it is an index again", d.Digest)
		}
	}
	m, err := parseManifest(b, s.Bounds)
	if err != nil {
		return nil, err
	}
	for _, blob := range append([]v1.Descriptor{m.Config}, m.Layers...) {
		if err := from.fetch(ctx, blob); err != nil {
			return nil, err
		}
	}
	r.Digest = d.Digest.String()
	return s.commitAs(ctx, r, o, names)
}
