package engine

import (
	"strings"

	"github.com/gloveboxhq/glovebox"
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
		return nil, err // not the next tier: another user must not choose a weaker one for us
	}
	p, err := process.New(process.Options{})
	if err != nil {
		return nil, err
	}
	o, failed := containers(c.Runtime)
	if failed != nil && c.Runtime != "" {
		return nil, failed
	}
	m := orAbsent(glovebox.TierMicroVM, func() (tier.Tier, error) {
		return microvm.New(microvm.Options{AllowEmulation: c.AllowEmulation})
	})
	return []tier.Tier{
		g, m, p,
		orAbsent(glovebox.TierContainer, func() (tier.Tier, error) { return o, failed }),
		orAbsent(glovebox.TierWasm, func() (tier.Tier, error) { return wasm.New(wasm.Config{}) }),
	}, nil
}

// orAbsent returns open's tier, or after an error a tier that reports the error. A tier
// without a directory of its own, as in a read-only cache, stops no other tier.
func orAbsent(name glovebox.TierName, open func() (tier.Tier, error)) tier.Tier {
	t, err := open()
	if err != nil {
		return absent{name: name, err: err, fix: "GLOVEBOX_CACHE and XDG_RUNTIME_DIR name directories that it may use"}
	}
	return t
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
