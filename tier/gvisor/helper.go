//go:build linux

package gvisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/container"
	"gvisor.dev/gvisor/runsc/flag"
	"gvisor.dev/gvisor/runsc/specutils"
)

// Descriptors of a helper. From passFD on lie the guest's descriptors.
const (
	controlFD = 3
	passFD    = 4
)

// request is the first and only line that a helper reads. After it, the end of
// the control socket means that the box is to be destroyed: by will, or because
// its owner died.
type request struct {
	// Dir is the box's private directory: the bundle, and gVisor's state.
	Dir string
	// ID is the box's ID, see boxID.
	ID string
	// Guest has the number in the guest of each descriptor from passFD on; 0, 1
	// and 2 are among them.
	Guest []int
	// Nested tells that the helper is in a user namespace of its own, where it
	// must be able to mount.
	Nested bool
}

// reply is a line that a helper writes: when the box is up or cannot be, and
// when it is gone.
type reply struct {
	Sentry int    `json:",omitempty"` // process id of the sentry
	Gone   bool   `json:",omitempty"`
	Err    string `json:",omitempty"`
	// NoPrivilege: the helper's user namespace gives it no power at all, as
	// some distributions have it for ordinary users.
	NoPrivilege string `json:",omitempty"`
}

// helperMain makes a box, waits for its end, and destroys it. gVisor wants one
// process for each box: it takes the guest's streams from os.Stdin, os.Stdout
// and os.Stderr, and the sentry dies with the process that started it.
func helperMain() {
	debug.SetGCPercent(-1) // short-lived, and small
	runtime.LockOSThread()
	conn, err := controlSocket()
	if err != nil {
		fail("%v", err)
	}
	in := bufio.NewReader(conn)
	var req request
	if line, err := in.ReadBytes('\n'); err != nil {
		os.Exit(0) // the owner died or gave up before it asked
	} else if err := json.Unmarshal(line, &req); err != nil {
		fail("request: %v", err)
	}
	out := json.NewEncoder(conn)
	// The end of the socket ends the box, even while it is being made.
	go func() {
		_, _ = in.ReadByte()
		_ = out.Encode(reply{Gone: true, Err: text(end(req.Dir))})
		os.Exit(0)
	}()
	_ = out.Encode(start(req))
	select {}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func controlSocket() (net.Conn, error) {
	unix.CloseOnExec(controlFD)
	f := os.NewFile(controlFD, "control")
	defer f.Close()
	return net.FileConn(f)
}

// start makes the box.
func start(req request) reply {
	if req.Nested {
		if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
			return reply{NoPrivilege: fmt.Sprintf("mount in a user namespace: %v", err)}
		}
	}
	sentry, err := boot(req)
	if err == nil {
		return reply{Sentry: sentry}
	}
	if log, openErr := os.Open(filepath.Join(req.Dir, sentryLog)); openErr == nil {
		err = errors.Join(err, lastWords(log))
	}
	return reply{Err: err.Error()}
}

// boot makes the box and returns the sentry's process id.
func boot(req request) (sentry int, err error) {
	// No core file of a sentry, which holds the guest's memory; and when the
	// host runs out of memory, boxes go first.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return 0, fmt.Errorf("limit of core files: %w", err)
	}
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return 0, fmt.Errorf("oom score: %w", err)
	}
	// Growing the table of descriptors while threads run waits for an RCU
	// grace period each time; grow it once, to what the sentry needs.
	if _, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 255); err != nil {
		return 0, fmt.Errorf("descriptor table: %w", err)
	}
	conf, err := settings(req.Dir)
	if err != nil {
		return 0, err
	}
	spec, err := specutils.ReadSpec(req.Dir, conf)
	if err != nil {
		return 0, err
	}
	pass := make(map[int]*os.File)
	for i, guest := range req.Guest {
		f := os.NewFile(uintptr(passFD+i), "guest")
		switch guest {
		case 0:
			os.Stdin = f
		case 1:
			os.Stdout = f
		case 2:
			os.Stderr = f
		default:
			pass[guest] = f
		}
	}
	c, err := container.New(conf, container.Args{
		ID: req.ID, Spec: spec, BundleDir: req.Dir, Attached: true, PassFiles: pass,
	})
	if err != nil {
		return 0, fmt.Errorf("create: %w", err)
	}
	// Our copies of the guest's descriptors would keep its pipes open.
	for i := range req.Guest {
		_ = unix.Close(passFD + i)
	}
	sentry = c.SandboxPid()
	if err := c.Start(conf); err != nil {
		return 0, fmt.Errorf("start: %w", err)
	}
	return sentry, nil
}

// end kills the box and removes what it left. The sentry is process 1 of its
// own namespace: when it is reaped, every process of the box is gone. It stands
// for container.Destroy, which must not be called while the box is being made;
// all that gVisor keeps of a box is a process and files in dir.
func end(dir string) error {
	for {
		for _, pid := range childrenOf(os.Getpid()) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		switch pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
		case err == unix.ECHILD:
			return os.RemoveAll(dir)
		case err != nil && err != unix.EINTR:
			return fmt.Errorf("wait for the sentry: %w", err)
		case pid == 0:
			time.Sleep(reapEvery)
		}
	}
}

// reapEvery is how long end waits before it looks for dead children again. It
// cannot block: a sentry may be starting that it has not seen yet.
const reapEvery = 200 * time.Microsecond

// sentryLog is the file in a box's directory that takes the sentry's last words.
const sentryLog = "sentry.log"

// settings are gVisor's own settings for every box: nothing of the host's
// network, cgroups, sockets and files.
func settings(dir string) (*config.Config, error) {
	flags := flag.NewFlagSet(helperName, flag.ContinueOnError)
	config.RegisterFlags(flags)
	if err := flags.Parse([]string{
		"--root=" + dir,
		"--panic-log=" + filepath.Join(dir, sentryLog),
		"--platform=systrap",
		"--network=none",
		"--ignore-cgroups",
		"--host-settings=ignore",
		"--host-uds=none",
		"--host-fifo=none",
		"--overlay2=none",
	}); err != nil {
		return nil, err
	}
	return config.NewFromFlags(flags)
}
