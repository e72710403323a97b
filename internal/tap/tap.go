// Package tap reads a pipe whose write end may stay open: it takes what comes
// while something runs, and once that has ended what is left in the pipe. The
// pipe is one of [Pipe].
package tap

import (
	"io"
	"os"
	"sync"
	"time"
)

// Tap copies a pipe to a writer in a goroutine of its own.
type Tap struct {
	from  *os.File
	to    io.Writer
	ended chan struct{}
}

// buffer is what is read at a time. A run has many taps, most of them for a few
// bytes, so buffers are used again; a writer keeps nothing of what it is given.
type buffer [64 << 10]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Open starts to copy. The writer is never called by two goroutines at a time;
// its errors are ignored: what it does not want it throws away, so that whoever
// writes to the pipe is never stuck on it.
func Open(from *os.File, to io.Writer) *Tap {
	t := &Tap{from: from, to: to, ended: make(chan struct{})}
	from.SetReadDeadline(time.Time{})
	go func() {
		defer close(t.ended)
		buf := buffers.Get().(*buffer)
		defer buffers.Put(buf)
		for {
			n, err := from.Read(buf[:])
			if n > 0 {
				t.to.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	return t
}

// Stop takes what is in the pipe now, and stops. The pipe can be tapped again.
func (t *Tap) Stop() {
	t.from.SetReadDeadline(time.Unix(1, 0))
	<-t.ended
	t.from.SetReadDeadline(time.Time{})
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for {
		n, err := readNow(t.from, buf[:])
		if n <= 0 || err != nil {
			return
		}
		t.to.Write(buf[:n])
	}
}
