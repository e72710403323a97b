package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/image"
	"github.com/gloveboxhq/glovebox/image/build"
)

type imageCmd struct {
	Pull    imagePullCmd    `cmd:"" help:"Take an image from a registry."`
	Import  imageImportCmd  `cmd:"" help:"Take an image from an OCI layout, a docker save archive or a root file system."`
	Build   imageBuildCmd   `cmd:"" help:"Make an image of pinned packages and of what the host has; nothing of them is run."`
	Ls      imageLsCmd      `cmd:"" help:"List the images."`
	Inspect imageInspectCmd `cmd:"" help:"Say what an image is and what it wants."`
	Verify  imageVerifyCmd  `cmd:"" help:"Read images again and compare them with their digests."`
	Rm      imageRmCmd      `cmd:"" help:"Take the name from an image."`
	Gc      imageGcCmd      `cmd:"" name:"gc" help:"Remove what has no name any more."`
	Kernel  imageKernelCmd  `cmd:"" help:"Prepare the Linux kernel that microVMs boot."`
}

// Help is shown by glovebox image --help.
func (imageCmd) Help() string {
	return `Images are the root file systems of boxes, kept by their content: what was pulled or built once
is shared read-only by every box.

Examples:
  glovebox image pull python:3.12-slim
  glovebox image import rootfs.tar.zst --name tools:1
  glovebox image build --host python --python requirements.txt --name plots:1
  glovebox image ls

Exit status: 0 done, 1 an image is damaged, 2 usage, 4 the policy refused, 5 it failed,
130 it was interrupted.`
}

// withStore opens the store of images, calls do, and turns what it fails with
// into an exit status.
func withStore(s *streams, do func(ctx context.Context, store *image.Store) error) (err error) {
	defer s.interruptible()()
	store, err := image.Open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	switch err := do(s.ctx, store); {
	case errors.Is(err, image.ErrPolicy):
		fmt.Fprintln(s.stderr, "glovebox:", err)
		s.code = exitPolicy
		return nil
	case errors.Is(err, image.ErrNotFound):
		return usagef("%w (glovebox image ls shows those that are here)", err)
	default:
		return err
	}
}

// policyFlags say which images are taken.
type policyFlags struct {
	Allow []string `help:"Take only an image with this digest, or whose name matches this pattern (* and **); repeat it." placeholder:"PATTERN" sep:"none"`
	Key   []string `help:"Take only an image that this public key has signed (PEM); repeat it." placeholder:"FILE" sep:"none" type:"path"`
}

// policy returns the policy of the flags, or nil where none is given. A key
// alone speaks of the image that is asked for.
func (f *policyFlags) policy(ref string) (*image.Policy, error) {
	if len(f.Allow) == 0 && len(f.Key) == 0 {
		return nil, nil
	}
	p := &image.Policy{Allow: f.Allow}
	if len(p.Allow) == 0 {
		p.Allow = []string{ref}
	}
	for _, name := range f.Key {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, usageError{err}
		}
		p.Keys = append(p.Keys, b)
	}
	return p, nil
}

type imagePullCmd struct {
	Image    string   `arg:"" help:"Name of the image, such as python:3.12-slim or ghcr.io/acme/tool@sha256:…."`
	Platform string   `help:"Platform, where it is made for several (default: this machine's)." placeholder:"OS/ARCH"`
	Insecure bool     `help:"Use plain HTTP, to a registry on this machine's loopback only."`
	Host     []string `help:"A further host that the registry may send us to although its address is private; repeat it." placeholder:"HOST" sep:"none"`
	policyFlags
	dropFlag
	JSON bool `name:"json" help:"Print the image as JSON."`
}

// dropFlag is in all commands that take layers of others.
type dropFlag struct {
	DropSpecial bool `help:"Leave out device nodes and pipes, which are refused otherwise."`
}

// Help is shown by glovebox image pull --help.
func (imagePullCmd) Help() string {
	return `Examples:
  glovebox image pull python:3.12-slim
  glovebox image pull ghcr.io/acme/tool@sha256:0123… --key acme.pub
  glovebox image pull localhost:5000/plots:1 --insecure

Every blob is compared with its digest while it comes in; what was transferred before is not
transferred again. Credentials are those of docker login.`
}

