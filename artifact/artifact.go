// Package artifact takes a run's files in the workspace out of the box, as
// hostile data: a bounded manifest of files with opaque ids, and their content
// in a [Store].
//
// Nothing in a workspace is followed, executed or believed: links and special
// files are refused by name, a file's type is determined by its content, and
// its name is only ever shown (escaped) or, by [Save], made harmless.
package artifact

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Limits bound what is collected. A zero field means the field of
// [DefaultLimits].
type Limits struct {
	// Count is the most artifacts.
	Count int
	// FileBytes is the largest artifact.
	FileBytes int64
	// TotalBytes is the maximum of bytes in all artifacts together.
	TotalBytes int64
	// Depth is how deep an artifact may lie: 1 is the workspace itself.
	Depth int
	// Entries is how many files and directories are looked at.
	Entries int
}

// DefaultLimits are the limits where none are named.
var DefaultLimits = Limits{
	Count:      256,
	FileBytes:  64 * glovebox.MiB,
	TotalBytes: 256 * glovebox.MiB,
	Depth:      16,
	Entries:    1 << 16,
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Count:      cmp.Or(l.Count, DefaultLimits.Count),
		FileBytes:  cmp.Or(l.FileBytes, DefaultLimits.FileBytes),
		TotalBytes: cmp.Or(l.TotalBytes, DefaultLimits.TotalBytes),
		Depth:      cmp.Or(l.Depth, DefaultLimits.Depth),
		Entries:    cmp.Or(l.Entries, DefaultLimits.Entries),
	}
}

// Manifest is what a run left behind.
type Manifest struct {
	// Artifacts are the collected files, by name.
	Artifacts []glovebox.Artifact
	// Refused are the rejected files, with reasons: at most 64, and then up to
	// two entries that count the rest, by the name "…".
	Refused []glovebox.Refusal
}

// maxRefused is how many refusals are listed one by one.
const maxRefused = 64

// Baseline is the workspace before the run: an unchanged file is no artifact.
type Baseline map[string]Fingerprint

// Fingerprint identifies a content.
type Fingerprint struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// AnySize is the size of a file that is never an artifact, whatever its contents.
const AnySize = -1

// Staged returns the baseline of a workspace in which these files were staged.
func Staged(files ...glovebox.File) Baseline {
	b := Baseline{}
	for _, f := range files {
		if name, err := glovebox.CleanPath(f.Path); err == nil {
			b[name] = Fingerprint{Size: int64(len(f.Data)), SHA256: sha256.Sum256(f.Data)}
		}
	}
	return b
}

// NewID returns a fresh id for a content. The id is random: it reveals nothing,
// and allows no guess of another.
func NewID() string { return idPrefix + strings.ToLower(rand.Text()) }

const idPrefix = "art_"

// Filter returns a writer for changing a text on its way to w, such as a
// redactor's. Close writes the rest and does not close w.
type Filter func(name string, w io.Writer) io.WriteCloser

// Collect reads a quiet workspace and puts its artifacts into the store. Text
// passes through the guard's filter: size and hash are those of the stored
// bytes. The guard's detectors look at the rest. If the limits do not allow all
// files, shallow ones come first. An error means that ctx ended, the workspace
// could not be read at all, or the store failed; the manifest then holds the
// artifacts collected until then.
func Collect(ctx context.Context, workspace fs.FS, before Baseline, l Limits, g Guard, s Store) (Manifest, error) {
	c := &collector{
		ctx: ctx, fsys: workspace, before: before, limits: l.withDefaults(), guard: g, store: s,
	}
	err := c.walk()
	for _, r := range []struct {
		n   int
		why string
	}{
		{c.refused - maxRefused, "more were refused"},
		{c.over, fmt.Sprintf("more were left: there are more than %d artifacts", c.limits.Count)},
	} {
		if r.n > 0 {
			c.m.Refused = append(c.m.Refused, glovebox.Refusal{Name: "…", Reason: fmt.Sprintf("%d %s", r.n, r.why)})
		}
	}
	slices.SortFunc(c.m.Artifacts, func(a, b glovebox.Artifact) int { return strings.Compare(a.Name, b.Name) })
	return c.m, err
}

