// Package host finds toolchains on this machine: programs as the operator
// would call them, the shared libraries they need, and what they say of
// themselves. A [Host] is the language.Host of a running Glovebox.
//
// Everything here trusts the operator's own programs and nothing else: it never
// runs or reads anything of a model.
package host

import (
	"errors"
	"os"
	"sync"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// ErrForeign is why nothing of this host can be in a box where the host is not
// Linux, which every box is.
var ErrForeign = errors.New("the programs of this host are not for Linux, which every box is: name an image, or use the wasm tier")

// Host is this machine. Its methods may be called from many goroutines.
type Host struct {
	// dirs are the directories that the operator's PATH names.
	dirs []string
	// memos is where answers are remembered; empty where there is no place.
	memos func() string
	// search are the directories that the loader of this machine searches.
	search func() []string
}

// New returns the machine as the calling process sees it: its PATH and its
// rights.
func New() *Host {
	return &Host{
		dirs:   pathDirs(os.Getenv("PATH")),
		memos:  sync.OnceValue(memoDir),
		search: sync.OnceValue(func() []string { return configuredDirs("/etc/ld.so.conf") }),
	}
}

// memoDir returns the private directory of the memos, or "" where none can be
// had: then nothing is remembered beyond the process.
func memoDir() string {
	dir, err := rootfs.DefaultDir()
	if err != nil {
		return ""
	}
	dir, err = rootfs.Private(dir + "/memos")
	if err != nil {
		return ""
	}
	return dir
}
