package linux

// Flags of open with processor-specific numbers
// (arch/arm64/include/uapi/asm/fcntl.h).
const (
	O_DIRECTORY = 0x4000
	O_NOFOLLOW  = 0x8000
	O_DIRECT    = 0x10000
)

// Stat is the result of fstat (asm-generic/stat.h).
type Stat struct {
	Dev, Ino              uint64
	Mode, Nlink, Uid, Gid uint32
	Rdev, _               uint64
	Size                  int64
	Blksize, _            int32
	Blocks                int64
	Atim, Mtim, Ctim      Timespec
	_                     [2]int32
}
