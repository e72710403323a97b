package docker

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// attached is the connection to a container's streams. What is read is its
// stdout: the engine sends both streams in pieces with a head of eight bytes,
// the number of the stream, three zeros and the length, big endian.
type attached struct {
	net.Conn
	r    *bufio.Reader
	left uint32 // of a piece of stdout

	ended chan struct{} // closed when there is no more to read
	end   sync.Once

	mu   sync.Mutex
	said []byte // the beginning of stderr, which only a relay or a runtime in trouble has
}

func newAttached(conn net.Conn, r *bufio.Reader) *attached {
	return &attached{Conn: conn, r: r, ended: make(chan struct{})}
}

// maxSaid bounds the kept part of a container's stderr.
const maxSaid = 1 << 10

// lastWords is the time for reading from a container that takes no more input.
const lastWords = time.Second

// Write implements [io.Writer]. A dead container may have stated the cause on
// stderr: read it before the error leads a caller to close the connection.
func (a *attached) Write(p []byte) (int, error) {
	n, err := a.Conn.Write(p)
	if err != nil {
		select {
		case <-a.ended:
		case <-time.After(lastWords):
		}
	}
	return n, err
}

// Read implements [io.Reader].
func (a *attached) Read(p []byte) (n int, err error) {
	defer func() {
		if err != nil {
			a.end.Do(func() { close(a.ended) })
		}
	}()
	for a.left == 0 {
		var head [8]byte
		if _, err := io.ReadFull(a.r, head[:]); err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(head[4:])
		switch head[0] {
		case 1:
			a.left = n
		case 2:
			if err := a.hear(n); err != nil {
				return 0, err
			}
		default:
			return 0, fmt.Errorf("the engine sent a piece of stream %d", head[0])
		}
	}
	n, err = a.r.Read(p[:min(len(p), int(min(a.left, 1<<20)))])
	a.left -= uint32(n)
	return n, err
}

func (a *attached) hear(n uint32) error {
	text := make([]byte, min(n, maxSaid))
	if _, err := io.ReadFull(a.r, text); err != nil {
		return err
	}
	a.mu.Lock()
	a.said = append(a.said, text[:min(len(text), maxSaid-len(a.said))]...)
	a.mu.Unlock()
	_, err := io.CopyN(io.Discard, a.r, int64(n)-int64(len(text)))
	return err
}

// diagnosis is the container's output on stderr.
func (a *attached) diagnosis() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(a.said), "?"))
}
