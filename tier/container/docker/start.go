package docker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove/wire"
	"github.com/gloveboxhq/glovebox/tier"
)

// start makes a container and starts it with attached streams.
func (t *Tier) start(ctx context.Context, g *ground, image string, spec tier.Spec) error {
	if err := context.Cause(ctx); err != nil {
		return broken("open", err)
	}
	// Wait for the answer to each request, to know the result and remove it.
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var random [16]byte
	rand.Read(random[:])
	g.name = "glovebox-" + hex.EncodeToString(random[:])
	request := t.describe(image, spec.Limits)
	if err := t.giveScratch(whole, g.name, &request, spec.Limits); err != nil {
		return broken("create volumes", err)
	}
	var c created
	err := t.engine.call(whole, http.MethodPost, "/containers/create", url.Values{"name": {g.name}}, request, &c)
	if err != nil {
		return broken("create a container", err)
	}
	if err := unwarned(c.Warnings); err != nil {
		return err
	}
	if err := t.checkRuntime(whole, g); err != nil {
		return err
	}
	if g.conn, err = t.engine.attach(whole, g.name); err != nil {
		return broken("attach to the container", err)
	}
	if g.link, err = wire.Attach(g.conn, spec.Descriptors); err != nil {
		return broken("attach to the relay", err)
	}
	g.watch()
	if err := t.engine.call(whole, http.MethodPost, "/containers/"+g.name+"/start", nil, nil, nil); err != nil {
		return errors.Join(broken("start the container", err), g.link.Ends().Close())
	}
	return nil
}

// checkRuntime fails unless the container has the requested runtime: Podman
// silently takes its own.
func (t *Tier) checkRuntime(ctx context.Context, g *ground) error {
	if t.options.Runtime == "" {
		return nil
	}
	var c struct {
		HostConfig struct{ Runtime string }
		OCIRuntime string
	}
	if err := t.engine.call(ctx, http.MethodGet, g.path("/json"), nil, nil, &c); err != nil {
		return broken("look at the container", err)
	}
	if c.HostConfig.Runtime == t.options.Runtime || c.OCIRuntime == t.options.Runtime {
		return nil
	}
	return &tier.Error{Tier: t.Name(), Op: "create a container", Kind: tier.KindUnsupported, Control: tier.ControlNamespaces,
		Fix: "make it the engine's default runtime",
		Err: fmt.Errorf("the engine took the runtime %s%s, not %s", c.OCIRuntime, c.HostConfig.Runtime, t.options.Runtime)}
}

// unwarned refuses a container that lacks a limit according to the engine's
// warnings. Without a limit of swap the limit of memory is void.
func unwarned(warnings []string) error {
	for _, w := range warnings {
		lower := strings.ToLower(w)
		lacks := func(word string) bool { return strings.Contains(lower, word) }
		if !lacks("discarded") && !lacks("ignored") && !lacks("not support") && !lacks("without swap") {
			continue
		}
		control := tier.ControlMemory
		if lacks("pids") {
			control = tier.ControlProcesses
		}
		return &tier.Error{Tier: glovebox.TierContainer, Op: "create a container", Kind: tier.KindUnsupported, Control: control,
			Fix: fixGroups, Err: fmt.Errorf("the engine warns: %s", w)}
	}
	return nil
}

// fixGroups says how an engine comes to enforce limits.
const fixGroups = "let the engine use control groups for memory, swap and processes: run it as root, or delegate them to its user " +
	"(systemd: Delegate=memory pids cpu); with version 1 of control groups, boot with swapaccount=1"
