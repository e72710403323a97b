//go:build linux

package gvisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/control/server"
	"gvisor.dev/gvisor/runsc/config"
	"gvisor.dev/gvisor/runsc/donation"
	"gvisor.dev/gvisor/runsc/flag"
	"gvisor.dev/gvisor/runsc/sandbox"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
)

// guest describes the guest of a sentry.
type guest struct {
	spec   *specs.Spec
	image  string // the root file system's
	memory int64  // what the guest is told that the machine has, in bytes
	ids    identity
	inner  glove.Inner // its descriptors, by their number in the guest
	from   *origin     // nil: it is like no other
}

// boxID names a box to its sentry. There is one box for each sentry.
const boxID = "box"

// settings are gVisor's own settings for every box: no access to the host's
// network, cgroups, sockets and files. With direct access to files the sentry
// would keep capabilities, and its seccomp filter would allow calls on files.
// The only host file is the image, already open.
var settings = []string{
	"--platform=systrap",
	"--network=none",
	"--directfs=false",
	"--ignore-cgroups",
	"--host-settings=ignore",
	"--host-uds=none",
	"--host-fifo=none",
	"--overlay2=none",
}

// parsed is settings, in the form for our side of the sentry's control socket.
var parsed = sync.OnceValues(func() (*config.Config, error) {
	flags := flag.NewFlagSet(sentryName, flag.ContinueOnError)
	config.RegisterFlags(flags)
	if err := flags.Parse(append([]string{"--root=/"}, settings...)); err != nil {
		return nil, err
	}
	return config.NewFromFlags(flags)
})

// start starts a sentry and has it run the guest. Even on error, g owns the den
// and the group.
func (g *ground) start(ctx context.Context, exe *os.File, guest guest) error {
	conf, err := parsed()
	if err != nil {
		return errors.Join(err, g.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ready, err := g.launch(exe, guest)
	if err != nil {
		return errors.Join(err, g.Close())
	}
	defer ready.Close()
	// The end of the sentry ends all waits below.
	stop := context.AfterFunc(ctx, g.Kill)
	defer stop()
	_, err = ready.Read(make([]byte, 1))
	if err == nil {
		err = g.begin(conf, guest)
	}
	if err == nil && !stop() {
		err = errors.New("it is being killed")
	}
	if err == nil {
		return nil
	}
	err = errors.Join(ctx.Err(), fmt.Errorf("start the sentry: %w", err), lastWords(g.log), g.Close())
	if g.sentry.ProcessState.ExitCode() == exitNoPrivilege {
		err = &noPrivilege{err}
	}
	return err
}

// begin starts the guest, and finds its memory.
func (g *ground) begin(conf *config.Config, guest guest) error {
	if guest.from.waiting() != 0 {
		// Its memory comes with it.
		return errors.Join(g.restore(guest.from.state), g.findMemory())
	}
	up := make(chan error, 1)
	go func() { up <- g.sandbox.StartRoot(conf, guest.spec) }()
	return errors.Join(g.findMemory(), <-up)
}

// launch starts the sentry, confined except for the sentry's own measures. The
// returned pipe gives one byte when the sentry waits for the guest.
func (g *ground) launch(exe *os.File, guest guest) (ready *os.File, err error) {
	if err := descriptors(); err != nil {
		return nil, err
	}
	socket := filepath.Join(g.den.Dir, "control")
	listener, err := server.CreateSocket(socket)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	var files donation.Agency
	defer files.Close()
	control := os.NewFile(uintptr(listener), "control")
	files.DonateAndClose("controller-fd", control)
	image, err := os.Open(guest.image)
	if err != nil {
		return nil, err
	}
	files.DonateAndClose("io-fds", image)
	description, err := json.Marshal(guest.spec)
	if err != nil {
		return nil, err
	}
	spec, err := memoryFile("spec", description, 0)
	if err != nil {
		return nil, err
	}
	files.DonateAndClose("spec-fd", spec)
	if g.log, err = memoryFile("sentry.log", nil, 0); err != nil {
		return nil, err
	}
	ready, readyWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			ready.Close()
		}
	}()
	files.DonateAndClose("start-sync-fd", readyWriter)
	rest := make(map[int]*os.File)
	for fd, file := range guest.inner {
		if fd > 2 {
			rest[fd] = file
		}
	}
	files.Donate("stdio-fds", guest.inner[0], guest.inner[1], guest.inner[2])

	g.sentry = &exec.Cmd{Path: fmt.Sprintf("/proc/self/fd/%d", sentryExe), Dir: "/", SysProcAttr: attributes(guest.ids), Env: []string{
		// One at a time is the least work until gVisor sets the number, before
		// the guest starts.
		"GOMAXPROCS=1",
		// The runtime keeps no files of its own open, see closeFrom.
		"GODEBUG=containermaxprocs=0,updatemaxprocs=0",
		sidecarDirEnv + "=" + noSidecarDir,
	}}
	memory := strconv.FormatInt(guest.memory, 10)
	g.sentry.ExtraFiles = []*os.File{g.log}
	g.sentry.Args = append([]string{sentryName, "--panic-log-fd=3"}, settings...)
	g.sentry.Args = append(g.sentry.Args, "--root="+g.den.Dir, "boot",
		"--bundle="+g.den.Dir, "--gofer-mount-confs=erofs:none", "--apply-caps", "--setup-root", "--attached",
		"--total-memory="+memory, "--total-host-memory="+memory, "--product-name=glovebox")
	next := files.Transfer(g.sentry, 4)
	next = donation.DonateAndTransferCustomFiles(g.sentry, next, rest)
	g.sentry.Args = append(g.sentry.Args, boxID)
	g.sentry.ExtraFiles = append(g.sentry.ExtraFiles, make([]*os.File, sentryExe-next)...)
	g.sentry.ExtraFiles = append(g.sentry.ExtraFiles, exe)

	if err := g.run(); err != nil {
		return nil, err
	}
	g.sandbox = &sandbox.Sandbox{ID: boxID, ControlSocketPath: socket}
	g.sandbox.Pid.Store(g.sentry.Process.Pid)
	return ready, nil
}

