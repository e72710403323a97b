package wasm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// The host and a box's process speak over the process's standard input and
// output: frames of a kind (one byte), a length (four, big-endian) and a
// payload of this length. The host's messages are trusted. The process is
// hostile from the first command on, a possible attacker: the host bounds every
// message and believes no path and no size. With its answers the process can
// harm no box but its own.

// kind is what a frame is.
type kind byte

const (
	// To the process.
	kindSetup   kind = 'S' // a setup
	kindRun     kind = 'R' // a command
	kindCollect kind = 'C' // asks for the workspace
	// To the host.
	kindUp     kind = 'u' // an up: the box is ready, or cannot be
	kindStdout kind = 'o'
	kindStderr kind = 'e'
	kindDone   kind = 'd' // a done
	kindEntry  kind = 'n' // an entry of the workspace; its bytes follow
	kindData   kind = 'b' // bytes of the last entry
	kindEnd    kind = 'z' // the workspace ends
)

// Bounds of a frame's length.
const (
	maxFrame = 64 << 10 // to the host
	maxOrder = 4 << 30  // to the process
)

// setup is the first message to a box's process.
type setup struct {
	Tree, Cache string
	Limits      glovebox.Limits
	Files       []glovebox.File
	// Given are the descriptors of the box from 3 on: their numbers in the
	// process, 0 for none.
	Given []uintptr
	Fixed *Fixed
}

// command is one run.
type command struct {
	Args, Env []string
	Dir       string
	Stdin     []byte
	Files     []glovebox.File
}

// up says that the box is ready.
type up struct {
	Err string `json:",omitempty"`
	// Confined lists the process's own controls, with their means.
	Confined []glovebox.Control
}

// done is how a command ended.
type done struct {
	Err     string `json:",omitempty"` // it could not be started
	Started bool
	Exit    int
	Trap    string `json:",omitempty"` // why it ended without an exit code
	Hits    map[glovebox.LimitName]string
	Peak    int64
}

// entry is a file or directory of the workspace.
type entry struct {
	Path string
	Dir  bool
	Exec bool
	Size int64
	Time time.Time
}

// lane writes frames; many goroutines may.
type lane struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lane) send(k kind, payload []byte) error {
	frame := make([]byte, 5, 5+len(payload))
	frame[0] = byte(k)
	binary.BigEndian.PutUint32(frame[1:], uint32(len(payload)))
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.w.Write(append(frame, payload...))
	return err
}

func (l *lane) tell(k kind, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.send(k, text)
}

// bytes sends any number of bytes as frames.
func (l *lane) bytes(k kind, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), maxFrame)
		if err := l.send(k, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// receive reads one frame of at most limit bytes. The error is io.EOF where the
// stream ended between two.
func receive(r io.Reader, limit uint32) (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > limit {
		return 0, nil, fmt.Errorf("a frame of %d bytes: at most %d", size, limit)
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return kind(head[0]), payload, nil
}
