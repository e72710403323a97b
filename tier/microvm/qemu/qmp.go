//go:build linux

package qemu

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxMessage bounds one message of QEMU's. QEMU serves a hostile guest, so
// messages are treated as the guest's.
const maxMessage = 64 << 10

// patience bounds the answer to an instant command.
const patience = 20 * time.Second

// control speaks QMP, QEMU's own protocol: one JSON object on each line. Only
// one goroutine may use control at a time.
type control struct {
	conn    *net.UnixConn
	answers chan answer // what came, events left out; closed at the end
	stop    chan struct{}
	id      uint64
	err     error // why answers was closed
}

// answer is QEMU's reply to a command, or its greeting.
type answer struct {
	ID     uint64          `json:"id"`
	Event  string          `json:"event"`
	Return json.RawMessage `json:"return"`
	QMP    json.RawMessage `json:"QMP"`
	Error  *struct {
		Description string `json:"desc"`
	} `json:"error"`
}

// openControl greets QEMU. It closes conn where it fails.
func openControl(conn *net.UnixConn) (*control, error) {
	c := &control{conn: conn, answers: make(chan answer), stop: make(chan struct{})}
	go c.read()
	hello, err := c.next(patience)
	if err == nil && hello.QMP == nil {
		err = errors.New("QEMU did not greet")
	}
	if err == nil {
		err = c.do("qmp_capabilities", nil, nil)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// read forwards QEMU's replies and drops events, so QEMU never waits for a
// reader.
func (c *control) read() {
	defer close(c.answers)
	lines := bufio.NewScanner(c.conn)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		a, err := parse(lines.Bytes())
		if err != nil {
			c.err = err
			return
		}
		if a.Event != "" {
			continue
		}
		select {
		case c.answers <- a:
		case <-c.stop:
			return
		}
	}
	c.err = lines.Err()
}

func parse(line []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return answer{}, fmt.Errorf("QEMU said something that is no message: %w", err)
	}
	return a, nil
}

func (c *control) next(wait time.Duration) (answer, error) {
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a, ok := <-c.answers:
		if !ok {
			return a, errors.Join(errors.New("QEMU has closed its control socket"), c.err)
		}
		return a, nil
	case <-late.C:
		return answer{}, fmt.Errorf("QEMU did not answer within %v", wait)
	}
}

// do executes a command, with a file for QEMU to keep if one is given, and
// stores the return value in result, unless nil.
func (c *control) do(name string, arguments, result any, files ...*os.File) error {
	c.id++
	line, err := json.Marshal(struct {
		Execute   string `json:"execute"`
		Arguments any    `json:"arguments,omitempty"`
		ID        uint64 `json:"id"`
	}{name, arguments, c.id})
	if err != nil {
		return err
	}
	var rights []byte
	for _, f := range files {
		rights = append(rights, syscall.UnixRights(int(f.Fd()))...)
	}
	c.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, _, err := c.conn.WriteMsgUnix(append(line, '\n'), rights, nil); err != nil {
		return fmt.Errorf("QEMU: %s: %w", name, err)
	}
	a, err := c.next(patience)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case a.Error != nil:
		return fmt.Errorf("QEMU: %s: %.500s", name, a.Error.Description)
	case a.ID != c.id || a.Return == nil:
		return fmt.Errorf("QEMU: %s: it answered something else", name)
	case result != nil:
		return json.Unmarshal(a.Return, result)
	}
	return nil
}

// Close ends the conversation; QEMU goes on.
func (c *control) Close() error {
	close(c.stop)
	err := c.conn.Close()
	for range c.answers {
	}
	return err
}

// pair makes a connection to ourselves: our end and QEMU's.
func pair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}
