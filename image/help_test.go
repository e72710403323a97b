package image

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"os"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
)

var (
	emptyIndex = empty.Index
	emptyImage = empty.Image
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// clientIdle closes what the tests' own client, not ours, keeps open.
func clientIdle() { remote.DefaultTransport.(*http.Transport).CloseIdleConnections() }

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func staticLayer(b []byte, t types.MediaType) v1.Layer { return static.NewLayer(b, t) }

// withLayer makes an image of one layer that says to be diff when unpacked.
func withLayer(t testing.TB, l v1.Layer, diff v1.Hash) v1.Image {
	t.Helper()
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.AppendLayers(img, l)
	if err != nil {
		t.Fatal(err)
	}
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{diff}}})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func writeFile(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
