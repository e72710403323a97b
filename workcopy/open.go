package workcopy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Options bound what [Open] takes. The zero Options are good ones.
type Options struct {
	// MaxFiles bounds the entries of the folder, including its folders and
	// refused entries; 0 means 100,000. A folder with more is an error.
	MaxFiles int
	// MaxBytes is the largest file; 0 means 16 MiB. A larger one is refused.
	MaxBytes int64
	// Skip are names of files and folders to leave out everywhere; nil means
	// [DefaultSkip].
	Skip []string
	// NoIgnore takes files that git leaves out: by a .gitignore of the folder
	// or, in a repository, of a folder above, by .git/info/exclude, or by the
	// user's own core.excludesFile. Without NoIgnore, files that people keep
	// out of a repository (builds, but also .env files with secrets) reach
	// neither a model nor a box. The same holds for files that git keeps
	// despite a rule: git's index is not read.
	NoIgnore bool
}

// DefaultSkip are names of tools' products that belong to no patch. Two more
// kinds of folders are skipped under any name: a Python virtual environment
// (with a pyvenv.cfg) and a declared cache (CACHEDIR.TAG, as in a build folder
// of cargo).
var DefaultSkip = []string{
	".git", ".hg", ".svn", ".bzr", ".jj", "CVS",
	"node_modules", "bower_components", ".venv", ".tox", ".nox", ".eggs", ".bundle", ".gradle", ".terraform",
	"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints",
	".next", ".nuxt", ".parcel-cache", ".turbo", ".nyc_output", ".cache", ".DS_Store",
}

func (o Options) withDefaults() Options {
	if o.MaxFiles <= 0 {
		o.MaxFiles = 100_000
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 16 << 20
	}
	if o.Skip == nil {
		o.Skip = DefaultSkip
	}
	return o
}

// base is the folder as opened. Clones share it; except for cached contents, it
// does not change.
type base struct {
	opt     Options
	skip    map[string]bool
	dir     string      // absolute; empty for files in memory
	at      fs.FileInfo // of dir
	files   map[string]*file
	paths   []string // of files, sorted
	refused []glovebox.Refusal
	skipped []glovebox.Refusal
	leftOut map[string]*glovebox.Refusal // both of them
	lefts   []string                     // their paths, sorted
	held    atomic.Int64                 // bytes of contents that were read
}

// file is a file of the folder.
type file struct {
	size       int64
	changed    time.Time
	executable bool

	mu   sync.Mutex
	data []byte
	held bool // data is the content
}

// maxHeld is how many bytes of contents a base keeps. What does not fit is read
// again each time, with the same check.
const maxHeld = 64 << 20

func newBase(o Options) *base {
	b := &base{opt: o, skip: map[string]bool{}, files: map[string]*file{}, leftOut: map[string]*glovebox.Refusal{}}
	for _, name := range o.Skip {
		b.skip[name] = true
	}
	return b
}

func (b *base) add(p string, f *file) {
	b.files[p] = f
	b.paths = append(b.paths, p)
}

// finish puts what was found in order.
func (b *base) finish() {
	slices.Sort(b.paths)
	for _, list := range [][]glovebox.Refusal{b.refused, b.skipped} {
		sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
		for i := range list {
			b.leftOut[list[i].Name] = &list[i]
			b.lefts = append(b.lefts, list[i].Name)
		}
	}
	slices.Sort(b.lefts)
}

// left returns the refusal or skip at p or above it.
func (b *base) left(p string) *glovebox.Refusal {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if r := b.leftOut[p]; r != nil {
			return r
		}
	}
	return nil
}

// leftBelow reports whether an entry in the folder p was left out.
func (b *base) leftBelow(p string) bool {
	i := sort.SearchStrings(b.lefts, p+"/")
	return i < len(b.lefts) && strings.HasPrefix(b.lefts[i], p+"/")
}

// skips returns the name in the path that is always skipped.
func (b *base) skips(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if b.skip[part] {
			return part + " is skipped by name"
		}
	}
	return ""
}

// Open lists the files of a folder. Open opens only folders and git's files of
// rules. The error means an unreadable folder, or too many entries.
func Open(dir string, o Options) (*Copy, error) {
	b := newBase(o.withDefaults())
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if b.at, err = root.Stat("."); err != nil {
		return nil, err
	}
	b.dir = abs
	w := walk{base: b}
	var rules ignore
	if !b.opt.NoIgnore {
		rules = above(abs, w.refuse)
	}
	if err := w.folder(root, "", rules); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	b.finish()
	return newCopy(b), nil
}

// walk lists a tree of folders.
type walk struct {
	*base
	entries int
}

