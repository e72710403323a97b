package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

const (
	// version is the version of the format of results files.
	version = 1
	// maxRow bounds a line of a results file, in bytes.
	maxRow = 1 << 20
	// syncEvery is how much a crash of the machine may lose. The end of this
	// process, by whatever signal, loses nothing.
	syncEvery = time.Second
)

// ErrOther is the error for a results file of other problems, samples or
// options.
var ErrOther = errors.New("it has the results of other problems, samples or options")

// Results keeps rows as they come, in a file if it has a name.
//
// The file has a line of JSON for the [Header] and one for each [Row], in the
// order of their ends. A lock gives the file to one process at a time. An
// unfinished last line from a killed process is cut off when the file is opened
// again. [Results.Finish] atomically replaces the file by a sorted one.
type Results struct {
	name   string
	header Header
	mu     sync.Mutex
	file   resultsFile // nil: in memory only
	rows   map[key]Row
	synced time.Time
	end    int64 // the length of the whole lines in the file, in bytes
	closed error // why no row can be added any more
}

// resultsFile is the part of an [os.File] that Results needs.
type resultsFile interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Sync() error
	Close() error
}

// OpenResults opens or begins the results file of a run, with the rows in it.
// An empty name keeps rows in memory only. A file with a hash other than the
// header's is [ErrOther], unless anew, which restarts the file.
func OpenResults(name string, h Header, anew bool) (*Results, error) {
	r := &Results{header: h, rows: map[key]Row{}}
	if name == "" {
		return r, nil
	}
	f, name, err := lockFile(name)
	if err != nil {
		return nil, err
	}
	r.file, r.name = f, name
	if err := r.load(anew); err != nil {
		r.file.Close()
		return nil, fmt.Errorf("results file %s: %w", name, err)
	}
	return r, nil
}

// lockFile opens a file, or makes it, and locks it. The returned name is free
// of symbolic links: replacing the file must not replace a link to the file.
func lockFile(name string) (*os.File, string, error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	for {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, "", fmt.Errorf("results file %s: it is not a regular file", name)
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|appending, 0o644)
		if err != nil {
			return nil, "", err
		}
		if ok, err := lock.Try(f, lock.Exclusive); err != nil || !ok {
			f.Close()
			if err != nil {
				return nil, "", fmt.Errorf("results file: %w", err)
			}
			return nil, "", fmt.Errorf("results file %s: another process is writing to it", name)
		}
		// Meanwhile another process may have finished and replaced it.
		ours, err1 := f.Stat()
		there, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(ours, there) {
			return f, name, nil
		}
		f.Close()
		if err := errors.Join(err1, err2); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, "", err
		}
	}
}

// load reads what is in the file.
func (r *Results) load(anew bool) error {
	if err := os.Remove(r.name + unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	h, rows, end, err := scan(r.file)
	switch {
	case err != nil:
		return err
	case end == 0 || anew:
		if err := r.cut(0); err != nil {
			return err
		}
		return r.append(r.header)
	case h.Hash != r.header.Hash:
		return fmt.Errorf("%w (%d samples of %s)", ErrOther, h.Total, h.Problems)
	}
	for _, row := range once(rows) {
		r.rows[row.key()] = row
	}
	return r.cut(end)
}

// cut shortens the file to its first bytes, and continues after them.
func (r *Results) cut(end int64) error {
	if err := r.file.Truncate(end); err != nil {
		return err
	}
	_, err := r.file.Seek(end, io.SeekStart)
	r.end = end
	return err
}

// once keeps one row of each sample. What has no verdict was tried again: the
// row that came then counts.
func once(rows []Row) []Row {
	at := map[key]int{}
	var kept []Row
	for _, row := range rows {
		i, ok := at[row.key()]
		switch {
		case !ok:
			at[row.key()] = len(kept)
			kept = append(kept, row)
		case !kept[i].decided():
			kept[i] = row
		}
	}
	return kept
}

// scan reads a results file. It returns the offset after the last whole line; 0
// means an empty file, or a writer killed while writing the header.
func scan(in io.Reader) (h Header, rows []Row, end int64, err error) {
	lines := bufio.NewReaderSize(in, maxRow)
	// bad is an unreadable line: the file may end with it, cut off.
	var bad error
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return h, nil, 0, fmt.Errorf("line %d is longer than %d bytes: it is no results file", n, maxRow)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return h, nil, 0, err
		}
		whole := err == nil
		if n == 1 && !whole {
			// No line at all. Only the possible beginning of a header may be
			// replaced.
			const begin = `{"glovebox_eval":`
			if len(line) > 0 && !bytes.HasPrefix(line, []byte(begin)) && !bytes.HasPrefix([]byte(begin), line) {
				return h, nil, 0, errors.New("it is not a results file")
			}
			return h, nil, 0, nil
		}
		if len(line) == 0 {
			return h, rows, end, nil
		}
		if bad != nil {
			return h, nil, 0, bad
		}
		var row Row
		switch {
		case n == 1:
			if json.Unmarshal(line, &h) != nil || h.Version == 0 {
				return h, nil, 0, errors.New("it is not a results file")
			}
			if h.Version != version {
				return h, nil, 0, fmt.Errorf("it is of version %d; this Glovebox reads version %d", h.Version, version)
			}
		case !whole || json.Unmarshal(line, &row) != nil || row.Task == "":
			bad = fmt.Errorf("line %d is broken, and not the last one", n)
			continue
		default:
			rows = append(rows, row)
		}
		end += int64(len(line))
	}
}

