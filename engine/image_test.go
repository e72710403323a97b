package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// TestImage runs programs and commands in an image.
func TestImage(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	images, err := image.Open(t.TempDir() + "/images")
	if err != nil {
		t.Fatal(err)
	}
	defer images.Close()
	made := imageOf(t, e, images, language.Python, "python:test")
	imageOf(t, e, images, language.Bash, "tools:test")

	for name, policy := range map[string]*image.Policy{"any": nil, "only tools": {Allow: []string{"import:**/tools"}}} {
		e, err := engine.New(engine.Config{Images: images, ImagePolicy: policy})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, tt := range []struct {
			job   glovebox.Job
			want  glovebox.Status
			under string // the policy; empty means both
			out   string
		}{
			{glovebox.Job{Image: "tools:test", Command: []string{"sort", "in"}, Inputs: []glovebox.File{{Path: "in", Data: []byte("b\na\n")}}}, glovebox.StatusPass, "", "a\nb\n"},
			{glovebox.Job{Image: "tools:test", Reply: "```bash\nprintf '%s\\n' a b | wc -l\n```"}, glovebox.StatusPass, "", "2\n"},
			{glovebox.Job{Image: "tools:test", Reply: "```python\nprint(1)\n```"}, glovebox.StatusSandboxError, "", ""},
			{glovebox.Job{Image: "python:test", Reply: "```python\nprint(6 * 7)\n```"}, glovebox.StatusPass, "any", "42\n"},
			{glovebox.Job{Image: "python:test", Reply: "```python\nprint(6 * 7)\n```"}, glovebox.StatusDenied, "only tools", ""},
			{glovebox.Job{Image: "python:test", Reply: "```python\ndef add(a, b): return a + b\n```",
				Tests: []glovebox.File{{Path: "test_add.py", Data: []byte("from solution import add\nassert add(1, 2) == 3\n")}}}, glovebox.StatusPass, "any", ""},
			{glovebox.Job{Image: made.Digest(), Command: []string{"python3", "-c", "print(1)"}}, glovebox.StatusPass, "any", "1\n"},
		} {
			if tt.under != "" && tt.under != name {
				continue
			}
			o := do(t, e, tt.job)
			if o.Status != tt.want || o.Stdout != tt.out {
				t.Errorf("%s: %s %q %.40q: %s, stdout %q, stderr %q: %s", name, tt.job.Image, tt.job.Command, tt.job.Reply, o.Status, o.Stdout, o.Stderr, o.Message)
			}
			if o.Status == glovebox.StatusPass && !strings.HasPrefix(o.Image, "sha256:") {
				t.Errorf("the observation names the image %q", o.Image)
			}
		}
	}
}

// imageOf makes an image of a language's toolchain on this host.
func imageOf(t *testing.T, e *engine.Engine, images *image.Store, l *language.Language, name string) *image.Image {
	t.Helper()
	tc, err := e.Toolchain(context.Background(), l)
	if err != nil {
		t.Skip(err)
	}
	roots, err := rootfs.Open("")
	if err != nil {
		t.Fatal(err)
	}
	plan := rootfs.Plan{}
	for _, e := range tc.Root.Entries {
		if !strings.HasSuffix(e.Path, "-packages") { // they may be large
			plan.Add(e)
		}
	}
	root, err := roots.Tree(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	made, err := images.AddTree(context.Background(), root.Tree, image.ImportOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return made
}
