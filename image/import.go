package image

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// Import takes what a file or directory holds: an OCI layout, an archive of
// `docker save`, or a root file system as a tar archive. Archives may be
// compressed by gzip, zstd or xz.
func (s *Store) Import(ctx context.Context, path string, o ImportOptions) ([]*Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if info.IsDir() {
		return s.ImportLayout(ctx, path, o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer f.Close()
	kind, err := s.recognize(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	switch kind {
	case SourceLayout:
		return s.ImportLayout(ctx, path, o)
	case SourceDocker:
		return s.ImportDocker(ctx, f, o)
	}
	i, err := s.ImportRootFS(ctx, f, o)
	if err != nil {
		return nil, err
	}
	return []*Image{i}, nil
}

// topLevel are directories of a root file system, absent from archives of
// images.
var topLevel = []string{"bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var"}

// recognize determines the kind of an archive from the names in it.
func (s *Store) recognize(ctx context.Context, r io.Reader) (Source, error) {
	stream, done, err := s.unpacked(ctx, r)
	if err != nil {
		return "", err
	}
	defer done()
	found := SourceTree
	for t := tar.NewReader(stream); ; {
		h, err := t.Next()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return "", fmt.Errorf("not a tar archive: %w", err)
		}
		name, _ := split(h.Name)
		switch {
		case len(name) == 0:
		case len(name) == 1 && name[0] == "oci-layout":
			return SourceLayout, nil // newer engines save both in one
		case len(name) == 1 && name[0] == "manifest.json":
			found = SourceDocker
		case slices.Contains(topLevel, name[0]):
			return SourceTree, nil
		}
	}
}

// ImportDocker takes the images of an archive written by `docker save`.
func (s *Store) ImportDocker(ctx context.Context, r io.Reader, o ImportOptions) ([]*Image, error) {
	lock, err := s.adding(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	images, err := s.importDocker(ctx, r, o)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return images, nil
}

func (s *Store) importDocker(ctx context.Context, r io.Reader, o ImportOptions) ([]*Image, error) {
	a, err := s.spool(ctx, r)
	if err != nil {
		return nil, err
	}
	b, err := a.document("manifest.json")
	if err != nil {
		return nil, err
	}
	var saved []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(b, &saved); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	switch {
	case len(saved) == 0:
		return nil, errNoImages
	case len(saved) > maxManifests:
		return nil, fmt.Errorf("manifest.json: more than %d images", maxManifests)
	case len(saved) > 1 && o.Name != "":
		return nil, fmt.Errorf("it holds %d images: one name is not enough (the names that it claims can be kept)", len(saved))
	}
	var images []*Image
	for _, one := range saved {
		if len(one.Layers) > s.Bounds.Layers {
			return nil, fmt.Errorf("manifest.json: more than %d layers", s.Bounds.Layers)
		}
		config, err := a.file(one.Config)
		if err != nil {
			return nil, err
		}
		var layers []v1.Descriptor
		for _, name := range one.Layers {
			d, err := a.file(name)
			if err != nil {
				return nil, err
			}
			if d.MediaType, err = s.layerType(d); err != nil {
				return nil, err
			}
			layers = append(layers, d)
		}
		d, err := s.putManifest(ctx, config, layers)
		if err != nil {
			return nil, err
		}
		named, err := s.commitAs(ctx, Ref{Digest: d.Digest.String(), Source: SourceDocker, DropSpecial: o.DropSpecial}, o, one.RepoTags)
		if err != nil {
			return nil, err
		}
		images = append(images, named)
	}
	return images, nil
}

// layerType determines the kind of a layer from its first bytes.
func (s *Store) layerType(d v1.Descriptor) (types.MediaType, error) {
	f, err := s.openBlob(d)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, p, err := unpack.Any(f)
	if err != nil {
		return "", err
	}
	z.Close()
	t, ok := map[unpack.Packing]types.MediaType{unpack.None: types.OCIUncompressedLayer, unpack.Gzip: types.OCILayer, unpack.Zstd: types.OCILayerZStd}[p]
	if !ok {
		return "", fmt.Errorf("a layer compressed by %s", p)
	}
	return t, nil
}

// putManifest writes a manifest for an image without one.
func (s *Store) putManifest(ctx context.Context, config v1.Descriptor, layers []v1.Descriptor) (v1.Descriptor, error) {
	config.MediaType = types.OCIConfigJSON
	b, err := json.Marshal(v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: layers})
	if err != nil {
		return v1.Descriptor{}, err
	}
	return s.putBytes(ctx, b)
}

// maxClaims bounds the names of one image in an archive.
const maxClaims = 64

// commitAs is commit under the name of the options, or under the archive's
// claimed names if these are to be kept.
func (s *Store) commitAs(ctx context.Context, r Ref, o ImportOptions, claims []string) (*Image, error) {
	if len(claims) > maxClaims {
		return nil, fmt.Errorf("more than %d names of one image", maxClaims)
	}
	switch {
	case o.Name != "":
		claims = []string{o.Name}
	case len(claims) == 0 || !o.KeepNames:
		i, err := s.commit(ctx, r, o.Platform)
		if err == nil {
			i.claims = claims
		}
		return i, err
	}
	names := make([]string, len(claims))
	for n, c := range claims { // all, before one takes effect
		ref, err := parseReference(c)
		if err != nil {
			return nil, err
		}
		if ref.digest != "" {
			return nil, fmt.Errorf("%s: a digest is not a name to give", c)
		}
		names[n] = ref.String()
	}
	var first *Image
	for _, name := range names {
		r.Name = name
		i, err := s.commit(ctx, r, o.Platform)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = i
		}
	}
	return first, nil
}

// ImportRootFS takes a root file system as a tar archive, as made by
// debootstrap, mmdebstrap and `docker export`: an image of one layer, over
// those of the options' Base. Equal content gives an equal digest.
func (s *Store) ImportRootFS(ctx context.Context, r io.Reader, o ImportOptions) (*Image, error) {
	lock, err := s.adding(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	i, err := s.importRootFS(ctx, r, o)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return i, nil
}

func (s *Store) importRootFS(ctx context.Context, r io.Reader, o ImportOptions) (*Image, error) {
	stream, done, err := s.unpacked(ctx, r)
	if err != nil {
		return nil, err
	}
	defer done()
	layer, err := s.putBlob(ctx, v1.Descriptor{Size: s.Bounds.Bytes}, stream)
	if err != nil {
		return nil, err
	}
	layer.MediaType = types.OCIUncompressedLayer
	layers, diffs := []v1.Descriptor{layer}, []v1.Hash{layer.Digest}
	if o.Base != nil {
		base, below, err := s.describe(o.Base.ref)
		if err != nil {
			return nil, err
		}
		layers, diffs = append(base.manifest.Layers, layers...), append(below, diffs...)
		o.Config = o.Config.over(base.config)
		if o.Platform == "" {
			o.Platform = base.ref.Platform
		}
		o.DropSpecial = o.DropSpecial || base.ref.DropSpecial
	}
	platform, err := o.Platform.parse()
	if err != nil {
		return nil, err
	}
	if err := o.Config.check(); err != nil {
		return nil, err
	}
	c := o.Config
	b, err := json.Marshal(v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant,
		Created: v1.Time{Time: o.Created.UTC()},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: diffs},
		Config:  v1.Config{Env: c.Env, Entrypoint: c.Entrypoint, Cmd: c.Cmd, WorkingDir: c.WorkingDir, User: c.User, Labels: c.Labels},
	})
	if err != nil {
		return nil, err
	}
	config, err := s.putBytes(ctx, b)
	if err != nil {
		return nil, err
	}
	d, err := s.putManifest(ctx, config, layers)
	if err != nil {
		return nil, err
	}
	return s.commitAs(ctx, Ref{Digest: d.Digest.String(), Source: SourceTree, DropSpecial: o.DropSpecial}, o, nil)
}

// AddTree takes a directory of the host as [Store.ImportRootFS] takes an
// archive. Links in it are taken as links; nothing outside it is read.
func (s *Store) AddTree(ctx context.Context, dir string, o ImportOptions) (*Image, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer root.Close()
	r, w := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		err := writeTar(ctx, w, root)
		w.CloseWithError(err)
		wrote <- err
	}()
	i, err := s.ImportRootFS(ctx, r, o)
	r.Close() // ends the writer, if it is not at its end
	if werr := <-wrote; err == nil && werr != nil && !errors.Is(werr, io.ErrClosedPipe) {
		err = fmt.Errorf("import: %w", werr)
	}
	return i, err
}

// ImportLayout takes the images of an OCI layout, a directory or an archive.
func (s *Store) ImportLayout(ctx context.Context, path string, o ImportOptions) ([]*Image, error) {
	lock, err := s.adding(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	images, err := s.importLayout(ctx, filepath.Clean(path), o)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", path, err)
	}
	return images, nil
}

func (s *Store) importLayout(ctx context.Context, path string, o ImportOptions) ([]*Image, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return s.layout(ctx, &folder{s, root}, o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := s.spool(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.layout(ctx, a, o)
}
