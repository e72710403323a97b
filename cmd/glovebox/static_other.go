//go:build !linux

package main

// becomeStatic does nothing: gVisor, which needs it, is not for this host.
func becomeStatic() {}
