package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/keys"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

// The files of a Log.
const (
	logFile        = "log.jsonl"
	headsFile      = "checkpoints"
	checkpointFile = "checkpoint"
	hashesFile     = "hashes"
	lockFile       = "lock"
)

// maxGroup is the most entries that one head covers anew, so also the most that a crash
// can leave without a head.
const maxGroup = 1024

// ErrClosed is the error of a Log that was closed.
var ErrClosed = errors.New("audit: the log is closed")

// Options say how a Log is written.
type Options struct {
	// Origin names the log in each checkpoint, such as "example.com/audit". A log keeps
	// its origin.
	Origin string
	// Signer signs the checkpoints.
	Signer keys.Signer
	// Anchors are given each checkpoint.
	Anchors []Anchor
	// Logger is told of the failures of anchors that are not required; nil means
	// [slog.Default].
	Logger *slog.Logger
}

// Anchor is a Witness, and whether its failure is one of Append. Where a required
// witness fails, the entry is in the log all the same.
type Anchor struct {
	Witness  Witness
	Required bool
}

// KeyChange is the data of an entry of [KindKey].
type KeyChange struct {
	// ID and Key are the new key, Old is the ID of the key before. Old is empty in the
	// first entry of a log.
	ID  string `json:"id"`
	Key []byte `json:"key"`
	Old string `json:"old,omitempty"`
}

// Recovery is the data of an entry of [KindRecovery]: what a crash left behind and was
// cut. None of the entries that were cut had been acknowledged.
type Recovery struct {
	// Bytes and Entries were cut from the end of the log; SHA256 is of the bytes.
	Bytes   int64  `json:"bytes"`
	Entries int64  `json:"entries"`
	SHA256  string `json:"sha256,omitempty"`
	// HeadBytes were cut from the end of the checkpoints.
	HeadBytes int64 `json:"head_bytes,omitempty"`
	// StaleCheckpoint: the file "checkpoint" did not hold the newest head.
	StaleCheckpoint bool `json:"stale_checkpoint,omitempty"`
}

// Log is a folder that entries are appended to. Its methods are called by many
// goroutines at once.
type Log struct {
	dir     string
	options Options

	mu      sync.Mutex
	pending []*request
	busy    bool // a goroutine commits
	closed  bool
	idle    sync.Cond

	// The rest belongs to the goroutine that commits.
	log, heads, hashes *os.File
	signer             keys.Signer
	verifier           note.Verifier
	now                func() time.Time
	sync               func(*os.File) error
	state
}

// state is what the files hold. Without loaded, it must be read again.
type state struct {
	loaded             bool
	tree               frontier
	head               Head
	last               tlog.Hash // the leaf hash of the last line
	time               time.Time // of the last line
	logSize, headsSize int64
}

// request is an Append that waits.
type request struct {
	kind  Kind
	data  []byte
	done  chan struct{}
	entry glovebox.AuditEntry
	err   error
}

