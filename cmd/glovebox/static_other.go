//go:build !linux

package main

// becomeStatic does nothing: only gVisor needs a static executable, and gVisor is for
// Linux.
func becomeStatic() {}
