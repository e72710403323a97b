//go:build linux

package container

import "time"

// SetPatience changes how long a runtime is waited for.
func (t *Tier) SetPatience(d time.Duration) { t.patience = d }
