package image

// Bounds limit the size of one image. An image past a bound is refused with a
// reason naming the bound.
type Bounds struct {
	// Download is the size of all blobs of an image in transfer, in bytes.
	Download int64
	// Bytes is the size of all layers unpacked, and of all files named in the
	// tree.
	Bytes int64
	// Files is the number of entries of all layers together.
	Files int
	// Layers is the number of layers.
	Layers int
	// Ratio is the maximum of unpacked bytes for each compressed byte of a
	// layer, beyond the first 64 MiB.
	Ratio int64
}

// DefaultBounds are the bounds of a [Store] without its own. Package rootfs
// takes a root file system of the same size by default.
var DefaultBounds = Bounds{Download: 4 << 30, Bytes: 4 << 30, Files: 400_000, Layers: 128, Ratio: 256}

// Bounds of names, far beyond any real image. The host's paths are longer than
// the image's by the directory of the tree.
const (
	maxName  = 255
	maxPath  = 2048
	maxDepth = 128
	maxLink  = 1024
	maxText  = 128 << 20 // of all names and links of an image together
)
