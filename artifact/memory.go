package artifact

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// Memory is a Store that keeps small contents in memory and large ones in
// temporary files without a name: nothing is left after any end of the process.
//
// Memory is bounded: the oldest complete contents make room for new contents,
// and later requests for the old fail with [ErrEvicted].
type Memory struct {
	bounds bounds

	mu    sync.Mutex
	used  int64 // bytes in memory
	total int64 // bytes in memory and in files
	files int
	blobs map[string]*memoryBlob
	whole list.List // the complete ones, the oldest first
	gone  gone
}

// bounds are the maximum contents of a Memory.
type bounds struct {
	memory   int64 // bytes in memory: what is past it goes to files
	one      int64 // bytes of one content in memory
	total    int64 // bytes in memory and in files
	files    int   // each takes a descriptor
	contents int
}

// Bounds of every Memory, beside its bytes in memory.
const (
	// maxInMemory is the largest content in memory. Growing a larger slice
	// takes several times its size.
	maxInMemory = 1 << 20
	maxTotal    = 4 << 30
	maxFiles    = 512
	maxContents = 16 << 10
)

// ErrEvicted is wrapped by the error of [Memory.Open] for a former content that
// had to make room. It wraps [fs.ErrNotExist].
var ErrEvicted = fmt.Errorf("it was dropped to make room for newer ones, and %w any more", fs.ErrNotExist)

// NewMemory returns a Store that keeps at most limit bytes in memory.
// Altogether the Store keeps at most 4 GiB, 16384 contents and 512 files.
func NewMemory(limit int64) *Memory {
	return &Memory{
		bounds: bounds{memory: limit, one: maxInMemory, total: maxTotal, files: maxFiles, contents: maxContents},
		blobs:  map[string]*memoryBlob{},
	}
}

// Close drops all contents. Readers that are open go on.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, b := range m.blobs {
		errs = append(errs, m.remove(b).release())
	}
	return errors.Join(errs...)
}

// Create implements [Store]. It also fails while the maximum number of contents
// is being written.
func (m *Memory) Create(id string) (Blob, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs[id] != nil {
		return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrExist)
	}
	if err := m.evict(func() bool { return len(m.blobs) < m.bounds.contents }); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", id, err)
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
	switch {
	case b != nil && b.closed && b.file == nil:
		return io.NopCloser(bytes.NewReader(b.data)), nil
	case b != nil && b.closed:
		r, err := b.file.reader()
		if err != nil {
			return nil, fmt.Errorf("artifact %s: %w", id, err)
		}
		return r, nil
	case b == nil && m.gone.has(id):
		return nil, fmt.Errorf("artifact %s: %w", id, ErrEvicted)
	}
	return nil, fmt.Errorf("artifact %s: %w", id, fs.ErrNotExist)
}

// Delete implements [Store].
func (m *Memory) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.blobs[id]; b != nil {
		return m.remove(b).release()
	}
	return nil
}

// evict drops complete contents, the oldest first, until there is room. The
// error means that all remaining contents are being written.
func (m *Memory) evict(room func() bool) error {
	for !room() {
		oldest := m.whole.Front()
		if oldest == nil {
			return errors.New("the store of artifacts is full of what is being written")
		}
		b := oldest.Value.(*memoryBlob)
		m.gone.add(b.id, m.bounds.contents)
		// Nobody waits for the file's blocks to be freed.
		if f := m.remove(b); f != nil {
			go f.release()
		}
	}
	return nil
}

// remove takes a content out. Its file, if not nil, is to be released.
func (m *Memory) remove(b *memoryBlob) *spilled {
	if m.blobs[b.id] == b {
		delete(m.blobs, b.id)
	}
	if b.place != nil {
		m.whole.Remove(b.place)
	}
	f := b.file
	if f != nil {
		m.files--
	}
	m.used -= int64(len(b.data))
	m.total -= b.size
	b.closed, b.place, b.data, b.size, b.file = true, nil, nil, 0, nil
	return f
}

// memoryBlob is a content: in data, or once it has spilled, in file. The lock
// of its Memory guards it.
type memoryBlob struct {
	m      *Memory
	id     string
	size   int64
	data   []byte
	file   *spilled
	closed bool          // complete, or dropped
	place  *list.Element // among the complete ones
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

// keep takes p into memory, or returns the file for p.
func (b *memoryBlob) keep(p []byte) (*spilled, error) {
	m, n := b.m, int64(len(p))
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.closed {
		return nil, fs.ErrClosed
	}
	if b.size+n > m.bounds.total {
		return nil, fmt.Errorf("one artifact has at most %d bytes", m.bounds.total)
	}
	if err := m.evict(func() bool { return m.total+n <= m.bounds.total }); err != nil {
		return nil, err
	}
	if b.file == nil && (m.used+n > m.bounds.memory || b.size+n > m.bounds.one) {
		if err := b.spill(); err != nil {
			return nil, err
		}
	}
	if b.file == nil {
		b.data = append(b.data, p...)
		m.used += n
	}
	b.size += n
	m.total += n
	return b.file, nil
}

// spill moves the content to a file without a name.
func (b *memoryBlob) spill() error {
	m := b.m
	if err := m.evict(func() bool { return m.files < m.bounds.files }); err != nil {
		return err
	}
	f, err := unnamed()
	if err != nil {
		return err
	}
	if _, err := f.Write(b.data); err != nil {
		f.Close()
		return err
	}
	m.used -= int64(len(b.data))
	m.files++
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
	b.place = b.m.whole.PushBack(b)
	return nil
}

func (b *memoryBlob) Discard() error {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if b.closed {
		return nil
	}
	return b.m.remove(b).release()
}

// gone remembers the last ids that were evicted.
type gone struct {
	ids  map[string]bool
	ring []string
	next int
}

func (g *gone) has(id string) bool { return g.ids[id] }

// add remembers id, and forgets the oldest beyond the maximum.
func (g *gone) add(id string, most int) {
	if g.ids == nil {
		g.ids = map[string]bool{}
	}
	g.ids[id] = true
	if len(g.ring) < most {
		g.ring = append(g.ring, id)
		return
	}
	delete(g.ids, g.ring[g.next])
	g.ring[g.next] = id
	g.next = (g.next + 1) % most
}
