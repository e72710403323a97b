//go:build linux

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/tiertest"
	"github.com/gloveboxhq/glovebox/tier/tiertest/waiting"
)

// TestCopiesConform: a box that is a copy of a parent keeps every promise that a
// box keeps.
func TestCopiesConform(t *testing.T) { copiesConform(t, Options{}) }

func TestCopiesConformWithoutControlGroups(t *testing.T) {
	copiesConform(t, Options{NoControlGroups: true})
}

func copiesConform(t *testing.T, o Options) {
	if os.Geteuid() != 0 {
		t.Skip("a parent needs root")
	}
	tools, err := language.Python.Find(t.Context(), host.New())
	if err != nil {
		t.Skip(err)
	}
	tiertest.Run(t, tiertest.Kind{
		New: func() (tier.Tier, error) {
			tr, err := New(o)
			return &copier{Tier: tr, exe: tools.Exe}, err
		},
		Root: func(ctx context.Context, store *rootfs.Store, p rootfs.Plan) (*rootfs.Root, error) {
			return store.Tree(ctx, p.Merge(tools.Root))
		},
		Kernel: true,
	})
}

// copier makes each box as the copy of a parent that has ended, of a command that
// then ends too, so that the box
// is for other commands.
type copier struct {
	*Tier
	exe string
}

func (c *copier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if _, err := os.Stat(treeOf(spec)); spec.Standby != nil || check(spec) != nil || err != nil || ctx.Err() != nil {
		return c.Tier.Open(ctx, spec)
	}
	n := len(spec.Descriptors)
	spec.Standby = &tier.Command{Args: []string{c.exe, "-I", "-c", waiting.Nobody, strconv.Itoa(n)}}
	from, err := c.openParent(ctx, spec)
	if err != nil {
		return nil, &tier.Error{Tier: c.Name(), Op: "open", Kind: tier.KindBroken, Err: errors.Join(err, context.Cause(ctx))}
	}
	b, err := c.open(ctx, spec, missing{}, from)
	if err := from.close(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if out := b.Run(context.Background(), tier.Command{Orders: []byte("{}")}); out.ExitCode != 0 && ctx.Err() == nil {
		return nil, errors.Join(fmt.Errorf("the command that waited ended with %+v", out), b.Close())
	}
	return b, nil
}

func treeOf(spec tier.Spec) string {
	if spec.Root == nil {
		return ""
	}
	return spec.Root.Tree
}
