package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sumOf names something by its text.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// writeFile writes a file that appears complete or not at all.
func writeFile(name string, b []byte) error {
	part, err := os.CreateTemp(filepath.Dir(name), "part-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if _, err := part.Write(b); err != nil {
		part.Close()
		return err
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}

// readFile reads a file of the operator's, such as a lock.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d MiB", name, limit>>20)
	}
	return b, err
}

// Clean removes all fetched packages from the cache and returns their size in
// bytes. Empty means the default of [Options].Cache.
func Clean(dir string) (int64, error) {
	dir, err := cacheDir(dir)
	if err != nil {
		return 0, err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var bytes int64
	for _, d := range list {
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(d.Name()) == ".lock" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, d.Name())); err != nil {
			return bytes, err
		}
		bytes += info.Size()
	}
	return bytes, nil
}
