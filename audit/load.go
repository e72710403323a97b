package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// found is what load learnt beside the state.
type found struct {
	recovery Recovery
	key      string // the ID of the key in use, empty in a new log
}

// load reads the state from the files, and cuts what a crash left. What one commit
// wrote and no head covers was never acknowledged.
func (l *Log) load(opening bool) (f found, err error) {
	l.state = state{}
	defer func() {
		if err != nil {
			err = fmt.Errorf("audit: %w", err)
		}
	}()
	head, end, err := lastHead(l.heads)
	if err != nil {
		return f, err
	}
	info, err := l.heads.Stat()
	if err != nil {
		return f, err
	}
	f.recovery.HeadBytes = info.Size() - end
	checkpoint, err := os.ReadFile(filepath.Join(l.dir, checkpointFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return f, err
	}
	f.recovery.StaleCheckpoint = string(checkpoint) != head.note
	if newest, err := ParseHead(string(checkpoint)); err == nil && newest.Size > head.Size {
		return f, fmt.Errorf("%s has lost heads: %s is of %d entries: run verify", headsFile, checkpointFile, newest.Size)
	}
	if head.Size > 0 && head.Origin != l.options.Origin {
		return f, fmt.Errorf("the log's origin is %q, not %q", head.Origin, l.options.Origin)
	}
	own := l.signer.Public()
	f.key = own.ID()
	l.head, l.headsSize = head, end
	if f.recovery != (Recovery{}) || head.Size == 0 || !l.fast() {
		if f.key, err = l.rebuild(&f.recovery, own, opening); err != nil {
			return f, err
		}
	}
	if f.recovery.HeadBytes > 0 {
		if err := l.heads.Truncate(end); err != nil {
			return f, err
		}
	}
	if f.recovery.StaleCheckpoint {
		if err := replaceFile(filepath.Join(l.dir, checkpointFile), []byte(head.note)); err != nil {
			return f, err
		}
	}
	l.loaded = true
	return f, nil
}

// fast reads the state from the ends of the files, where they fit the newest head.
func (l *Log) fast() bool {
	n := l.head.Size
	hashes, err := l.hashes.Stat()
	if err != nil || hashes.Size() != tlog.StoredHashCount(n)*tlog.HashSize || !l.head.verify(l.verifier) {
		return false
	}
	stored := storedHashes{l.hashes}
	tree, err := stored.frontier(n)
	if err != nil || tree.root() != l.head.Root {
		return false
	}
	info, err := l.log.Stat()
	if err != nil {
		return false
	}
	line, err := lastLine(l.log, info.Size())
	if err != nil {
		return false
	}
	r, err := ParseRecord(line)
	if err != nil || r.Index != n-1 || r.Kind == KindKey {
		return false // after a change of keys, rebuild knows whose turn it is
	}
	leaf, err := stored.ReadHashes([]int64{tlog.StoredHashIndex(0, n-1)})
	if err != nil || leaf[0] != tlog.RecordHash(line) {
		return false
	}
	l.tree, l.last, l.time, l.logSize = tree, leaf[0], r.Time, info.Size()
	return true
}

// lastLine reads the last line of the first size bytes, without its newline.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	for window := int64(8 << 10); ; window *= 8 {
		window = min(window, maxLine, size)
		b := make([]byte, window)
		if _, err := f.ReadAt(b, size-window); err != nil && err != io.EOF {
			return nil, err
		}
		if window == 0 || b[window-1] != '\n' {
			return nil, errors.New("the last line is not whole")
		}
		b = b[:window-1]
		for i := len(b) - 1; i >= 0; i-- {
			if b[i] == '\n' {
				return b[i+1:], nil
			}
		}
		if window == size {
			return b, nil
		}
		if window == maxLine {
			return nil, errors.New("the last line is too long")
		}
	}
}

