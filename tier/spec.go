package tier

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/gloveboxhq/glovebox"
)

// Check reports errors of a Spec in any tier: incomplete limits, descriptors
// other than pipes (a possible way to the host), and file names outside of the
// workspace.
func (s *Spec) Check() error {
	if s.Root == nil {
		return errors.New("there is no root file system")
	}
	if s.Limits != s.Limits.WithDefaults() {
		return errors.New("a limit is zero")
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	for i, f := range s.Descriptors {
		if f == nil {
			continue
		}
		if info, err := f.Stat(); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
			return errors.Join(fmt.Errorf("descriptor %d is not a pipe", 3+i), err)
		}
	}
	if c := s.Standby; c != nil && (len(c.Args) == 0 || !path.IsAbs(c.Args[0])) {
		return fmt.Errorf("the standby command %q does not begin with an absolute path", c.Args)
	}
	for _, f := range s.Files {
		if _, err := glovebox.CleanPath(f.Path); err != nil {
			return err
		}
	}
	return nil
}
