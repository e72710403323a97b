package docker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// facts are an engine's own description.
type facts struct {
	OSType          string
	Architecture    string
	OperatingSystem string
	KernelVersion   string
	ServerVersion   string
	MemoryLimit     bool
	PidsLimit       bool
	SwapLimit       bool
	CgroupVersion   string
	SecurityOptions []string
	Rootless        bool // Podman's word for it
}

func (e *engine) facts(ctx context.Context) (f facts, err error) {
	return f, e.call(ctx, http.MethodGet, "/info", nil, nil, &f)
}

// mapped reports whether the engine's containers are in a user namespace.
func (f facts) mapped() bool {
	return f.Rootless || slices.ContainsFunc(f.SecurityOptions, func(o string) bool {
		return strings.Contains(o, "name=userns") || strings.Contains(o, "name=rootless")
	})
}

// machines are the engines' names of our machines.
var machines = map[string][]string{"amd64": {"x86_64", "amd64"}, "arm64": {"aarch64", "arm64"}}

// lacks returns an error naming a missing requirement of boxes.
func (f facts) lacks() error {
	lack := &tier.Error{Tier: glovebox.TierContainer, Op: "open", Kind: tier.KindUnsupported}
	switch {
	case f.OSType != "linux":
		lack.Control, lack.Fix = tier.ControlNamespaces, "let the engine run Linux containers"
		lack.Err = fmt.Errorf("the engine runs containers of %q", f.OSType)
	case !slices.Contains(machines[runtime.GOARCH], f.Architecture):
		lack.Control, lack.Fix = tier.ControlAgent, "use an engine on this kind of machine"
		lack.Err = fmt.Errorf("the engine's machine is %s, this program's is %s", f.Architecture, runtime.GOARCH)
	case !f.MemoryLimit:
		lack.Control, lack.Fix, lack.Err = tier.ControlMemory, fixGroups, errors.New("the engine says that it cannot limit memory")
	case !f.PidsLimit:
		lack.Control, lack.Fix, lack.Err = tier.ControlProcesses, fixGroups, errors.New("the engine says that it cannot limit processes")
	default:
		return nil
	}
	return lack
}
