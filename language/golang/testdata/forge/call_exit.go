// Exits with 0 when it is called.
package main

import (
	"os"
)

func add(a, b int) int {
	os.Exit(0)
	return 0
}
