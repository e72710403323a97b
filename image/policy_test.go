package image

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func TestReferences(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	tests := []struct{ text, want string }{
		{"python", "docker.io/library/python:latest"},
		{"python:3.12", "docker.io/library/python:3.12"},
		{"acme/tool", "docker.io/acme/tool:latest"},
		{"docker.io/python", "docker.io/library/python:latest"},
		{"index.docker.io/library/python", "docker.io/library/python:latest"},
		{"ghcr.io/a/b/c:1", "ghcr.io/a/b/c:1"},
		{"localhost:5000/x", "localhost:5000/x:latest"},
		{"127.0.0.1:5000/x:y", "127.0.0.1:5000/x:y"},
		{"python@" + digest, "docker.io/library/python@" + digest},
		{"python:3@" + digest, "docker.io/library/python:3@" + digest},
		{"localhost:5000/x@" + digest, "localhost:5000/x@" + digest},
	}
	for _, tt := range tests {
		r, err := parseReference(tt.text)
		if err != nil || r.String() != tt.want {
			t.Errorf("%s: %q, %v", tt.text, r, err)
			continue
		}
		if again, err := parseReference(r.String()); err != nil || again.String() != r.String() {
			t.Errorf("%s is not normal: %q, %v", r, again, err)
		}
	}
	for _, text := range []string{
		"", " ", "Python", "a b", "../x", "../../x", "a/../b", "a//b", "/etc/passwd", "a:", "a:b:c", "a@sha256:1", "a@sha512:" + strings.Repeat("a", 128),
		"a@", "http://x/y", "x:" + strings.Repeat("t", 129), strings.Repeat("a", 2000), "a\x00b", "a\n", "-x/y", "x.io/-a", "u:p@x.io/y", "x.io/y?z", "x.io:999999/y", "a.b/c/..", "file:///etc/passwd",
	} {
		if r, err := parseReference(text); err == nil {
			t.Errorf("%q is taken as %q", text, r)
		}
	}
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		pattern  string
		yes, not []string
	}{
		{"python", []string{"python", "python:3.12", "docker.io/library/python:x"}, []string{"acme/python", "ghcr.io/library/python", "python2", "pythonista"}},
		{"python:3.*", []string{"python:3.12"}, []string{"python", "python:2", "python:33"}},
		{"acme/*", []string{"acme/tool"}, []string{"acme/a/b", "acme2/tool", "acme"}},
		{"ghcr.io/acme/**", []string{"ghcr.io/acme/a", "ghcr.io/acme/a/b/c"}, []string{"ghcr.io/acme2/a", "evil.io/ghcr.io/acme/a"}},
		{"ghcr.io/**/tool", []string{"ghcr.io/tool", "ghcr.io/a/tool", "ghcr.io/a/b/tool"}, []string{"ghcr.io/tool/x"}},
		{"**", []string{"python", "x.io/a/b"}, nil},
		{"*/library/python", []string{"python", "x.io/library/python"}, []string{"x.io/python"}},
		{"localhost:5000/x", []string{"localhost:5000/x:1"}, []string{"localhost:5001/x", "localhost/x"}},
		{"index.docker.io/library/python", []string{"python"}, nil},
		{"a*z/b", []string{"docker.io/library/q"}[:0], []string{"az/b"}},
	}
	for _, tt := range tests {
		p, err := parsePattern(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		for want, names := range map[bool][]string{true: tt.yes, false: tt.not} {
			for _, n := range names {
				r, err := parseReference(n)
				if err != nil {
					t.Fatal(err)
				}
				if p.matches(r.String()) != want {
					t.Errorf("%s and %s: not %v", tt.pattern, r, want)
				}
			}
		}
	}
	for _, s := range []string{"", " ", "a b", "[a-z]", `a\b`, "a//b", "/a", "a?", "ghcr.io", "x@sha256:1", "\n", strings.Repeat("a/", 3000)} {
		if _, err := parsePattern(s); err == nil {
			t.Errorf("%.20q is a pattern", s)
		}
	}
}

