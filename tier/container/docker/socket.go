package docker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// connect finds the engine.
func connect(ctx context.Context, o Options) (*engine, error) {
	hosts := []string{o.Host}
	if o.Host == "" {
		hosts = []string{os.Getenv("DOCKER_HOST")}
	}
	if hosts[0] == "" {
		hosts = usualHosts()
	}
	var errs []error
	for _, host := range hosts {
		dial, err := dialer(host, o.TLSDir)
		if err != nil {
			return nil, err
		}
		e, err := newEngine(ctx, dial)
		if err == nil {
			return e, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", host, err))
	}
	return nil, fmt.Errorf("no engine answers: %w", errors.Join(errs...))
}

// dialer returns what connects to a host.
func dialer(host, tlsDir string) (func(context.Context) (net.Conn, error), error) {
	u, err := url.Parse(host)
	if err != nil {
		return nil, fmt.Errorf("the engine's address: %w", err)
	}
	var d net.Dialer
	switch u.Scheme {
	case "unix":
		if !filepath.IsAbs(u.Path) || u.Host != "" {
			return nil, fmt.Errorf("the engine's address %q: its path must be absolute", host)
		}
		return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", u.Path) }, nil
	case "npipe":
		name := strings.ReplaceAll(strings.TrimPrefix(host, "npipe://"), "/", `\`)
		return func(ctx context.Context) (net.Conn, error) { return dialPipe(ctx, name) }, nil
	case "tcp":
		config, err := secure(tlsDir)
		if err != nil {
			return nil, fmt.Errorf("the engine's address %q: who may talk to an engine is root there, so TLS with certificates of both sides is required: %w", host, err)
		}
		t := tls.Dialer{NetDialer: &d, Config: config}
		return func(ctx context.Context) (net.Conn, error) { return t.DialContext(ctx, "tcp", u.Host) }, nil
	}
	return nil, fmt.Errorf("the engine's address %q: unix, npipe and tcp are known", host)
}

// secure reads the certificates of a directory.
func secure(dir string) (*tls.Config, error) {
	if dir == "" {
		dir = os.Getenv("DOCKER_CERT_PATH")
	}
	if dir == "" {
		return nil, errors.New("there is no directory of them (DOCKER_CERT_PATH)")
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("ca.pem holds no certificate")
	}
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}, nil
}
