//go:build linux

package monitor

import (
	"bytes"
	"sync"
)

// maxConsole bounds the kept part of a console, both at the beginning and at
// the end.
const maxConsole = 32 << 10

// Console keeps the beginning and the end of a guest's output on the serial
// console. A guest that floods the console loses its own lines. The zero
// Console is empty and ready to use.
type Console struct {
	mu         sync.Mutex
	head, tail []byte
	lost       bool
}

// Write implements [io.Writer]. It never fails.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	room := min(maxConsole-len(c.head), len(p))
	c.head = append(c.head, p[:room]...)
	c.tail = append(c.tail, p[room:]...)
	// Cut seldom, and not byte by byte.
	if len(c.tail) > 2*maxConsole {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-maxConsole:]...)
		c.lost = true
	}
	return n, nil
}

// Bytes returns what is kept. It is the guest's word: hostile where the guest's
// kernel has fallen.
func (c *Console) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lost {
		return append(bytes.Clone(c.head), c.tail...)
	}
	return bytes.Join([][]byte{c.head, c.tail}, []byte("\n[…]\n"))
}
