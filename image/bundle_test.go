package image

import (
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	registrytest "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const bundleType types.MediaType = bundleTypes + ".v0.3+json"

// statement is what cosign 3 signs of an image.
func statement(digest, predicate string) []byte {
	_, hex, _ := strings.Cut(digest, ":")
	return fmt.Appendf(nil, `{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":{"sha256":"%s"},"annotations":{}}],"predicateType":"%s","predicate":{}}`, hex, predicate)
}

// bundled is a bundle as cosign 3 writes them: payload is what it says, and signed
// what the key has signed.
func bundled(t *testing.T, k key, payload, signed []byte, format string) []byte {
	t.Helper()
	e := envelope{Payload: signed, PayloadType: format}
	e.Signatures = []bundleSignature{{base64.StdEncoding.EncodeToString(k.sign(t, e.signed()))}}
	e.Payload = payload
	b, err := json.Marshal(map[string]any{
		"mediaType":            bundleType,
		"verificationMaterial": map[string]any{"publicKey": map[string]string{"hint": "x"}, "tlogEntries": []any{}},
		"dsseEnvelope":         e,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// referrer is the manifest that refers to an image with a bundle.
func referrer(t *testing.T, of partial.Describable, bundle []byte) v1.Image {
	t.Helper()
	img, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(emptyImage, types.OCIManifestSchema1), bundleType), staticLayer(bundle, bundleType))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := partial.Descriptor(of)
	if err != nil {
		t.Fatal(err)
	}
	return mutate.Subject(img, *subject).(v1.Image)
}

// TestBundles has signatures as cosign 3 makes them, in registries that know the
// question for referrers and in those that do not.
func TestBundles(t *testing.T) {
	ours, theirs, edwards := newKey(t, elliptic.P256()), newKey(t, elliptic.P256()), newKey(t, nil)
	other := "sha256:" + strings.Repeat("0", 64)
	good := func(k key) func(string) []byte {
		return func(d string) []byte {
			s := statement(d, signPredicate)
			return bundled(t, k, s, s, statementFormat)
		}
	}
	tests := []struct {
		name    string
		bundle  func(digest string) []byte
		keys    []key
		refused string
	}{
		{"ECDSA", good(ours), []key{ours}, ""},
		{"Ed25519", good(edwards), []key{theirs, edwards}, ""},
		{"another key", good(ours), []key{theirs}, "by a key"},
		{"of another image", func(string) []byte { return good(ours)(other) }, []key{ours}, "not of this image"},
		{"of another payload", func(d string) []byte {
			return bundled(t, ours, statement(d, signPredicate), statement(other, signPredicate), statementFormat)
		}, []key{ours}, "by a key"},
		{"an attestation", func(d string) []byte {
			s := statement(d, "https://cyclonedx.org/bom")
			return bundled(t, ours, s, s, statementFormat)
		}, []key{ours}, "not of this image"},
		{"another format", func(d string) []byte {
			s := statement(d, signPredicate)
			return bundled(t, ours, s, s, "application/json")
		}, []key{ours}, "by a key"},
		{"rubbish", func(string) []byte { return []byte("x") }, []key{ours}, "by a key"},
		{"an empty one", func(string) []byte { return []byte("{}") }, []key{ours}, "by a key"},
	}
	for _, referrers := range []bool{true, false} {
		server := httptest.NewServer(registrytest.New(registrytest.Logger(quiet()), registrytest.WithReferrersSupport(referrers)))
		t.Cleanup(server.Close)
		t.Cleanup(clientIdle)
		for n, tt := range tests {
			t.Run(fmt.Sprintf("%s, referrers %v", tt.name, referrers), func(t *testing.T) {
				img := build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, fmt.Sprintf("f=%d", n)))
				digest, err := img.Digest()
				if err != nil {
					t.Fatal(err)
				}
				repo := fmt.Sprintf("%s/image%d", strings.TrimPrefix(server.URL, "http://"), n)
				push(t, repo+":1", img)
				signature := referrer(t, img, tt.bundle(digest.String()))
				of, err := signature.Digest()
				if err != nil {
					t.Fatal(err)
				}
				push(t, repo+"@"+of.String(), signature)
				p := &Policy{Allow: []string{"**", digest.String()}, Keys: publics(tt.keys)}
				expect := func(what string, err error) { t.Helper(); decided(t, what, err, tt.refused) }
				s := open(t, private(t))
				_, err = s.Pull(t.Context(), repo+":1", PullOptions{Insecure: true, Policy: p})
				expect("pulled", err)
				i, err := s.Pull(t.Context(), repo+":1", insecure)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.GC(t.Context()); err != nil {
					t.Fatal(err)
				}
				expect("checked", s.Check(i, p))

				// The same from a layout that lists it as a bundle.
				l, err := layout.FromPath(layoutDir(t, map[string]v1.Image{"": img}))
				if err != nil {
					t.Fatal(err)
				}
				d, err := partial.Descriptor(signature)
				if err != nil {
					t.Fatal(err)
				}
				d.ArtifactType = string(bundleType)
				if err := errors.Join(l.WriteImage(signature), l.AppendDescriptor(*d)); err != nil {
					t.Fatal(err)
				}
				s = open(t, private(t))
				images, err := s.Import(t.Context(), string(l), ImportOptions{})
				if err != nil && tt.refused == "" || err == nil && len(images) != 1 {
					t.Fatalf("%d images, %v", len(images), err)
				}
				if err == nil {
					expect("imported", s.Check(images[0], p))
				}
			})
		}
	}
}

// TestReferrersWithoutEnd has a registry that lists more than anybody signs.
func TestReferrersWithoutEnd(t *testing.T) {
	e := newEvil(t)
	push(t, e.host()+"/x:1", build(t, types.OCILayer, v1.Config{}, runtime.GOARCH, pack(t, "f=1")))
	asked := 0
	e.answer(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.Contains(r.URL.Path, "/referrers/"):
			var list []string
			for i := range 5000 {
				list = append(list, fmt.Sprintf(`{"mediaType":"%s","artifactType":"%s","size":10,"digest":"sha256:%064x"}`, types.OCIManifestSchema1, bundleType, i+1))
			}
			fmt.Fprintf(w, `{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}`, types.OCIImageIndex, strings.Join(list, ","))
		case strings.Contains(r.URL.Path, "/manifests/sha256:000"):
			asked++
			http.NotFound(w, r)
		default:
			return false
		}
		return true
	})
	s := open(t, private(t))
	if _, err := s.Pull(t.Context(), e.host()+"/x:1", insecure); err != nil {
		t.Fatal(err)
	}
	if asked == 0 || asked > maxSignatures {
		t.Errorf("asked for %d of them", asked)
	}
}

func FuzzBundle(f *testing.F) {
	digest := "sha256:" + strings.Repeat("a", 64)
	f.Add([]byte(`{"mediaType":"` + string(bundleType) + `","dsseEnvelope":{"payload":"e30=","payloadType":"` + statementFormat + `","signatures":[{"sig":"eA=="}]}}`))
	f.Add(statement(digest, signPredicate))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := parseBundle(b); err == nil && e == nil {
			t.Errorf("%q is a bundle of nothing", b)
		}
		digests, _ := parseStatement(b)
		for _, d := range digests {
			if _, err := parseDigest(d); err != nil {
				t.Errorf("%q vouches for %q", b, d)
			}
		}
		_, _ = vouched(v1.Descriptor{MediaType: bundleType}, b, nil)
	})
}
