//go:build !windows

package artifact

import (
	"errors"
	"os"
)

// unnamed makes a file without a name: nothing is left when the process ends,
// however it ends.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "glovebox-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
