package language

import "context"

// Host is what a Language may ask of the machine to find its toolchain.
type Host interface {
	// LookPath finds a program as the operator would call it and returns its
	// real path: links, shims and version managers resolved. The error is
	// fs.ErrNotExist where none of the names exists.
	LookPath(names ...string) (string, error)
	// Ask runs a trusted program of the operator's with a short deadline and
	// an empty environment (PATH, HOME, LANG) and returns its stdout.
	Ask(ctx context.Context, args ...string) (string, error)
	// Libraries returns the real paths of the shared libraries, and the
	// dynamic loader, that the ELF files need, in the order they are found.
	Libraries(elfs ...string) ([]string, error)
}
