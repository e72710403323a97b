package firecracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Bounds of a conversation.
const (
	maxReply   = 64 << 10
	maxFault   = 1 << 10
	appears    = 30 * time.Second // until the socket is there
	answers    = 30 * time.Second // to a request
	stateMoves = 5 * time.Minute  // to one that writes or reads a guest's memory
)

// APIError is a request that Firecracker refused.
type APIError struct {
	Method, Path string
	Status       int
	Fault        string // its fault_message, which may tell paths of the host
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%s %s: %d: %s", e.Method, e.Path, e.Status, e.Fault)
}

// client speaks the API of one Firecracker.
type client struct {
	home *home
	dead <-chan struct{}
	http *http.Transport
}

func newClient(h *home, dead <-chan struct{}) *client {
	return &client{home: h, dead: dead, http: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return h.dial(ctx, apiSocket)
		},
		MaxResponseHeaderBytes: maxReply,
		DisableCompression:     true,
		MaxConnsPerHost:        1,
	}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// errDead: there is nobody to ask.
var errDead = errors.New("Firecracker has ended")

// wait returns once the socket takes connections.
func (c *client) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, appears, fmt.Errorf("no API socket after %s", appears))
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		conn, err := c.home.dial(ctx, apiSocket)
		if err == nil {
			return conn.Close()
		}
		if !notYet(err) {
			return fmt.Errorf("API socket: %w", err)
		}
		select {
		case <-c.dead:
			return errDead
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// do sends a request with body as JSON, unless nil, and decodes the reply into
// reply, unless nil.
func (c *client) do(ctx context.Context, patience time.Duration, method, path string, body, reply any) error {
	what := method + " " + path
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%s: no answer after %s", what, patience))
	defer cancel()
	// A dead Firecracker closes its sockets, but a dying process may take a
	// while.
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-c.dead:
			cancel()
		case <-stop:
		}
	}()
	fail := func(err error) error {
		if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
			return cause
		}
		select {
		case <-c.dead:
			return fmt.Errorf("%s: %w", what, errDead)
		default:
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, text)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.RoundTrip(r)
	if err != nil {
		return fail(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err != nil {
		return fail(err)
	}
	if len(data) > maxReply {
		return fail(fmt.Errorf("a reply of more than %d bytes", maxReply))
	}
	want := http.StatusNoContent
	if reply != nil {
		want = http.StatusOK
	}
	if res.StatusCode != want {
		return &APIError{method, path, res.StatusCode, fault(data)}
	}
	if reply != nil {
		if err := json.Unmarshal(data, reply); err != nil {
			return fail(err)
		}
	}
	return nil
}

// fault returns the message in the body of an error.
func fault(body []byte) string {
	var f struct {
		Message string `json:"fault_message"`
	}
	if json.Unmarshal(body, &f) != nil || f.Message == "" {
		f.Message = string(body)
	}
	f.Message = strings.Join(strings.Fields(strings.ToValidUTF8(f.Message, "?")), " ")
	if len(f.Message) > maxFault {
		f.Message = strings.ToValidUTF8(f.Message[:maxFault], "") + "…"
	}
	return f.Message
}
