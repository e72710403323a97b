// Package rootfs describes and builds the read-only root file systems of boxes.
//
// A [Plan] is a list of entries: files and directories of the host for a
// toolchain, and files that we write. A [Store] builds a plan once, as a
// directory tree (for tiers that mount one) or as an EROFS image (for gVisor),
// and finds it again by the plan's key.
package rootfs

import "io/fs"

// Plan lists the contents of a root file system. Entries are applied in order;
// a later entry replaces an earlier one of the same Path.
type Plan struct {
	Entries []Entry
}

// Entry is one file, directory or link of a Plan. Exactly one of Source, Files,
// Data, Link and Dir is set.
type Entry struct {
	// Path is the entry's path in the root, absolute and clean.
	Path string
	// Source is a file or directory of the host; a directory is taken whole.
	// Symbolic links from inside to outside are followed, and the targets are
	// copied.
	Source string
	// Skip reports whether a path below Source, relative and slash-separated,
	// is left out. Nil takes everything.
	Skip func(rel string, d fs.DirEntry) bool
	// SkipKey stands for Skip in the plan's key.
	SkipKey string
	// Linked means that Source is a program, or one of its libraries, in the
	// places of [Libraries]: glibc's loader gets a cache of these, and the copy
	// omits the file's own search directories if all are missing from the root.
	Linked bool
	// Files is a tree of files not from the host.
	Files Files
	// Data is the content of a file that we write.
	Data []byte
	// Link is the target of a symbolic link.
	Link string
	// Dir makes an empty directory.
	Dir bool
	// Mode is the permissions of Data and Dir; 0 means 0644 and 0755, and write
	// bits are dropped as below. Files of a Source or of Files become readable
	// by all and writable by nobody. Directories become writable by their owner
	// alone (for the removal of a cache), who is not the box's user. Execute
	// bits are kept, set-id bits are not.
	Mode fs.FileMode
}

// Root is a built root file system. Nobody writes to it; many boxes share it.
type Root struct {
	// Key identifies the content: the plan's entries with the size and
	// modification time of every Source.
	Key string
	// Tree is the directory with the root as files.
	Tree string
	// Image is the root as an EROFS image, if requested.
	Image string
}
