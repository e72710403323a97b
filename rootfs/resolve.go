package rootfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A node is one file, directory or link of the root to be built.
type node struct {
	path   string
	mode   fs.FileMode // type (0, ModeDir or ModeSymlink) and permissions
	source string      // of a file that is copied: its real path on the host
	stamp  stamp       // and what tells whether it changed there
	linked bool        // it is a program or a library, see Entry.Linked
	patch  *patch      // what is different in the copy, or nil
	key    string      // of a file of a Files: names its content
	data   []byte      // of a file that we write
	link   string
	size   int64
	mtime  time.Time

	content func() (io.ReadCloser, error) // of a file of a Files
}

// open returns the content of a file node. The host's file at this path must
// still be the regular file found before.
func (n *node) open() (io.ReadCloser, error) {
	if n.content != nil {
		return n.content()
	}
	if n.source == "" {
		return io.NopCloser(bytes.NewReader(n.data)), nil
	}
	f, err := os.OpenFile(n.source, os.O_RDONLY|asFound, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != n.size || stampOf(info) != n.stamp {
		f.Close()
		return nil, fmt.Errorf("%s changed while it was copied", n.source)
	}
	if n.patch != nil {
		return &patched{file: f, patch: n.patch}, nil
	}
	return f, nil
}

// resolver turns the entries of a plan into nodes.
type resolver struct {
	ctx    context.Context
	bounds Bounds
	nodes  map[string]*node
	// links are the kept links of a Source, by path, with the real targets on
	// the host.
	links map[string]keptLink
	bytes int64
}

type keptLink struct {
	entry *Entry
	rel   string
	real  string
}

// epoch is the time of files without a time of their own. It is not 0, which
// means "unknown" to some archivers.
var epoch = time.Unix(1, 0)

// resolve returns the nodes of the plan, parents before their children.
func resolve(ctx context.Context, p Plan, b Bounds) ([]*node, error) {
	r := &resolver{ctx: ctx, bounds: b, nodes: map[string]*node{}, links: map[string]keptLink{}}
	r.nodes["/"] = &node{path: "/", mode: fs.ModeDir | 0o755, mtime: epoch}
	for i := range p.Entries {
		if err := r.entry(&p.Entries[i]); err != nil {
			return nil, fmt.Errorf("root file system: %s: %w", p.Entries[i].Path, err)
		}
	}
	if err := r.settleLinks(); err != nil {
		return nil, err
	}
	if err := r.tellLoader(); err != nil {
		return nil, fmt.Errorf("root file system: %w", err)
	}
	nodes := make([]*node, 0, len(r.nodes))
	for _, n := range r.nodes {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b *node) int { return strings.Compare(a.path, b.path) })
	return nodes, nil
}

// valid fails for an entry that makes no sense.
func (e *Entry) valid() error {
	set := 0
	for _, b := range []bool{e.Source != "", e.Files != nil, e.Data != nil, e.Link != "", e.Dir} {
		if b {
			set++
		}
	}
	switch {
	case !path.IsAbs(e.Path) || path.Clean(e.Path) != e.Path || strings.ContainsRune(e.Path, 0):
		return fmt.Errorf("root file system: path %q is not absolute and clean", e.Path)
	case set > 1:
		return fmt.Errorf("root file system: %s: more than one of Source, Files, Data, Link and Dir is set", e.Path)
	case e.Source != "" && !filepath.IsAbs(e.Source):
		return fmt.Errorf("root file system: %s: source %q is not absolute", e.Path, e.Source)
	case e.Linked && e.Source == "":
		return fmt.Errorf("root file system: %s: Linked needs a Source", e.Path)
	case e.Skip != nil && e.SkipKey == "":
		return fmt.Errorf("root file system: %s: Skip needs a SkipKey", e.Path)
	}
	return nil
}

func (e *Entry) skips(rel string, d fs.DirEntry) bool { return e.Skip != nil && e.Skip(rel, d) }

func (r *resolver) entry(e *Entry) error {
	if err := e.valid(); err != nil {
		return err
	}
	perm := func(def, never fs.FileMode) fs.FileMode {
		if e.Mode != 0 {
			def = e.Mode
		}
		return def.Perm() &^ never
	}
	switch {
	case e.Source != "":
		real, err := filepath.EvalSymlinks(e.Source)
		if err != nil {
			return err
		}
		return r.copy(e, real, "", nil)
	case e.Files != nil:
		return r.files(e)
	case e.Link != "":
		return r.put(&node{path: e.Path, mode: fs.ModeSymlink | 0o777, link: e.Link, mtime: epoch})
	case e.Dir:
		return r.put(&node{path: e.Path, mode: fs.ModeDir | perm(0o755, 0o022), mtime: epoch})
	default:
		return r.put(&node{path: e.Path, mode: perm(0o644, 0o222), data: e.Data, size: int64(len(e.Data)), mtime: epoch})
	}
}

// A place is a directory of the host during a walk, and the destination of its
// contents, relative to the entry.
type place struct{ real, rel string }

// maxDepth is how deep directories of a Source may be nested.
const maxDepth = 64

