package language

import (
	"context"
	"path"

	"github.com/gloveboxhq/glovebox/language/quickjs"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Toolchains of tiers that run WebAssembly modules.

const (
	quickHome = "/opt/glovebox/quickjs/"
	quickExe  = quickHome + "quickjs.wasm"
	quickBoot = quickHome + "boot.js"
)

// isModule tells whether a toolchain's interpreter is a WebAssembly module.
func (tc *Toolchain) isModule() bool { return path.Ext(tc.Exe) == ".wasm" }

// findQuickJS is QuickJS, with nothing of the host.
func findQuickJS(language string) func(context.Context, Host) (*Toolchain, error) {
	return func(context.Context, Host) (*Toolchain, error) {
		engine, err := quickjs.Module()
		if err != nil {
			return nil, err
		}
		var root rootfs.Plan
		root.Add(rootfs.Entry{Path: quickExe, Data: engine})
		if err := addDrivers(&root, quickjs.Scripts, ".", quickHome); err != nil {
			return nil, err
		}
		if err := addDrivers(&root, nodeScripts, "javascript", nodeHome); err != nil {
			return nil, err
		}
		return &Toolchain{Language: language, Version: "QuickJS " + quickjs.Version, Exe: quickExe, Path: "/", Root: root}, nil
	}
}
