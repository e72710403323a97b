package eval

import "os"

// appending is nothing: a file that is open for it cannot be cut here, and the
// lock keeps others from writing.
const appending = 0

// takePlace puts a file in the place of the results file, which has to be given
// free first: no file that is open can be replaced here. Another process that
// takes it in between makes this fail, and loses nothing.
func (r *Results) takePlace(file string) error {
	f := r.file
	r.file = nil
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(file, r.name)
}
