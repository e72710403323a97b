// Package gvisor is the tier in which a box has a kernel of its own: gVisor,
// linked into our own executable from its Go module. Nothing needs to be
// installed, and no privilege is needed.
//
// # How a box is made
//
// The program that opens a box starts itself again as a helper, one for each
// box, which starts itself again as the sentry: gVisor's kernel, which serves
// the system calls of the guest's processes, and which is itself confined by
// namespaces, an empty root and a seccomp filter. The guest's root is an EROFS
// image that is only read; what the guest writes is in its own memory. Process
// 1 of the guest is the glove.
//
// Whether a process is one of these parts is told by its argv[0], in the init
// function of this package: a program that imports the package needs no call
// in main. See sentry.go.
//
// # Who dies with whom
//
// The helper ends when its control socket does, so with its owner, and removes
// what the box had on disk. The sentry is killed when the helper ends. The
// guest's processes are in a PID namespace that ends with the sentry. What is
// left when a helper too is killed is swept by the next [New].
package gvisor

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// Tier makes boxes with gVisor.
type Tier struct {
	home home
	exe  string
}

// Config says how to make a Tier. Its zero value is ready to use.
type Config struct {
	// Dir is where the private directory of this user's boxes is made; empty
	// means XDG_RUNTIME_DIR, or else the directory for temporary files.
	Dir string
}

// New makes a Tier, and sweeps what the boxes of dead processes left.
func New(c Config) (*Tier, error) {
	h, err := openHome(c.Dir)
	if err == nil {
		err = h.sweep()
	}
	if err != nil {
		return nil, &tier.Error{Tier: glovebox.TierGVisor, Op: "prepare a directory for boxes", Kind: tier.KindBroken, Err: err}
	}
	return &Tier{home: h, exe: "/proc/self/exe"}, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierGVisor }

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if spec.Root == nil || spec.Root.Image == "" {
		return nil, t.fail("open", tier.KindInvalid, errors.New("the root file system has no EROFS image"))
	}
	if len(spec.Descriptors) > glove.MaxDescriptors {
		return nil, t.fail("open", tier.KindInvalid, fmt.Errorf("%d descriptors: at most %d", len(spec.Descriptors), glove.MaxDescriptors))
	}
	ends, g, err := t.boot(ctx, spec)
	if err != nil {
		return nil, err
	}
	box, err := glove.NewBox(glove.Config{
		Tier: t.Name(), Spec: spec, Ends: ends, Ground: g,
		Prologue: prologue(spec.Limits), Owner: true, Controls: controls(),
	})
	if err != nil {
		return nil, err
	}
	return box, nil
}

// boot makes a box whose glove waits for its first script.
func (t *Tier) boot(ctx context.Context, spec tier.Spec) (_ glove.Ends, _ *ground, err error) {
	ends, inner, err := glove.Pipes()
	if err != nil {
		return glove.Ends{}, nil, t.fail("make pipes", tier.KindBroken, err)
	}
	defer func() {
		err = errors.Join(err, inner.Close())
		if err != nil {
			err = errors.Join(err, ends.Close())
		}
	}()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return ends, nil, t.fail("open the null device", tier.KindBroken, err)
	}
	inner[0] = null
	given := glove.Inner{}
	for fd, f := range inner {
		given[fd] = f
	}
	for i, f := range spec.Descriptors {
		if f != nil {
			given[3+i] = f
		}
	}

	dir, err := t.home.newBox()
	if err != nil {
		return ends, nil, t.fail("make a directory", tier.KindBroken, err)
	}
	nested := os.Geteuid() != 0
	ids, err := newIDs(nested)
	if err == nil {
		err = writeSpec(dir, guestSpec(spec.Root.Image, spec.Limits, ids))
	}
	if err != nil {
		return ends, nil, t.fail("describe the guest", tier.KindBroken, errors.Join(err, os.RemoveAll(dir)))
	}
	g, guest, err := spawn(t.exe, nested, given)
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
		if nested && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS) || errors.Is(err, syscall.EINVAL)) {
			return ends, nil, noUserNamespaces(err)
		}
		return ends, nil, t.fail("start the helper", tier.KindBroken, err)
	}
	g.limits = spec.Limits
	if err := g.bootWith(ctx, request{Dir: dir, ID: boxID(spec.Limits.Memory), Guest: guest, Nested: nested}); err != nil {
		closeErr := g.Close()
		if ctx.Err() != nil {
			return ends, nil, errors.Join(ctx.Err(), closeErr)
		}
		if errors.Is(err, errNoPrivilege) {
			return ends, nil, noUserNamespaces(err)
		}
		if log := g.log.String(); log != "" {
			err = fmt.Errorf("%w (the helper says %q)", err, log)
		}
		return ends, nil, t.fail("boot", tier.KindBroken, err)
	}
	return ends, g, nil
}

var errNoPrivilege = errors.New("a user namespace gives no privilege to mount")

// bootWith asks the helper for the box and waits until it is up.
func (g *ground) bootWith(ctx context.Context, req request) error {
	line, err := json.Marshal(req)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { g.control.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := g.control.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := g.control.Write(append(line, '\n')); err != nil {
		return err
	}
	var up reply
	if err := g.replies.Decode(&up); err != nil {
		return err
	}
	switch {
	case up.NoPrivilege:
		return errNoPrivilege
	case up.Err != "":
		return errors.New(up.Err)
	}
	return g.watch(up.Sentry)
}

func (t *Tier) fail(op string, kind tier.Kind, err error) error {
	return &tier.Error{Tier: t.Name(), Op: op, Kind: kind, Err: err}
}

func noUserNamespaces(err error) error {
	return &tier.Error{
		Tier: glovebox.TierGVisor, Op: "start the helper", Kind: tier.KindUnsupported, Control: "user namespaces",
		Fix: "run as root, or let ordinary users make user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)",
		Err: err,
	}
}

func writeSpec(dir string, spec any) error {
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.json"), data, 0o600)
}

// idRange is the range of the host's user and group ids that the guest's kernel
// runs as, which has no power over anything of the host's.
type idRange struct{ first, size uint32 }

// Ids that nobody uses: above those that systemd gives to containers, below
// 2^31. Each box takes a range of its own, so that one sentry is not another's
// user.
const (
	firstID   = 0x70000000
	idsPerBox = 0x10000
	idRanges  = 0x1000
)

func newIDs(nested bool) (idRange, error) {
	if nested {
		return idRange{0, 1}, nil // the caller: there is no other
	}
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return idRange{}, err
	}
	n := uint32(binary.BigEndian.Uint16(b[:])) % idRanges
	return idRange{firstID + n*idsPerBox, idsPerBox}, nil
}