// ReadResults reads a results file, finished or not.
func ReadResults(name string) (Header, []Row, error) {
	f, err := os.Open(name)
	if err != nil {
		return Header{}, nil, err
	}
	defer f.Close()
	h, rows, end, err := scan(f)
	if err == nil && end == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return h, nil, fmt.Errorf("results file %s: %w", name, err)
	}
	return h, once(rows), nil
}

// decided reports whether the row has a verdict on the code. Rows of our own
// failures have none, nor rows with unrunnable tests: the missing part may
// exist by now.
func (r *Row) decided() bool {
	return r.Status != glovebox.StatusSandboxError && r.Status != glovebox.StatusTestsUnrunnable
}

// Done reports whether the work has a verdict on the code.
func (r *Results) Done(w *Work) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	row, ok := r.rows[w.key()]
	return ok && row.decided()
}

// Append adds a row and writes it to the file. A failed write, such as on a
// full disk, leaves the file unchanged: later rows can be added, and the file
// stays readable. After [Results.Finish] no row can be added.
func (r *Results) Append(row Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.append(row); err != nil {
		return fmt.Errorf("results file %s: %w", r.name, err)
	}
	r.rows[row.key()] = row
	return nil
}

// errFinished is the error for a row after the file was replaced by the sorted
// one.
var errFinished = errors.New("it is finished: no row can be added")

// append writes one line with one call. The partial output of a failed call is
// cut off: a row behind half a line would make the whole file unreadable.
func (r *Results) append(v any) error {
	if r.closed != nil {
		return r.closed
	}
	if r.file == nil {
		return nil
	}
	line, err := encode(v)
	if err != nil {
		return err
	}
	if len(line) > maxRow {
		return fmt.Errorf("a row of %d bytes: at most %d are read again", len(line), maxRow)
	}
	if _, err := r.file.Write(line); err != nil {
		if failed := r.cut(r.end); failed != nil {
			r.closed = fmt.Errorf("it ends with a part of a row, which cannot be taken away (%w): no row can be added", failed)
		}
		return err
	}
	r.end += int64(len(line))
	if time.Since(r.synced) < syncEvery {
		return nil
	}
	r.synced = time.Now()
	return r.file.Sync()
}

// encode makes the line of a value.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Rows returns the rows of the work in its order, omitting work without a row.
func (r *Results) Rows(work []*Work) []Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := make([]Row, 0, len(work))
	for _, w := range work {
		if row, ok := r.rows[w.key()]; ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// unfinished is the suffix of the sorted file before it replaces the unsorted
// one.
const unfinished = ".unfinished"

// Finish replaces the file by one with rows in the order of the work.
func (r *Results) Finish(work []*Work) error {
	if r.file == nil {
		return nil
	}
	if err := r.replace(r.Rows(work)); err != nil {
		os.Remove(r.name + unfinished)
		return fmt.Errorf("finish the results file: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = errFinished // what is open is not the file of that name any more
	return nil
}

func (r *Results) replace(rows []Row) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.name+unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	line, err := encode(r.header)
	if err != nil {
		return err
	}
	out.Write(line)
	for _, row := range rows {
		if line, err = encode(row); err != nil {
			return err
		}
		out.Write(line)
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return r.takePlace(r.name + unfinished)
}

// Close gives the file free.
func (r *Results) Close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.file.Sync(), r.file.Close())
}
