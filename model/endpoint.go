package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds of an endpoint's answers. An endpoint is a stranger: its answer is a
// model's text, and the server may be an impostor.
const (
	// maxAnswer is the most bytes of an answer on the wire, decompressed.
	maxAnswer = 64 << 20
	// maxText is the most bytes of a reply's text.
	maxText = 16 << 20
	// maxLine is the longest line of a stream.
	maxLine = 1 << 20
	// maxFault is how much of an error's body is read.
	maxFault = 64 << 10
	// maxMessage is how much of a provider's message an error shows.
	maxMessage = 600
	// maxHeader is the most bytes of an answer's headers.
	maxHeader = 256 << 10
	// maxRedirects is the most redirects, all on one host.
	maxRedirects = 3
	// maxRetryAfter is the longest wait that a provider can ask for.
	maxRetryAfter = 24 * time.Hour
)

// The connections of an endpoint.
const (
	// maxIdle is how many are kept for the next requests, where several
	// candidates are generated at once.
	maxIdle       = 16
	idleTime      = 90 * time.Second
	handshakeTime = 10 * time.Second
)

// endpoint is the way to a provider, the same for all formats: one HTTP
// client, bounds, and no secret in an error.
type endpoint struct {
	provider string
	timeout  time.Duration
	http     *http.Client
	// root is the base of all paths, header the common headers of all requests.
	root    string
	header  http.Header
	secrets []string
	keyless bool
}

// newEndpoint makes the endpoint of c. Paths begin with version, a permitted
// end of the address; header are the format's own headers, including the key.
func newEndpoint(c Config, base *url.URL, version string, header http.Header) *endpoint {
	home := origin(base)
	e := &endpoint{provider: c.Provider, timeout: c.Timeout, keyless: c.Key == "", header: header}
	e.root = strings.TrimRight(c.BaseURL, "/")
	if version != "" {
		e.root = strings.TrimSuffix(e.root, "/"+version) + "/" + version
	}
	header.Set("User-Agent", "glovebox")
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	for name, value := range c.Headers {
		header.Set(name, value)
	}
	e.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    maxIdle,
			IdleConnTimeout:        idleTime,
			TLSHandshakeTimeout:    handshakeTime,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case origin(r.URL) != home:
				return &Error{Kind: KindRequest, Err: fmt.Errorf("it redirects to %s, which must not see the key", r.URL.Host)}
			case len(via) > maxRedirects:
				return &Error{Kind: KindRequest, Err: errors.New("it redirects again and again")}
			}
			return nil
		},
	}
	for _, s := range append([]string{c.Key}, values(c.Headers)...) {
		// Short values are names and versions, and would blacken any text.
		if len(s) >= 8 {
			e.secrets = append(e.secrets, s)
		}
	}
	return e
}

func values(m map[string]string) []string {
	var l []string
	for _, v := range m {
		l = append(l, v)
		// "Bearer X": X alone is the secret.
		if _, rest, ok := strings.Cut(v, " "); ok {
			l = append(l, rest)
		}
	}
	return l
}

// post sends body as JSON and returns an answer with a status of success, whose
// body is bounded. An answer with any other status is a [*fault].
func (e *endpoint) post(ctx context.Context, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.root+"/"+path, bytes.NewReader(data))
	if err != nil {
		return nil, &Error{Kind: KindRequest, Err: err}
	}
	r.Header = e.header.Clone()
	res, err := e.http.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		res.Body = &bounded{body: res.Body, left: maxAnswer}
		return res, nil
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, maxFault))
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	f := readFault(said)
	f.status = res.StatusCode
	f.retryAfter = retryAfter(res.Header, time.Now())
	return nil, f
}

// bounded is a body that ends with an error after so many bytes.
type bounded struct {
	body io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, malformed("the answer is longer than %d MiB", maxAnswer>>20)
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.body.Read(p)
	b.left -= int64(n)
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }

func malformed(format string, args ...any) *Error {
	return &Error{Kind: KindMalformed, Err: fmt.Errorf(format, args...)}
}

