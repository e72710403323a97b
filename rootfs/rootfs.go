// Package rootfs describes and builds the read-only root file systems of
// boxes.
//
// A [Plan] is a list of entries: files and directories of the host that a
// toolchain needs, and files that we write. A [Store] builds a plan once, as a
// directory tree (for tiers that mount one) or as an EROFS image (for gVisor),
// and finds it again by the plan's key.
package rootfs

import "io/fs"

// Plan says what a root file system holds. Entries are applied in order; a
// later one replaces an earlier one of the same Path.
type Plan struct {
	Entries []Entry
}

// Entry is one file, directory or link of a Plan. Exactly one of Source, Files,
// Data, Link and Dir is set.
type Entry struct {
	// Path is where it is in the root, absolute and clean.
	Path string
	// Source is a file or directory of the host; a directory is taken whole.
	// Symbolic links inside it that lead out of it are followed, and what they
	// lead to is copied.
	Source string
	// Skip tells which paths below Source, relative and slash-separated, are
	// left out. Nil takes everything.
	Skip func(rel string, d fs.DirEntry) bool
	// SkipKey stands for Skip in the plan's key.
	SkipKey string
	// Linked says that Source is a program, or one of its libraries, which are where
	// [Libraries] places them: glibc's loader gets a cache of those, and directories
	// that the file names to search for its own are left out of the copy if the
	// root has none of them.
	Linked bool
	// Files is a tree of files that is not the host's.
	Files Files
	// Data is the content of a file that we write.
	Data []byte
	// Link is the target of a symbolic link.
	Link string
	// Dir makes an empty directory.
	Dir bool
	// Mode is the permissions of Data and Dir; 0 means 0644 and 0755, and
	// write bits are dropped as below. Files of a Source or of Files become readable by
	// all and writable by nobody, directories writable by their owner alone
	// (so that a cache can be removed), which is not the box's user; execute
	// bits are kept, set-id bits are not.
	Mode fs.FileMode
}

// Root is a built root file system. Nobody writes to it; many boxes share it.
type Root struct {
	// Key identifies the content: the plan's entries with the size and
	// modification time of every Source.
	Key string
	// Tree is the directory that holds it as files.
	Tree string
	// Image is the EROFS image that holds it, if one was asked for.
	Image string
}