// Open opens the log in dir, and makes it where there is none. What a crash left is cut
// and recorded. A log that does not fit its newest checkpoint is an error: see [Verify].
// A signer with a new key makes an entry of [KindKey]; a key that signed earlier and was
// replaced is an error.
func Open(dir string, options Options) (_ *Log, err error) {
	if options.Signer == nil {
		return nil, errors.New("audit: no signer")
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	l := &Log{dir: dir, options: options, signer: options.Signer, now: time.Now, sync: (*os.File).Sync}
	l.idle.L = &l.mu
	if l.verifier, err = verifier(options.Origin, l.signer.Public()); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer func() {
		if err != nil {
			l.closeFiles()
		}
	}()
	for _, f := range []struct {
		name string
		to   **os.File
	}{{logFile, &l.log}, {headsFile, &l.heads}, {hashesFile, &l.hashes}} {
		if *f.to, err = lock.Open(filepath.Join(dir, f.name)); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
	}
	if err := syncDir(dir); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return l, l.locked(func() error { return l.start() })
}

// start loads the log, and writes the entries that opening makes.
func (l *Log) start() error {
	found, err := l.load(true)
	if err != nil {
		return err
	}
	var first []*request
	if found.recovery != (Recovery{}) {
		first = append(first, mustRequest(KindRecovery, found.recovery))
	}
	if own := l.signer.Public(); found.key != own.ID() {
		first = append(first, mustRequest(KindKey, KeyChange{ID: own.ID(), Key: own.Key, Old: found.key}))
	}
	if len(first) == 0 {
		return nil
	}
	return l.commit(context.Background(), first)
}

// mustRequest makes a request of our own data, which always has a form in JSON.
func mustRequest(kind Kind, data any) *request {
	b, err := Entry{kind, data}.encode()
	if err != nil {
		panic(err)
	}
	return &request{kind: kind, data: b}
}

// Append writes an entry. When Append returns without an error, the entry and the
// checkpoint that is returned are on the disk. With an error the entry may be in the log:
// only where ctx ended or a required witness failed.
func (l *Log) Append(ctx context.Context, e Entry) (glovebox.AuditEntry, error) {
	data, err := e.encode()
	if err != nil {
		return glovebox.AuditEntry{}, err
	}
	if err := ctx.Err(); err != nil {
		return glovebox.AuditEntry{}, err
	}
	r := &request{kind: e.Kind, data: data, done: make(chan struct{})}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return glovebox.AuditEntry{}, ErrClosed
	}
	l.pending = append(l.pending, r)
	if !l.busy {
		l.busy = true
		go l.drain()
	}
	l.mu.Unlock()
	select {
	case <-r.done:
		return r.entry, r.err
	case <-ctx.Done():
		return glovebox.AuditEntry{}, fmt.Errorf("audit: the entry may or may not be in the log: %w", ctx.Err())
	}
}

// drain commits what waits, group by group, and ends when nothing waits.
func (l *Log) drain() {
	for {
		l.mu.Lock()
		group := l.pending[:min(len(l.pending), maxGroup-2)] // two more are ours at most
		l.pending = l.pending[len(group):]
		if len(group) == 0 {
			l.pending, l.busy = nil, false
			l.idle.Broadcast()
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		err := l.locked(func() error { return l.append(group) })
		for _, r := range group {
			if r.err = err; err != nil {
				r.entry = glovebox.AuditEntry{}
			}
			close(r.done)
		}
	}
}

// append commits a group; what another process has written comes before.
func (l *Log) append(group []*request) error {
	changed, err := l.changed()
	if err != nil {
		return err
	}
	if changed {
		found, err := l.load(false)
		if err != nil {
			return err
		}
		if found.recovery != (Recovery{}) {
			group = append([]*request{mustRequest(KindRecovery, found.recovery)}, group...)
		}
	}
	return l.commit(context.Background(), group)
}

// Rotate makes next the signer. The old signer signs the entry that names the new key.
func (l *Log) Rotate(ctx context.Context, next keys.Signer) error {
	key := next.Public()
	v, err := verifier(l.options.Origin, key)
	if err != nil {
		return err
	}
	l.mu.Lock()
	for l.busy {
		l.idle.Wait()
	}
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	l.busy = true
	l.mu.Unlock()
	old := l.signer.Public().ID()
	if key.ID() != old {
		r := mustRequest(KindKey, KeyChange{ID: key.ID(), Key: key.Key, Old: old})
		err = l.locked(func() error { return l.append([]*request{r}) })
		if r.entry.Checkpoint != "" { // also where a required witness failed
			l.signer, l.verifier = next, v
		}
	}
	l.mu.Lock()
	l.busy = len(l.pending) > 0
	if l.busy {
		go l.drain()
	}
	l.idle.Broadcast()
	l.mu.Unlock()
	return err
}

// Checkpoint returns the newest signed head that this Log has written or read.
func (l *Log) Checkpoint() (string, error) {
	text, err := os.ReadFile(filepath.Join(l.dir, checkpointFile))
	if err != nil {
		return "", fmt.Errorf("audit: %w", err)
	}
	h, err := ParseHead(string(text))
	return h.note, err
}

// Close waits for the entries that are being written and closes the files.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	for l.busy {
		l.idle.Wait()
	}
	return l.closeFiles()
}

