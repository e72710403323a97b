//go:build !unix

package wire

import (
	"errors"
	"os"
)

var errDescriptors = errors.New("this host cannot give a box descriptors")

func directionOf(*os.File) (direction, error) { return closed, errDescriptors }

func duplicate(*os.File) (*os.File, error) { return nil, errDescriptors }