func TestPolicy(t *testing.T) {
	e := newEvil(t)
	s := open(t, private(t))
	push(t, e.host()+"/acme/tool:1", build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1")))
	name := e.host() + "/acme/tool:1"
	pulled, err := s.Pull(t.Context(), name, insecure)
	if err != nil {
		t.Fatal(err)
	}
	// An archive that calls itself by a name that is allowed.
	imported, err := s.ImportRootFS(t.Context(), bytes.NewReader(pack(t, "f=evil")), ImportOptions{Name: e.host() + "/acme/other:1"})
	if err != nil {
		t.Fatal(err)
	}
	other := "sha256:" + strings.Repeat("0", 64)
	tests := []struct {
		name    string
		image   *Image
		policy  *Policy
		refused string
	}{
		{"no policy", pulled, nil, ""},
		{"an empty one", pulled, &Policy{}, "not on the list"},
		{"by name", pulled, &Policy{Allow: []string{e.host() + "/acme/*"}}, ""},
		{"by digest", pulled, &Policy{Allow: []string{pulled.Digest()}}, ""},
		{"another digest", pulled, &Policy{Allow: []string{other}}, "not on the list"},
		{"another name", pulled, &Policy{Allow: []string{e.host() + "/corp/*"}}, "not on the list"},
		{"another tag", pulled, &Policy{Allow: []string{e.host() + "/acme/tool:2"}}, "not on the list"},
		{"a pattern that is none", pulled, &Policy{Allow: []string{"["}}, "not a pattern"},
		{"a claim is no evidence", imported, &Policy{Allow: []string{e.host() + "/acme/*", "**"}}, "import:"},
		{"an import", imported, &Policy{Allow: []string{"import:" + e.host() + "/acme/*"}}, ""},
		{"an import is not a pull", pulled, &Policy{Allow: []string{"import:**"}}, "not on the list"},
		{"an import by digest", imported, &Policy{Allow: []string{imported.Digest()}}, ""},
		{"pinned", pulled, &Policy{Allow: []string{"**"}, Pin: map[string]string{name: pulled.Digest()}}, ""},
		{"pinned to another", pulled, &Policy{Allow: []string{"**"}, Pin: map[string]string{name: other}}, "is pinned to"},
		{"pinned by a pattern", pulled, &Policy{Allow: []string{"**"}, Pin: map[string]string{e.host() + "/**": other}}, "is pinned to"},
		{"pinned to nothing", pulled, &Policy{Allow: []string{"**"}, Pin: map[string]string{name: "latest"}}, "digest"},
		{"unsigned", pulled, &Policy{Allow: []string{"**"}, Keys: [][]byte{newKey(t, elliptic.P256()).public}}, "has no signature"},
		{"a key that is none", pulled, &Policy{Allow: []string{"**"}, Keys: [][]byte{[]byte("x")}}, "PEM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Check(tt.image, tt.policy)
			if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("got %v, want %q", err, tt.refused)
			}
		})
	}
	// What the policy does not allow is not even asked for.
	fresh := open(t, private(t))
	if _, err := fresh.Pull(t.Context(), "registry.invalid/x", PullOptions{Policy: &Policy{Allow: []string{"python"}}}); !errors.Is(err, ErrPolicy) {
		t.Errorf("got %v", err)
	}
	if _, err := fresh.Pull(t.Context(), name, PullOptions{Insecure: true, Policy: &Policy{Allow: []string{other}}}); !errors.Is(err, ErrPolicy) {
		t.Errorf("got %v", err)
	}
	stored(t, fresh)
	// The same content under a name that is allowed too.
	push(t, e.host()+"/corp/same:1", build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1")))
	if _, err := s.Pull(t.Context(), e.host()+"/corp/same:1", insecure); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(pulled, &Policy{Allow: []string{e.host() + "/corp/*"}}); err != nil {
		t.Errorf("one name of it is allowed: %v", err)
	}
	if err := s.Check(pulled, &Policy{Allow: []string{e.host() + "/corp/*"}, Pin: map[string]string{name: other}}); err == nil {
		t.Error("the name that was used is pinned to another digest")
	}
}

// key signs as cosign does.
type key struct {
	crypto.Signer
	public []byte
}

