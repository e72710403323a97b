package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

// VerifyOptions say what a log is checked against.
type VerifyOptions struct {
	// Keys are trusted. The newest head must have a signature of one of them; the heads
	// before may have one of a key that the log itself names.
	Keys []keys.Public
	// Origin is the log's name. Empty means any.
	Origin string
	// Remembered are checkpoints of the log that were kept elsewhere, such as those of
	// observations.
	Remembered []string
	// WitnessFile is the file of a [WitnessFile]; empty means none.
	WitnessFile string
}

// Report says what was verified.
type Report struct {
	// Entries and Heads are how many were checked.
	Entries, Heads int64
	// Head is the newest head, and Key the ID of the key that signed it.
	Head Head
	Key  string
}

// Fault is the first bad record of a log.
type Fault struct {
	// Index is the entry's number, from 0. Through is the last entry that may be meant:
	// Index, where the place is known exactly.
	Index, Through int64
	// Offset is where the line begins in log.jsonl, in bytes.
	Offset int64
	// What is wrong.
	What string
}

// Error names the entry, its line and what is wrong.
func (f *Fault) Error() string {
	place := fmt.Sprintf("entry %d", f.Index)
	if f.Through > f.Index {
		place = fmt.Sprintf("entries %d to %d", f.Index, f.Through)
	}
	return fmt.Sprintf("audit log: %s (%s:%d, byte %d): %s", place, logFile, f.Index+1, f.Offset, f.What)
}

// maxRemembered bounds VerifyOptions.Remembered.
const maxRemembered = 10_000

// Verify checks the log in dir: each line, the order, the tree, each head and what was
// remembered. The error is a [*Fault] where the log is not what was signed.
//
// Memory does not grow with the log. Verify needs no private key and writes nothing.
// A log that was cut back as a whole is found only by a remembered head or a witness.
func Verify(dir string, options VerifyOptions) (Report, error) {
	report, err := verify(dir, options, false)
	if fault := (*Fault)(nil); errors.As(err, &fault) {
		// Only now each signature is checked, which is slow: a fault may come earlier.
		if _, first := verify(dir, options, true); errors.As(first, &fault) {
			return report, first
		}
	}
	return report, err
}

// check is one pass over a log.
type check struct {
	options  VerifyOptions
	every    bool // check the signature of each head and the data of each line
	dir      string
	origin   string
	size     int64 // of the log file
	lines    *bufio.Reader
	tree     frontier
	stored   []tlog.Hash // scratch
	sound    frontier    // at the newest head that fits
	soundAt  int64       // the offset there
	offset   int64       // of the current line
	last     tlog.Hash
	time     time.Time
	keys     []note.Verifier // of the log's entries of KindKey
	keyAt    int64           // the newest of them
	isKey    bool            // the last record is one
	lastHead Head
	newest   string
	sources  []*headSource
	report   Report
}

// headSource gives heads in the order of their sizes.
type headSource struct {
	name string
	own  bool // the log's own heads, which are chained to the entries
	read func() (Head, error)
	next *Head
}

func verify(dir string, options VerifyOptions, every bool) (_ Report, err error) {
	if len(options.Keys) == 0 {
		return Report{}, errors.New("audit: verify needs a public key")
	}
	if len(options.Remembered) > maxRemembered {
		return Report{}, fmt.Errorf("audit: %d remembered checkpoints: at most %d", len(options.Remembered), maxRemembered)
	}
	c := &check{options: options, every: every, dir: dir, origin: options.Origin}
	log, err := openFile(filepath.Join(dir, logFile))
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer log.Close()
	heads, err := openFile(filepath.Join(dir, headsFile))
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	defer heads.Close()
	headsSize, err := c.snapshot(log, heads)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	c.lines = bufio.NewReaderSize(io.LimitReader(log, c.size), maxLine)
	own := newHeadReader(io.LimitReader(heads, headsSize))
	c.sources = []*headSource{{name: headsFile, own: true, read: own.next}}
	remembered, err := options.remembered()
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	c.sources = append(c.sources, &headSource{name: "a remembered checkpoint", read: func() (Head, error) {
		if len(remembered) == 0 {
			return Head{}, io.EOF
		}
		h := remembered[0]
		remembered = remembered[1:]
		return h, nil
	}})
	if options.WitnessFile != "" {
		f, err := openFile(options.WitnessFile)
		if err != nil {
			return Report{}, fmt.Errorf("audit: witness: %w", err)
		}
		defer f.Close()
		witnessed := newHeadReader(f)
		c.sources = append(c.sources, &headSource{name: "the witness file", read: func() (Head, error) {
			h, err := witnessed.next()
			if err == io.ErrUnexpectedEOF { // a crash of the witness
				err = io.EOF
			}
			return h, err
		}})
	}
	err = c.run()
	return c.report, err
}

