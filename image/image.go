package image

import (
	"context"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Image is an image of a [Store]. It is also an [fs.FS] of the tree, with
// absolute names permitted. The tree stays until the store is closed, even
// after a removal of the image by another process.
type Image struct {
	ref      Ref
	config   Config
	manifest *v1.Manifest
	tree     *tree
	store    *Store
	claims   []string
}

// Claims are names from the imported file that the image did not get. They may
// contain any text.
func (i *Image) Claims() []string { return i.claims }

// image opens the image of a record, applying its layers if necessary. The
// caller holds the store's lock.
func (s *Store) image(ctx context.Context, r Ref) (*Image, error) {
	i, diffs, err := s.describe(r)
	if err != nil {
		return nil, err
	}
	if i.tree, err = s.tree(ctx, i, diffs); err != nil {
		return nil, fmt.Errorf("image %s: %w", r.Digest, err)
	}
	return i, nil
}

// describe reads an image's own description, and the digests of its unpacked
// layers.
func (s *Store) describe(r Ref) (*Image, []v1.Hash, error) {
	i := &Image{ref: r, store: s}
	digest, err := parseDigest(r.Digest)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.readBlob(digest, maxManifest)
	if err != nil {
		return nil, nil, fmt.Errorf("image %s: %w", r.Digest, err)
	}
	if i.manifest, err = parseManifest(b, s.Bounds); err != nil {
		return nil, nil, fmt.Errorf("image %s: %w", r.Digest, err)
	}
	if b, err = s.readBlob(i.manifest.Config.Digest, maxConfig); err != nil {
		return nil, nil, fmt.Errorf("image %s: %w", r.Digest, err)
	}
	config, file, err := parseConfig(b)
	if err != nil {
		return nil, nil, fmt.Errorf("image %s: %w", r.Digest, err)
	}
	i.config = config
	if i.ref.Platform = platformOf(file.Platform()); i.ref.Platform == "/" {
		i.ref.Platform = ""
	}
	diffs := file.RootFS.DiffIDs
	if len(diffs) != len(i.manifest.Layers) {
		return nil, nil, fmt.Errorf("image %s: its manifest has %d layers, its configuration %d", r.Digest, len(i.manifest.Layers), len(diffs))
	}
	for _, d := range diffs {
		if err := checkDigest(d); err != nil {
			return nil, nil, fmt.Errorf("image %s: configuration: %w", r.Digest, err)
		}
	}
	return i, diffs, nil
}

// Ref returns the record by which the image was found.
func (i *Image) Ref() Ref { return i.ref }

// Digest returns the digest of the image's manifest, "sha256:…".
func (i *Image) Digest() string { return i.ref.Digest }

// Config returns the image's advice on running it.
func (i *Image) Config() Config { return i.config }

// Dropped returns the contents of the image's layers missing from the tree.
func (i *Image) Dropped() Dropped { return i.tree.dropped }
