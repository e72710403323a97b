package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// manifest describes a prepared kernel: the file manifest.json in its
// directory.
type manifest struct {
	Format  int      `json:"format"`
	Version string   `json:"version"`
	Arch    string   `json:"arch"`
	Source  string   `json:"source"`
	Image   string   `json:"image"`   // names of files
	Vmlinux string   `json:"vmlinux"` //
	Modules []module `json:"modules"`
	// Whole means that the kernel came without modules and has all built in.
	Whole bool   `json:"whole,omitempty"`
	Files []file `json:"files"`
}

// module is one that was taken. Without a File it is built in.
type module struct {
	Name  string   `json:"name"`
	File  string   `json:"file,omitempty"`
	Needs []string `json:"needs,omitempty"`
}

type file struct {
	Name   string `json:"name"` // with slashes, below the directory
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const (
	manifestName   = "manifest.json"
	manifestFormat = 1
	maxManifest    = 1 << 20
)

// versions are the valid versions of a kernel; a version becomes part of a
// file's name.
var versions = lazyre.New(`^[0-9][0-9A-Za-z.+~_-]{0,63}$`)

// load reads the kernel in dir and compares every file with the manifest.
func load(dir string) (*Kernel, error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := readAll(f, maxManifest)
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("%s has format %d, not %d", f.Name(), m.Format, manifestFormat)
	}
	known := map[string]bool{}
	for _, f := range m.Files {
		if err := f.check(dir); err != nil {
			return nil, err
		}
		known[f.Name] = true
	}
	named := []string{m.Image, m.Vmlinux}
	for _, mod := range m.Modules {
		if mod.File != "" {
			named = append(named, mod.File)
		}
	}
	if i := slices.IndexFunc(named, func(name string) bool { return !known[name] }); i >= 0 {
		return nil, fmt.Errorf("%s: no hash of %q", f.Name(), named[i])
	}
	sum := sha256.Sum256(text)
	return &Kernel{
		Version: m.Version, Arch: m.Arch, Source: m.Source,
		Key: hex.EncodeToString(sum[:]), Dir: dir,
		Image: filepath.Join(dir, m.Image), Vmlinux: filepath.Join(dir, m.Vmlinux),
		modules: m.Modules, whole: m.Whole,
	}, nil
}

// check compares a file in dir with its entry in the manifest.
func (want file) check(dir string) error {
	name := filepath.FromSlash(want.Name)
	if !filepath.IsLocal(name) || path.Clean(want.Name) != want.Name {
		return fmt.Errorf("the manifest names %q", want.Name)
	}
	name = filepath.Join(dir, name)
	if info, err := os.Lstat(name); err != nil {
		return err
	} else if !info.Mode().IsRegular() || info.Size() != want.Size {
		return fmt.Errorf("%s is not the file of %d bytes that was written", name, want.Size)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, want.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%s was changed since it was written", name)
	}
	return nil
}

// write writes a file below dir and notes it in the manifest.
func (m *manifest) write(dir, name string, data []byte) error {
	to := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := writeSynced(to, data); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	m.Files = append(m.Files, file{name, int64(len(data)), hex.EncodeToString(sum[:])})
	return nil
}

// seal writes the manifest itself, after all else, and returns its hash.
func (m *manifest) seal(dir string) (key string, err error) {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), writeSynced(filepath.Join(dir, manifestName), text)
}

// writeSynced writes a new file, to the disk. The file is readable by all,
// behind a private directory: a monitor under another user is handed the file
// itself.
func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close())
}
