package language

import (
	"embed"
	"io/fs"
	"path"

	"github.com/gloveboxhq/glovebox/rootfs"
)

// driverDir is where our scripts for a language are in a box.
func driverDir(language string) string { return "/opt/glovebox/" + language }

// driverEntries places the embedded scripts of a directory in driverDir.
func driverEntries(language string, scripts embed.FS, dir string) ([]rootfs.Entry, error) {
	files, err := fs.ReadDir(scripts, dir)
	if err != nil {
		return nil, err
	}
	var entries []rootfs.Entry
	for _, f := range files {
		data, err := scripts.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		entries = append(entries, rootfs.Entry{Path: path.Join(driverDir(language), f.Name()), Data: data})
	}
	return entries, nil
}
