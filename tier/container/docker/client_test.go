package docker

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAddresses(t *testing.T) {
	t.Setenv("DOCKER_CERT_PATH", "")
	for host, says := range map[string]string{
		"unix:///run/engine.sock":  "",
		"npipe:////./pipe/engine":  "",
		"unix://relative.sock":     "absolute",
		"unix://host/engine.sock":  "absolute",
		"tcp://192.0.2.1:2375":     "TLS",
		"http://192.0.2.1:2375":    "known",
		"ssh://somebody@192.0.2.1": "known",
		"/run/engine.sock":         "known",
		"://":                      "address",
		"fd://":                    "known",
	} {
		dial, err := dialer(host, "")
		if says == "" && (err != nil || dial == nil) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: got %v, want %q", host, err, says)
		}
	}
}

// issue makes a certificate for loopback; without an issuer it is its own.
func issue(t *testing.T, dir, name string, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: issuer == nil, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if issuer == nil {
		issuer, issuerKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name + ".pem": {Type: "CERTIFICATE", Bytes: der}, map[string]string{"cert": "key"}[name] + ".pem": {Type: "PRIVATE KEY", Bytes: raw},
	} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// Over TCP both sides show who they are.
func TestTLS(t *testing.T) {
	known, unknown := t.TempDir(), t.TempDir()
	ca, caKey := issue(t, known, "ca", nil, nil)
	issue(t, known, "cert", ca, caKey)
	otherCA, otherKey := issue(t, unknown, "ca", nil, nil)
	issue(t, unknown, "cert", otherCA, otherKey)

	pool := x509.NewCertPool()
	pool.AddCert(ca)
	own, err := tls.LoadX509KeyPair(filepath.Join(known, "cert.pem"), filepath.Join(known, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.45") }))
	server.Config.ErrorLog = nil
	server.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	server.StartTLS()
	defer server.Close()
	host := "tcp://" + server.Listener.Addr().String()
	e, err := connect(context.Background(), Options{Host: host, TLSDir: known})
	if err != nil || e.version != "/v1.45" {
		t.Errorf("got %+v, %v", e, err)
	}
	for name, dir := range map[string]string{"strangers": unknown, "no certificates": t.TempDir()} {
		if _, err := connect(context.Background(), Options{Host: host, TLSDir: dir}); err == nil {
			t.Errorf("%s were accepted", name)
		}
	}
}

func TestTar(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "usr/bin"), 0o755),
		os.WriteFile(filepath.Join(dir, "usr/bin/tool"), []byte("tool"), 0o555),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o444),
		os.Symlink("usr/bin", filepath.Join(dir, "bin")),
		os.Symlink("/does/not/exist", filepath.Join(dir, "nowhere")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := writeTar(context.Background(), &b, dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s: %+v, %v", h.Name, h, err)
		}
		got = append(got, h.Name+" "+h.FileInfo().Mode().String()+" "+h.Linkname+string(text))
	}
	want := []string{
		"bin Lrwxrwxrwx usr/bin", "empty -r--r--r-- ", "nowhere Lrwxrwxrwx /does/not/exist", "usr/ drwxr-xr-x ",
		"usr/bin/ drwxr-xr-x ", "usr/bin/tool -r-xr-xr-x tool",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if err := writeTar(context.Background(), io.Discard, dir); err == nil {
		t.Error("a socket was taken")
	}
}

// FuzzAttached: whatever an engine sends, what comes out is no more than that,
// and what is kept of stderr is bounded.
func FuzzAttached(f *testing.F) {
	piece := func(stream byte, n uint32, text string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{stream, 0, 0, 0}, n), text...)
	}
	f.Add(slices.Concat(piece(1, 5, "hello"), piece(2, 3, "err"), piece(1, 0, ""), piece(1, 1, "!")))
	f.Add(piece(2, 1<<32-1, "much"))
	f.Add(piece(3, 1, "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newAttached(nil, bufio.NewReader(bytes.NewReader(data)))
		out, _ := io.ReadAll(a)
		if len(out) > len(data) || len(a.said) > maxSaid {
			t.Errorf("%d bytes became %d and %d", len(data), len(out), len(a.said))
		}
	})
}