// openFile opens a regular file: no pipe that never ends.
func openFile(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return os.Open(name)
}

// snapshot takes the sizes and the newest head while no process writes. A copy of a log
// has no lock, and may be in a folder that cannot be written.
func (c *check) snapshot(log, heads *os.File) (headsSize int64, err error) {
	if f, err := os.Open(filepath.Join(c.dir, lockFile)); err == nil {
		defer f.Close()
		if err := lock.Wait(f, lock.Shared); err != nil {
			return 0, err
		}
	}
	info, err := log.Stat()
	if err != nil {
		return 0, err
	}
	c.size = info.Size()
	if info, err = heads.Stat(); err != nil {
		return 0, err
	}
	f, err := openFile(filepath.Join(c.dir, checkpointFile))
	if errors.Is(err, os.ErrNotExist) {
		return info.Size(), nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxNote+1))
	c.newest = string(text)
	return info.Size(), err
}

func (o VerifyOptions) remembered() ([]Head, error) {
	var heads []Head
	for i, text := range o.Remembered {
		h, err := ParseHead(text)
		if err != nil {
			return nil, fmt.Errorf("remembered checkpoint %d: %w", i+1, err)
		}
		heads = append(heads, h)
	}
	slices.SortStableFunc(heads, func(a, b Head) int { return int(min(1, max(-1, a.Size-b.Size))) })
	return heads, nil
}

func (c *check) run() error {
	for _, s := range c.sources {
		if err := c.advance(s); err != nil {
			return err
		}
	}
	for {
		line, err := c.lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil {
			return c.badLine(err)
		}
		if err := c.record(line[:len(line)-1]); err != nil {
			return err
		}
		c.offset += int64(len(line))
		if err := c.atHeads(); err != nil {
			return err
		}
	}
	return c.end()
}

func (c *check) fault(format string, args ...any) error {
	return &Fault{Index: c.tree.n, Through: c.tree.n, Offset: c.offset, What: fmt.Sprintf(format, args...)}
}

func (c *check) badLine(err error) error {
	switch {
	case err == io.EOF:
		return c.fault("the line is cut off")
	case errors.Is(err, bufio.ErrBufferFull):
		return c.fault("the line is longer than %d bytes", maxLine)
	}
	return fmt.Errorf("audit: %s: %w", logFile, err)
}

// record checks a line against the lines before.
func (c *check) record(line []byte) error {
	n := c.tree.n
	parse := parseEnvelope // the data is under the hash
	if c.every {
		parse = ParseRecord // two lines that became one have no valid data
	}
	r, err := parse(line)
	switch {
	case err != nil:
		return c.fault("%v", err)
	case r.Index > n:
		return c.fault("entry %d stands here: entries were removed or moved", r.Index)
	case r.Index < n:
		return c.fault("entry %d stands here: an entry was duplicated, inserted or moved", r.Index)
	case n == 0 && r.Kind != KindKey:
		return c.fault("the first entry names no key")
	}
	leaf := tlog.RecordHash(line)
	if r.Prev != hexHash(c.last) {
		return c.brokenChain()
	}
	if r.Time.Before(c.time) { // after the chain: the time before may have been changed
		return c.fault("time goes back from %s to %s", c.time.Format(timeForm), r.Time.Format(timeForm))
	}
	want := ""
	if c.lastHead.Size == n && n > 0 {
		want = c.lastHead.hash()
	}
	if r.Head != want {
		return c.fault("the entry is chained to another head than the one of %d entries in %s: the head or the entry was changed", n, headsFile)
	}
	c.isKey = r.Kind == KindKey
	if c.isKey {
		key, err := r.keyChange()
		if err != nil {
			return c.fault("%v", err)
		}
		if c.origin == "" {
			if own := c.sources[0].next; own != nil {
				c.origin = own.Origin
			}
		}
		v, err := verifier(c.origin, key)
		if err != nil {
			return c.fault("%v", err)
		}
		c.keys, c.keyAt = append(c.keys, v), n
	}
	c.last, c.time = leaf, r.Time
	c.stored = c.tree.add(leaf, c.stored[:0])
	c.report.Entries = c.tree.n
	return nil
}

// brokenChain names the entry that was changed where a line and its predecessor do not fit:
// by the hashes file or, without one, as one of the two.
func (c *check) brokenChain() error {
	n := c.tree.n
	if n == 0 || c.sound.n == n { // a head covers the one before
		return c.fault("the entry names another predecessor")
	}
	const what = "the entry was changed: it and its neighbour do not fit"
	if i, ok := c.differs(c.sound.n, n); ok {
		return c.at(i, i, what)
	}
	return c.at(n-1, n, what)
}