// copy copies the real path of the host to rel below the entry. above are the
// directories of the current walk, outermost first.
func (r *resolver) copy(e *Entry, real, rel string, above []place) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case 0:
		mode := fs.FileMode(0o444)
		if info.Mode().Perm()&0o111 != 0 {
			mode = 0o555
		}
		return r.put(&node{path: path.Join(e.Path, rel), mode: mode, source: real, stamp: stampOf(info), size: info.Size(), mtime: info.ModTime(), linked: e.Linked})
	case fs.ModeDir:
		if e.Linked {
			return fmt.Errorf("%s is a directory: Linked is for a file", real)
		}
		circle := slices.ContainsFunc(above, func(p place) bool { return p.real == real })
		if circle || len(above) >= maxDepth {
			return fmt.Errorf("%s: links lead in a circle, or more than %d levels down", real, maxDepth)
		}
		return r.copyDir(e, rel, append(slices.Clip(above), place{real, rel}))
	default:
		return fmt.Errorf("%s is a %s: a root file system holds files, directories and links only", real, kindOf(info.Mode()))
	}
}

// copyDir takes the innermost of the directories to rel below the entry.
func (r *resolver) copyDir(e *Entry, rel string, above []place) error {
	if err := r.put(&node{path: path.Join(e.Path, rel), mode: fs.ModeDir | 0o755, mtime: epoch}); err != nil {
		return err
	}
	dir := above[len(above)-1].real
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		rel, from := path.Join(rel, d.Name()), filepath.Join(dir, d.Name())
		switch {
		case e.skips(rel, d):
		case d.Type()&fs.ModeSymlink != 0:
			err = r.copyLink(e, from, rel, above)
		default:
			err = r.copy(e, from, rel, above)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyLink keeps a link with a target in the same walk, and otherwise copies
// the target in place of the link.
func (r *resolver) copyLink(e *Entry, from, rel string, above []place) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
		return nil // a dangling link is of no use in the box either
	}
	target, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	for _, p := range above {
		inside, ok := below(p.real, target)
		if !ok {
			continue
		}
		link, err := filepath.Rel(path.Join("/", rel, ".."), path.Join("/", p.rel, inside))
		if err != nil {
			return err
		}
		n := &node{path: path.Join(e.Path, rel), mode: fs.ModeSymlink | 0o777, link: link, mtime: epoch}
		if err := r.put(n); err != nil {
			return err
		}
		r.links[n.path] = keptLink{entry: e, rel: rel, real: target}
		return nil
	}
	return r.copy(e, target, rel, above)
}

// settleLinks replaces kept links with skipped targets by copies of the
// targets.
func (r *resolver) settleLinks() error {
	for len(r.links) > 0 {
		links := r.links
		r.links = map[string]keptLink{} // what is copied now may hold further ones
		for _, p := range slices.Sorted(maps.Keys(links)) {
			n, l := r.nodes[p], links[p]
			if n == nil || n.mode.Type() != fs.ModeSymlink {
				continue // something later took its place
			}
			if _, ok := r.nodes[path.Join(path.Dir(p), n.link)]; ok {
				continue
			}
			delete(r.nodes, p)
			if err := r.copy(l.entry, l.real, l.rel, nil); err != nil {
				return fmt.Errorf("root file system: %s: %w", p, err)
			}
		}
	}
	return nil
}

// below returns p relative to dir if p is dir or in dir.
func below(dir, p string) (string, bool) {
	if p == dir {
		return ".", true
	}
	rel, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
	return rel, ok
}

// put places n, behind the links of the directories on its way, over any
// earlier node.
func (r *resolver) put(n *node) error {
	at, err := r.locate(n.path, n.mode.IsDir(), true)
	if err != nil {
		return err
	}
	n.path = at
	if old := r.nodes[at]; old != nil {
		switch {
		case old.mode.IsDir() && n.mode.IsDir():
			old.mode = n.mode
			return nil
		case old.mode.IsDir() && r.hasChildren(at):
			return fmt.Errorf("%s is a directory that is not empty", at)
		}
		r.bytes -= old.size
	}
	r.bytes += n.size
	r.nodes[at] = n
	delete(r.links, at)
	switch {
	case r.bytes > r.bounds.Bytes:
		return fmt.Errorf("more than %d MiB: leave parts out, or raise the bound", r.bounds.Bytes>>20)
	case len(r.nodes) > r.bounds.Files:
		return fmt.Errorf("more than %d files: leave parts out, or raise the bound", r.bounds.Files)
	}
	return nil
}

func (r *resolver) hasChildren(dir string) bool {
	for p := range r.nodes {
		if rel, ok := below(dir, p); ok && rel != "." {
			return true
		}
	}
	return false
}

// locate returns the path of p with every link on the way followed within the
// root, the last element's too if follow is set. It makes the missing
// directories, or fails.
func (r *resolver) locate(p string, follow, make bool) (string, error) {
	at, rest := "/", strings.Split(strings.Trim(p, "/"), "/")
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		next := path.Join(at, part) // Join keeps ".." within the root
		n := r.nodes[next]
		switch last := len(rest) == 0; {
		case last && (n == nil || !follow || n.mode.Type() != fs.ModeSymlink):
			return next, nil
		case n == nil && !make:
			return "", fmt.Errorf("%s: %w", next, fs.ErrNotExist)
		case n == nil:
			r.nodes[next] = &node{path: next, mode: fs.ModeDir | 0o755, mtime: epoch}
			at = next
		case n.mode.IsDir():
			at = next
		case n.mode.Type() == fs.ModeSymlink:
			if hops++; hops > 40 {
				return "", fmt.Errorf("%s: too many links", p)
			}
			if path.IsAbs(n.link) {
				at = "/"
			}
			rest = append(strings.Split(strings.Trim(path.Clean(n.link), "/"), "/"), rest...)
		default:
			return "", fmt.Errorf("%s is a file, not a directory", next)
		}
	}
	return at, nil
}

// stamp changes with the content of a file: the kernel sets the change time,
// whatever a program does to the others.
type stamp struct{ device, inode, changed uint64 }

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeDevice != 0:
		return "device"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	}
	return "special file"
}
