package rootfs

import (
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
)

// tellLoader makes the dynamic loader find the libraries of linked files at
// once. Without it the loader looks for each library in the host's directories
// named in the file. For the first library it also tries up to twenty names of
// processors in its own directories, at two system calls each.
func (r *resolver) tellLoader() error {
	libraries := map[string][]string{} // their paths, by name
	for _, n := range r.nodes {
		if !n.linked {
			continue
		}
		if name := path.Base(n.path); strings.Contains(name, ".so") {
			libraries[name] = append(libraries[name], n.path)
		}
		var err error
		if n.patch, err = withoutRunPath(n.source, r.hasDir); err != nil {
			return err
		}
	}
	if len(libraries["libc.so.6"]) != 1 || r.nodes[loaderCache] != nil {
		return nil // it is not glibc's, or not ours to make
	}
	var paths []string
	for _, all := range libraries {
		if len(all) == 1 { // else each loader finds its own
			paths = append(paths, all[0])
		}
	}
	slices.Sort(paths)
	cache := cacheOf(runtime.GOARCH, paths)
	if cache == nil {
		return nil
	}
	return r.put(&node{path: loaderCache, mode: 0o444, data: cache, size: int64(len(cache)), mtime: epoch})
}

// hasDir reports whether the root has a directory.
func (r *resolver) hasDir(dir string) bool {
	at, err := r.locate(path.Clean(dir), true, false)
	if err != nil {
		return false
	}
	n := r.nodes[at]
	return n != nil && n.mode.Type() == fs.ModeDir
}
