package image

// Image is an image of a [Store]. Its tree stays until the store is closed,
// whatever others remove.
type Image struct {
	ref Ref
}

// Ref returns the record by which the image was found.
func (i *Image) Ref() Ref { return i.ref }

// Digest returns the digest of the image's manifest, "sha256:…".
func (i *Image) Digest() string { return i.ref.Digest }
