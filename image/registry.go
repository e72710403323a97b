package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// registry requests the documents and blobs of one repository.
type registry struct {
	guard  *guard
	client *http.Client
	repo   name.Repository
}

// maxRedirects bounds the redirects of one request. Real registries redirect to
// a storage service, once.
const maxRedirects = 5

// dialRegistry determines the registry's protocol, and logs in with the
// credentials of the user's Docker configuration.
func dialRegistry(ctx context.Context, ref reference, o PullOptions) (*registry, error) {
	repo := ref.repository
	if o.Insecure {
		// Only the loopback is asked so; see guard.
		r, err := name.NewRepository(repo.Name(), name.Insecure)
		if err != nil {
			return nil, err
		}
		repo = r
	}
	auth, err := authn.Resolve(ctx, authn.DefaultKeychain, repo)
	if err != nil {
		return nil, fmt.Errorf("credentials for %s: %w", repo.RegistryStr(), err)
	}
	g := newGuard(repo.RegistryStr(), o)
	rt, err := transport.NewWithContext(ctx, repo.Registry, auth, g, []string{repo.Scope(transport.PullScope)})
	if err != nil {
		g.close()
		return nil, fmt.Errorf("registry %s: %w", repo.RegistryStr(), err)
	}
	client := &http.Client{Transport: rt, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("redirected more than %d times", maxRedirects)
		}
		return nil
	}}
	return &registry{guard: g, client: client, repo: repo}, nil
}

func (r *registry) close() { r.guard.close() }

// errStatus is an answer of the registry with an unexpected status.
type errStatus struct {
	code int
	text string
}

func (e *errStatus) Error() string { return e.text }

// words is an error that quotes a stranger: a line of bounded length without
// effect on a terminal.
type words struct{ error }

func (w words) Unwrap() error { return w.error }

func (w words) Error() string {
	const most = 1000
	s := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, w.error.Error())
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// get asks for a document or blob from an offset on.
func (r *registry) get(ctx context.Context, what, id string, offset, most int64) (*http.Response, error) {
	u := url.URL{Scheme: r.repo.Scheme(), Host: r.repo.RegistryStr(), Path: fmt.Sprintf("/v2/%s/%s/%s", r.repo.RepositoryStr(), what, id)}
	q, err := http.NewRequestWithContext(withLimit(ctx, most), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if what != "blobs" {
		for _, t := range manifestTypes {
			q.Header.Add("Accept", string(t))
		}
	}
	if offset > 0 {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	resp, err := r.client.Do(q)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("%s/%s: %w", what, id, err)
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusPartialContent && offset > 0 {
		return resp, nil
	}
	defer resp.Body.Close()
	text := fmt.Sprintf("%s/%s: the registry answers %d", what, id, resp.StatusCode)
	if err := transport.CheckError(resp, http.StatusOK); err != nil {
		text += ": " + err.Error()
	}
	return nil, &errStatus{resp.StatusCode, text}
}

// document fetches a manifest, an index or a list of referrers, and returns the
// media type that the registry announces.
func (r *registry) document(ctx context.Context, what, id string) ([]byte, types.MediaType, error) {
	resp, err := r.get(ctx, what, id, 0, maxManifest+1)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxManifest+1))
	if err != nil {
		return nil, "", fmt.Errorf("%s/%s: %w", what, id, err)
	}
	announced, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return b, types.MediaType(announced), nil
}

// manifest fetches a manifest or an index by tag or digest, and returns it with
// digest, size and media type.
func (r *registry) manifest(ctx context.Context, id string) ([]byte, v1.Descriptor, error) {
	b, announced, err := r.document(ctx, "manifests", id)
	if err != nil {
		return nil, v1.Descriptor{}, err
	}
	hash, size, err := v1.SHA256(bytes.NewReader(b))
	if err != nil {
		return nil, v1.Descriptor{}, err
	}
	if strings.HasPrefix(id, "sha256:") && hash.String() != id {
		return nil, v1.Descriptor{}, fmt.Errorf("manifests/%s: what the registry sent has the digest %s", id, hash)
	}
	t, err := mediaTypeOf(b, announced)
	if err != nil {
		return nil, v1.Descriptor{}, err
	}
	return b, v1.Descriptor{MediaType: t, Digest: hash, Size: size}, nil
}

// maxTries is how often the transfer of a blob is taken up again.
const maxTries = 4

// blob reads a blob. After a broken connection it resumes at the same offset.
type blob struct {
	ctx    context.Context
	r      *registry
	d      v1.Descriptor
	offset int64
	body   io.ReadCloser
	tries  int
	wait   time.Duration // before the next try; it doubles
}

func (r *registry) blob(ctx context.Context, d v1.Descriptor) *blob {
	return &blob{ctx: ctx, r: r, d: d, wait: 100 * time.Millisecond}
}

func (b *blob) Read(p []byte) (int, error) {
	for {
		err := b.open()
		if err == nil {
			var n int
			n, err = b.body.Read(p)
			b.offset += int64(n)
			if n > 0 || err == io.EOF && b.offset >= b.d.Size {
				if err != io.EOF || b.offset < b.d.Size {
					err = nil // it comes again, or was only half of it
				}
				return n, err
			}
			if err == io.EOF {
				err = fmt.Errorf("blob %s: it ends after %d bytes of %d", b.d.Digest, b.offset, b.d.Size)
			}
			_ = b.Close()
		}
		if b.tries++; b.tries > maxTries || !b.worthwhile(err) {
			return 0, err
		}
		select {
		case <-b.ctx.Done():
			return 0, context.Cause(b.ctx)
		case <-time.After(b.wait):
			b.wait *= 2
		}
	}
}

// worthwhile reports whether a further try may do better.
func (b *blob) worthwhile(err error) bool {
	var status *errStatus
	if errors.As(err, &status) {
		return status.code >= 500 || status.code == http.StatusTooManyRequests
	}
	return b.ctx.Err() == nil && b.offset > 0
}

func (b *blob) open() error {
	if b.body != nil {
		return nil
	}
	resp, err := b.r.get(b.ctx, "blobs", b.d.Digest.String(), b.offset, b.d.Size+1)
	if err != nil {
		return err
	}
	b.body = resp.Body
	if b.offset == 0 {
		return nil
	}
	skip := b.offset
	if resp.StatusCode == http.StatusPartialContent {
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.offset)) {
			_ = b.Close()
			return &errStatus{resp.StatusCode, "the registry sends another part than was asked for"}
		}
		skip = 0
	}
	if _, err := io.CopyN(io.Discard, b.body, skip); err != nil {
		_ = b.Close()
		return err
	}
	return nil
}

// Close ends the transfer.
func (b *blob) Close() error {
	if b.body == nil {
		return nil
	}
	err := b.body.Close()
	b.body = nil
	return err
}
