//go:build !windows

package keys

const permissive = false
