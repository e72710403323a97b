//go:build !linux

package main

import "errors"

type imageKernelCmd struct{}

// Run runs the command.
func (imageKernelCmd) Run(*streams) error {
	return errors.New("microVMs are for Linux hosts; on this one there are the container and wasm tiers")
}