// fault is a provider's description of a failed request.
type fault struct {
	status               int
	retryAfter           time.Duration
	message, param, code string
}

func (f *fault) Error() string { return f.message }

// kind sorts a fault by its status, or by a more informative code.
func (f *fault) kind() Kind {
	switch f.code {
	case "insufficient_quota", "billing_error":
		// A status of 429 like a rate limit, but no wait helps.
		return KindRequest
	case "rate_limit_error", "rate_limit_exceeded":
		return KindRateLimit
	case "overloaded_error", "api_error", "server_error", "timeout_error":
		return KindServer
	case "authentication_error", "permission_error":
		return KindAuth
	}
	switch {
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden:
		return KindAuth
	case f.status == http.StatusTooManyRequests:
		return KindRateLimit
	case f.status >= 500 || f.status == http.StatusConflict:
		return KindServer
	case f.status == http.StatusRequestTimeout:
		return KindNetwork
	case f.status == 0 && f.code != "invalid_request_error":
		// An error in the middle of a stream, of an unknown kind.
		return KindServer
	}
	return KindRequest
}

// readFault reads the common forms of errors: {"error": {"message", "param",
// "code", "type"}}, {"error": "…"}, {"message": "…"}, {"detail": …}, and plain
// text.
func readFault(body []byte) *fault {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	f := &fault{}
	if json.Unmarshal(body, &outer) == nil {
		var inner struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Param   string `json:"param"`
			Code    any    `json:"code"` // a text or a number
		}
		if json.Unmarshal(outer.Error, &inner) == nil {
			f.message, f.param, f.code = inner.Message, inner.Param, inner.Type
			switch code := inner.Code.(type) {
			case string:
				if code != "" {
					f.code = code
				}
			case float64:
				// A status, where the answer's own was sent too early.
				if code >= 400 && code < 600 {
					f.status = int(code)
				}
			}
		}
		for _, text := range []string{textOf(outer.Error), outer.Message, textOf(outer.Detail)} {
			if f.message == "" {
				f.message = text
			}
		}
	}
	if f.message == "" {
		f.message = string(body)
	}
	return f
}

// textOf is a JSON string's text, and all other JSON unchanged.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// retryAfter reads how long to wait: in milliseconds, in seconds, or until a
// date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	unit, text := time.Millisecond, h.Get("Retry-After-Ms")
	if text == "" {
		unit, text = time.Second, h.Get("Retry-After")
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		// The comparison is false for NaN too.
		if n > 0 {
			return time.Duration(min(n*float64(unit), float64(maxRetryAfter)))
		}
		return 0
	}
	if t, err := http.ParseTime(text); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// fail makes the error of a request from the outcome. The end of ctx, the
// caller's context, has precedence.
func (e *endpoint) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	out := &Error{Provider: e.provider, Kind: KindNetwork, Err: err}
	var (
		ours *Error
		f    *fault
		cert *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &ours):
		out.Kind, out.Err = ours.Kind, ours.Err
	case errors.As(err, &f):
		out.Kind, out.Status, out.RetryAfter = f.kind(), f.status, f.retryAfter
		if out.Kind == KindAuth && e.keyless {
			out.Err = fmt.Errorf("%s (no key was sent: set %s)", f.message, EnvKey)
		}
	case errors.As(err, &cert):
		out.Kind = KindRequest
	case errors.Is(err, context.DeadlineExceeded):
		out.Err = fmt.Errorf("no whole answer within %v", e.timeout)
	}
	// The text comes from outside.
	out.Err = errors.New(e.clean(out.Err.Error()))
	return out
}

// clean makes a message fit to be shown: one line, bounded, without secrets.
func (e *endpoint) clean(s string) string {
	for _, secret := range e.secrets {
		s = strings.ReplaceAll(s, secret, "[secret]")
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if s == "" {
		return "it gave no reason"
	}
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + " …"
	}
	return s
}
