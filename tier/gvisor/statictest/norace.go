//go:build !race

package statictest

// Race reports that the race detector is on. The detector needs cgo, memory and
// time.
const Race = false