// sentryExe is the descriptor of the sentry's executable: the sentry's user may
// reach no path to the file. The number is high because growing a table of
// descriptors makes running threads wait for each other: with it the table
// grows before there are threads, to the final size. The sentry closes the
// descriptor, with all above.
const sentryExe = 255

// attributes are the namespaces and the user of a sentry.
func attributes(ids identity) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		// A session of its own: a Ctrl-C on our terminal is ours to handle.
		Setsid:    true,
		Pdeathsig: unix.SIGKILL,
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{HostID: ids.user, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: ids.group, Size: 1}},
		// As root the sentry gets none of our groups; an ordinary user cannot
		// give them up.
		GidMappingsEnableSetgroups: ids.apart,
		// The sentry drops its initial power in the namespace.
		Credential: &syscall.Credential{},
	}
}

// run starts the sentry, and reaps it in the end. The kernel kills a sentry at
// the end of its starting thread, not only of the process: so the thread waits
// for the sentry.
func (g *ground) run() error {
	started := make(chan error)
	dead := make(chan struct{})
	var start func()
	start = func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() { // it would not end, see cgroup.Group.Within
			go start()
			<-dead
			return
		}
		defer close(dead)
		err := g.spawn()
		started <- err
		if err == nil {
			_ = g.sentry.Wait() // that it ended is what matters
		}
	}
	go start()
	err := <-started
	if err == nil {
		g.dead = dead
		return nil
	}
	if refused(err) { // whoever asks: root in a container may be refused as others are
		err = &noPrivilege{err}
	}
	return err
}

// spawn starts the sentry in the group: processes started earlier, such as the
// guest's, would stay outside.
func (g *ground) spawn() error {
	if g.group == nil {
		return g.sentry.Start()
	}
	g.group.Spawn(g.sentry.SysProcAttr)
	err := g.group.Within(g.sentry.Start)
	if err != nil && g.sentry.Process != nil {
		_ = g.sentry.Process.Kill()
		_ = g.sentry.Wait()
	}
	return err
}

// descriptors reports a host with too low a limit on open files for a sentry.
func descriptors() error {
	const least = sentryExe + 5 // those that are open while it is started
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil || l.Max >= least {
		return err
	}
	return &tier.Error{Tier: glovebox.TierGVisor, Op: "start", Kind: tier.KindUnsupported, Control: "a kernel of its own",
		Fix: "raise the hard limit of open files: ulimit -Hn 1024 (systemd: LimitNOFILE=1024; Docker: --ulimit nofile=1024)",
		Err: fmt.Errorf("at most %d files may be open here, and a sentry needs %d", l.Max, least)}
}

// refused reports whether the kernel grants us no name spaces, rather than
// lacking some resource now. An ordinary user of a hardened host is refused,
// and the root of a container.
func refused(err error) bool {
	for _, no := range []error{unix.EPERM, unix.EACCES, unix.ENOSPC, unix.EUSERS, unix.EINVAL, unix.ENOSYS} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// memoryFile makes a nameless file with the data. The flag is one of
// memfd_create.
func memoryFile(name string, data []byte, flag int) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|flag)
	if err == unix.EINVAL { // before Linux 6.3 there are no flags, and all are executable
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// noPrivilege is the error of a host without a user namespace for us, or with a
// powerless one.
type noPrivilege struct{ error }

func (e *noPrivilege) Unwrap() error { return e.error }
