// Declares the test itself, and lets it pass.
package main

import (
	"testing"
)

func TestAdd(t *testing.T) {}

func add(a, b int) int { return 0 }