// Run runs the command.
func (c *imagePullCmd) Run(s *streams) error {
	policy, err := c.policy(c.Image)
	if err != nil {
		return err
	}
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		m := newMeter(s.stderr)
		img, err := store.Pull(ctx, c.Image, image.PullOptions{
			Platform: image.Platform(c.Platform), Insecure: c.Insecure, Hosts: c.Host, Policy: policy, DropSpecial: c.DropSpecial,
			Progress: func(p image.Progress) { m.show("pull "+c.Image, p.Done, p.Total) },
		})
		m.clear()
		if err != nil {
			return err
		}
		return printImages(s, c.JSON, img)
	})
}

type imageImportCmd struct {
	Path     string `arg:"" help:"A directory with an OCI layout, or an archive (tar, .gz, .zst, .xz): what it holds is told by its content." type:"path"`
	Name     string `help:"What it is to be called; else it has its digest alone." placeholder:"NAME"`
	Keep     bool   `name:"keep-names" help:"Give the images the names that the archive claims, whoever has them now." xor:"name"`
	Platform string `help:"Platform, where it is made for several, or what to say of a root file system." placeholder:"OS/ARCH"`
	dropFlag
	JSON bool `name:"json" help:"Print the images as JSON."`
}

// Help is shown by glovebox image import --help.
func (imageImportCmd) Help() string {
	return `What an archive calls itself is a claim of whoever made it: it takes no name without --keep-names.

Examples:
  docker save acme/tool:1 | zstd > tool.tar.zst && glovebox image import tool.tar.zst --name acme/tool:1
  mmdebstrap --variant=minbase --include=python3 trixie - | glovebox image import /dev/stdin --name py:1
  glovebox image import ./layout`
}

// Run runs the command.
func (c *imageImportCmd) Run(s *streams) error {
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		o := image.ImportOptions{Name: c.Name, KeepNames: c.Keep, Platform: image.Platform(c.Platform), DropSpecial: c.DropSpecial}
		path, remove, err := seekable(c.Path)
		if err != nil {
			return err
		}
		defer remove()
		stop := progress(s.stderr, "importing "+c.Path)
		imgs, err := store.Import(ctx, path, o)
		stop()
		if err != nil {
			return err
		}
		for _, i := range imgs {
			for _, claim := range i.Claims() {
				fmt.Fprintf(s.stderr, "glovebox: %s calls itself %s: to call it that, name it with --name, or say --keep-names\n", short(i.Digest()), plain(claim))
			}
		}
		return printImages(s, c.JSON, imgs...)
	})
}

// seekable returns a path that can be read twice: what comes through a pipe is
// written to a file first.
func seekable(path string) (string, func(), error) {
	nothing := func() {}
	info, err := os.Stat(path)
	if err != nil {
		return "", nothing, usageError{err}
	}
	if info.Mode()&os.ModeNamedPipe == 0 {
		return path, nothing, nil
	}
	from, err := os.Open(path)
	if err != nil {
		return "", nothing, err
	}
	defer from.Close()
	f, err := os.CreateTemp("", "glovebox-import-*")
	if err != nil {
		return "", nothing, err
	}
	remove := func() { os.Remove(f.Name()) }
	_, err = io.Copy(f, io.LimitReader(from, image.DefaultBounds.Bytes))
	if err := errors.Join(err, f.Close()); err != nil {
		remove()
		return "", nothing, err
	}
	return f.Name(), remove, nil
}

type imageLsCmd struct {
	JSON bool `name:"json" help:"Print the list as JSON."`
}

// Run runs the command.
func (c *imageLsCmd) Run(s *streams) error {
	return withStore(s, func(_ context.Context, store *image.Store) error {
		refs, err := store.List()
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.stdout, append([]image.Ref{}, refs...))
		}
		return printRefs(s.stdout, refs)
	})
}

// Help is shown by glovebox image ls --help.
func (imageLsCmd) Help() string {
	return `Example:
  glovebox image ls --json | jq -r '.[].digest'`
}

func printRefs(w io.Writer, refs []image.Ref) error {
	if len(refs) == 0 {
		_, err := fmt.Fprintln(w, "There are no images. To get one: glovebox image pull, import or build.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tDIGEST\tPLATFORM\tSIZE\tFROM\tADDED")
	for _, r := range refs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", familiar(r.Name), short(r.Digest), plain(string(r.Platform)), classify.Bytes(r.Size), r.Source, r.Added.Local().Format("2006-01-02 15:04"))
	}
	return t.Flush()
}

