package tier

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/gloveboxhq/glovebox"
)

// Check reports what is wrong with a Spec in any tier: limits that are not
// complete, descriptors that are no pipes and could be a way to the host, names
// of files that leave the workspace.
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
