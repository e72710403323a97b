//go:build !linux

package prove

// tables of processes, mounts and groups are Linux's: boxes are elsewhere here.
type tables struct{}

func look() tables { return tables{} }

func (tables) left() []string { return nil }
