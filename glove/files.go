package glove

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// chunk is how many bytes of files one script carries.
const chunk = 4 << 20

// manyCalls is how many instructions of staging one script has, at the most.
const manyCalls = 10_000

// stager puts files into the workspace. Small ones share a script, and the last
// script is the caller's to go on with.
type stager struct {
	b     *Box // nil where there is only one script
	s     *Script
	owner bool
	// fresh: nobody has made anything in the workspace but this stager, so no
	// name is a link, and none is taken but those in made.
	fresh bool
	made  map[string]bool // directories, and files of a fresh workspace
}

func (b *Box) stager() *stager {
	return newStager(b, new(Script), b.c.Owner, !b.used && len(b.c.Spec.Files) == 0)
}

func newStager(b *Box, s *Script, owner, fresh bool) *stager {
	return &stager{b: b, s: s, owner: owner, fresh: fresh, made: map[string]bool{".": true}}
}

// flush runs what there is so far.
func (st *stager) flush() error {
	if st.b == nil {
		return errors.New("the files do not fit into one script")
	}
	_, err := st.b.do(st.s)
	st.s = new(Script)
	return err
}

// room makes room for so many bytes.
func (st *stager) room(n int) error {
	if len(st.s.ins) > 0 && (len(st.s.data)+n > chunk || len(st.s.ins) > manyCalls) {
		return st.flush()
	}
	return nil
}

// files writes files into the workspace.
func (st *stager) files(files []glovebox.File) error {
	for _, f := range files {
		name, err := glovebox.CleanPath(f.Path)
		if err == nil {
			err = st.dir(path.Dir(name))
		}
		if err == nil {
			err = st.file(name, f)
		}
		if err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	return nil
}

func (st *stager) file(name string, f glovebox.File) error {
	mode := 0o644
	if f.Executable {
		mode = 0o755
	}
	if f.ReadOnly {
		mode &^= 0o222
	}
	if st.fresh && !st.made[name] && len(f.Data) <= chunk {
		st.made[name] = true
		return st.newFile(path.Join(tier.Workspace, name), f, mode)
	}
	// The first chunk makes the file, the others append to it.
	data, flags := f.Data, linux.O_CREAT|linux.O_EXCL
	for last := false; !last; flags = 0 {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		last = len(data) == 0
		if err := st.room(len(part)); err != nil {
			return err
		}
		s := st.s
		dir := walk(s, path.Dir(name), linux.O_PATH)
		if flags != 0 {
			s.CallOn(dir, "remove the old file", linux.SYS_UNLINKAT, path.Base(name), 0).Ignore()
		}
		fd := s.Buffer(8)
		s.CallOn(dir, "stage "+name+": open", linux.SYS_OPENAT, path.Base(name), linux.O_WRONLY|linux.O_APPEND|linux.O_NOFOLLOW|linux.O_CLOEXEC|flags, 0o600).To(fd)
		s.CallOn(dir, "close", linux.SYS_CLOSE)
		s.CallOn(fd, "stage "+name+": write", linux.SYS_WRITE, part, len(part)).IfOther(int64(len(part)), s.failure())
		if last {
			s.CallOn(fd, "stage "+name+": fchmod", linux.SYS_FCHMOD, mode)
			if st.owner && !f.ReadOnly {
				s.CallOn(fd, "stage "+name+": fchown", linux.SYS_FCHOWN, tier.UID, tier.GID)
			}
		}
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		if last && f.ReadOnly && !st.owner {
			bindReadOnly(s, path.Join(tier.Workspace, name)) // the walk met no link
		}
	}
	return nil
}

// newFile makes a file where there is none, and no link on the way.
func (st *stager) newFile(at string, f glovebox.File, mode int) error {
	if err := st.room(len(f.Data)); err != nil {
		return err
	}
	s := st.s
	fd := s.Buffer(8)
	const flags = linux.O_WRONLY | linux.O_CREAT | linux.O_EXCL | linux.O_NOFOLLOW | linux.O_CLOEXEC
	s.Call("stage "+at+": open", linux.SYS_OPENAT, linux.AT_FDCWD, at, flags, mode).To(fd)
	if len(f.Data) > 0 {
		s.CallOn(fd, "stage "+at+": write", linux.SYS_WRITE, f.Data, len(f.Data)).IfOther(int64(len(f.Data)), s.failure())
	}
	if st.owner && !f.ReadOnly {
		s.CallOn(fd, "stage "+at+": fchown", linux.SYS_FCHOWN, tier.UID, tier.GID)
	}
	s.CallOn(fd, "close", linux.SYS_CLOSE)
	if f.ReadOnly && !st.owner {
		bindReadOnly(s, at)
	}
	return nil
}

// bindReadOnly makes a file that nobody can change or take away, where the box is
// quiet and no link leads there.
func bindReadOnly(s *Script, at string) {
	s.Call("bind", linux.SYS_MOUNT, at, at, 0, linux.MS_BIND, 0)
	s.Call("bind read-only", linux.SYS_MOUNT, 0, at, 0, linux.MS_REMOUNT|linux.MS_BIND|linux.MS_RDONLY|linux.MS_NOSUID|linux.MS_NODEV, 0)
}

// dir makes a directory and those above it, in a way that commands can make
// files there but not take the read-only files away: where the glove is another
// user than the commands, the directory is sticky; else the directory is a mount
// point, which cannot be renamed.
func (st *stager) dir(name string) error {
	if st.made[name] {
		return nil
	}
	if err := st.dir(path.Dir(name)); err != nil {
		return err
	}
	st.made[name] = true
	mode := 0o755
	if st.owner {
		mode = 0o1777
	}
	if err := st.room(0); err != nil {
		return err
	}
	s := st.s
	parent := walk(s, path.Dir(name), linux.O_PATH)
	s.CallOn(parent, "mkdir", linux.SYS_MKDIRAT, path.Base(name), mode).Ignore()
	s.CallOn(parent, "close", linux.SYS_CLOSE)
	if at := path.Join(tier.Workspace, name); !st.owner {
		s.Call("bind", linux.SYS_MOUNT, at, at, 0, linux.MS_BIND|linux.MS_REC, 0)
	}
	return nil
}

// stdin makes descriptor fdStdin a file in memory that holds data. A standby
// command has that file already.
func (st *stager) stdin(data []byte) error {
	switch waits := st.b.standby != 0; {
	case waits && len(data) == 0:
		return nil
	case waits:
	case len(data) == 0:
		open := st.s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, "/dev/null", linux.O_RDONLY|linux.O_CLOEXEC, 0)
		moveFD(st.s, open, fdStdin)
		return nil
	default:
		openStdin(st.s)
	}
	for len(data) > 0 {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		if err := st.room(len(part)); err != nil {
			return fmt.Errorf("stage stdin: %w", err)
		}
		st.s.Call("stage stdin", linux.SYS_WRITE, fdStdin, part, len(part)).IfOther(int64(len(part)), st.s.failure())
	}
	st.s.Call("rewind stdin", linux.SYS_LSEEK, fdStdin, 0, 0)
	return nil
}

