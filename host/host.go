// Package host finds toolchains on this machine: programs under the operator's
// names, the required shared libraries, and the programs' descriptions of
// themselves. A [Host] is the language.Host of a running Glovebox.
//
// The package trusts the operator's own programs and nothing else: it never
// runs or reads data of a model.
package host

import (
	"errors"
	"os"
	"sync"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// ErrForeign is the reason why no file of a host other than Linux can be in a
// box: every box is Linux.
var ErrForeign = errors.New("the programs of this host are not for Linux, which every box is: name an image, or use the wasm tier")

// Host is this machine. Its methods are safe for concurrent use.
type Host struct {
	// dirs are the directories of the operator's PATH.
	dirs []string
	// memos is where answers are remembered; empty where there is no place.
	memos func() string
	// search are the search directories of this machine's loader.
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

// memoDir returns the private directory of the memos, or "" without one: then
// memos end with the process.
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
