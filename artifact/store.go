package artifact

import "io"

// Store keeps contents by id. Its methods may be called from many goroutines.
type Store interface {
	// Create begins a new content. It fails where the id is in use.
	Create(id string) (Blob, error)
	// Open returns a content; the error wraps [fs.ErrNotExist] where there is
	// none of that id.
	Open(id string) (io.ReadCloser, error)
	// Delete removes a content, if there is one.
	Delete(id string) error
}

// Blob is a content that is being written, by one goroutine. It is there, whole, once Close
// returns nil, and not at all otherwise.
type Blob interface {
	io.Writer
	Close() error
	// Discard gives the content up. It does nothing after Close.
	Discard() error
}
