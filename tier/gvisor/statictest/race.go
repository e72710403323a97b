//go:build race

package statictest

// Race reports that the race detector is on, which needs cgo, memory and time.
const Race = true
