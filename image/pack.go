package image

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// writeTar writes a directory as a tar archive, in order, all of it owned by
// root.
func writeTar(ctx context.Context, w io.Writer, root *os.Root) error {
	t := tar.NewWriter(w)
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil || name == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime().Truncate(time.Second)}
		switch info.Mode().Type() {
		case fs.ModeDir:
			h.Typeflag, h.Name = tar.TypeDir, name+"/"
			return t.WriteHeader(h)
		case fs.ModeSymlink:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = root.Readlink(name); err != nil {
				return err
			}
			return t.WriteHeader(h)
		case 0:
			h.Typeflag, h.Size = tar.TypeReg, info.Size()
			return writeTarFile(t, h, root, info)
		}
		return fmt.Errorf("%s is neither a file, a directory nor a link", name)
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func writeTarFile(t *tar.Writer, h *tar.Header, root *os.Root, info fs.FileInfo) error {
	f, err := (&folder{root: root}).open(h.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return fmt.Errorf("%s changed while it was read", h.Name)
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.CopyN(t, f, h.Size)
	if err == io.EOF {
		err = fmt.Errorf("%s changed while it was read", h.Name)
	}
	return err
}
