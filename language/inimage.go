package language

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// InImage finds the language's toolchain in an image. h knows the image's files by
// their paths in a box and runs the image's programs in a box; their answers are
// only claims of the image. The Root holds only our own files, to be laid over the
// image.
func (l *Language) InImage(ctx context.Context, h Host) (*Toolchain, error) {
	if l.FindInImage != nil {
		return l.FindInImage(ctx, h)
	}
	tc, err := l.Find(ctx, h)
	if err != nil {
		return nil, err
	}
	// Files that would be copied from a host are already in the image. If our path
	// differs, a link leads to the image's path.
	base := map[string]bool{}
	for _, e := range rootfs.Base().Entries {
		base[e.Path] = true
	}
	self, _ := os.Executable()
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	own := *tc
	own.Root = rootfs.Plan{}
	for _, e := range tc.Root.Entries {
		switch {
		case base[e.Path], e.Source == e.Path:
			continue
		case e.Source == self && runtime.GOOS != "linux":
			return nil, fmt.Errorf("%s in an image needs this program as a Linux one, and this host is not Linux: run it without an image, in the wasm tier", l.Title)
		case e.Source != "" && e.Source != self:
			e = rootfs.Entry{Path: e.Path, Link: e.Source}
		}
		own.Root.Add(e)
	}
	return &own, nil
}

// findPythonInImage asks the image's Python for its paths. Nothing is moved.
func findPythonInImage(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("python3", "python")
	if err != nil {
		return nil, fmt.Errorf("Python was not found (%w)", err)
	}
	facts, err := Remember(h, "python in an image", nil, func() (pythonFacts, error) { return askedPython(ctx, h, exe) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	tc := &Toolchain{Language: "python", Version: facts.Version, Exe: exe, Path: "/usr/local/bin:/usr/bin:/bin"}
	return tc, facts.drivers(&tc.Root, facts.Lib)
}

// findGoInImage refuses: the kit for compiling Go programs is made from the host's
// toolchain, ahead of the runs.
func findGoInImage(context.Context, Host) (*Toolchain, error) {
	return nil, fmt.Errorf("Go programs are compiled by the host's Go, which has no place in an image: run them without one")
}
