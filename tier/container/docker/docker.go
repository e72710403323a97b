// Package docker is the container tier by a Docker-compatible engine (Docker,
// Podman): for hosts where that is all there is, such as macOS and Windows, and
// for those whose operator trusts an engine with the machine anyway.
//
// # How a box is made
//
// The root file system goes to the engine once, as an image with a label that
// says what it holds. A box is a container of it, whose standard streams are
// attached: they are the channel of package wire, whose relay is the container's
// process 1 and starts the glove. So the engine needs no mount of the host, and
// may be in a virtual machine of its own.
//
// The engine is asked for every wall that it has. What came of it is looked at
// in the box: the limits of memory and of processes in its control group, the
// file systems and their sizes. (A rootless Podman on version 1 of control groups
// says that it limits memory, and does not.) Each command puts on walls of its
// own before it is executed: another user without a capability, the limits of a
// process, and the process tier's filter of system calls. So they hold where the
// engine's are weak.
//
// # Who dies with whom
//
// When the connection to the engine ends, so with its owner, the relay reads an
// end of file and ends, and all of the container with it. The stopped container
// stays, since how it died can be asked then; its owner removes it, or else the
// next [New].
//
// # What it does not protect
//
// Whoever may talk to an engine is root where it runs. All boxes share that
// machine's kernel.
//
// The engine's interface is a dozen requests of JSON over HTTP, in client.go: the
// engines' own client would bring sixty packages, most of them for tracing.
package docker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Options are the operator's choices. The zero value is the safe default.
type Options struct {
	// Host is where the engine listens: unix:///path, npipe:////./pipe/name
	// (Windows), or tcp://host:port, for which TLS is required. Empty takes
	// DOCKER_HOST or, of the places where engines listen, the first that is
	// there.
	Host string
	// TLSDir has ca.pem, cert.pem and key.pem for tcp. Empty takes
	// DOCKER_CERT_PATH.
	TLSDir string
	// Runtime is the engine's runtime for boxes, such as runsc or kata; empty is
	// its default. Where it hides the control group from the box, the engine is
	// believed that there is one; without a Runtime it is not.
	Runtime string
}

// Tier makes boxes with an engine. It implements [tier.Tier].
type Tier struct {
	options Options
	engine  *engine
	// noEngine says why there is none: New does not fail for that, Open does.
	noEngine error
	facts    facts
	owner    owner
	images   images
}

// relayPath is where the relay is in the root.
const relayPath = "/opt/glovebox/relay"

// patience bounds one request to the engine.
const patience = time.Minute

// New returns the tier, after it has removed what dead owners left. It does not
// fail where there is no engine, unless one was asked for: then Open does.
func New(o Options) (*Tier, error) {
	t := &Tier{options: o, owner: thisProcess()}
	// An engine that hangs must not hang every start of this program.
	hello, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	if t.engine, err = connect(hello, o); err == nil {
		t.facts, err = t.engine.facts(hello)
	}
	if err != nil {
		if o.Host != "" {
			return nil, &tier.Error{Tier: t.Name(), Op: "reach the engine", Kind: tier.KindInvalid, Err: err}
		}
		t.noEngine = err
		return t, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := t.sweep(ctx); err != nil {
		return nil, broken("sweep", err)
	}
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierContainer }

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
	return tier.Traits{
		Title: "a container of a Docker-compatible engine", Kernel: tier.KernelHost, Native: true,
		Stops: []string{"mistakes, and attacks that need a system call outside of the list"},
		Exposes: []string{
			"a bug in the engine's kernel that an allowed system call reaches",
			"the engine itself: who reaches its socket is root where it runs",
			"the processor: what leaks by timing and caches",
		},
		Needs: "Docker or Podman by its socket",
	}
}

// relay is the program that a container starts with.
var relay = sync.OnceValues(func() ([]byte, error) {
	return wire.Relay(wire.Config{Channel: wire.Stdio(), Glove: glove.Path})
})

// TreeRoot implements [tier.TreeRoot].
func (t *Tier) TreeRoot() rootfs.Plan {
	program, err := relay()
	if err != nil {
		panic(err) // it depends on nothing but this program
	}
	return rootfs.Plan{Entries: []rootfs.Entry{
		{Path: glove.Path, Data: glove.Image(), Mode: 0o755},
		{Path: relayPath, Data: program, Mode: 0o755},
	}}
}

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if err := t.check(spec); err != nil {
		return nil, err
	}
	b, err := t.open(ctx, spec)
	if err == nil {
		return b, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, broken("open", errors.Join(cause, err))
	}
	return nil, err
}

func (t *Tier) check(spec tier.Spec) error {
	err := spec.Check()
	switch {
	case err != nil:
	case spec.Root.Key == "" || !filepath.IsAbs(spec.Root.Tree):
		err = errors.New("the root file system has no key or no tree")
	default:
		err = wire.Check(spec.Descriptors)
	}
	if err != nil {
		return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindInvalid, Err: err}
	}
	if t.noEngine != nil {
		return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindUnsupported, Control: tier.ControlNamespaces,
			Fix: "start Docker or Podman (systemctl start podman.socket), or say where it listens (DOCKER_HOST)", Err: t.noEngine}
	}
	return t.facts.lacks()
}

func (t *Tier) open(ctx context.Context, spec tier.Spec) (_ tier.Box, err error) {
	image, err := t.image(ctx, spec.Root)
	if err != nil {
		return nil, broken("import the root file system", err)
	}
	g := newGround(t.engine)
	if err := t.start(ctx, g, image, spec); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	fail := func(op string, err error) error {
		var lack *tier.Error
		if errors.As(err, &lack) {
			return errors.Join(err, g.Close(), g.link.Ends().Close())
		}
		if said := g.conn.diagnosis(); said != "" {
			err = fmt.Errorf("%w (the container says %q)", err, said)
		}
		return errors.Join(broken(op, err), g.Close(), g.link.Ends().Close())
	}
	f, err := boot(g.link)
	if err != nil {
		return nil, fail("boot", err)
	}
	if err := f.check(spec.Limits); err != nil {
		return nil, fail("look at the container", err)
	}
	if g.group, err = findGroup(g.link.Ends(), spec.Limits, t.options.Runtime != ""); err != nil {
		return nil, fail("look at the control group", err)
	}
	b, err := glove.NewBox(glove.Config{
		Tier: t.Name(), Spec: spec, Ends: g.link.Ends(), Ground: g,
		Prologue: prologue(spec.Limits, f), Owner: true, Controls: t.controls(g.group),
	})
	if err != nil {
		return nil, err
	}
	if !stop() {
		return nil, errors.Join(context.Cause(ctx), b.Close())
	}
	return b, nil
}

func broken(op string, err error) *tier.Error {
	return &tier.Error{Tier: glovebox.TierContainer, Op: op, Kind: tier.KindBroken, Err: err}
}
