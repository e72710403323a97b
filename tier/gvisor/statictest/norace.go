//go:build !race

package statictest

const race = false
