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
	// boots is how long a guest may take until it listens.
	boots = 2 * time.Minute
	// attempt is how long one try to connect may take. Firecracker itself gives
	// a guest two seconds to answer.
	attempt = 5 * time.Second
	maxOK   = len("OK 4294967295\n")
)

// errRefused: nobody listens in the guest, or not yet.
var errRefused = errors.New("nobody listens in the guest")

// connect connects to the guest's listener. It tries until the guest listens, ctx
// ends or Firecracker is dead.
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
