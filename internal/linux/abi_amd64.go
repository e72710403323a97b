package linux

// Flags of open with processor-specific numbers (asm-generic/fcntl.h).
const (
	O_DIRECT    = 0x4000
	O_DIRECTORY = 0x10000
	O_NOFOLLOW  = 0x20000
)

// Stat is the result of fstat (arch/x86/include/uapi/asm/stat.h).
type Stat struct {
	Dev, Ino, Nlink       uint64
	Mode, Uid, Gid, _     uint32
	Rdev                  uint64
	Size, Blksize, Blocks int64
	Atim, Mtim, Ctim      Timespec
	_                     [3]int64
}