func (l *Log) closeFiles() error {
	var err error
	for _, f := range []*os.File{l.log, l.heads, l.hashes} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// locked does something while no other process writes the folder.
func (l *Log) locked(do func() error) error {
	f, err := lock.Open(filepath.Join(l.dir, lockFile))
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	defer f.Close()
	if err := lock.Wait(f, lock.Exclusive); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return do()
}

// changed reports whether the files are not as they were left.
func (l *Log) changed() (bool, error) {
	for _, f := range []*os.File{l.log, l.heads, l.hashes} {
		ours, err := f.Stat()
		if err != nil {
			return false, fmt.Errorf("audit: %w", err)
		}
		named, err := os.Lstat(f.Name())
		if err != nil {
			return false, fmt.Errorf("audit: %w", err)
		}
		if !os.SameFile(ours, named) {
			return false, fmt.Errorf("audit: %s was replaced by another file: open the log again", f.Name())
		}
		want := map[*os.File]int64{l.log: l.logSize, l.heads: l.headsSize, l.hashes: tlog.StoredHashCount(l.tree.n) * tlog.HashSize}[f]
		if ours.Size() != want {
			return true, nil
		}
	}
	return !l.loaded, nil
}

// commit writes a group and shows its head to the witnesses.
func (l *Log) commit(ctx context.Context, group []*request) error {
	if err := l.write(ctx, group); err != nil {
		return err
	}
	return l.anchor(ctx)
}

// write writes a group and its head. Where this fails, the files are as before.
func (l *Log) write(ctx context.Context, group []*request) (err error) {
	next := l.state
	next.tree.roots = append([]tlog.Hash(nil), l.tree.roots...)
	var lines, record []byte
	var stored []tlog.Hash
	for i, r := range group {
		now := l.now().UTC()
		e := Record{Index: next.tree.n, Prev: hexHash(next.last), ID: newID(), Time: now, Kind: r.kind, Data: r.data}
		if back := next.time.Sub(now); back > 0 {
			e.Time, e.BackMS = next.time, max(1, back.Milliseconds())
		}
		if i == 0 && l.head.Size > 0 {
			e.Head = l.head.hash()
		}
		record = e.appendLine(record[:0])
		lines = append(append(lines, record...), '\n')
		next.last, next.time = tlog.RecordHash(record), e.Time
		stored = next.tree.add(next.last, stored)
		r.entry = glovebox.AuditEntry{ID: e.ID, Index: e.Index}
	}
	l.loaded = false // until all is written
	defer func() {
		if err != nil {
			err = fmt.Errorf("audit: %w", errors.Join(err, l.undo()))
		}
	}()
	if _, err := l.log.WriteAt(lines, l.logSize); err != nil {
		return err
	}
	if err := l.sync(l.log); err != nil {
		return err
	}
	if next.head, err = signHead(ctx, l.verifier, l.signer, &next.tree); err != nil {
		return err
	}
	if _, err := l.heads.WriteAt([]byte(next.head.note+"\n"), l.headsSize); err != nil {
		return err
	}
	if err := l.sync(l.heads); err != nil {
		return err
	}
	var hashes bytes.Buffer
	for _, h := range stored {
		hashes.Write(h[:])
	}
	_, failed := l.hashes.WriteAt(hashes.Bytes(), tlog.StoredHashCount(l.tree.n)*tlog.HashSize)
	failed = errors.Join(failed, replaceFile(filepath.Join(l.dir, checkpointFile), []byte(next.head.note)))
	if failed != nil { // both are copies, which the next load makes anew
		l.options.Logger.Warn("audit", "error", failed)
	}
	next.logSize += int64(len(lines))
	next.headsSize += int64(len(next.head.note)) + 1
	next.loaded = failed == nil
	l.state = next
	for _, r := range group {
		r.entry.Checkpoint = next.head.note
	}
	return nil
}

// undo takes back what write wrote: the head first, because a head without its entries
// looks like a log that was cut.
func (l *Log) undo() error {
	if err := l.heads.Truncate(l.headsSize); err != nil {
		return err
	}
	return l.log.Truncate(l.logSize)
}

// replaceFile replaces a file so that a reader has the old one or the new one.
func replaceFile(name string, data []byte) error {
	temporary := name + ".new" // only the holder of the lock writes
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return os.Rename(temporary, name)
}

// syncDir makes the names in a folder durable. Windows does so by itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
