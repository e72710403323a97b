//go:build !unix

package wasm

// Where addresses cannot be reserved, the memory is Go's: untouched pages cost
// nothing there either.
func reserve(size int64) []byte { return make([]byte, size) }

func commit([]byte) bool { return true }

func release([]byte) {}
