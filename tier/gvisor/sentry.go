//go:build linux

package gvisor

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/google/subcommands"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/log"
	"gvisor.dev/gvisor/runsc/cmd/sentry/sentrycmd"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/flag"
)

// The names (argv[0]) under which our own executable is started again. No user
// types these names: no files have them, and a shell sets argv[0] to the file's
// name.
const (
	// sentryName is what gVisor calls its sentry: the kernel of the box.
	sentryName = "runsc-sandbox"
	// umounterName is gVisor's name for the process that takes /proc out of the
	// sentry's sight; its argument vector is umounterArgs.
	umounterName = "/proc/self/exe"
)

var umounterArgs = []string{"umount", "--sync-fd=3", "/proc"}

// sidecarDir is where gVisor looks for further executables (and runs them), by
// default beside our executable. Nothing can be planted in a directory that is
// a device.
const (
	sidecarDirEnv = "GVISOR_SIDECAR_BINARIES_DIR"
	noSidecarDir  = "/dev/null"
)

// init turns this process into a sentry or an umounter if started as one. The
// code is in init, not in main, for the sake of all importing programs,
// including test binaries.
func init() {
	log.SetTarget(silence{})
	if part := partOfBox(os.Args); part != nil {
		part()
		os.Exit(exitUnexpected)
	}
}

// silence is a log of gVisor's that takes no time.
type silence struct{}

func (silence) Emit(int, log.Level, time.Time, string, ...any) {}

// partOfBox returns the main function of a part of a box; nil for every other
// program.
func partOfBox(args []string) func() {
	switch {
	case len(args) > 1 && args[0] == sentryName:
		return func() { sentryMain(args[1:]) }
	case len(args) > 1 && args[0] == umounterName && slices.Equal(args[1:], umounterArgs):
		return umounterMain
	}
	return nil
}

// The exit codes of a part of a box that could not start.
const (
	exitUnexpected  = 125
	exitNoPrivilege = 126 // its user namespace gives it no power, as some hosts have it
)

// fail ends a part of a box.
func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "glovebox: gvisor: "+format+"\n", args...)
	os.Exit(exitUnexpected)
}

// sentryMain is gVisor's "boot" command: it becomes the kernel of the box. We
// parse the command line ourselves, to keep all further commands of runsc out
// of reach.
func sentryMain(args []string) {
	tameCollector()
	allowInodeLimit()
	saveTime()
	reportRefusals()
	endSoon()
	refuseNamespaces()
	tellThread()
	watchTerminals()
	flags := flag.NewFlagSet(sentryName, flag.ContinueOnError)
	config.RegisterFlags(flags)
	logFD := flags.Int("panic-log-fd", -1, "")
	if err := flags.Parse(args); err != nil {
		fail("%v", err)
	}
	if *logFD >= 0 { // what ends the sentry, for the owner to report
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
	if err := shrink(); err != nil {
		fail("%v", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		fmt.Fprintf(os.Stderr, "mount in a user namespace: %v\n", err)
		os.Exit(exitNoPrivilege)
	}
	_ = time.Local.String() // reads the zone now, the file is out of sight later

	bootFlags := flag.NewFlagSet(boot.Name(), flag.ContinueOnError)
	boot.SetFlags(bootFlags)
	if err := bootFlags.Parse(rest[1:]); err != nil {
		fail("%v", err)
	}
	var status unix.WaitStatus
	if boot.Execute(context.Background(), bootFlags, conf, &status) != subcommands.ExitSuccess {
		os.Exit(exitUnexpected)
	}
	os.Exit(status.ExitStatus())
}

// shrink gives up the inheritance that a sentry must not have.
func shrink() error {
	// Lower numbers are the intended descriptors alone. None of our code has
	// opened a file yet.
	if err := closeFrom(sentryExe); err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}
	// No core file of a sentry, which holds the guest's memory; and when the
	// host runs out of memory, boxes go first.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("limit of core files: %w", err)
	}
	return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

func closeFrom(first int) error {
	err := unix.CloseRange(uint(first), math.MaxUint32, 0)
	if err != unix.ENOSYS {
		return err
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.9
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err != nil {
			return err
		} else if fd >= first {
			_ = unix.Close(fd)
		}
	}
	return nil
}

// The sentry's garbage collector during boot, and after it.
const (
	bootHeap = 64 << 20
	bootTime = 250 * time.Millisecond
	heapGrow = 100 // percent, Go's default
)

// tameCollector stops the collector while the sentry boots, and saves a quarter
// of the start; a long-lived box gets the collector back.
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

// umounterMain takes /proc out of the sentry's mount namespace on the sentry's
// signal. The sentry first drops the privilege to do so itself.
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
