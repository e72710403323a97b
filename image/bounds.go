package image

// Bounds are the most that one image may be. What passes a bound is refused
// with a reason that names it.
type Bounds struct {
	// Download is the bytes of all blobs of an image as they are transferred.
	Download int64
	// Bytes is the bytes of all layers as they are unpacked, and of all files
	// that the tree has names for.
	Bytes int64
	// Files is the number of entries of all layers together.
	Files int
	// Layers is the number of layers.
	Layers int
	// Ratio is how many bytes a layer may become for each one that it takes
	// in its compressed form, beyond the first 64 MiB.
	Ratio int64
}

// DefaultBounds are the bounds of a [Store] that is given none. A root file
// system of the same size is what package rootfs takes by default.
var DefaultBounds = Bounds{Download: 4 << 30, Bytes: 4 << 30, Files: 400_000, Layers: 128, Ratio: 256}

// Bounds of names, which no real image comes near. The host's paths are longer
// than those of the image by the directory that a tree is built in.
const (
	maxName  = 255
	maxPath  = 2048
	maxDepth = 128
	maxLink  = 1024
	maxText  = 128 << 20 // of all names and links of an image together
)
