//go:build linux

package container

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// perform sets up the stage and has the runtime make the box, up to a glove
// waiting for the first script. It returns the glove's ends, and the stage's
// process id. The caller must close the ends even on failure.
func (p *plan) perform(g *native.Ground, group *cgroup.Group) (ends glove.Ends, stage int, err error) {
	h := handed{}
	defer h.close()
	ends, inner, err := glove.Pipes()
	if err == nil {
		err = p.cast(h, inner, group)
	}
	if err != nil {
		return ends, 0, broken("open", err)
	}
	// The stage is set by a glove too.
	hand, own, err := glove.Pipes()
	if err != nil {
		return ends, 0, broken("open", err)
	}
	defer hand.Close()
	for _, fd := range []int{glove.FDScript, glove.FDReply, glove.FDKill} {
		h[fd] = own[fd]
		delete(own, fd)
	}
	own.Close() // its streams, which it has no use for
	log, write, err := openLog()
	if err != nil {
		return ends, 0, broken("open", err)
	}
	p.log, h[1], h[2] = log, write, write
	// The way to the tree may be closed to users other than the caller.
	first, err := native.Start(filepath.Dir(p.spec.Root.Tree), h.with(p.spec.Descriptors), nil)
	// Only the stage and the box hold their ends now: when they die, we see it.
	h.close()
	if err != nil {
		return ends, 0, broken("start the stage", err)
	}
	stage, err = p.play(hand, first, g)
	return ends, stage, err
}

// play has the stage's glove set the stage, execute the runtime and wait for
// its end.
func (p *plan) play(hand glove.Ends, first *os.Process, g *native.Ground) (int, error) {
	place, err := p.tier.place()
	if err != nil {
		native.Abandon(first)
		return 0, broken("find a place for the bundle", err)
	}
	deadline := time.Now().Add(p.tier.patience)
	script, err := p.stageScript(place)
	if err != nil {
		native.Abandon(first)
		return 0, broken("describe the container", err)
	}
	report, err := hand.Do(script, deadline)
	var stage *os.Process
	if err == nil {
		stage, err = native.Successor(report)
	}
	if err != nil {
		native.Abandon(first)
		return 0, p.tier.lack("set the stage", err)
	}
	g.Adopt(stage)
	if _, err := first.Wait(); err != nil {
		return 0, broken("set the stage", err)
	}
	if err := native.MapUsers(stage.Pid, 0); err != nil {
		return 0, &tier.Error{Tier: p.tier.Name(), Op: "map the users", Kind: tier.KindUnsupported,
			Control: tier.ControlUser, Fix: fixes[tier.ControlUser], Err: err}
	}
	hand.Kill.SetWriteDeadline(deadline)
	if _, err := hand.Kill.Write([]byte{1}); err != nil {
		return 0, broken("set the stage", err)
	}
	end, err := hand.Next(script, deadline)
	if err != nil {
		return 0, p.tier.lack("set the stage", err)
	}
	return stage.Pid, p.tier.runtime.ended(end)
}

// ended reads the stage's report on the end of the runtime: the error of its
// execution and its wait status, a word each.
func (r ociRuntime) ended(report []byte) error {
	if len(report) != 16 {
		return broken("run "+r.path, fmt.Errorf("the stage reported %d bytes", len(report)))
	}
	failed := -int64(binary.LittleEndian.Uint64(report))
	status := unix.WaitStatus(binary.LittleEndian.Uint32(report[8:]))
	switch {
	case failed != 0:
		err := broken("execute "+r.path, unix.Errno(failed))
		if unix.Errno(failed) == unix.EACCES {
			err.Fix = "put it where everybody may execute it: on the stage it is nobody's"
		}
		return err
	case status.Signaled():
		return broken("run "+r.path, fmt.Errorf("it was killed by %s", unix.SignalName(status.Signal())))
	case status.ExitStatus() != 0:
		return broken("run "+r.path, fmt.Errorf("it ended with exit code %d", status.ExitStatus()))
	}
	return nil
}

// Directories of a stage, below its place.
const (
	stateDir  = "state"  // the runtime's
	bundleDir = "bundle" // the container's description
	rootDir   = "root"   // the tree, below the bundle
)

// places are directories of every host that no runtime needs: the stage covers
// one of them.
var places = []string{"/mnt", "/media", "/srv", "/tmp"}

// place finds a directory to cover, without the runtime inside.
func (t *Tier) place() (string, error) {
	for _, dir := range places {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && !strings.HasPrefix(t.runtime.path, dir+"/") {
			return dir, nil
		}
	}
	return "", fmt.Errorf("none of %s is a directory without the runtime in it", strings.Join(places, ", "))
}

// attr is a struct mount_attr for adding flags, and the size of the struct.
func attr(s *glove.Script, flags int) (glove.Ref, int) {
	return s.Words(flags, 0, unix.MS_PRIVATE, 0), 32
}

const wallFlags = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// groupsDir is where control groups are mounted.
const groupsDir = "/sys/fs/cgroup"

// legacyGroups reports whether the host has control groups of version 1.
func legacyGroups() bool {
	var st unix.Statfs_t
	return unix.Statfs(groupsDir, &st) == nil && st.Type == unix.TMPFS_MAGIC
}

