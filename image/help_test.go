package image

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/klauspost/compress/gzip"
)

var emptyIndex = empty.Index

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
