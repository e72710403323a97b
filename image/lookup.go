package image

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"
)

// maxLinks bounds the links followed for one name, as in Linux.
const maxLinks = 40

// Resolve returns the real path in the image of the target of a name, every
// link followed within the image. Names may be relative to the root, as package
// fs has them, or absolute.
func (i *Image) Resolve(name string) (string, error) {
	p, _, err := i.find(name, true)
	return p, err
}

// find returns the path and the node of a name; the last link is followed if
// follow is set.
func (i *Image) find(name string, follow bool) (string, *node, error) {
	type place struct {
		name string
		n    *node
	}
	// at are the directories down to where we are: ".." goes back up, and at
	// the root stays.
	at := []place{{"", i.tree.root}}
	rest := strings.Split(name, "/")
	for hops, steps := 0, 0; len(rest) > 0; steps++ {
		e := rest[0]
		rest = rest[1:]
		here := at[len(at)-1].n
		if here.kind != kindDir {
			return "", nil, syscall.ENOTDIR
		}
		switch e {
		case "", ".":
			continue
		case "..":
			at = at[:max(len(at)-1, 1)]
			continue
		}
		n := here.children[e]
		switch {
		case n == nil:
			return "", nil, fs.ErrNotExist
		case n.kind == kindLink && (follow || len(rest) > 0):
			if hops++; hops > maxLinks {
				return "", nil, syscall.ELOOP
			}
			if strings.HasPrefix(n.link, "/") {
				at = at[:1]
			}
			rest = append(strings.Split(n.link, "/"), rest...)
		default:
			at = append(at, place{e, n})
		}
	}
	var b strings.Builder
	for _, p := range at[1:] {
		b.WriteString("/" + p.name)
	}
	return path.Join("/", b.String()), at[len(at)-1].n, nil
}

// LookPath returns the path, in the image, of the first of the names that is an
// executable file: an absolute name unchanged, else in the directories of the
// image's own PATH. Links are followed within the image, but the returned path
// is unresolved, for interpreters that look at their own name.
func (i *Image) LookPath(names ...string) (string, error) {
	dirs := i.config.env("PATH")
	if dirs == "" {
		dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	for _, name := range names {
		tries := []string{name}
		if !strings.Contains(name, "/") {
			tries = nil
			for dir := range strings.SplitSeq(dirs, ":") {
				if path.IsAbs(dir) {
					tries = append(tries, path.Join(dir, name))
				}
			}
		}
		for _, p := range tries {
			if _, n, err := i.find(p, true); err == nil && n.kind == kindFile && n.exec && path.IsAbs(p) {
				return path.Clean(p), nil
			}
		}
	}
	return "", fmt.Errorf("the image has none of %s on its path: %w", strings.Join(names, ", "), fs.ErrNotExist)
}

// Open implements [fs.FS]. Links are followed within the image.
func (i *Image) Open(name string) (fs.File, error) {
	p, n, err := i.find(name, true)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	info := info{base(p), n}
	switch n.kind {
	case kindDir:
		return &openDir{info: info, rest: n.names()}, nil
	default:
		return &openFile{info: info, SectionReader: i.tree.content(n)}, nil
	}
}

// Stat implements [fs.StatFS]; links are followed within the image.
func (i *Image) Stat(name string) (fs.FileInfo, error) { return i.stat("stat", name, true) }

// Lstat implements [fs.ReadLinkFS].
func (i *Image) Lstat(name string) (fs.FileInfo, error) { return i.stat("lstat", name, false) }

func (i *Image) stat(op, name string, follow bool) (fs.FileInfo, error) {
	p, n, err := i.find(name, follow)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return info{base(p), n}, nil
}

// ReadLink implements [fs.ReadLinkFS].
func (i *Image) ReadLink(name string) (string, error) {
	_, n, err := i.find(name, false)
	if err == nil && n.kind != kindLink {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return n.link, nil
}

// readFile returns the content of a file of at most most bytes.
func (i *Image) readFile(name string, most int64) ([]byte, error) {
	_, n, err := i.find(name, true)
	if err != nil {
		return nil, err
	}
	if n.kind != kindFile || n.size > most {
		return nil, errors.New("not a file, or too long")
	}
	return io.ReadAll(i.tree.content(n))
}

// base returns the last element of a path; the root is "." in package fs.
func base(p string) string {
	if p == "/" {
		return "."
	}
	return path.Base(p)
}

// info is a node as [fs.FileInfo] and [fs.DirEntry].
type info struct {
	name string
	n    *node
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return i.n.size }
func (i info) Mode() fs.FileMode          { return i.n.mode() }
func (i info) Type() fs.FileMode          { return i.n.mode().Type() }
func (i info) ModTime() time.Time         { return i.n.modified() }
func (i info) IsDir() bool                { return i.n.kind == kindDir }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }

type openFile struct {
	info
	*io.SectionReader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Size() int64                { return f.info.Size() }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info
	rest []string
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: syscall.EISDIR}
}

// ReadDir implements [fs.ReadDirFile].
func (d *openDir) ReadDir(most int) ([]fs.DirEntry, error) {
	take := len(d.rest)
	if most > 0 {
		if take == 0 {
			return nil, io.EOF
		}
		take = min(take, most)
	}
	entries := make([]fs.DirEntry, take)
	for i, name := range d.rest[:take] {
		entries[i] = info{name, d.n.children[name]}
	}
	d.rest = d.rest[take:]
	return entries, nil
}
