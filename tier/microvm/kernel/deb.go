package kernel

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/internal/unpack"
)

// readDeb reads a Debian package of a kernel: deb(5). It keeps only the boot
// image and the modules, still packed: no script of the package is run, and no
// name in it is a name on the host.
func readDeb(r io.Reader) (*tree, error) {
	a, err := newAr(r)
	if err != nil {
		return nil, err
	}
	name, _, err := a.next()
	if err != nil {
		return nil, err
	}
	if format, err := readAll(a, 64); name != "debian-binary" || err != nil || !strings.HasPrefix(string(format), "2.") {
		return nil, errors.New("it is not a Debian package of format 2")
	}
	for {
		name, _, err := a.next()
		if err == io.EOF {
			return nil, errors.New("the package holds no data")
		}
		if err != nil {
			return nil, err
		}
		if name != "data.tar" && !strings.HasPrefix(name, "data.tar.") {
			continue
		}
		data, _, err := unpack.Any(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t, err := readTar(data)
		if err := errors.Join(err, data.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return t, nil
	}
}

// Names of files in a package: /lib is a link to /usr/lib since Debian 12.
var (
	bootNames   = lazyre.New(`^boot/vmlinu[xz]-([^/]+)$`)
	moduleFiles = lazyre.New(`^(?:usr/)?lib/modules/([^/]+)/(?:kernel/.+\.ko(?:\.xz|\.zst|\.gz)?|modules\.builtin)$`)
)

// readTar picks a kernel out of an archive.
func readTar(r io.Reader) (*tree, error) {
	t := &tree{modules: map[string]func() ([]byte, error){}}
	limited := &io.LimitedReader{R: r, N: maxTree}
	var kept int64
	var versionsSeen []string
	archive := tar.NewReader(limited)
	for n := 0; ; n++ {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if limited.N <= 0 {
			return nil, fmt.Errorf("more than %d bytes", int64(maxTree))
		}
		if err != nil {
			return nil, err
		}
		if n >= maxEntries {
			return nil, fmt.Errorf("more than %d files", maxEntries)
		}
		name := path.Clean(h.Name)
		if path.IsAbs(h.Name) || name == ".." || strings.HasPrefix(name, "../") {
			return nil, fmt.Errorf("a file %q outside of the package", h.Name)
		}
		image, mod := bootNames().FindStringSubmatch(name), moduleFiles().FindStringSubmatch(name)
		if image == nil && mod == nil {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("%s is not a regular file", name)
		}
		if kept += h.Size; h.Size < 0 || h.Size > maxImage || kept > maxKept {
			return nil, fmt.Errorf("%s is too large: %d bytes", name, h.Size)
		}
		data, err := readAll(archive, h.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case image != nil && t.image != nil:
			return nil, fmt.Errorf("a second boot image, %s", name)
		case image != nil:
			t.image, t.version = data, image[1]
		case path.Base(name) == "modules.builtin":
			versionsSeen = append(versionsSeen, mod[1])
			t.builtin = readBuiltin(data)
		default:
			versionsSeen = append(versionsSeen, mod[1])
			if err := t.add(name, func() ([]byte, error) { return data, nil }); err != nil {
				return nil, err
			}
		}
	}
	if t.image == nil {
		return nil, errors.New("it holds no /boot/vmlinuz: it is not the package of a kernel (its -unsigned and -dbg are others)")
	}
	for _, v := range versionsSeen {
		if v != t.version {
			return nil, fmt.Errorf("modules of %q beside a kernel %q", v, t.version)
		}
	}
	return t, nil
}
