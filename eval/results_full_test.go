package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// fullDisk is a results file on a disk that has room for so many bytes more.
type fullDisk struct {
	*os.File
	room  int
	stuck bool // what was written cannot be taken away
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if n, err := d.File.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, syscall.ENOSPC
}

func (d *fullDisk) Truncate(size int64) error {
	if d.stuck {
		return syscall.EIO
	}
	return d.File.Truncate(size)
}

// TestResultsOnAFullDisk: a row that cannot be written spoils none, before it or
// after it.
func TestResultsOnAFullDisk(t *testing.T) {
	header := Header{Version: version, Hash: "h", Problems: "p.jsonl"}
	row := func(n int) Row {
		return Row{Task: fmt.Sprint("t", n), N: n, Hash: "h", Status: glovebox.StatusPass}
	}
	line, err := encode(row(0))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		room  int // after the first row
		stuck bool
		after error // of the row after the one that fails
		want  string
	}{
		"no room at all":        {room: 0, want: "t0 t2 t3"},
		"room for half a row":   {room: len(line) / 2, want: "t0 t2 t3"},
		"room but for its end":  {room: len(line) - 1, want: "t0 t2 t3"},
		"the half row is stuck": {room: len(line) / 2, stuck: true, after: syscall.EIO, want: "t0"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "results")
			r, err := OpenResults(file, header, false)
			if err != nil {
				t.Fatal(err)
			}
			disk := &fullDisk{File: r.file.(*os.File), room: len(line) + c.room, stuck: c.stuck}
			r.file = disk
			if err := r.Append(row(0)); err != nil {
				t.Fatal(err)
			}
			if err := r.Append(row(1)); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("the row for which there is no room: %v", err)
			}
			disk.room = 1 << 20 // others have made room
			for n := 2; n < 4; n++ {
				if err := r.Append(row(n)); !errors.Is(err, c.after) {
					t.Errorf("row %d: %v, want %v", n, err, c.after)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			_, rows, err := ReadResults(file)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				got = append(got, row.Task)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("the file has %q, want %q", s, c.want)
			}
			if again, err := OpenResults(file, header, false); err != nil {
				t.Errorf("it cannot be gone on with: %v", err)
			} else {
				again.Close()
			}
		})
	}
}

// TestResultsRefuseRows: what could not be read again is not written.
func TestResultsRefuseRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results")
	r, err := OpenResults(file, Header{Version: version, Hash: "h"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Append(Row{Task: strings.Repeat("x", maxRow)}); err == nil || !strings.Contains(err.Error(), "at most 1048576") {
		t.Errorf("a row of a MiB: %v", err)
	}
	if err := r.Append(Row{Task: "t"}); err != nil {
		t.Error(err)
	}
	if err := r.Finish(nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Append(Row{Task: "late"}); !errors.Is(err, errFinished) {
		t.Errorf("a row after the end: %v", err)
	}
	if _, rows, err := ReadResults(file); err != nil || len(rows) != 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
