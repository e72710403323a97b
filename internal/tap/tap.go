// Package tap reads a pipe whose write end may stay open: the output during the
// run of a program, and afterwards the rest in the pipe. The pipe is one of
// [Pipe].
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

// buffer is the unit of reading. A run has many taps, mostly for a few bytes,
// so buffers are reused; a writer must not retain the data.
type buffer [64 << 10]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Open starts to copy. The writer is never called by two goroutines at a time.
// Errors of the writer are ignored, and the data is thrown away: no process
// gets stuck writing to the pipe.
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

// Stop takes the current contents of the pipe, and stops. The pipe can be
// tapped again.
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