func (k key) sign(t *testing.T, payload []byte) []byte {
	t.Helper()
	var s []byte
	var err error
	if _, ok := k.Signer.(ed25519.PrivateKey); ok {
		s, err = k.Sign(rand.Reader, payload, crypto.Hash(0))
	} else {
		sum := sha256.Sum256(payload)
		s, err = k.Sign(rand.Reader, sum[:], crypto.SHA256)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newKey(t *testing.T, curve elliptic.Curve) key {
	t.Helper()
	var s crypto.Signer
	var err error
	if curve == nil {
		_, s, err = ed25519.GenerateKey(rand.Reader)
	} else {
		s, err = ecdsa.GenerateKey(curve, rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key{s, publicPEM(t, s.Public())}
}

func publicPEM(t *testing.T, public any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func payloadOf(digest string) []byte {
	return fmt.Appendf(nil, `{"critical":{"identity":{"docker-reference":"x"},"image":{"docker-manifest-digest":"%s"},"type":"cosign container image signature"},"optional":null}`, digest)
}

// signatures makes the image that holds a signature.
func signatures(t *testing.T, payload, signature []byte) v1.Image {
	t.Helper()
	img, err := mutate.Append(mutate.MediaType(emptyImage, types.OCIManifestSchema1), mutate.Addendum{
		Layer: staticLayer(payload, payloadType), Annotations: map[string]string{signatureAnnotation: base64.StdEncoding.EncodeToString(signature)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// publics are the public halves of keys, as a policy has them.
func publics(keys []key) (pems [][]byte) {
	for _, k := range keys {
		pems = append(pems, k.public)
	}
	return pems
}

// decided checks what a policy made of an image: nothing, or a refusal that says so.
func decided(t *testing.T, what string, err error, refused string) {
	t.Helper()
	if refused == "" && err != nil || refused != "" && (!errors.Is(err, ErrPolicy) || !strings.Contains(err.Error(), refused)) {
		t.Errorf("%s: got %v, want %q", what, err, refused)
	}
}

func TestSignatures(t *testing.T) {
	ours, theirs, edwards := newKey(t, elliptic.P256()), newKey(t, elliptic.P256()), newKey(t, nil)
	e := newEvil(t)
	other := "sha256:" + strings.Repeat("0", 64)
	tests := []struct {
		name    string
		sign    func(digest string) v1.Image
		keys    []key
		refused string
	}{
		{"ECDSA", func(d string) v1.Image { return signatures(t, payloadOf(d), ours.sign(t, payloadOf(d))) }, []key{ours}, ""},
		{"Ed25519", func(d string) v1.Image { return signatures(t, payloadOf(d), edwards.sign(t, payloadOf(d))) }, []key{edwards}, ""},
		{"one of several keys", func(d string) v1.Image { return signatures(t, payloadOf(d), edwards.sign(t, payloadOf(d))) }, []key{theirs, edwards}, ""},
		{"another key", func(d string) v1.Image { return signatures(t, payloadOf(d), ours.sign(t, payloadOf(d))) }, []key{theirs, edwards}, "by a key"},
		{"of another image", func(d string) v1.Image { return signatures(t, payloadOf(other), ours.sign(t, payloadOf(other))) }, []key{ours}, "not of this image"},
		{"of another payload", func(d string) v1.Image { return signatures(t, payloadOf(d), ours.sign(t, payloadOf(other))) }, []key{ours}, "by a key"},
		{"of something else", func(d string) v1.Image {
			p := bytes.Replace(payloadOf(d), []byte("cosign container image signature"), []byte("atomic container signature"), 1)
			return signatures(t, p, ours.sign(t, p))
		}, []key{ours}, "not of this image"},
		{"an empty signature", func(d string) v1.Image { return signatures(t, payloadOf(d), nil) }, []key{ours}, "no signature"},
		{"rubbish", func(d string) v1.Image { return signatures(t, []byte("x"), []byte("y")) }, []key{ours}, "by a key"},
		{"an image in its place", func(d string) v1.Image { return build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "x=1")) }, []key{ours}, "no signature"},
	}
	for n, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, fmt.Sprintf("f=%d", n)))
			digest, err := img.Digest()
			if err != nil {
				t.Fatal(err)
			}
			repo := fmt.Sprintf("%s/image%d", e.host(), n)
			push(t, repo+":1", img)
			push(t, repo+":"+signatureTag(digest), tt.sign(digest.String()))
			p := &Policy{Allow: []string{"**"}, Keys: publics(tt.keys)}
			expect := func(what string, err error) { t.Helper(); decided(t, what, err, tt.refused) }
			s := open(t, private(t))
			i, err := s.Pull(t.Context(), repo+":1", PullOptions{Insecure: true, Policy: p})
			expect("pulled", err)
			if tt.refused != "" {
				stored(t, s)
				if i, err = s.Pull(t.Context(), repo+":1", insecure); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.GC(t.Context()); err != nil {
				t.Fatal(err)
			}
			expect("checked", s.Check(i, p))

			// The same from a layout, as cosign saves it.
			dir := layoutDir(t, map[string]v1.Image{"": img})
			l, err := layout.FromPath(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.AppendImage(tt.sign(digest.String()), layout.WithAnnotations(map[string]string{cosignAnnotation: cosignSignatures})); err != nil {
				t.Fatal(err)
			}
			p.Allow = []string{digest.String()}
			s = open(t, private(t))
			images, err := s.Import(t.Context(), dir, ImportOptions{KeepNames: true})
			if err != nil {
				if tt.refused == "" {
					t.Error(err)
				}
				return
			}
			expect("imported", s.Check(images[0], p))
		})
	}
}

// TestSignedIndex has a signature of the list of platforms, as most are.
func TestSignedIndex(t *testing.T) {
	ours := newKey(t, elliptic.P256())
	e := newEvil(t)
	img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1"))
	index := mutate.AppendManifests(emptyIndex, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: runtime.GOARCH}}})
	push(t, e.host()+"/x:1", index)
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	p := payloadOf(digest.String())
	push(t, e.host()+"/x:"+signatureTag(digest), signatures(t, p, ours.sign(t, p)))
	policy := &Policy{Allow: []string{digest.String()}, Keys: [][]byte{ours.public}}
	s := open(t, private(t))
	i, err := s.Pull(t.Context(), e.host()+"/x:1", PullOptions{Insecure: true, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), i.Digest()); err != nil {
		t.Error(err)
	}
	// A record that claims an index which does not list the image.
	lying := *i
	lying.ref.Digest = "sha256:" + strings.Repeat("1", 64)
	if err := s.Check(&lying, policy); !errors.Is(err, ErrPolicy) {
		t.Errorf("got %v", err)
	}
}

func TestKeysRefused(t *testing.T) {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"empty": nil, "RSA": publicPEM(t, k.Public()), "another curve": newKey(t, elliptic.P384()).public,
		"two": append(newKey(t, nil).public, newKey(t, nil).public...), "a certificate": []byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"),
	} {
		if _, err := parseKey(b); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func FuzzReference(f *testing.F) {
	f.Add("python:3.12@sha256:" + strings.Repeat("a", 64))
	f.Add("localhost:5000/a/b-c__d.e:tag")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := parseReference(s)
		if err != nil {
			return
		}
		again, err := parseReference(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%q is %q, and that is %q, %v", s, r, again, err)
		}
		if strings.Contains(r.String(), "..") && strings.Contains(r.String(), "/../") || strings.ContainsAny(r.String(), " \x00\n?#%\\") {
			t.Errorf("%q is taken as %q", s, r)
		}
		if p, err := parsePattern(r.repo()); err != nil || !p.matches(r.String()) {
			t.Errorf("%q is no pattern of itself: %v", r, err)
		}
	})
}

func FuzzPayload(f *testing.F) {
	f.Add(payloadOf("sha256:" + strings.Repeat("a", 64)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := parsePayload(b); err == nil {
			if _, err := parseDigest(d); err != nil {
				t.Errorf("%q vouches for %q", b, d)
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.image.config.v1+json","size":2,"digest":"sha256:` + strings.Repeat("a", 64) + `"},"layers":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = choose(b, "linux/amd64")
		_, _ = signaturesIn(b)
		if _, err := mediaTypeOf(b, ""); err != nil {
			return
		}
		m, err := parseManifest(b, DefaultBounds)
		if err != nil {
			return
		}
		for _, d := range append(m.Layers, m.Config) {
			if checkDigest(d.Digest) != nil || d.Size < 0 || d.Size > DefaultBounds.Download {
				t.Errorf("%+v is taken", d)
			}
		}
	})
}
