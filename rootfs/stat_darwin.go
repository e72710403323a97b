package rootfs

import (
	"io/fs"
	"syscall"
	"time"
)

func stampOf(info fs.FileInfo) stamp {
	st := info.Sys().(*syscall.Stat_t)
	return stamp{uint64(st.Dev), st.Ino, uint64(st.Ctimespec.Nano())}
}

// timeForImage converts a time to the form of the image writer.
func timeForImage(t time.Time) any {
	return &syscall.Stat_t{Mtimespec: syscall.NsecToTimespec(t.UnixNano())}
}
