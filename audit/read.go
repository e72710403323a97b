package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Filter selects records. An empty field selects all.
type Filter struct {
	Kind Kind
	// Tenant, Job and Status are compared with the fields of these names in Data.
	Tenant, Job, Status string
	// Since and Until bound the time: Since included, Until not.
	Since, Until time.Time
}

// Match reports whether f selects r.
func (f Filter) Match(r Record) bool {
	if f.Kind != "" && r.Kind != f.Kind || r.Time.Before(f.Since) || !f.Until.IsZero() && !r.Time.Before(f.Until) {
		return false
	}
	if f.Tenant == "" && f.Job == "" && f.Status == "" {
		return true
	}
	var d struct{ Tenant, Job, Status string }
	if json.Unmarshal(r.Data, &d) != nil {
		return false
	}
	same := func(want, got string) bool { return want == "" || want == got }
	return same(f.Tenant, d.Tenant) && same(f.Job, d.Job) && same(f.Status, d.Status)
}

// Search yields the records that f selects, the oldest first. An error ends the sequence.
// Reading checks the form of each line and nothing else: see [Verify].
func Search(dir string, f Filter) iter.Seq2[Record, error] {
	return records(dir, func(*os.File) (int64, error) { return 0, nil }, f)
}

// Tail yields the last n records, the oldest first.
func Tail(dir string, n int) iter.Seq2[Record, error] {
	return records(dir, func(log *os.File) (int64, error) { return startOfTail(log, n) }, Filter{})
}

// Show returns the record with this ID. The error is [fs.ErrNotExist] where there is
// none.
func Show(dir, id string) (Record, error) {
	for r, err := range Search(dir, Filter{}) {
		if err != nil || r.ID == id {
			return r, err
		}
	}
	return Record{}, fmt.Errorf("audit: no entry %q: %w", id, os.ErrNotExist)
}

// records reads the log from an offset.
func records(dir string, start func(*os.File) (int64, error), filter Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		fail := func(err error) { yield(Record{}, fmt.Errorf("audit: %w", err)) }
		f, err := openFile(filepath.Join(dir, logFile))
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		offset, err := start(f)
		if err == nil {
			_, err = f.Seek(offset, io.SeekStart)
		}
		if err != nil {
			fail(err)
			return
		}
		lines := bufio.NewReaderSize(f, maxLine)
		for {
			line, err := lines.ReadSlice('\n')
			if err == io.EOF {
				return // a line that is not whole is being written, or a crash's
			}
			var r Record
			if err == nil {
				r, err = ParseRecord(line[:len(line)-1])
			} else if errors.Is(err, bufio.ErrBufferFull) {
				err = fmt.Errorf("the line is longer than %d bytes", maxLine)
			}
			if err != nil {
				fail(fmt.Errorf("%s at byte %d: %w", logFile, offset, err))
				return
			}
			offset += int64(len(line))
			if filter.Match(r) {
				r.Data = slices.Clone(r.Data)
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// startOfTail returns where the last n whole lines begin.
func startOfTail(f *os.File, n int) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	b := make([]byte, 1<<16)
	for end, found := info.Size(), -1; end > 0; {
		start := max(0, end-int64(len(b)))
		part := b[:end-start]
		if _, err := f.ReadAt(part, start); err != nil {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] != '\n' {
				continue
			}
			if found++; found == max(n, 0) {
				return start + int64(i) + 1, nil
			}
		}
		end = start
	}
	return 0, nil
}
