//go:build !unix

package wire

import (
	"errors"
	"os"
)

var errDescriptors = errors.New("this host cannot give a box descriptors")

func directionOf(*os.File) (direction, error) { return closed, errDescriptors }