// openStdin makes descriptor fdStdin an empty file in memory.
func openStdin(s *Script) {
	moveFD(s, s.Call("memfd_create", linux.SYS_MEMFD_CREATE, "stdin", linux.MFD_CLOEXEC), fdStdin)
}

// moveFD gives the descriptor that open returns the number to.
func moveFD(s *Script, open *Ins, to int) {
	fd := s.Buffer(8)
	open.To(fd)
	s.Renumber(fd, to)
}

// walk opens name in the workspace, with flags, and returns the word that has
// its descriptor. It never asks for a directory: with O_DIRECTORY, gVisor
// follows a link in spite of O_NOFOLLOW. What is no directory leads nowhere.
func walk(s *Script, name string, flags int) Ref {
	const way = linux.O_PATH | linux.O_NOFOLLOW | linux.O_CLOEXEC
	fd, next := s.Buffer(8), s.Buffer(8)
	if name == "." {
		s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace, flags|linux.O_NOFOLLOW|linux.O_CLOEXEC, 0).To(fd)
		return fd
	}
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace, way, 0).To(fd)
	// A failure on the way must not leave the descriptor above it open.
	failed, there := s.Label(), s.Label()
	parts := strings.Split(name, "/")
	for i, part := range parts {
		how := way
		if i == len(parts)-1 {
			how = flags | linux.O_NOFOLLOW | linux.O_CLOEXEC
		}
		s.CallOn(fd, "open", linux.SYS_OPENAT, part, how, 0).To(next).IfError(failed)
		s.CallOn(fd, "close", linux.SYS_CLOSE)
		s.Load(next).To(fd)
	}
	s.Jump(there)
	s.Place(failed)
	s.CallOn(fd, "close", linux.SYS_CLOSE).Ignore()
	s.Jump(s.failure())
	s.Place(there)
	return fd
}