type collector struct {
	ctx     context.Context
	fsys    fs.FS
	before  Baseline
	limits  Limits
	guard   Guard
	store   Store
	in      *bufio.Reader
	m       Manifest
	seen    int   // entries looked at
	refused int   // entries refused
	over    int   // files past the most artifacts
	bytes   int64 // taken
}

// walk goes through the workspace breadth first.
func (c *collector) walk() error {
	for dirs := []string{"."}; len(dirs) > 0; dirs = dirs[1:] {
		dir := dirs[0]
		list, err := fs.ReadDir(c.fsys, dir)
		if err != nil && dir == "." {
			return fmt.Errorf("read the workspace: %w", err)
		}
		if err != nil {
			c.refuse(dir, "cannot be read: "+reason(err))
			continue
		}
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, d := range list {
			if err := context.Cause(c.ctx); err != nil {
				return err
			}
			if c.seen++; c.seen > c.limits.Entries {
				c.refuse(dir, fmt.Sprintf("the workspace has more than %d entries: the rest was not looked at", c.limits.Entries))
				return nil
			}
			more, err := c.entry(dir, d)
			if err != nil {
				return err
			}
			if more != "" {
				dirs = append(dirs, more)
			}
		}
	}
	return nil
}

// caches are directories and files that interpreters and test runners leave for
// themselves.
var caches = []string{
	"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints",
	".cache", ".npm", ".bundle", ".phpunit.cache", ".phpunit.result.cache",
	".python_history", ".node_repl_history", ".bash_history",
}

// entry takes or refuses one entry of dir. walk is the path of a directory to
// walk.
func (c *collector) entry(dir string, d fs.DirEntry) (walk string, err error) {
	base := d.Name()
	if base == "" || base == "." || base == ".." || strings.ContainsAny(base, "/\x00") {
		c.refuse(dir+"/"+base, "is not a file name")
		return "", nil
	}
	if slices.Contains(caches, base) {
		return "", nil
	}
	name := path.Join(dir, base)
	mode := d.Type()
	if mode&fs.ModeIrregular != 0 { // a file system that does not tell in its listing
		info, err := d.Info()
		if err != nil {
			c.refuse(name, "cannot be read: "+reason(err))
			return "", nil
		}
		mode = info.Mode().Type()
	}
	deep := strings.Count(name, "/") + 1
	switch {
	case len(name) > maxName:
		c.refuse(name, fmt.Sprintf("its name is %d bytes long: at most %d", len(name), maxName))
	case mode.IsDir() && deep >= c.limits.Depth:
		c.refuse(name, fmt.Sprintf("is a directory at depth %d: what is in it is too deep", deep))
	case mode.IsDir():
		return name, nil
	case mode != 0:
		c.refuse(name, "is a "+kind(mode))
	default:
		return "", c.file(name)
	}
	return "", nil
}

// maxName is the longest path of an artifact, in bytes.
const maxName = 512

// file takes or refuses a regular file. The error is the store's or ctx's.
func (c *collector) file(name string) error {
	if len(c.m.Artifacts) >= c.limits.Count {
		c.over++ // not one by one: a flood must not hide the other refusals
		return nil
	}
	f, err := c.fsys.Open(name)
	if err != nil {
		c.refuse(name, "cannot be read: "+reason(err))
		return nil
	}
	defer f.Close()
	// Whatever the listing said: what was opened decides.
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		c.refuse(name, "is not a regular file")
		return nil
	}
	size := info.Size()
	switch {
	case size > c.limits.FileBytes:
		c.refuse(name, fmt.Sprintf("is %d bytes long: at most %d", size, c.limits.FileBytes))
		return nil
	case size > c.limits.TotalBytes-c.bytes:
		c.refuse(name, fmt.Sprintf("all artifacts together would be more than %d bytes", c.limits.TotalBytes))
		return nil
	}
	c.room(size)
	if want, ok := c.before[name]; ok && (want.Size == AnySize || want.Size == size && c.unchanged(name, want)) {
		return nil
	}
	return c.take(name, f)
}

// unchanged reports whether the file still has the content of want.
func (c *collector) unchanged(name string, want Fingerprint) bool {
	f, err := c.fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	c.in.Reset(io.LimitReader(&reader{c.ctx, f}, want.Size+1))
	n, err := io.Copy(sum, c.in)
	return err == nil && n == want.Size && [sha256.Size]byte(sum.Sum(nil)) == want.SHA256
}

