//go:build linux && !amd64 && !arm64

package gvisor

var sentryFilter madeFilter // none: gVisor makes its own
