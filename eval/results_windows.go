package eval

import "os"

// appending is nothing: a file opened for appending cannot be cut here, and the
// lock keeps others from writing.
const appending = 0

// takePlace puts a file in the place of the results file, which must first be
// closed: no open file can be replaced here. If another process takes the file
// in between, takePlace fails, and loses nothing.
func (r *Results) takePlace(file string) error {
	f := r.file
	r.file = nil
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(file, r.name)
}
