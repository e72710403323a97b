package approval

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// privateDir makes a folder for this user alone, and refuses one that others can use.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case !ours(info):
		return fmt.Errorf("%s belongs to another user, who could answer for you: chown it", dir)
	case mode.Perm()&0o077 != 0 && !permissive:
		return fmt.Errorf("%s has mode %04o, so other users can read or answer requests: chmod go= %s", dir, mode.Perm(), dir)
	}
	return nil
}

// readFile reads a regular file of a bounded size. A pipe would never end.
func readFile(name string, most int64) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", name, most)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return data, err
}

// writeFile replaces a file so that a crash leaves the old one or the new one. Only one
// process may write a name at a time. The new name is durable after [syncDir].
func writeFile(name string, data []byte) (err error) {
	temporary := name + ".tmp"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}
