package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

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

// maxInMemory is how large one content may be in memory. Growing a slice to
// more takes several times its size.
const maxInMemory = 1 << 20

// Memory is a Store that keeps small contents, up to a number of bytes, in
// memory, and the others in temporary files that have no name: nothing is left
// of them when the process ends, however it ends.
type Memory struct {
	limit int64

	mu    sync.Mutex
	used  int64
	blobs map[string]*memoryBlob
}

// NewMemory returns a Store that keeps at most limit bytes in memory.
func NewMemory(limit int64) *Memory {
	return &Memory{limit: limit, blobs: map[string]*memoryBlob{}}
}

// Close drops all contents. Readers that are open go on.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for id, b := range m.blobs {
		errs = append(errs, b.drop())
		delete(m.blobs, id)
	}
	return errors.Join(errs...)
}

// Create implements [Store].
func (m *Memory) Create(id string) (Blob, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs[id] != nil {
		return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrExist)
	}
	b := &memoryBlob{m: m, id: id}
	m.blobs[id] = b
	return b, nil
}

// Open implements [Store].
func (m *Memory) Open(id string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.blobs[id]
	if b == nil || !b.closed {
		return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrNotExist)
	}
	if b.file == nil {
		return io.NopCloser(bytes.NewReader(b.data)), nil
	}
	r, err := b.file.reader()
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", id, err)
	}
	return r, nil
}

// Delete implements [Store].
func (m *Memory) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.blobs[id]
	if b == nil {
		return nil
	}
	delete(m.blobs, id)
	return b.drop()
}

// memoryBlob is a content: in data, or once it has spilled, in file. The lock
// of its Memory guards it.
type memoryBlob struct {
	m      *Memory
	id     string
	data   []byte
	file   *spilled
	closed bool // complete, or dropped
}

func (b *memoryBlob) Write(p []byte) (int, error) {
	f, err := b.keep(p)
	if err != nil {
		return 0, err
	}
	if f == nil {
		return len(p), nil
	}
	return f.file.Write(p) // without the lock: a slow disk holds nobody else up
}

// keep takes p into memory, or returns the file that it is to go to.
func (b *memoryBlob) keep(p []byte) (*spilled, error) {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if b.closed {
		return nil, fs.ErrClosed
	}
	if b.file == nil && (b.m.used+int64(len(p)) > b.m.limit || len(b.data)+len(p) > maxInMemory) {
		if err := b.spill(); err != nil {
			return nil, err
		}
	}
	if b.file == nil {
		b.data = append(b.data, p...)
		b.m.used += int64(len(p))
	}
	return b.file, nil
}

// spill moves the content to a file without a name.
func (b *memoryBlob) spill() error {
	f, err := unnamed()
	if err != nil {
		return err
	}
	if _, err := f.Write(b.data); err != nil {
		f.Close()
		return err
	}
	b.m.used -= int64(len(b.data))
	b.data, b.file = nil, &spilled{file: f, users: 1}
	return nil
}

func (b *memoryBlob) Close() error {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if b.closed {
		return fs.ErrClosed
	}
	b.closed = true
	return nil
}

func (b *memoryBlob) Discard() error {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if b.closed {
		return nil
	}
	delete(b.m.blobs, b.id)
	return b.drop()
}

// drop frees the content.
func (b *memoryBlob) drop() error {
	b.closed = true
	b.m.used -= int64(len(b.data))
	b.data = nil
	if b.file == nil {
		return nil
	}
	return b.file.release()
}
