package firecracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

const (
	// boots bounds the time until a guest listens.
	boots = 2 * time.Minute
	// attempt bounds one attempt to connect. Firecracker itself gives a guest
	// two seconds to answer.
	attempt = 5 * time.Second
	maxOK   = len("OK 4294967295\n")
)

// errRefused: the guest does not listen, or not yet.
var errRefused = errors.New("nobody listens in the guest")

// channel is the connection to the guest, made in the background: the guest
// listens once it has booted, within a time that the tier chooses. All methods
// but Close wait for the connection.
type channel struct {
	net.Conn // once ready is closed, and err is nil
	err      error
	ready    chan struct{}
	cancel   context.CancelFunc
}

func openChannel(h *home, dead <-chan struct{}) *channel {
	ctx, cancel := context.WithCancel(context.Background())
	c := &channel{ready: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(c.ready)
		c.Conn, c.err = connect(ctx, h, dead)
	}()
	return c
}

// wait returns once the connection is made, or has failed.
func (c *channel) wait() error {
	<-c.ready
	return c.err
}

func (c *channel) Read(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *channel) Write(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *channel) LocalAddr() net.Addr  { return address{} }
func (c *channel) RemoteAddr() net.Addr { return address{} }

// address is that of the guest's listener.
type address struct{}

func (address) Network() string { return string(monitor.Vsock) }
func (address) String() string  { return fmt.Sprintf("%d:%d", guestCID, monitor.VsockPort) }

// deadline sets a deadline of the connection.
func (c *channel) deadline(set func(net.Conn) error) error {
	if err := c.wait(); err != nil {
		return err
	}
	return set(c.Conn)
}

func (c *channel) SetDeadline(t time.Time) error {
	return c.deadline(func(n net.Conn) error { return n.SetDeadline(t) })
}

func (c *channel) SetReadDeadline(t time.Time) error {
	return c.deadline(func(n net.Conn) error { return n.SetReadDeadline(t) })
}

func (c *channel) SetWriteDeadline(t time.Time) error {
	return c.deadline(func(n net.Conn) error { return n.SetWriteDeadline(t) })
}

// Close ends the connection, and the attempts to make it.
func (c *channel) Close() error {
	c.cancel()
	if c.wait() != nil {
		return nil // there is none
	}
	return c.Conn.Close()
}

// connect connects to the guest's listener. It tries until the guest listens,
// ctx ends or Firecracker is dead.
func connect(ctx context.Context, h *home, dead <-chan struct{}) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, boots, fmt.Errorf("the guest does not listen after %s", boots))
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		conn, err := tryConnect(ctx, h)
		if err == nil || !notYet(err) && !errors.Is(err, errRefused) {
			return conn, err
		}
		select {
		case <-dead:
			return nil, fmt.Errorf("vsock: %w", errDead)
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), fmt.Errorf("vsock: %w", err))
		case <-time.After(pause):
		}
	}
}

// tryConnect makes one attempt.
func tryConnect(ctx context.Context, h *home) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	conn, err := h.dial(ctx, vsockSocket)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err = handshake(conn, monitor.VsockPort)
	if !stop() {
		err = errRefused // it came too late, or the deadline did
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// handshake asks Firecracker for a connection to a port of the guest: "CONNECT
// PORT\n" is answered with "OK PORT\n" (docs/vsock.md), or with the end of the
// stream where nobody listens. What follows is the guest's, and is not read.
func handshake(conn io.ReadWriter, port int) error {
	if _, err := fmt.Fprintf(conn, "CONNECT %d\n", port); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	var line []byte
	for one := make([]byte, 1); len(line) < maxOK; {
		if _, err := io.ReadFull(conn, one); err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		line = append(line, one...)
		if one[0] != '\n' {
			continue
		}
		number, ok := bytes.CutPrefix(line[:len(line)-1], []byte("OK "))
		if _, err := strconv.ParseUint(string(number), 10, 32); !ok || err != nil {
			break
		}
		return nil
	}
	return fmt.Errorf("vsock: CONNECT was answered with %q", line)
}
