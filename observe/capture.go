// Package observe prepares the view of a run for people and models: it bounds
// and cleans the streams, and writes the feedback.
package observe

import (
	"io"
	"unicode/utf8"
)

// Capture keeps the head and the tail of a stream, in bounded memory, and
// passes the whole of a long stream on to a second writer. It is an [io.Writer]
// for one goroutine.
type Capture struct {
	keep  int
	spill func() (io.Writer, error)

	head  []byte // the first bytes, up to half of keep once the stream is long
	tail  []byte // a ring of the last bytes, once the stream is long
	next  int    // where the ring goes on
	total int64
	whole io.Writer
	lost  error
}

// NewCapture keeps up to keep bytes of a stream. When the stream grows past
// keep, spill is called once for a writer that takes all of it; a nil spill
// takes nothing.
func NewCapture(keep int, spill func() (io.Writer, error)) *Capture {
	return &Capture{keep: max(keep, 2), spill: spill}
}

// Write implements [io.Writer]. It never fails: see [Capture.Lost].
func (c *Capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if c.tail == nil {
		if len(c.head)+len(p) <= c.keep {
			c.head = append(c.head, p...)
			return n, nil
		}
		c.grow()
	}
	c.put(p)
	c.ring(p)
	return n, nil
}

// grow goes from a short stream to a long one.
func (c *Capture) grow() {
	if c.spill != nil {
		c.whole, c.lost = c.spill()
	}
	all := c.head
	c.put(all)
	half := c.keep / 2
	c.tail = make([]byte, 0, c.keep-half)
	c.head = all[:min(half, len(all))]
	rest := all[len(c.head):]
	c.ring(rest)
}

func (c *Capture) put(p []byte) {
	if c.whole == nil || c.lost != nil {
		return
	}
	_, c.lost = c.whole.Write(p)
}

func (c *Capture) ring(p []byte) {
	// The head of a stream that began with one large write is not full yet.
	if room := c.keep/2 - len(c.head); room > 0 && len(c.tail) == 0 {
		n := min(room, len(p))
		c.head = append(c.head, p[:n]...)
		p = p[n:]
	}
	size := cap(c.tail)
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(c.tail); room > 0 {
		n := min(room, len(p))
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.next:], p)
		c.next = (c.next + n) % size
		p = p[n:]
	}
}

// Total is how many bytes the stream had.
func (c *Capture) Total() int64 { return c.total }

// Truncated reports whether bytes between head and tail are not kept.
func (c *Capture) Truncated() bool {
	return c.total > int64(len(c.head)+len(c.tail))
}

// Kept returns the head and the tail. Where the stream is not truncated, tail
// follows head without a gap; else neither ends in half a character.
func (c *Capture) Kept() (head, tail []byte) {
	tail = append(append([]byte(nil), c.tail[c.next:]...), c.tail[:c.next]...)
	if !c.Truncated() {
		return c.head, tail
	}
	n := 0
	for n < min(len(tail), utf8.UTFMax-1) && !utf8.RuneStart(tail[n]) {
		n++
	}
	return c.head[:len(c.head)-cutRune(c.head)], tail[n:]
}

// Bytes returns head and tail in one piece.
func (c *Capture) Bytes() []byte {
	head, tail := c.Kept()
	return append(append(make([]byte, 0, len(head)+len(tail)), head...), tail...)
}

// Lost is the reason why the whole of a long stream could not be kept, if any.
func (c *Capture) Lost() error { return c.lost }
