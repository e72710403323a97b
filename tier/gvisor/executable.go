//go:build linux

package gvisor

import (
	"debug/elf"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/den"
)

// self is this process's own executable, even if the file has been replaced or
// removed meanwhile.
const self = "/proc/self/exe"

// executable returns the file to start sentries from, and the directory, if
// any, to keep for it.
func executable(h den.Home) (_ *os.File, _ *den.Den, err error) {
	f, err := os.Open(self)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := static(f); err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if os.Geteuid() != 0 || info.Mode()&1 != 0 {
		return f, nil, nil
	}
	// The sentry is started as an unprivileged user, so the file must be
	// executable by all. Make an executable copy, kept for the life of this
	// process.
	d, err := h.New()
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(d.Dir, "glovebox")
	copied, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err == nil {
		_, err = io.Copy(copied, f)
		err = errors.Join(err, copied.Chmod(0o755), copied.Close())
	}
	var readable *os.File
	if err == nil {
		readable, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return readable, d, f.Close()
}

// static reports whether the executable needs nothing beside itself: the sentry
// starts a part of itself in an empty root, where there is no loader and no
// library.
func static(f *os.File) error {
	e, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			return &tier.Error{
				Tier: glovebox.TierGVisor, Op: "start", Kind: tier.KindUnsupported, Control: "a kernel of its own",
				Fix: "build with CGO_ENABLED=0",
				Err: errors.New("this executable is linked dynamically"),
			}
		}
	}
	return nil
}
