package firecracker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// log takes Firecracker's log from a named pipe in its home: endless logging
// caused by a guest fills no disk.
type log struct {
	pipe *os.File
	kept monitor.Console
	done chan struct{}
}

func openLog(h *home) (*log, error) {
	name := filepath.Join(h.path, logPipe)
	if err := unix.Mkfifo(name, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: name, Err: err}
	}
	// For writing too: so the pipe survives a new opening by Firecracker.
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if h.owner != nil {
		if err := f.Chown(int(h.owner.Uid), int(h.owner.Gid)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	l := &log{pipe: f, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		f.WriteTo(&l.kept)
	}()
	return l, nil
}

// end is the end of the log.
func (l *log) end() string {
	if l == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(l.kept.Bytes())), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

func (l *log) close() {
	l.pipe.Close()
	<-l.done
}
