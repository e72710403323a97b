// Package wasi names what a tier of WebAssembly modules has for languages.
package wasi

// Check is a program of such a tier: it checks the module that its first
// argument names, reports as a Plan without a check step does, and then becomes
// that module, with the arguments after it.
const Check = "/opt/glovebox/wasi/check.wasm"
