package artifact

import "io"

// Store keeps contents by id. Its methods are safe for concurrent use.
type Store interface {
	// Create begins a new content. It fails where the id is in use.
	Create(id string) (Blob, error)
	// Open returns a content; the error for an unknown id wraps
	// [fs.ErrNotExist].
	Open(id string) (io.ReadCloser, error)
	// Delete removes a content, if it exists.
	Delete(id string) error
}

// Blob is a content during writing, by one goroutine. After a successful Close
// the content exists as a whole, otherwise not at all.
type Blob interface {
	io.Writer
	Close() error
	// Discard gives the content up. It does nothing after Close.
	Discard() error
}
