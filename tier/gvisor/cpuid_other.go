//go:build linux && !amd64

package gvisor

// askProcessor is gVisor's own on other machines, where questions are few.
func askProcessor(string) {}
