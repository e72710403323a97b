//go:build linux

package container

import (
	"io"
	"os"
	"strings"
	"time"
)

// log takes what a runtime says, and keeps the beginning of it. A nil log takes
// nothing.
type log struct {
	from *os.File
	said []byte
	end  chan struct{}
}

// logSize bounds what is kept.
const logSize = 4096

// openLog returns a log and the end that is written to.
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

// close ends the log, whoever still has its other end.
func (l *log) close() {
	if l == nil {
		return
	}
	l.from.SetReadDeadline(time.Unix(1, 0))
	<-l.end
	l.from.Close()
}

// text returns what was said, once all who could say something are gone; those
// that are not soon are not waited for.
func (l *log) text() string {
	if l == nil {
		return ""
	}
	l.from.SetReadDeadline(time.Now().Add(time.Second))
	<-l.end
	return strings.TrimSpace(string(l.said))
}
