//go:build linux

package gvisor

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/subcommands"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"
)

// The names (argv[0]) under which our own executable is started again. Nobody
// types them: they are not names of files, and a shell sets argv[0] to the
// file's name.
const (
	// helperName is our helper process, one for each box.
	helperName = "glovebox-gvisor"
	// sentryName is what gVisor calls its sentry: the kernel of the box.
	sentryName = "runsc-sandbox"
	// umounterName is what gVisor calls the process that takes /proc out of
	// the sentry's sight; its argument vector is umounterArgs.
	umounterName = "/proc/self/exe"
)

var umounterArgs = []string{"umount", "--sync-fd=3", "/proc"}

// sidecarDir is where gVisor would look for further executables (and run them)
// when it is not told otherwise: beside our executable. Nothing can be planted
// in a directory that is a device.
const (
	sidecarDirEnv = "GVISOR_SIDECAR_BINARIES_DIR"
	noSidecarDir  = "/dev/null"
)

// init turns this process into a helper, a sentry or an umounter when it was
// started as one. It is in init, not in main, so that every program that
// imports this package works, test binaries too.
func init() {
	part := partOfBox(os.Args)
	if part == nil {
		return
	}
	log.SetTarget(log.GoogleEmitter{Writer: &log.Writer{Next: io.Discard}})
	if err := os.Setenv(sidecarDirEnv, noSidecarDir); err != nil {
		fail("environment: %v", err)
	}
	part()
	os.Exit(exitUnexpected)
}

// partOfBox returns what this process is as a part of a box; nil for every
// other program.
func partOfBox(args []string) func() {
	switch {
	case len(args) == 1 && args[0] == helperName:
		return helperMain
	case len(args) > 1 && args[0] == sentryName:
		return func() { sentryMain(args[1:]) }
	case len(args) > 1 && args[0] == umounterName && slices.Equal(args[1:], umounterArgs):
		return umounterMain
	}
	return nil
}

// exitUnexpected is the exit code of a part of a box that could not start.
const exitUnexpected = 125

// fail ends a part of a box.
func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "glovebox: gvisor: "+format+"\n", args...)
	os.Exit(exitUnexpected)
}

// sentryMain is gVisor's "boot" command: it becomes the kernel of the box. We
// parse the command line ourselves, so that no other command of runsc is
// within reach.
func sentryMain(args []string) {
	tameCollector()
	allowInodeLimit()
	saveTime()
	reportRefusals()
	refuseNamespaces()
	flags := flag.NewFlagSet(sentryName, flag.ContinueOnError)
	config.RegisterFlags(flags)
	logFD := flags.Int("panic-log-fd", -1, "")
	if err := flags.Parse(args); err != nil {
		fail("%v", err)
	}
	if *logFD >= 0 { // what ends the sentry, for the helper to report
		if err := unix.Dup3(*logFD, 2, 0); err != nil {
			fail("log: %v", err)
		}
	}
	var boot sentrycmd.Boot
	rest := flags.Args()
	if len(rest) < 2 || rest[0] != boot.Name() {
		fail("%q: not a command of the sentry", rest)
	}
	conf, err := config.NewFromFlags(flags)
	if err != nil {
		fail("%v", err)
	}
	// With direct access to files the sentry would keep capabilities, and its
	// seccomp filter would allow calls on files. It has no files of the host
	// but the image, which is open. (container.New must not know: it would
	// have the sentry start itself once more.)
	conf.DirectFS = false
	_ = time.Local.String() // reads the zone now, the file is out of sight later

	bootFlags := flag.NewFlagSet(boot.Name(), flag.ContinueOnError)
	boot.SetFlags(bootFlags)
	if err := bootFlags.Parse(overrides(rest[1:])); err != nil {
		fail("%v", err)
	}
	var status unix.WaitStatus
	if boot.Execute(context.Background(), bootFlags, conf, &status) != subcommands.ExitSuccess {
		os.Exit(exitUnexpected)
	}
	os.Exit(status.ExitStatus())
}

// overrides puts what the guest may know of the machine in place of what
// container.New found on the host. The last argument is the box's ID, which
// carries the memory limit; a later flag wins over an earlier one.
func overrides(args []string) []string {
	id := args[len(args)-1]
	memory, err := memoryOfID(id)
	if err != nil {
		fail("%v", err)
	}
	total := strconv.FormatInt(memory, 10)
	return append(args[:len(args)-1:len(args)-1],
		"--total-memory="+total,
		"--total-host-memory="+total,
		"--product-name=glovebox",
		id)
}

// boxID names a box within its private directory, and tells the sentry the
// memory that the guest sees: container.New offers no other way.
func boxID(memory int64) string { return "box-" + strconv.FormatInt(memory, 10) }

func memoryOfID(id string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(id, "box-"), 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not the ID of a box", id)
	}
	return n, nil
}

// The sentry's garbage collector during boot, and after it.
const (
	bootHeap = 64 << 20
	bootTime = 250 * time.Millisecond
	heapGrow = 100 // percent, Go's default
)

// tameCollector keeps the collector from running while the sentry boots, which
// takes a quarter of its start; a box that lives on gets it back.
func tameCollector() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(bootHeap)
	go func() {
		time.Sleep(bootTime)
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(heapGrow)
		debug.FreeOSMemory()
	}()
}

// umounterMain takes /proc out of the sentry's mount namespace when the sentry
// says so, which drops the privilege to do it first.
func umounterMain() {
	var u sentrycmd.Umount
	flags := flag.NewFlagSet(u.Name(), flag.ContinueOnError)
	u.SetFlags(flags)
	if err := flags.Parse(umounterArgs[1:]); err != nil {
		fail("%v", err)
	}
	if u.Execute(context.Background(), flags) != subcommands.ExitSuccess {
		os.Exit(exitUnexpected)
	}
	os.Exit(0)
}
