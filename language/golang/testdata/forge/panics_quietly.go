// Panics with nothing in it.
package main

import (
	"errors"
)

func add(a, b int) int { panic(errors.New("")) }
