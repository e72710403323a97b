package host

import "io/fs"

// inode is 0: Windows has no inode numbers among the facts of a file.
func inode(fs.FileInfo) uint64 { return 0 }
