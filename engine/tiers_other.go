//go:build !linux

package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container/docker"
	"github.com/gloveboxhq/glovebox/tier/wasm"
)

// defaultTiers are those of an Engine that is given none, strongest first, and
// behind them those that this host can never have, which say so.
func defaultTiers(c Config) ([]tier.Tier, error) {
	w, err := wasm.New(wasm.Config{})
	if err != nil {
		return nil, err
	}
	at, err := socketOf(c.Runtime)
	if err != nil {
		return nil, &Error{"runtime", err}
	}
	d, err := docker.New(docker.Options{Host: at})
	if err != nil {
		return nil, err
	}
	return []tier.Tier{
		w, d,
		absent{glovebox.TierMicroVM, "a virtual machine"},
		absent{glovebox.TierGVisor, "gVisor, a kernel in user space"},
		absent{glovebox.TierProcess, "namespaces and a filter of system calls"},
	}, nil
}

// socketOf is where the engine listens that is named as a runtime; empty means
// where engines do.
func socketOf(name string) (string, error) {
	switch {
	case name == "", name == "docker", name == "podman":
		return "", nil
	case strings.Contains(name, "://"):
		return name, nil
	case filepath.IsAbs(name) && runtime.GOOS != "windows":
		return "unix://" + name, nil
	}
	return "", fmt.Errorf("%q: OCI runtimes are for Linux hosts; on this one name docker, podman or an engine's socket", name)
}

// absent is a tier that only Linux has.
type absent struct {
	name  glovebox.TierName
	title string
}

func (a absent) Name() glovebox.TierName { return a.name }

func (a absent) Traits() tier.Traits { return tier.Traits{Title: a.title, Needs: "a Linux host"} }

func (a absent) Probe(context.Context) tier.Report {
	return tier.Report{Tier: a.name, Reason: a.unsupported("probe").Error()}
}

func (a absent) Open(context.Context, tier.Spec) (tier.Box, error) { return nil, a.unsupported("open") }

func (a absent) unsupported(op string) error {
	return &tier.Error{Tier: a.name, Op: op, Kind: tier.KindUnsupported,
		Err: errors.New("this host is not Linux"), Fix: "use the wasm tier, or the container tier with Docker or Podman"}
}
