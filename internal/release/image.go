package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// image writes a container image of only the executable and its licences, in
// the form of docker load.
func (r *release) image(t target, exe []byte) error {
	layerBytes, err := tarred([]file{
		{"usr/bin/glovebox", 0o755, exe},
		{"usr/share/doc/glovebox/LICENSE", 0o644, r.licence},
		{"usr/share/doc/glovebox/NOTICE", 0o644, r.notice},
	}, r.date)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layerBytes)), nil })
	if err != nil {
		return err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.os, t.arch, v1.Time{Time: r.date}
	config.Config.Entrypoint = []string{"/usr/bin/glovebox"}
	config.Config.Labels = map[string]string{
		"org.opencontainers.image.title": "glovebox", "org.opencontainers.image.version": r.version,
		"org.opencontainers.image.description": summary, "org.opencontainers.image.licenses": "Apache-2.0",
	}
	if img, err = mutate.ConfigFile(img, config); err != nil {
		return err
	}
	tag, err := name.NewTag("glovebox:" + r.version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(filepath.Join(r.out, fmt.Sprintf("glovebox_%s_image_%s.tar", r.version, t.arch)), tag, img)
}
