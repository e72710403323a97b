// Package docker is the container tier by a Docker-compatible engine (Docker,
// Podman): for hosts without an alternative (macOS, Windows), and for hosts
// whose operator trusts an engine with the machine anyway.
//
// # How a box is made
//
// The root file system goes to the engine once, as an image labelled with its
// contents. A box is a container of the image, with its standard streams
// attached: the channel of package wire, with the relay as the container's
// process 1 and parent of the glove. So the engine needs no mount of the host,
// and may be in a virtual machine of its own.
//
// The tier asks the engine for every available wall. Then the tier examines the
// results in the box: the limits of memory and of processes in the control
// group, the file systems and their sizes. (A rootless Podman on version 1 of
// control groups claims to limit memory, and does not.) Each command puts on
// further walls before it is executed: another user without a capability, the
// limits of a process, and the process tier's filter of system calls. So these
// walls hold where the engine's are weak.
//
// # Who dies with whom
//
// When the connection to the engine ends, so with its owner, the relay reads an
// end of file and ends, and the whole container with it. The stopped container
// stays, with the cause of death for the owner to read; the owner removes the
// container, or else the next [New].
//
// # What it does not protect
//
// Access to an engine is root access on the engine's machine. All boxes share
// the machine's kernel.
//
// The engine's interface is a dozen requests of JSON over HTTP, in client.go:
// the engines' own client would bring sixty packages, mostly for tracing.
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
	// Host is the engine's address: unix:///path, npipe:////./pipe/name
	// (Windows), or tcp://host:port, with TLS required. Empty takes DOCKER_HOST
	// or the first usual address that exists.
	Host string
	// TLSDir has ca.pem, cert.pem and key.pem for tcp. Empty takes
	// DOCKER_CERT_PATH.
	TLSDir string
	// Runtime is the engine's runtime for boxes, such as runsc or kata; empty
	// is the engine's default. If a Runtime hides the control group from the
	// box, the tier trusts the engine to have set one; without a Runtime the
	// box must show the group.
	Runtime string
}

// Tier makes boxes with an engine. It implements [tier.Tier].
type Tier struct {
	options Options
	engine  *engine
	// noEngine explains the absence of an engine: New succeeds without one,
	// Open fails.
	noEngine error
	facts    facts
	owner    owner
	images   images
}

// relayPath is where the relay is in the root.
const relayPath = "/opt/glovebox/relay"

// patience bounds one request to the engine.
const patience = time.Minute

// New returns the tier, after removing the remains of dead owners. Without an
// engine New succeeds and Open fails, unless an engine was requested.
func New(o Options) (*Tier, error) {
	t := &Tier{options: o, owner: thisProcess()}
	// A hanging engine must not block every start of this program.
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

// relay is the first program of a container.
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