// rebuild reads the whole log into the state and the hashes file, cuts what no head
// covers, and returns the ID of the key in use.
func (l *Log) rebuild(recovery *Recovery, own keys.Public, opening bool) (string, error) {
	if _, err := l.log.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if err := l.hashes.Truncate(0); err != nil {
		return "", err
	}
	if _, err := l.hashes.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	hashes := bufio.NewWriterSize(l.hashes, 1<<16)
	lines := bufio.NewReaderSize(l.log, maxLine)
	var stored []tlog.Hash
	var span []keys.Public
	for l.tree.n < l.head.Size {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return "", fmt.Errorf("%s has %d entries, and its newest checkpoint is of %d: run verify", logFile, l.tree.n, l.head.Size)
		}
		r, err := ParseRecord(line[:len(line)-1])
		if err != nil || r.Index != l.tree.n {
			return "", fmt.Errorf("%s:%d is damaged: run verify", logFile, l.tree.n+1)
		}
		if r.Kind == KindKey {
			key, err := r.keyChange()
			if err != nil {
				return "", fmt.Errorf("%s:%d: %w", logFile, r.Index+1, err)
			}
			span = append(span, key)
		}
		l.last, l.time = tlog.RecordHash(line[:len(line)-1]), r.Time
		l.logSize += int64(len(line))
		stored = l.tree.add(l.last, stored[:0])
		for _, h := range stored {
			if _, err := hashes.Write(h[:]); err != nil {
				return "", err
			}
		}
	}
	if err := hashes.Flush(); err != nil {
		return "", err
	}
	if err := l.cut(lines, recovery); err != nil {
		return "", err
	}
	if l.head.Size == 0 {
		return "", nil
	}
	if l.tree.root() != l.head.Root || len(span) == 0 {
		return "", fmt.Errorf("%s does not fit its newest checkpoint: run verify", logFile)
	}
	current := span[len(span)-1]
	signed := false
	for _, key := range span[max(0, len(span)-2):] {
		// The entry that names a new key may be signed by the old one.
		if key.ID() != current.ID() && !l.endsWithKey(l.logSize) {
			continue
		}
		v, err := verifier(l.options.Origin, key)
		if err != nil {
			return "", err
		}
		signed = signed || l.head.verify(v)
	}
	if !signed {
		return "", errors.New("the newest checkpoint has no signature of the log's key: run verify")
	}
	if current.ID() != own.ID() {
		if slices.ContainsFunc(span, func(k keys.Public) bool { return k.ID() == own.ID() }) {
			return "", fmt.Errorf("key %s was replaced by %s: open the log with the new key", own.ID(), current.ID())
		}
		if !opening {
			return "", fmt.Errorf("the log's key is %s now, not %s: open the log again", current.ID(), own.ID())
		}
	}
	return current.ID(), nil
}

// endsWithKey reports whether the last of the first size bytes is a KindKey line.
func (l *Log) endsWithKey(size int64) bool {
	line, err := lastLine(l.log, size)
	if err != nil {
		return false
	}
	r, err := ParseRecord(line)
	return err == nil && r.Kind == KindKey
}

// cut cuts what is behind the newest head. A commit writes at most maxGroup entries, so
// more of them are no crash's.
func (l *Log) cut(rest io.Reader, recovery *Recovery) error {
	sum := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(rest, sum), 1<<16)
	for {
		part, err := lines.ReadSlice('\n')
		recovery.Bytes += int64(len(part))
		if err == nil {
			recovery.Entries++
		}
		if recovery.Entries > maxGroup || l.head.Size == 0 && recovery.Entries > 1 {
			return fmt.Errorf("%s has more entries behind its newest checkpoint, of %d, than a crash can leave: run verify", logFile, l.head.Size)
		}
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	if recovery.Bytes == 0 {
		return nil
	}
	recovery.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return errors.Join(l.log.Truncate(l.logSize), l.log.Sync())
}

// keyChange returns the key that an entry of KindKey names.
func (r Record) keyChange() (keys.Public, error) {
	var c KeyChange
	if err := json.Unmarshal(r.Data, &c); err != nil {
		return keys.Public{}, err
	}
	key := keys.Public{Key: c.Key}
	if len(c.Key) != 32 || key.ID() != c.ID {
		return keys.Public{}, errors.New("the key and its ID do not fit")
	}
	return key, nil
}
