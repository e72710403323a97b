package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox/internal/dialguard"
)

// stall is how long a server may say nothing.
const stall = time.Minute

// client downloads files; it honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
var client = &http.Client{
	Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: stall, Control: dialguard.NamedOnly}).DialContext,
		TLSHandshakeTimeout:   stall,
		ResponseHeaderTimeout: stall,
		DisableKeepAlives:     true, // nothing is left behind
	},
	CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) > 5:
			return errors.New("more than 5 redirects")
		case via[0].URL.Scheme == "https" && r.URL.Scheme != "https":
			return fmt.Errorf("redirected from https to %s", r.URL.Redacted())
		}
		return nil
	},
}

// errMissing: the server does not have the file.
var errMissing = errors.New("not found")

// fetch copies at most limit bytes from a URL to w, and returns their SHA-256.
func fetch(ctx context.Context, p *progress, from string, w io.Writer, limit int64) (string, error) {
	u, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", fmt.Errorf("%q is not an http or https URL", from)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %s", stall)) })
	defer silence.Stop()
	fail := func(err error) error {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("User-Agent", "glovebox")
	r.Header.Set("Accept-Encoding", "identity")
	res, err := client.Do(r)
	if err != nil {
		return "", fail(errors.Unwrap(err)) // without the URL, which follows
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusGone:
		return "", fail(errMissing)
	case res.StatusCode != http.StatusOK:
		return "", fail(errors.New(res.Status))
	case res.ContentLength > limit:
		return "", fail(fmt.Errorf("%d bytes, of at most %d", res.ContentLength, limit))
	}
	p.begin("fetching "+u.Redacted(), max(res.ContentLength, 0))
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, h, alive{silence}), p.count(ctx, res.Body, limit))
	if err != nil {
		return "", fail(err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// alive puts the end of a silence off with every write.
type alive struct{ silence *time.Timer }

func (a alive) Write(p []byte) (int, error) {
	a.silence.Reset(stall)
	return len(p), nil
}

// fetchDeb gets a package, checks the hash and then reads the package.
func fetchDeb(ctx context.Context, p *progress, from, sum string, limit int64) (*tree, error) {
	f, err := os.CreateTemp("", "glovebox-kernel-*")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil { // it lives on until it is closed
		return nil, err
	}
	got, err := fetch(ctx, p, from, f, limit)
	if err != nil {
		return nil, err
	}
	if got != sum {
		return nil, fmt.Errorf("%s has the SHA-256 %s, not %s", from, got, sum)
	}
	t, err := readSpooled(ctx, p, f, sum)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return t, nil
}
