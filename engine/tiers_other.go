//go:build !linux

package engine

import (
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

// defaultTiers are the tiers of an Engine without a list of its own, strongest first.
// Tiers impossible on this operating system follow, each with the reason.
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
		notLinux(glovebox.TierMicroVM, "a virtual machine"),
		notLinux(glovebox.TierGVisor, "gVisor, a kernel in user space"),
		notLinux(glovebox.TierProcess, "namespaces and a filter of system calls"),
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

// notLinux is a tier that only Linux has.
func notLinux(name glovebox.TierName, title string) tier.Tier {
	return absent{name: name, traits: tier.Traits{Title: title, Needs: "a Linux host"}, err: errors.New("this host is not Linux"),
		fix: "use the wasm tier, or the container tier with Docker or Podman"}
}
