package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotFound is the error of [Store.Find] and others for an unknown name.
var ErrNotFound = errors.New("no such image")

// refPath is the path of a name's record, or of a nameless image's.
func (s *Store) refPath(r Ref) string {
	sum := sha256.Sum256([]byte(cmp.Or(r.Name, "@"+r.Digest)))
	return filepath.Join(s.dir, "refs", hex.EncodeToString(sum[:]))
}

func (s *Store) putRef(r Ref) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return s.replace(s.refPath(r), append(b, '\n'))
}

func readRef(path string) (Ref, error) {
	var r Ref
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err == nil {
		_, err = parseDigest(r.Digest)
	}
	if err != nil {
		return Ref{}, fmt.Errorf("image store: refs/%s: %w", filepath.Base(path), err)
	}
	return r, nil
}

// List returns the names of the images, in order.
func (s *Store) List() ([]Ref, error) {
	files, err := os.ReadDir(filepath.Join(s.dir, "refs"))
	if err != nil {
		return nil, fmt.Errorf("image store: %w", err)
	}
	var all []Ref
	for _, f := range files {
		r, err := readRef(filepath.Join(s.dir, "refs", f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed in between
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Ref) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Digest, b.Digest))
	})
	return all, nil
}

// minPrefix is the least number of digits that stand for a digest.
const minPrefix = 8

// refs returns the records meant by a user's text: all of one image for a
// digest, one for a name.
func (s *Store) refs(text string) ([]Ref, error) {
	prefix := strings.TrimPrefix(text, "sha256:")
	digest := prefix != text
	hexadecimal := strings.Trim(prefix, "0123456789abcdef") == ""
	if want, err := parseReference(text); err == nil && !digest && !hexadecimal {
		// The usual request of every run needs no list.
		if r, err := readRef(s.refPath(Ref{Name: want.String()})); err == nil {
			return []Ref{r}, nil
		}
	}
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	if hexadecimal && (digest || len(prefix) >= minPrefix) {
		found := matching(all, func(r Ref) bool {
			return strings.HasPrefix(r.Digest, "sha256:"+prefix) || strings.HasPrefix(r.Index, "sha256:"+prefix)
		})
		for _, r := range found {
			if r.Digest != found[0].Digest {
				return nil, fmt.Errorf("image %q: more than one begins so", text)
			}
		}
		if len(found) > 0 && len(prefix) >= minPrefix {
			return found, nil
		}
	}
	if digest {
		return nil, fmt.Errorf("image %q: %w", text, ErrNotFound)
	}
	want, err := parseReference(text)
	if err != nil {
		return nil, err
	}
	found := matching(all, func(r Ref) bool { return r.Name == want.String() })
	if len(found) == 0 && want.digest != "" {
		// The same image under another tag of the repository.
		found = matching(all, func(r Ref) bool {
			have, err := parseReference(r.Name)
			return err == nil && have.repo() == want.repo() && (want.tag == "" || want.tag == have.tag) && (r.Digest == want.digest || r.Index == want.digest)
		})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("image %q: %w: pull or import it first", want, ErrNotFound)
	}
	return found, nil
}

func matching(all []Ref, is func(Ref) bool) []Ref {
	var found []Ref
	for _, r := range all {
		if is(r) {
			found = append(found, r)
		}
	}
	return found
}

// Find opens an image by a user's name for it: "python", "python:3.12",
// "ghcr.io/acme/tool@sha256:…", "sha256:…", or eight or more leading digits of
// a digest, if they are unique. No network is used.
func (s *Store) Find(text string) (*Image, error) {
	ctx := context.Background()
	lock, err := s.adding(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	refs, err := s.refs(text)
	if err != nil {
		return nil, err
	}
	return s.image(ctx, refs[0])
}

// Remove takes a name from its image, or all names from an image given by
// digest, and returns them. [Store.GC] removes images left without a name.
func (s *Store) Remove(ctx context.Context, text string) ([]Ref, error) {
	lock, err := s.removing(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	refs, err := s.refs(text)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		if err := os.Remove(s.refPath(r)); err != nil {
			return nil, fmt.Errorf("image store: %w", err)
		}
	}
	return refs, nil
}
