//go:build unix

package wire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/tap"
)

// directionOf tells which way the box uses its end of a pipe.
func directionOf(f *os.File) (direction, error) {
	flags, err := tap.Ask(f, func(fd uintptr) (int, error) { return unix.FcntlInt(fd, unix.F_GETFL, 0) })
	if err != nil {
		return closed, err
	}
	switch flags & unix.O_ACCMODE {
	case unix.O_RDONLY:
		return toBox, nil
	case unix.O_WRONLY:
		return fromBox, nil
	default:
		return closed, errors.New("it is open both ways")
	}
}