// plain is what an image or its archive says of itself, fit for a terminal.
func plain(text string) string {
	return strings.Join(strings.Fields(shown(text)), " ")
}

// familiar is a name as people write it.
func familiar(name string) string {
	if name == "" {
		return "–"
	}
	return plain(strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/"))
}

// short is a digest as people tell it.
func short(digest string) string {
	return fmt.Sprintf("%.19s", digest)
}

// printImages says what has come into the store.
func printImages(s *streams, asJSON bool, imgs ...*image.Image) error {
	refs := []image.Ref{}
	for _, i := range imgs {
		refs = append(refs, i.Ref())
	}
	if asJSON && len(refs) == 1 {
		return printJSON(s.stdout, refs[0])
	}
	if asJSON {
		return printJSON(s.stdout, refs)
	}
	for _, r := range refs {
		if _, err := fmt.Fprintf(s.stdout, "%s  %s  %s  %s\n", familiar(r.Name), r.Digest, plain(string(r.Platform)), classify.Bytes(r.Size)); err != nil {
			return err
		}
	}
	return nil
}

type imageInspectCmd struct {
	Image string `arg:"" help:"Name or digest of an image that is here."`
	JSON  bool   `name:"json" help:"Print it as JSON."`
}

// Help is shown by glovebox image inspect --help.
func (imageInspectCmd) Help() string {
	return `Examples:
  glovebox image inspect plots:1
  glovebox image inspect sha256:0123456789ab --json`
}

// inspection is what inspect says.
type inspection struct {
	image.Ref
	Config  image.Config  `json:"config"`
	Dropped image.Dropped `json:"dropped"`
	Files   int           `json:"files"`
	Bytes   int64         `json:"bytes"`
}

// Run runs the command.
func (c *imageInspectCmd) Run(s *streams) error {
	return withStore(s, func(_ context.Context, store *image.Store) error {
		img, err := store.Find(c.Image)
		if err != nil {
			return err
		}
		v := inspection{Ref: img.Ref(), Config: img.Config(), Dropped: img.Dropped()}
		if v.Files, v.Bytes, err = measure(img); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.stdout, v)
		}
		return v.print(s.stdout)
	})
}

func (v *inspection) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, values ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprint(values...)) }
	line("name", familiar(v.Name))
	line("digest", v.Digest)
	if v.Index != "" {
		line("index", v.Index)
	}
	line("platform", plain(string(v.Platform)))
	line("from", v.Source, ", ", v.Added.Local().Format(time.RFC3339))
	line("blobs", classify.Bytes(v.Size))
	line("files", v.Files, ", ", classify.Bytes(v.Bytes))
	if n := len(v.Signatures); n > 0 {
		line("signatures", n)
	}
	if d := v.Dropped; d != (image.Dropped{}) {
		line("left out", fmt.Sprintf("%d devices and pipes, %d set-id bits, attributes of %d files, %d entries where boxes have their own", d.Devices, d.SetID, d.Attributes, d.Reserved))
	}
	// What an image says of itself may hold anything: it is quoted.
	for _, e := range v.Config.Env {
		line("env", fmt.Sprintf("%q", e))
	}
	if command := slices.Concat(v.Config.Entrypoint, v.Config.Cmd); len(command) > 0 {
		line("command", fmt.Sprintf("%q", command))
	}
	if v.Config.WorkingDir != "" {
		line("directory", fmt.Sprintf("%q", v.Config.WorkingDir))
	}
	if v.Config.User != "" {
		line("user", fmt.Sprintf("%q (boxes have one of their own)", v.Config.User))
	}
	return t.Flush()
}

