//go:build linux

package container

import (
	"io"
	"os"
	"strings"
	"time"
)

// log reads a runtime's output, and keeps the beginning. A nil log takes
// nothing.
type log struct {
	from *os.File
	said []byte
	end  chan struct{}
}

// logSize bounds what is kept.
const logSize = 4096

// openLog returns a log and its writing end.
func openLog() (*log, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	l := &log{from: r, end: make(chan struct{})}
	go func() {
		defer close(l.end)
		l.said, _ = io.ReadAll(io.LimitReader(r, logSize))
		io.Copy(io.Discard, r) // nobody has to wait for us
	}()
	return l, w, nil
}

// close ends the log, even if other processes still hold the writing end.
func (l *log) close() {
	if l == nil {
		return
	}
	l.from.SetReadDeadline(time.Unix(1, 0))
	<-l.end
	l.from.Close()
}

// text returns the log once all writers are gone; slow ones are not waited for.
func (l *log) text() string {
	if l == nil {
		return ""
	}
	l.from.SetReadDeadline(time.Now().Add(time.Second))
	<-l.end
	return strings.TrimSpace(string(l.said))
}
