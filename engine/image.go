package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/tier"
)

// findImage finds the Job's image in the store, if the policy allows it.
func (r *run) findImage(ctx context.Context) bool {
	images, err := r.e.images()
	if err == nil {
		r.image, err = images.Find(r.job.Image)
	}
	if errors.Is(err, image.ErrNotFound) {
		r.wrong = &Error{"image", err}
		return false
	}
	if err != nil {
		r.o.NextAction = glovebox.ActionAskHuman
		return r.broke(ctx, glovebox.PhaseStage, err)
	}
	r.o.Image = r.image.Digest()
	if err := images.Check(r.image, r.e.c.ImagePolicy); err != nil {
		r.o.Denials = append(r.o.Denials, glovebox.Denial{Rule: "image", Asked: "image: " + r.job.Image, Message: err.Error()})
		return r.end(glovebox.StatusDenied, glovebox.PhaseAdmit, "policy", "The policy refused the image: %v.", err)
	}
	return true
}

// images opens the store of images when the first Job asks for one.
func (e *Engine) images() (*image.Store, error) {
	if e.c.Images != nil {
		return e.c.Images, nil
	}
	return e.ownImages()
}

// inImage finds the run's toolchain in its image, once for each image and
// language.
func (r *run) inImage(ctx context.Context) (*language.Toolchain, error) {
	for {
		tc, err := r.askImage(ctx)
		// The question may have been asked for another run, since cancelled.
		if err == nil || ctx.Err() != nil || !errors.Is(err, errCancelled) {
			return tc, err
		}
	}
}

var errCancelled = errors.New("the run that asked was cancelled")

func (r *run) askImage(ctx context.Context) (*language.Toolchain, error) {
	return r.e.once(r.lang.Name+" in "+r.image.Digest(), func() (*language.Toolchain, error) {
		tc := &language.Toolchain{Language: r.lang.Name}
		if r.lang != command {
			found, err := r.lang.InImage(ctx, &imageHost{r})
			if ctx.Err() != nil {
				return nil, errCancelled
			}
			if err != nil {
				// The error may hold what the image's programs say, however long.
				return nil, fmt.Errorf("the image %s: %s", r.job.Image, observe.Middle(err.Error(), maxAnswer))
			}
			own := *found
			tc = &own
		}
		tc.Path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
		var env []string
		for _, v := range r.image.Config().Env {
			switch name, value, _ := strings.Cut(v, "="); name {
			case "PATH":
				tc.Path = value
			case "HOME", "HOSTNAME", "USER":
			default:
				env = append(env, v)
			}
		}
		tc.Env = append(env, tc.Env...)
		return tc, nil
	})
}

// imageHost is an image as a place where a language finds its toolchain.
type imageHost struct{ r *run }

// LookPath implements [language.Host]: the path is the one in a box.
func (h *imageHost) LookPath(names ...string) (string, error) {
	found, err := h.r.image.LookPath(names...)
	if err != nil {
		return "", err
	}
	// As it is without links on the way: /bin may be /usr/bin. The file itself
	// may be one, such as the interpreter of a virtual environment.
	dir, err := h.r.image.Resolve(path.Dir(found))
	return path.Join("/", dir, path.Base(found)), err
}

// maxAnswer is how many bytes of an image's own words an error holds.
const maxAnswer = 1 << 10

// askLimits bound what a program of an image is asked.
var askLimits = glovebox.Limits{Wall: 30 * time.Second, CPU: 20 * time.Second, Output: 1 << 20}.WithDefaults()

// Ask implements [language.Host]: the program is as untrusted as the image, so
// it runs in a box.
func (h *imageHost) Ask(ctx context.Context, args ...string) (string, error) {
	asking := *h.r
	asking.tools = &language.Toolchain{}
	asking.tiers = slices.DeleteFunc(slices.Clone(h.r.tiers), func(t tier.Tier) bool { _, modules := t.(tier.Modules); return modules })
	var refused error
	for _, t := range asking.tiers {
		root, err := asking.root(ctx, t)
		if err != nil {
			return "", err
		}
		box, err := t.Open(ctx, tier.Spec{Root: root, Limits: askLimits, Allow: h.r.e.c.Allow})
		if tier.IsKind(err, tier.KindUnsupported) {
			refused = errors.Join(refused, err)
			continue
		}
		if err != nil {
			return "", err
		}
		defer box.Close()
		var stdout, stderr bytes.Buffer
		out := box.Run(ctx, tier.Command{
			Args: args, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8"},
			Stdout: &stdout, Stderr: &stderr, // askLimits bound them
		})
		if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			return "", errors.Join(fmt.Errorf("%s ended with %s, exit code %d: %s", args[0], out.Cause, out.ExitCode, firstLine(stderr.String())), out.Err)
		}
		return stdout.String(), nil
	}
	return "", errors.Join(fmt.Errorf("there is no tier to ask the image's %s in", args[0]), refused)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// Libraries implements [language.Host]: an image brings its own.
func (h *imageHost) Libraries(...string) ([]string, error) { return nil, nil }

// ELFs implements [language.Host]: nobody needs to know.
func (h *imageHost) ELFs(string) ([]string, error) { return nil, nil }

// Stat implements [language.Host].
func (h *imageHost) Stat(name string) (fs.FileInfo, error) { return h.r.image.Stat(name) }

// Memo implements [language.Host]: what is found in an image is found there for
// ever.
func (h *imageHost) Memo(key string, _ []string, v any, fill func() error) error {
	return h.r.e.c.Host.Memo(key+" in "+h.r.image.Digest(), nil, v, fill)
}