// A read from a box is a round trip: the buffer holds a small file as a whole,
// and of a large one as much as is worth its memory.
const (
	leastBuffer = 16 << 10
	buffer      = 512 << 10
)

// room makes the buffer fit a file of size bytes. Few runs leave a file worth a
// large buffer.
func (c *collector) room(size int64) {
	if n := int(max(leastBuffer, min(size+1, buffer))); c.in == nil || c.in.Size() < n {
		c.in = bufio.NewReaderSize(nil, n)
	}
}

// take copies the content into the store.
func (c *collector) take(name string, f io.Reader) error {
	id := NewID()
	blob, err := c.store.Create(id)
	if err != nil {
		return err
	}
	// The announced size does not bind the file.
	most := min(c.limits.FileBytes, c.limits.TotalBytes-c.bytes)
	c.in.Reset(io.LimitReader(&reader{c.ctx, f}, most+1))
	head, _ := c.in.Peek(sniff)
	mime := typeOf(head)
	sum, out := sha256.New(), &storeWriter{w: blob}
	stored := &counter{w: io.MultiWriter(sum, out)}
	to := io.WriteCloser(stored)
	if c.guard.Filter != nil && isText(mime) {
		to = c.guard.Filter("artifact "+Escape(name), stored)
	}
	n, err := io.Copy(to, c.in)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err == nil && n <= most {
		if err := blob.Close(); err != nil {
			return err
		}
		c.bytes += n
		return c.keep(glovebox.Artifact{
			ID: id, Name: Escape(name), MIME: mime, Size: stored.n, SHA256: hex.EncodeToString(sum.Sum(nil)),
		}, name)
	}
	discarded := blob.Discard()
	switch {
	case context.Cause(c.ctx) != nil:
		return context.Cause(c.ctx)
	case out.err != nil:
		return out.err
	case discarded != nil:
		return discarded
	case err != nil:
		c.refuse(name, "cannot be read: "+reason(err))
	default:
		c.refuse(name, fmt.Sprintf("grew past %d bytes while it was read", most))
	}
	return nil
}

// keep adds a stored artifact, after the detectors have looked at it.
func (c *collector) keep(a glovebox.Artifact, name string) error {
	if c.guard.Detect == nil || isText(a.MIME) {
		c.m.Artifacts = append(c.m.Artifacts, a)
		return nil
	}
	content, err := c.store.Open(a.ID)
	if err != nil {
		return err
	}
	a.Secrets, a.Unscanned = inspect(c.ctx, c.guard.Detect, content)
	if err := content.Close(); err != nil {
		return err
	}
	if err := context.Cause(c.ctx); err != nil {
		return errors.Join(err, c.store.Delete(a.ID))
	}
	switch {
	case c.guard.Withhold && len(a.Secrets) > 0:
		c.refuse(name, "is withheld: it holds what cannot be redacted in it, "+strings.Join(a.Secrets, ", "))
	case c.guard.Withhold && a.Unscanned:
		c.refuse(name, "is withheld: a part of it could not be looked at for secrets")
	default:
		c.m.Artifacts = append(c.m.Artifacts, a)
		return nil
	}
	return c.store.Delete(a.ID)
}

// counter counts what goes into the store.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) Close() error { return nil }

// isText reports whether a type is text, readable for a filter.
func isText(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	switch mime {
	case "application/json", "application/x-ndjson", "application/javascript", "application/xml", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(mime, "text/")
}

func (c *collector) refuse(name, why string) {
	if c.refused++; c.refused <= maxRefused {
		if len(name) > maxName {
			name = name[:maxName] + "…"
		}
		c.m.Refused = append(c.m.Refused, glovebox.Refusal{Name: Escape(name), Reason: why})
	}
}

// reason is an error without the path, which may be hostile.
func reason(err error) string {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrInvalid):
		return "its name is not valid"
	case errors.As(err, &pe):
		return pe.Err.Error()
	}
	return err.Error()
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// reader reads until ctx ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// storeWriter remembers an error of the store, to distinguish it from an error
// of the box.
type storeWriter struct {
	w   io.Writer
	err error
}

func (w *storeWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}
