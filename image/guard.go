package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/dialguard"
)

// guard is the only way to the network. A registry decides, by redirects and
// by the address of its token service, where we connect to: the guard holds
// each connection to where an image may come from, and each answer to a size
// and a pace.
type guard struct {
	home     string   // the registry, as host or host:port
	hosts    []string // others that the operator named
	insecure bool     // plain HTTP to home, on this machine
	stall    time.Duration

	transport *http.Transport
	mu        sync.Mutex
	proxies   map[string]bool // host:port
}

func newGuard(home string, o PullOptions) *guard {
	g := &guard{home: home, hosts: o.Hosts, insecure: o.Insecure, stall: o.Stall, proxies: map[string]bool{}}
	if g.stall <= 0 {
		g.stall = 30 * time.Second
	}
	g.transport = &http.Transport{
		Proxy:                  g.proxy,
		DialContext:            g.dial,
		MaxResponseHeaderBytes: 256 << 10,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // digests are of what is sent
		IdleConnTimeout:        g.stall,
	}
	return g
}

func (g *guard) close() { g.transport.CloseIdleConnections() }

// proxy is the operator's own proxy, with any address.
func (g *guard) proxy(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if err == nil && u != nil {
		g.mu.Lock()
		g.proxies[address(u)] = true
		g.mu.Unlock()
	}
	return u, err
}

// address returns host:port of a URL.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// ours reports whether the operator named an address: then it may be private.
func (g *guard) ours(hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	for _, h := range append([]string{g.home}, g.hosts...) {
		if h == hostport || h == net.JoinHostPort(host, port) || h == host && port == "443" {
			return true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.proxies[hostport]
}

func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ours := g.ours(addr)
	d := net.Dialer{Timeout: g.stall, Control: func(_, resolved string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(resolved)
		if err != nil {
			return err
		}
		if host, _, _ := net.SplitHostPort(addr); host == "localhost" && !ap.Addr().Unmap().IsLoopback() {
			return fmt.Errorf("localhost is at %s: refused", ap.Addr())
		}
		return mayDial(addr, ap.Addr(), ours)
	}}
	return d.DialContext(ctx, network, addr)
}

// mayDial refuses addresses of services that are not for everyone.
func mayDial(name string, ip netip.Addr, ours bool) error {
	check := dialguard.Public
	if ours {
		check = dialguard.Named
	}
	if err := check(ip); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// limitKey is the context key of how long an answer may be.
type limitKey struct{}

// withLimit bounds the answers to requests with this context. The remaining
// answers, with tokens or errors, are bounded by maxAnswer.
func withLimit(ctx context.Context, most int64) context.Context {
	return context.WithValue(ctx, limitKey{}, most)
}

const maxAnswer = 1 << 20

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.mayAsk(r.URL); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	watch := time.AfterFunc(g.stall, func() {
		cancel(fmt.Errorf("%s stalls: less than a KiB in %v", r.URL.Host, g.stall))
	})
	stop := func() { watch.Stop(); cancel(nil) }
	resp, err := g.transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = becauseOf(ctx, err)
		stop()
		return nil, err
	}
	most, ok := r.Context().Value(limitKey{}).(int64)
	if !ok || resp.StatusCode/100 != 2 {
		most = maxAnswer
	}
	resp.Body = &paced{ReadCloser: resp.Body, ctx: ctx, stop: stop, left: most, host: r.URL.Host,
		reset: func() { watch.Reset(g.stall) }}
	return resp, nil
}

// mayAsk refuses URLs that cannot lead to an image.
func (g *guard) mayAsk(u *url.URL) error {
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	literal := err == nil
	switch {
	case u.User != nil:
		return fmt.Errorf("%s: a URL with a password: refused", u.Redacted())
	case u.Scheme == "https":
	case u.Scheme != "http":
		return fmt.Errorf("a URL of the scheme %.20q: refused, only https is taken", u.Scheme)
	case !slices.Contains([]string{g.home, g.home + ":80"}, u.Host):
		return fmt.Errorf("%.80s: plain HTTP: refused, another host than the registry is asked by HTTPS only", u.Host)
	case !g.insecure:
		return fmt.Errorf("%.80s: plain HTTP: refused; a registry on this machine's loopback may be named insecure", u.Host)
	case !(literal && ip.IsLoopback() || host == "localhost"):
		return fmt.Errorf("%.80s: plain HTTP: refused, it is allowed on this machine's loopback only", u.Host)
	}
	if literal {
		return mayDial(host, ip, g.ours(address(u)))
	}
	return nil
}

// becauseOf returns the cause for the end of a context, if it ended, in place
// of the end itself.
func becauseOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		return cause
	}
	return err
}

// paced is an answer that must keep coming, and end.
type paced struct {
	io.ReadCloser
	ctx   context.Context
	host  string
	left  int64
	got   int // since the last reset
	reset func()
	stop  func()
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if p.left -= int64(n); p.left < 0 {
		return n, fmt.Errorf("%s sends more than was asked for", p.host)
	}
	if p.got += n; p.got >= 1<<10 {
		p.got = 0
		p.reset()
	}
	if err != nil && err != io.EOF {
		err = becauseOf(p.ctx, err)
	}
	return n, err
}

func (p *paced) Close() error {
	p.stop()
	return p.ReadCloser.Close()
}
