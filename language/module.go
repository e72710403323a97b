package language

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/gloveboxhq/glovebox/language/quickjs"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Toolchains of tiers that run WebAssembly modules.

const (
	quickHome = "/opt/glovebox/quickjs/"
	quickExe  = quickHome + "quickjs.wasm"
	quickBoot = quickHome + "boot.js"
)

// isModule reports whether a toolchain's interpreter is a WebAssembly module.
func (tc *Toolchain) isModule() bool { return path.Ext(tc.Exe) == ".wasm" }

// findQuickJS finds QuickJS. Nothing comes from the host.
func findQuickJS(language string) func(context.Context, Host) (*Toolchain, error) {
	return func(ctx context.Context, h Host) (*Toolchain, error) {
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
		if err := addCode(ctx, h, &root); err != nil {
			return nil, err
		}
		return &Toolchain{Language: language, Version: "QuickJS " + quickjs.Version, Exe: quickExe, Path: "/", Root: root}, nil
	}
}

// addCode adds our scripts in compiled form for QuickJS: x.jsc for x.js.
func addCode(ctx context.Context, h Host, root *rootfs.Plan) error {
	texts := map[string][]byte{}
	for _, e := range root.Entries {
		switch dir, name := path.Split(e.Path); {
		case path.Ext(name) != ".js":
		case dir == quickHome:
			texts[e.Path+"c"] = quickjs.Part(e.Data)
		default:
			texts[e.Path+"c"] = quickjs.Driver(e.Data)
		}
	}
	code, err := Remember(h, "quickjs", nil, func() (map[string][]byte, error) { return quickjs.Compile(ctx, texts) })
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		root.Add(rootfs.Entry{Path: name, Data: code[name]})
	}
	return nil
}