// stageScript makes the stage as the successor of the started glove, and
// executes the runtime on it.
func (p *plan) stageScript(place string) (*glove.Script, error) {
	config, err := json.Marshal(p.bundle())
	if err != nil {
		return nil, err
	}
	s := new(glove.Script)
	s.Call("close", unix.SYS_CLOSE, native.FDImage)
	if p.tier.runtime.guest {
		// The guest's use is held by its kernel's processes.
		for n := range p.joins {
			s.Call("enter the control group", unix.SYS_WRITE, aside+fdJoin+n, "0", 1)
		}
	}
	if p.tier.root {
		s.Call(tier.ControlUser+": drop the groups", unix.SYS_SETGROUPS, 0, 0)
	}
	native.Succeed(s, tier.ControlNamespaces+": clone", unix.CLONE_NEWUSER|unix.CLONE_NEWPID|unix.CLONE_NEWNS|
		unix.CLONE_NEWNET|unix.CLONE_NEWIPC|unix.CLONE_NEWUTS)

	// This part still runs as the host's user, in the inherited directory.
	call := func(what string, nr uintptr, args ...any) *glove.Ins {
		return s.Call(tier.ControlFilesystem+": "+what, nr, args...)
	}
	call("private mounts", unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	home, tree, inHome, name := s.Buffer(8), s.Buffer(8), s.Buffer(8), filepath.Base(p.spec.Root.Tree)
	for path, fd := range map[string]glove.Ref{".": home, name: tree} {
		call("open_tree", unix.SYS_OPEN_TREE, unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC).To(fd)
		wall, size := attr(s, wallFlags)
		s.CallOn(fd, tier.ControlFilesystem+": mount_setattr", unix.SYS_MOUNT_SETATTR, "", unix.AT_EMPTY_PATH, wall, size)
	}
	s.CallOn(home, tier.ControlFilesystem+": open the tree", unix.SYS_OPENAT, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0).To(inHome)
	s.Renumber(inHome, aside+fdTree)
	s.Renumber(home, aside+fdHome)
	s.Call(tier.ControlUser+": setresgid", unix.SYS_SETRESGID, 0, 0, 0)
	s.Call(tier.ControlUser+": setresuid", unix.SYS_SETRESUID, 0, 0, 0)
	native.DieWithHost(s)
	s.Call("umask", unix.SYS_UMASK, 0o022)

	// The runtime can change nothing on the host, whatever its input.
	still, size := attr(s, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID)
	call("make the host read-only", unix.SYS_MOUNT_SETATTR, unix.AT_FDCWD, "/", unix.AT_RECURSIVE, still, size)
	const flags = unix.MS_NOSUID | unix.MS_NODEV
	s.Call(tier.ControlProc+": mount", unix.SYS_MOUNT, "proc", "/proc", "proc", flags|unix.MS_NOEXEC, 0)
	if p.tier.runtime.noHybrid && legacyGroups() {
		call("cover the control groups", unix.SYS_MOUNT, "tmpfs", groupsDir, "tmpfs", flags|unix.MS_RDONLY, "size=4k,nr_inodes=2")
	}
	call("mount the place", unix.SYS_MOUNT, "tmpfs", place, "tmpfs", flags, "size=16m,nr_inodes=1k,mode=755")
	state, bundle := filepath.Join(place, stateDir), filepath.Join(place, bundleDir)
	root := filepath.Join(bundle, rootDir)
	for _, dir := range []string{state, bundle, root} {
		call("make "+dir, unix.SYS_MKDIRAT, unix.AT_FDCWD, dir, 0o755)
	}
	s.CallOn(tree, tier.ControlFilesystem+": move_mount", unix.SYS_MOVE_MOUNT, "", unix.AT_FDCWD, root, unix.MOVE_MOUNT_F_EMPTY_PATH)
	s.CallOn(tree, "close", unix.SYS_CLOSE)
	fd := s.Buffer(8)
	call("make the bundle", unix.SYS_OPENAT, unix.AT_FDCWD, filepath.Join(bundle, "config.json"), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644).To(fd)
	s.CallOn(fd, "write the bundle", unix.SYS_WRITE, config, len(config))
	s.CallOn(fd, "close", unix.SYS_CLOSE)

	p.execute(s, p.tier.runtime.run(state, bundle, p.handOn()), []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + state, "XDG_RUNTIME_DIR=" + state,
	})
	return s, nil
}

// execute appends the calls for executing a program with the reserved
// descriptors, reporting its end, and waiting for the end of all descendants.
func (p *plan) execute(s *glove.Script, args, env []string) {
	// Until the execve, both processes share memory: so the child can report a
	// failed execve.
	report := s.Buffer(16)
	inside := s.Label()
	fork := s.Call("fork", unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK|uint64(unix.SIGCHLD), 0, 0, 0, 0)
	pid := s.Buffer(8)
	fork.To(pid)
	s.Load(pid).IfEqual(0, inside)
	who := s.Load(pid)
	wait := s.Call("wait for the runtime", unix.SYS_WAIT4, 0, report.Plus(8), 0, 0)
	who.To(wait.Arg(0))
	s.Call("close", unix.SYS_CLOSE_RANGE, aside, uint32(1<<32-1), 0)
	s.Call("close", unix.SYS_CLOSE_RANGE, 0, 2, 0)
	s.Report(report, 16)
	again, end := s.Label(), s.Label()
	s.Place(again)
	s.Call("wait for the box", unix.SYS_WAIT4, -1, 0, 0, 0).IfError(end)
	s.Jump(again)
	s.Place(end)
	s.Call("exit", unix.SYS_EXIT_GROUP, 0)

	s.Place(inside)
	failed := s.Label()
	s.OnFail(failed)
	for _, n := range append(p.handOn(), 0) {
		s.Call("hand on", unix.SYS_DUP3, aside+n, n, 0)
	}
	s.Call("close", unix.SYS_CLOSE_RANGE, p.last()+1, uint32(1<<32-1), 0)
	s.Call("execve", unix.SYS_EXECVE, args[0], s.Strings(args), s.Strings(env)).To(report)
	s.Place(failed)
	s.Call("exit", unix.SYS_EXIT_GROUP, 127)
	s.OnFail(nil)
}
