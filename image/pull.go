package image

import (
	"context"
	"fmt"
	"io"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Pull takes an image from a registry, under a name in the form of
// [Store.Find]. Blobs already in the store are not transferred again. An image
// takes over a name that was another's.
func (s *Store) Pull(ctx context.Context, text string, o PullOptions) (*Image, error) {
	ref, err := parseReference(text)
	if err != nil {
		return nil, err
	}
	i, err := s.pull(ctx, ref, o)
	if err != nil {
		return nil, fmt.Errorf("pull %s: %w", ref, words{err})
	}
	return i, nil
}

func (s *Store) pull(ctx context.Context, ref reference, o PullOptions) (*Image, error) {
	r := Ref{Name: ref.String(), Source: SourceRegistry, DropSpecial: o.DropSpecial}
	lock, err := s.adding(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if o.Policy != nil && !o.Policy.mayAllow(r) {
		return nil, o.Policy.allows(r)
	}
	reg, err := dialRegistry(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	defer reg.close()

	b, d, err := reg.manifest(ctx, ref.want())
	if err != nil {
		return nil, err
	}
	if d.MediaType.IsIndex() {
		chosen, err := choose(b, o.Platform)
		if err != nil {
			return nil, err
		}
		if _, err := s.putBytes(ctx, b); err != nil {
			return nil, err
		}
		r.Index = d.Digest.String()
		if b, d, err = reg.manifest(ctx, chosen.Digest.String()); err != nil {
			return nil, err
		}
		if d.MediaType.IsIndex() || d.Size != chosen.Size {
			return nil, fmt.Errorf("index: its manifest %s is %d bytes of %q, not as it says", d.Digest, d.Size, d.MediaType)
		}
	}
	r.Digest = d.Digest.String()
	m, err := parseManifest(b, s.Bounds)
	if err != nil {
		return nil, err
	}
	if _, err := s.putBytes(ctx, b); err != nil {
		return nil, err
	}
	if r.Signatures, err = s.pullSignatures(ctx, reg, r); err != nil {
		return nil, err
	}
	if err := s.check(r, o.Policy); err != nil {
		return nil, err
	}
	if err := s.pullBlobs(ctx, reg, append([]v1.Descriptor{m.Config}, m.Layers...), o.Progress); err != nil {
		return nil, err
	}
	return s.commit(ctx, r, o.Platform)
}

// pullBlobs transfers the blobs missing from the store.
func (s *Store) pullBlobs(ctx context.Context, reg *registry, blobs []v1.Descriptor, progress func(Progress)) error {
	var p Progress
	for _, d := range blobs {
		p.Total += d.Size
	}
	for _, d := range blobs {
		p.Blob = d.Digest.String()
		if !s.hasBlob(d) {
			b := reg.blob(ctx, d)
			start := p.Done
			_, err := s.putBlob(ctx, d, &counted{r: b, told: time.Now(), tell: func(n int64) {
				if p.Done = start + n; progress != nil {
					progress(p)
				}
			}})
			_ = b.Close()
			if err != nil {
				return err
			}
			p.Done = start
		}
		if p.Done += d.Size; progress != nil {
			progress(p)
		}
	}
	return nil
}

// counted tells now and then how much was read.
type counted struct {
	r    io.Reader
	n    int64
	told time.Time
	tell func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if now := time.Now(); now.Sub(c.told) > 100*time.Millisecond {
		c.told = now
		c.tell(c.n)
	}
	return n, err
}

// commit gives a name to an image with complete blobs, if the layers apply and
// the platform fits. The caller holds the store's lock.
func (s *Store) commit(ctx context.Context, r Ref, want Platform) (*Image, error) {
	i, err := s.image(ctx, r)
	if err != nil {
		return nil, err
	}
	need, err := want.parse()
	if err != nil {
		return nil, err
	}
	if have, err := i.ref.Platform.parse(); i.ref.Platform != "" && (err != nil || !have.Satisfies(need)) {
		return nil, fmt.Errorf("the image is made for %s, not for %s", i.ref.Platform, platformOf(&need))
	}
	i.ref.Size = i.manifest.Config.Size
	for _, l := range i.manifest.Layers {
		i.ref.Size += l.Size
	}
	i.ref.Added = time.Now().UTC().Truncate(time.Second)
	return i, s.putRef(i.ref)
}
