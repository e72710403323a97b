// Package lock locks files between processes, on every host in the same way. A
// lock is advice to those who ask for it too; it ends with the file, and so
// with the process, however that ends.
package lock

import (
	"fmt"
	"os"
)

// Kind is shared, for many holders, or exclusive, for one.
type Kind int

// The kinds.
const (
	Shared Kind = iota
	Exclusive
)

// Open opens a file to be locked, and makes it where it is not there. It does
// not follow a link.
func Open(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
}

// Try locks f if that can be done at once, and tells whether it was. A file that
// is locked already is not to be locked again.
func Try(f *os.File, k Kind) (bool, error) {
	ok, err := try(f, k)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return ok, nil
}

// Wait locks f, and waits until that can be done. A process is to hold a file that it
// waits for only for as long as some writes take.
func Wait(f *os.File, k Kind) error {
	if err := wait(f, k); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}
