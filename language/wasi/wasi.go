// Package wasi names the parts of a WebAssembly tier used by languages.
package wasi

// Check is a program of a WebAssembly tier. It checks the module named by its first
// argument, reports like a Plan without a check step, and then becomes the module,
// with the remaining arguments.
const Check = "/opt/glovebox/wasi/check.wasm"
