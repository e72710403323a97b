package rootfs

import "golang.org/x/sys/unix"

func readBootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }
