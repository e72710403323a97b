package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// maxManifest bounds a manifest or an index, as registries do.
const maxManifest = 4 << 20

// maxManifests bounds how many an index may list.
const maxManifests = 1024

// dockerLayerZstd is some builders' type of a Docker layer in zstd.
const dockerLayerZstd types.MediaType = "application/vnd.docker.image.rootfs.diff.tar.zstd"

// manifestTypes are the media types requested from a registry.
var manifestTypes = []types.MediaType{types.OCIManifestSchema1, types.OCIImageIndex, types.DockerManifestSchema2, types.DockerManifestList}

// mediaTypeOf returns the type stated in a document, which must agree with the
// announced type.
func mediaTypeOf(b []byte, announced types.MediaType) (types.MediaType, error) {
	if len(b) > maxManifest {
		return "", fmt.Errorf("manifest: more than %d MiB", maxManifest>>20)
	}
	var head struct {
		SchemaVersion int64           `json:"schemaVersion"`
		MediaType     types.MediaType `json:"mediaType"`
		Manifests     json.RawMessage `json:"manifests"`
		Layers        json.RawMessage `json:"layers"`
		FSLayers      json.RawMessage `json:"fsLayers"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return "", fmt.Errorf("manifest: %w", err)
	}
	switch {
	case head.SchemaVersion == 1 || head.FSLayers != nil:
		return "", errors.New("manifest: Docker schema 1, which cannot be verified by digest and has been out of use since 2017: build the image anew")
	case head.SchemaVersion != 2:
		return "", fmt.Errorf("manifest: unknown schema version %d", head.SchemaVersion)
	case head.Manifests != nil && head.Layers != nil:
		return "", errors.New("manifest: it is a manifest and an index in one")
	}
	t := head.MediaType
	if t == "" {
		t = types.OCIManifestSchema1
		if head.Manifests != nil {
			t = types.OCIImageIndex
		}
	}
	switch {
	case !slices.Contains(manifestTypes, t):
		return "", fmt.Errorf("manifest: %.80q is not an image", t)
	case t.IsIndex() != (head.Manifests != nil):
		return "", fmt.Errorf("manifest: it says %q and is not", t)
	case slices.Contains(manifestTypes, announced) && announced != t:
		return "", fmt.Errorf("manifest: announced as %q, it says %q", announced, t)
	}
	return t, nil
}

// parseManifest reads and checks the manifest of one image.
func parseManifest(b []byte, bounds Bounds) (*v1.Manifest, error) {
	m, err := v1.ParseManifest(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if !m.Config.MediaType.IsConfig() {
		return nil, fmt.Errorf("manifest: its configuration is a %.80q: it is something else than an image", m.Config.MediaType)
	}
	if m.Config.Size > maxConfig {
		return nil, fmt.Errorf("manifest: a configuration of more than %d MiB", maxConfig>>20)
	}
	if len(m.Layers) > bounds.Layers {
		return nil, fmt.Errorf("manifest: %d layers, more than %d", len(m.Layers), bounds.Layers)
	}
	var total int64
	for i, d := range append([]v1.Descriptor{m.Config}, m.Layers...) {
		if err := checkDescriptor(d, bounds.Download); err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		if total += d.Size; total > bounds.Download {
			return nil, fmt.Errorf("manifest: blobs of more than %d MiB", bounds.Download>>20)
		}
		if i == 0 {
			continue
		}
		if _, err := packingOf(d.MediaType); err != nil {
			return nil, fmt.Errorf("manifest: layer %d: %w", i, err)
		}
	}
	return m, nil
}

// checkDescriptor fails for a blob that cannot be stored by digest.
func checkDescriptor(d v1.Descriptor, most int64) error {
	if err := checkDigest(d.Digest); err != nil {
		return err
	}
	switch {
	case d.Size < 0 || d.Size > most:
		return fmt.Errorf("%s: a size of %d bytes", d.Digest, d.Size)
	case len(d.URLs) > 0:
		return fmt.Errorf("%s: a foreign layer, to be fetched from %.80q: what is not in the registry is not taken", d.Digest, d.URLs[0])
	}
	return nil
}

// packingOf returns the compression of a layer's media type.
func packingOf(t types.MediaType) (unpack.Packing, error) {
	switch t {
	case types.OCILayer, types.DockerLayer:
		return unpack.Gzip, nil
	case types.OCILayerZStd, dockerLayerZstd:
		return unpack.Zstd, nil
	case types.OCIUncompressedLayer, types.DockerUncompressedLayer:
		return unpack.None, nil
	case types.DockerForeignLayer, types.OCIRestrictedLayer, types.OCIUncompressedRestrictedLayer:
		return "", errors.New("a foreign layer: what may not be distributed is not taken")
	}
	return "", fmt.Errorf("media type %.80q is not a layer's", t)
}

// choose returns the manifest of an index that is for the platform.
func choose(b []byte, want Platform) (v1.Descriptor, error) {
	index, err := v1.ParseIndexManifest(bytes.NewReader(b))
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("index: %w", err)
	}
	if len(index.Manifests) > maxManifests {
		return v1.Descriptor{}, fmt.Errorf("index: more than %d manifests", maxManifests)
	}
	need, err := want.parse()
	if err != nil {
		return v1.Descriptor{}, err
	}
	var have []string
	for _, d := range index.Manifests {
		if d.Platform == nil || !d.MediaType.IsImage() {
			continue
		}
		if d.Platform.Satisfies(need) {
			return d, checkDescriptor(d, maxManifest)
		}
		if len(have) < 16 {
			have = append(have, fmt.Sprintf("%.40q", d.Platform.String()))
		}
	}
	return v1.Descriptor{}, fmt.Errorf("the image is not made for %s, but for %s", platformOf(&need), strings.Join(have, ", "))
}

// parse returns the platform in parts, with the default for the empty one.
func (p Platform) parse() (v1.Platform, error) {
	if p == "" {
		return v1.Platform{OS: "linux", Architecture: runtime.GOARCH}, nil
	}
	parts := strings.Split(string(p), "/")
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return v1.Platform{}, fmt.Errorf("platform %q is not os/architecture[/variant]", p)
	}
	parts = append(parts, "")
	return v1.Platform{OS: parts[0], Architecture: parts[1], Variant: parts[2]}, nil
}

func platformOf(p *v1.Platform) Platform {
	if p == nil {
		return ""
	}
	s := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return Platform(s)
}
