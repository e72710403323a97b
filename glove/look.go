package glove

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/tier"
)

// peek is a small file that was read before somebody asked for it: to ask for
// each by itself takes longer than all that most programs do.
type peek struct {
	st   linux.Stat
	data []byte
}

// How many files are read together, and how large they are.
const (
	peekFiles = 16
	peekSize  = 4 << 10
)

// Of each file: how many bytes were read, or a failure; its state; the bytes.
var (
	statSize = binary.Size(linux.Stat{})
	peekSlot = (8 + statSize + peekSize + 7) &^ 7
)

// peekAt appends the calls that read files of an open directory to at, a slot
// each.
func (s *Script) peekAt(dir, at Ref, names []string) {
	file := s.Buffer(8)
	for i, name := range names {
		at, next, opened := at.Plus(i*peekSlot), s.Label(), s.Label()
		s.add("nothing", opAdd, ^uint64(0)).To(at)
		s.CallOn(dir, "open", linux.SYS_OPENAT, name, linux.O_RDONLY|linux.O_NONBLOCK|linux.O_NOFOLLOW|linux.O_CLOEXEC, 0).To(file).IfError(next)
		s.CallOn(file, "fstat", linux.SYS_FSTAT, at.Plus(8)).IfError(opened)
		s.CallOn(file, "pread", linux.SYS_PREAD64, at.Plus(8+statSize), peekSize, 0).To(at).IfError(opened)
		s.Place(opened)
		s.CallOn(file, "close", linux.SYS_CLOSE)
		s.Place(next)
	}
}

// readPeeks adds what peekAt left for the names in dir. What could not be read
// whole is left to those who ask for it.
func readPeeks(into map[string]*peek, raw []byte, dir string, names []string) error {
	if len(raw) != len(names)*peekSlot {
		return errors.New("the files could not be looked at")
	}
	for i, name := range names {
		raw := raw[i*peekSlot:]
		n := int64(binary.LittleEndian.Uint64(raw))
		if n < 0 || n > peekSize {
			continue
		}
		p := &peek{}
		if _, err := binary.Decode(raw[8:], binary.LittleEndian, &p.st); err != nil {
			return err
		}
		if n == p.st.Size && (&info{st: p.st}).Mode().IsRegular() {
			p.data = bytes.Clone(raw[8+statSize:][:n])
			into[path.Join(dir, name)] = p
		}
	}
	return nil
}

// look is what was in the workspace's own directory when a command had ended, as
// it came with the end: to ask for it takes as long as many programs.
type look struct {
	names []string // of Command.Look
	raw   []byte
}

// What a look is: how many bytes the list of the directory has, or a failure; the
// list; the files. The reply has to fit into a pipe that is empty.
const (
	lookList  = 2 << 10
	lookFiles = 6
)

// lookable are the files that are looked at.
func lookable(names []string) []string {
	var some []string
	for _, name := range names {
		if len(some) < lookFiles && fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "/\x00") {
			some = append(some, name)
		}
	}
	return some
}

// lookSize is how many bytes a look at files has: none where there are none.
func lookSize(names []string) int {
	if len(names) == 0 {
		return 0
	}
	return 8 + lookList + len(names)*peekSlot
}

// lookAround appends the calls of a look, and returns where it will be and its
// size.
func (s *Script) lookAround(names []string) (Ref, int) {
	size := lookSize(names)
	at, dir, skip := s.Scratch(size), s.Buffer(8), s.Label()
	s.add("nothing", opAdd, ^uint64(0)).To(at)
	s.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, tier.Workspace, linux.O_RDONLY|linux.O_DIRECTORY|linux.O_NOFOLLOW|linux.O_CLOEXEC, 0).To(dir).IfError(skip)
	s.CallOn(dir, "getdents", linux.SYS_GETDENTS64, at.Plus(8), lookList).To(at).Ignore()
	s.peekAt(dir, at.Plus(8+lookList), names)
	s.CallOn(dir, "close", linux.SYS_CLOSE)
	s.Place(skip)
	return at, size
}

// list is what the look has of the directory, or nil where that is not all.
func (l *look) list() []byte {
	if n := int64(binary.LittleEndian.Uint64(l.raw)); n > 0 && n < lookList-maxEntry {
		return l.raw[8:][:n]
	}
	return nil
}

// files are the files that were read.
func (l *look) files() (map[string]*peek, error) {
	files := map[string]*peek{}
	return files, readPeeks(files, l.raw[8+lookList:], ".", l.names)
}
