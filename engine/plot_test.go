package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/image"
)

// plot is a reply that reckons with numpy and pandas and draws with matplotlib.
const plot = "Here is the chart:\n\n```python\n" + `import logging
import matplotlib
matplotlib.use("Agg")
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it warns where it is slow
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

frame = pd.DataFrame({"x": np.arange(100), "y": np.sin(np.arange(100) / 10)})
print(frame.describe().round(6))
frame.plot(x="x", y="y")
plt.savefig("sine.png", metadata={"Software": None})
` + "```\n"

// TestPlot: an image that was pulled from a registry gives the same observation,
// the picture included, in every tier that runs machine code. The image's root
// file system is the archive that .ci/plot-image makes, at GLOVEBOX_PLOT_IMAGE.
func TestPlot(t *testing.T) {
	root := os.Getenv("GLOVEBOX_PLOT_IMAGE")
	if root == "" {
		t.Skip("GLOVEBOX_PLOT_IMAGE does not name the archive that .ci/plot-image makes")
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	at := strings.TrimPrefix(server.URL, "http://") + "/plot:1"
	layer, err := tarball.LayerFromFile(root)
	if err != nil {
		t.Fatal(err)
	}
	made, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(at)
	if err == nil {
		err = remote.Write(ref, made)
	}
	if err != nil {
		t.Fatal(err)
	}
	images, err := image.Open(t.TempDir() + "/images")
	if err != nil {
		t.Fatal(err)
	}
	defer images.Close()
	pulled, err := images.Pull(context.Background(), at, image.PullOptions{Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	c := config()
	c.Images = images
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	var first string
	var of glovebox.TierName
	eachTier(t, func(t *testing.T, _ *engine.Engine, name glovebox.TierName) {
		o := do(t, e, glovebox.Job{
			Tier: name, Image: at, Reply: plot, Env: map[string]string{"MPLCONFIGDIR": "/tmp"},
			Limits: glovebox.Limits{Wall: 10 * time.Minute, CPU: 5 * time.Minute, Memory: glovebox.GiB, Disk: 128 * glovebox.MiB},
		})
		if o.Status != glovebox.StatusPass || o.Image != pulled.Digest() {
			t.Fatalf("%s of %q: %s\n%s", o.Status, o.Image, o.Message, o.Stderr)
		}
		if len(o.Artifacts) != 1 || o.Artifacts[0].Name != "sine.png" || o.Artifacts[0].MIME != "image/png" {
			t.Fatalf("the artifacts are %+v", o.Artifacts)
		}
		same := comparable(t, o)
		if first == "" {
			first, of = same, name
		} else if same != first {
			t.Errorf("the observation is\n%s\nand in %s it was\n%s", same, of, first)
		}
	})
	if first == "" {
		t.Error("no tier was tried")
	}
}

// comparable is what of an observation must be the same in every tier: all but
// the tier itself, ids and measures.
func comparable(t *testing.T, o *glovebox.Observation) string {
	t.Helper()
	same := *o
	same.ID, same.Tier, same.TierReason, same.Isolation = "", "", "", nil
	same.Timings, same.Usage = glovebox.Timings{}, glovebox.Usage{}
	same.Artifacts = append([]glovebox.Artifact(nil), o.Artifacts...)
	for i := range same.Artifacts {
		same.Artifacts[i].ID, same.Artifacts[i].URI = "", ""
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetIndent("", "  ")
	if err := out.Encode(same); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
