package engine

import (
	"strings"

	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container"
	"github.com/gloveboxhq/glovebox/tier/container/docker"
	"github.com/gloveboxhq/glovebox/tier/gvisor"
	"github.com/gloveboxhq/glovebox/tier/microvm"
	"github.com/gloveboxhq/glovebox/tier/process"
	"github.com/gloveboxhq/glovebox/tier/wasm"
)

// defaultTiers are those of an Engine that is given none, in the order in which
// auto tries them.
func defaultTiers(c Config) ([]tier.Tier, error) {
	g, err := gvisor.New(gvisor.Config{})
	if err != nil {
		return nil, err
	}
	m, err := microvm.New(microvm.Options{AllowEmulation: c.AllowEmulation})
	if err != nil {
		return nil, err
	}
	p, err := process.New(process.Options{})
	if err != nil {
		return nil, err
	}
	o, err := containers(c.Runtime)
	if err != nil {
		return nil, err
	}
	w, err := wasm.New(wasm.Config{})
	if err != nil {
		return nil, err
	}
	return []tier.Tier{g, m, p, o, w}, nil
}

// containers is the container tier on a runtime: by name, or an engine's
// socket, or the first that is there.
func containers(runtime string) (tier.Tier, error) {
	if engine, host := engineHost(runtime); engine {
		return docker.New(docker.Options{Host: host})
	}
	t, err := container.New(container.Options{Runtime: runtime})
	if err == nil && runtime == "" && t.Missing() != nil {
		return docker.New(docker.Options{})
	}
	return t, err
}

// engineHost tells whether a runtime is an engine, and where it listens; empty
// means the usual places.
func engineHost(runtime string) (is bool, host string) {
	if runtime == "docker" || runtime == "podman" {
		return true, ""
	}
	return strings.Contains(runtime, "://"), runtime
}