// atHeads checks the heads of the current size.
func (c *check) atHeads() error {
	for _, s := range c.sources {
		for s.next != nil && s.next.Size <= c.tree.n {
			if err := c.head(s, *s.next); err != nil {
				return err
			}
			if err := c.advance(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *check) advance(s *headSource) error {
	before := s.next
	h, err := s.read()
	s.next = nil
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return c.fault("%s: the next head is damaged: %v", s.name, err)
	case c.options.Origin != "" && h.Origin != c.options.Origin || c.origin != "" && h.Origin != c.origin:
		return c.fault("%s has a head of another log, %q", s.name, h.Origin)
	case h.Size == 0:
		return c.fault("%s has a head of no entries", s.name)
	case before != nil && (h.Size < before.Size || h.Size == before.Size && s.own):
		return c.fault("%s has a head of %d entries behind one of %d", s.name, h.Size, before.Size)
	}
	s.next = &h
	return nil
}

// head checks a head against the tree, which has its size.
func (c *check) head(s *headSource, h Head) error {
	if h.Origin != c.origin {
		return c.fault("%s has a head of another log, %q", s.name, h.Origin)
	}
	c.report.Heads++
	signed := c.signer(h)
	fits := h.Root == c.tree.root()
	if s.own {
		checked := signed != nil && h.signedBy(signed) && (!c.every || h.verify(signed))
		switch {
		case !checked:
			return c.at(c.sound.n, h.Size-1, fmt.Sprintf("the head of %d entries in %s is not signed by the key of that time", h.Size, headsFile))
		case !fits:
			return c.narrow(c.sound.n, h.Size-1, fmt.Sprintf("the entry is not the one that was signed (head of %d entries)", h.Size))
		}
		c.lastHead = h
		c.sound = frontier{c.tree.n, slices.Clone(c.tree.roots)}
		c.soundAt = c.offset
		return nil
	}
	if fits {
		return nil
	}
	if signed == nil || !h.verify(signed) {
		return c.at(c.sound.n, h.Size-1, fmt.Sprintf("%s has a head of %d entries with another root, and without a signature of the log's key", s.name, h.Size))
	}
	return c.at(0, h.Size-1, fmt.Sprintf("two signed heads of %d entries differ: the log was rewritten or forked after the head in %s", h.Size, s.name))
}

// signer returns the key that may have signed h: the current one or, where the last
// entry names a new key, the one before.
func (c *check) signer(h Head) note.Verifier {
	for i := len(c.keys) - 1; i >= 0; i-- {
		if h.verifyName(c.keys[i]) {
			return c.keys[i]
		}
		if !c.isKey || i < len(c.keys)-1 {
			break
		}
	}
	return nil
}

// verifyName reports whether one of the signatures names the key of v.
func (h Head) verifyName(v note.Verifier) bool {
	_, signatures, _ := strings.Cut(h.note, "\n\n")
	for line := range strings.Lines(signatures) {
		name, key, err := parseSignature(strings.TrimSuffix(line, "\n"))
		if err == nil && name == v.Name() && key == v.KeyHash() {
			return true
		}
	}
	return false
}

// end checks what only the whole log shows.
func (c *check) end() error {
	for _, s := range c.sources {
		if s.next != nil {
			return c.fault("the log ends here, but %s has a head of %d entries: the log was cut", s.name, s.next.Size)
		}
	}
	if c.lastHead.Size == 0 {
		return c.fault("the log has no signed head")
	}
	if n := c.lastHead.Size; n < c.tree.n {
		return c.at(n, c.tree.n-1, "no head covers the entry: an addition, or what a crash left, which opening the log cuts")
	}
	if c.newest != c.lastHead.note {
		return c.fault("the file %s is not the newest head: opening the log repairs what a crash left", checkpointFile)
	}
	for _, key := range c.options.Keys {
		v, err := verifier(c.origin, key)
		if err != nil {
			return err
		}
		if !c.lastHead.signedBy(v) || !c.lastHead.verify(v) {
			continue
		}
		if !key.Until.IsZero() && !c.time.Before(key.Until.Add(time.Second)) {
			return c.at(c.tree.n-1, c.tree.n-1, fmt.Sprintf("the newest head is signed by key %s, which lapsed at %s", key.ID(), key.Until.Format(time.RFC3339)))
		}
		c.report.Head, c.report.Key = c.lastHead, key.ID()
		return nil
	}
	return c.at(c.keyAt, c.tree.n-1, "the newest head is not signed by a trusted key: the key that this entry names is none of them")
}
