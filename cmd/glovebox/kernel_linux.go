package main

import "golang.org/x/sys/unix"

// kernelRelease is the release of the host's kernel.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
