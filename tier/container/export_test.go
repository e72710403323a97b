//go:build linux

package container

import (
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox/tier"
)

// SetPatience changes how long a runtime is waited for.
func (t *Tier) SetPatience(d time.Duration) { t.patience = d }

// Runtime is the path of the runtime.
func (t *Tier) Runtime() string { return t.runtime.path }

// Bundle is the description of a box's container.
func (t *Tier) Bundle(spec tier.Spec) *specs.Spec {
	p := &plan{tier: t, spec: &spec}
	return p.bundle()
}
