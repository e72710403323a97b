//go:build race

package statictest

// race tells that the race detector, which needs cgo, is on.
const race = true
