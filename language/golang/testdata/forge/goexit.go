// Ends the goroutine that calls it.
package main

import (
	"runtime"
)

func add(a, b int) int {
	runtime.Goexit()
	return 0
}
