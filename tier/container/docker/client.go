package docker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// engine speaks the Engine API, in the part common to Docker and Podman. See
// docs.docker.com/reference/api/engine.
type engine struct {
	dial    func(context.Context) (net.Conn, error)
	http    *http.Client
	version string // of the interface: "/v1.41"
	podman  bool   // it is Podman
}

// Known versions of the interface: engines refuse old versions, and may change
// later ones. Podman has 1.41.
const (
	oldest = 41
	newest = 51
)

// maxAnswer bounds an answer of the engine, in bytes.
const maxAnswer = 8 << 20

// newEngine asks an engine for its version.
func newEngine(ctx context.Context, dial func(context.Context) (net.Conn, error)) (*engine, error) {
	e := &engine{dial: dial}
	e.http = &http.Client{
		Transport: &http.Transport{
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
			DisableKeepAlives: true, // an engine is near, and nothing is left
		},
		// An engine has no reason to redirect us.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := e.request(ctx, http.MethodGet, "/_ping", nil, nil, "")
	if err != nil {
		return nil, err
	}
	answer.Body.Close()
	major, minor, _ := strings.Cut(answer.Header.Get("Api-Version"), ".")
	n, err := strconv.Atoi(minor)
	if major != "1" || err != nil || n < oldest {
		return nil, fmt.Errorf("the engine's interface has the version %q: 1.%d is needed", answer.Header.Get("Api-Version"), oldest)
	}
	e.version = fmt.Sprintf("/v1.%d", min(n, newest))
	e.podman = answer.Header.Get("Libpod-Api-Version") != ""
	return e, nil
}

// refusal is an answer of the engine with an unexpected status.
type refusal struct {
	Status  int    `json:"-"`
	Message string `json:"message"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the engine answers %d: %s", r.Status, r.Message)
}

// status returns the status of a refusal, 0 of any other error.
func status(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.Status
	}
	return 0
}

// request sends a request and returns a good answer, whose body the caller
// closes.
func (e *engine) request(ctx context.Context, method, path string, query url.Values, body io.Reader, kind string) (*http.Response, error) {
	u := url.URL{Scheme: "http", Host: "engine", Path: e.version + path, RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := e.http.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		defer answer.Body.Close()
		return nil, readRefusal(answer)
	}
	return answer, nil
}

func readRefusal(answer *http.Response) error {
	r := &refusal{Status: answer.StatusCode}
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if json.Unmarshal(data, r) != nil || r.Message == "" {
		r.Message = strings.TrimSpace(string(data))
	}
	return r
}

// call sends a request with in as its body and reads the answer into out; nil
// means no body.
func (e *engine) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	kind := ""
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, kind = bytes.NewReader(data), "application/json"
	}
	answer, err := e.request(ctx, method, path, query, body, kind)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	limited := io.LimitReader(answer.Body, maxAnswer)
	if out == nil {
		_, err = io.Copy(io.Discard, limited)
		return err
	}
	if err := json.NewDecoder(limited).Decode(out); err != nil {
		return fmt.Errorf("the engine's answer to %s %s: %w", method, path, err)
	}
	return nil
}

// attach takes over the connection of a request for a container's streams.
func (e *engine) attach(ctx context.Context, id string) (_ *attached, err error) {
	conn, err := e.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer func() {
		if !stop() && err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			conn.Close()
		}
	}()
	query := url.Values{"stream": {"1"}, "stdin": {"1"}, "stdout": {"1"}, "stderr": {"1"}}
	req, err := http.NewRequest(http.MethodPost, "http://engine"+e.version+"/containers/"+id+"/attach?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "tcp")
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(conn, 64<<10)
	answer, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols && answer.StatusCode != http.StatusOK {
		return nil, readRefusal(answer)
	}
	return newAttached(conn, r), nil
}
