//go:build linux

package gvisor

import (
	"fmt"
	"os"
	"sync"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
	_ "gvisor.dev/gvisor/pkg/sentry/seccheck" // has a variable
	"gvisor.dev/gvisor/runsc/specutils"

	"github.com/gloveboxhq/glovebox/glove"
)

// Work that the sentry does at every start, needlessly. A box is correct
// without the shortcuts: if one is missing, the sentry goes the long way.

// gVisor fills tables for the tracing of guests, a feature without use here.
//
//go:linkname initTracing gvisor.dev/gvisor/pkg/sentry/seccheck.initOnce
var initTracing sync.Once

// saveTime takes the short ways.
func saveTime() {
	initTracing.Do(func() {})
	linked := linkedVersion()
	takeFilter(sentryFilter, linked)
	fastPath.hurry(linked)
	askProcessor(linked)
	if path, err := tinyUmounter(); err == nil {
		specutils.ExePath = path
	}
}

// umounter stays open for as long as its path is in use.
var umounter *os.File

// tinyUmounter makes an executable with the effect of umounterMain, without the
// start of a whole gVisor. It lives in a file without a name.
func tinyUmounter() (path string, err error) {
	s := new(glove.Script)
	early := s.Label()
	s.Call("read", unix.SYS_READ, 3, s.Buffer(8), 1).IfOther(1, early)
	s.Call("umount", unix.SYS_UMOUNT2, "/proc", unix.MNT_DETACH)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)
	s.Place(early)
	s.Call("exit", unix.SYS_EXIT_GROUP, 1)
	program, err := glove.Program(s)
	if err != nil {
		return "", err
	}
	umounter, err = memoryFile("umounter", program, unix.MFD_EXEC)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/proc/self/fd/%d", umounter.Fd()), nil
}