type imageVerifyCmd struct {
	Image []string `arg:"" optional:"" help:"Names or digests (default: all that are here)."`
	policyFlags
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// Help is shown by glovebox image verify --help.
func (imageVerifyCmd) Help() string {
	return `Every blob is read and compared with its digest, and the tree with what the layers give. What is
damaged is removed, so that the next pull or import brings it anew.

Examples:
  glovebox image verify
  glovebox image verify acme/tool:1 --key acme.pub

Exit status: 1 where one is damaged, 4 where the policy does not allow one.`
}

// verified is what verify says of one image.
type verified struct {
	Name    string `json:"name"`
	Digest  string `json:"digest"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem,omitempty"`
}

// Run runs the command.
func (c *imageVerifyCmd) Run(s *streams) error {
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		list, err := c.list(store)
		if err != nil {
			return err
		}
		results := []verified{}
		for _, name := range list {
			stop := progress(s.stderr, "verifying "+name)
			v, err := c.verify(ctx, store, name)
			stop()
			switch {
			case ctx.Err() != nil, errors.Is(err, image.ErrNotFound):
				return err
			case errors.Is(err, image.ErrPolicy):
				s.code = exitPolicy
			case err != nil:
				s.code = exitCode
			}
			results = append(results, v)
		}
		if c.JSON {
			return printJSON(s.stdout, results)
		}
		p := newPainter(s.stdout)
		for _, v := range results {
			sign, text := p.paint(green, "✓"), v.Digest
			if !v.OK {
				sign, text = p.paint(red, "✗"), indent(shown(v.Problem))
			}
			if _, err := fmt.Fprintf(s.stdout, "%s %s  %s\n", sign, v.Name, text); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *imageVerifyCmd) list(store *image.Store) ([]string, error) {
	if len(c.Image) > 0 {
		return c.Image, nil
	}
	refs, err := store.List()
	var names []string
	for _, r := range refs {
		if r.Name != "" {
			names = append(names, familiar(r.Name))
		} else {
			names = append(names, r.Digest)
		}
	}
	return names, err
}

func (c *imageVerifyCmd) verify(ctx context.Context, store *image.Store, name string) (verified, error) {
	v := verified{Name: name}
	err := store.Verify(ctx, name)
	if err == nil {
		var img *image.Image
		if img, err = store.Find(name); err == nil {
			v.Digest = img.Digest()
			var policy *image.Policy
			if policy, err = c.policy(name); err == nil {
				err = store.Check(img, policy)
			}
		}
	}
	if v.OK = err == nil; err != nil {
		v.Problem = err.Error()
	}
	return v, err
}

type imageRmCmd struct {
	Image []string `arg:"" help:"Names; a digest means all names of the image."`
	JSON  bool     `name:"json" help:"Print what was removed as JSON."`
}

// Help is shown by glovebox image rm --help.
func (imageRmCmd) Help() string {
	return `The bytes stay until glovebox image gc, and as long as a box uses them.

Example:
  glovebox image rm plots:1 && glovebox image gc`
}

// Run runs the command.
func (c *imageRmCmd) Run(s *streams) error {
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		removed := []image.Ref{}
		for _, name := range c.Image {
			refs, err := store.Remove(ctx, name)
			if err != nil {
				return err
			}
			removed = append(removed, refs...)
		}
		if c.JSON {
			return printJSON(s.stdout, removed)
		}
		for _, r := range removed {
			if _, err := fmt.Fprintf(s.stdout, "removed %s  %s\n", familiar(r.Name), r.Digest); err != nil {
				return err
			}
		}
		return nil
	})
}

type imageGcCmd struct {
	Packages bool `help:"Remove the downloaded packages of image build too."`
	JSON     bool `name:"json" help:"Print what was removed as JSON."`
}

// Help is shown by glovebox image gc --help.
func (imageGcCmd) Help() string {
	return `What a box uses stays. Killed at any moment, it has removed only what it should.

Example:
  glovebox image gc --packages`
}

// Run runs the command.
func (c *imageGcCmd) Run(s *streams) error {
	return withStore(s, func(ctx context.Context, store *image.Store) error {
		stop := progress(s.stderr, "collecting")
		got, err := store.GC(ctx)
		stop()
		if err != nil {
			return err
		}
		var packages int64
		if c.Packages {
			if packages, err = build.Clean(""); err != nil {
				return err
			}
		}
		if c.JSON {
			return printJSON(s.stdout, struct {
				image.Collected
				Packages int64 `json:"package_bytes"`
			}{got, packages})
		}
		fmt.Fprintf(s.stdout, "removed %d blobs and %d trees, %s\n", got.Blobs, got.Trees, classify.Bytes(got.Bytes))
		if got.InUse > 0 {
			fmt.Fprintf(s.stdout, "kept %d trees that are in use\n", got.InUse)
		}
		if c.Packages {
			fmt.Fprintf(s.stdout, "removed %s of packages\n", classify.Bytes(packages))
		}
		return nil
	})
}