// folder lists the folder at root, with the path at in the copy. The error ends
// the walk; an error of one entry is a refusal.
func (w *walk) folder(root *os.Root, at string, rules ignore) error {
	names, err := w.names(root)
	if err != nil {
		if errors.Is(err, ErrTooLarge) || at == "" {
			return err
		}
		w.refuse(at, "cannot be listed: "+cause(err).Error())
		return nil
	}
	if at != "" {
		for marker, what := range map[string]string{"pyvenv.cfg": "a Python virtual environment", "CACHEDIR.TAG": "a cache, says its CACHEDIR.TAG"} {
			if _, found := slices.BinarySearch(names, marker); found {
				w.leave(at, what)
				return nil
			}
		}
	}
	if _, found := slices.BinarySearch(names, ignoreName); found && !w.opt.NoIgnore {
		own, err := rules.readIgnore(root, at)
		if err != nil {
			w.refuse(path.Join(at, ignoreName), "not honoured: "+cause(err).Error())
		} else {
			rules = own
		}
	}
	for _, name := range names {
		if err := w.entry(root, at, name, rules); err != nil {
			return err
		}
	}
	return nil
}

// names returns the sorted names in a folder. names counts while reading, so a
// folder with millions costs no more than the bound.
func (w *walk) names(root *os.Root) ([]string, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var names []string
	for {
		more, err := d.Readdirnames(1024)
		names = append(names, more...)
		if w.entries += len(more); w.entries > w.opt.MaxFiles {
			return nil, fmt.Errorf("the folder has more than %d entries: %w", w.opt.MaxFiles, ErrTooLarge)
		}
		if err == io.EOF {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// entry takes, skips or refuses one entry of a folder.
func (w *walk) entry(root *os.Root, at, name string, rules ignore) error {
	p := path.Join(at, name)
	if _, err := glovebox.CleanPath(p); err != nil {
		w.refuse(p, err.Error())
		return nil
	}
	if w.skip[name] {
		w.leave(p, "skipped by name")
		return nil
	}
	info, err := root.Lstat(name)
	if err != nil {
		w.refuse(p, "cannot be looked at: "+cause(err).Error())
		return nil
	}
	if rules.out(p, info.IsDir()) {
		w.leave(p, "left out by git's rules ("+ignoreName+", .git/info/exclude or core.excludesFile)")
		return nil
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		sub, err := root.OpenRoot(name)
		if err != nil {
			w.refuse(p, "cannot be opened: "+cause(err).Error())
			return nil
		}
		defer sub.Close()
		if now, err := sub.Stat("."); err != nil || !os.SameFile(info, now) {
			w.refuse(p, "was replaced while the folder was read")
			return nil
		}
		return w.folder(sub, p, rules)
	case mode&fs.ModeSymlink != 0:
		w.refuse(p, "a symbolic link")
	case !mode.IsRegular():
		w.refuse(p, "not a regular file ("+mode.Type().String()+")")
	case info.Size() > w.opt.MaxBytes:
		w.refuse(p, fmt.Sprintf("has %d bytes: at most %d", info.Size(), w.opt.MaxBytes))
	default:
		w.add(p, &file{size: info.Size(), changed: info.ModTime(), executable: mode&0o111 != 0})
	}
	return nil
}

func (w *walk) refuse(p, reason string) {
	w.refused = append(w.refused, glovebox.Refusal{Name: p, Reason: reason})
}

func (w *walk) leave(p, reason string) {
	w.skipped = append(w.skipped, glovebox.Refusal{Name: p, Reason: reason})
}

// cause is an error of a system call without the path, a local detail of this
// machine.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// read returns the content of f, from the folder unless it is held.
func (b *base) read(name string, f *file) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held {
		return f.data, nil
	}
	data, err := b.load(name, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if b.held.Add(f.size) <= maxHeld {
		f.data, f.held = data, true
	} else {
		b.held.Add(-f.size)
	}
	return data, nil
}

// load reads a file of the folder, if unchanged since the listing.
func (b *base) load(name string, f *file) ([]byte, error) {
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if now, err := root.Stat("."); err != nil || !os.SameFile(b.at, now) {
		return nil, ErrChanged
	}
	// A pipe in the file's place must not make us wait for its writer.
	in, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrChanged
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	same := func() bool {
		info, err := in.Stat()
		return err == nil && info.Mode().IsRegular() && info.Size() == f.size && info.ModTime().Equal(f.changed)
	}
	if !same() {
		return nil, ErrChanged
	}
	data := make([]byte, f.size)
	if _, err := io.ReadFull(in, data); err != nil || !same() {
		return nil, ErrChanged
	}
	return data, nil
}
