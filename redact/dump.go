package redact

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// A dump, as hexdump -C, xxd, od and Go's hex.Dump print it, cuts a value into
// rows with an offset before them and the characters behind. So the bytes of
// rows that follow one another are put together, and named values are looked
// for in them.

const (
	// maxRow is the most bytes of a row.
	maxRow = 32
	// maxRowLine is the longest line of a dump.
	maxRowLine = 256
)

// dumpRow is a row, with the places in the buffer of what stands for its bytes.
type dumpRow struct {
	offset uint64
	data   []byte
	pairs  []int // where the two digits of each byte stand
	chars  int   // where the characters begin, or -1
}

// parseRow reads the line b, which stands at buf[at], as a row. Open is where
// its first byte stands, or -1: up to there no line holds anything of a value.
func parseRow(b []byte, at int) (row dumpRow, open int) {
	row.chars, open = -1, -1
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	n := hexDigits.run(b[i:])
	if n < 4 || n > 16 || len(b) > maxRowLine {
		return row, -1
	}
	digits := b[i : i+n]
	if i += n; i < len(b) && b[i] == ':' {
		i++
	}
	if i == len(b) || b[i] != ' ' {
		return row, -1
	}
	short := false // groups of one byte
	for i < len(b) {
		gap := 0
		for i+gap < len(b) && b[i+gap] == ' ' {
			gap++
		}
		n := hexDigits.run(b[i+gap:])
		if gap == 0 || n == 0 || n%2 != 0 || n > 16 || len(row.data)+n/2 > maxRow {
			break
		}
		if first := len(row.data) == 0; first {
			open, short = at+i+gap, n == 2
		} else if gap > 2 || gap == 2 && !(short && len(row.data) == 8) {
			break // the characters
		}
		i += gap
		for range n / 2 {
			c, _ := hex.DecodeString(string(b[i : i+2]))
			row.data, row.pairs = append(row.data, c[0]), append(row.pairs, at+i)
			i += 2
		}
		if i < len(b) && b[i] != ' ' {
			return row, -1
		}
	}
	if len(row.data) == 0 {
		return row, open
	}
	row.offset, _ = strconv.ParseUint(string(digits), 16, 64)
	// The characters end the line, perhaps before a mark.
	line := bytes.TrimRight(b, "\r")
	for end := len(line); end >= max(i+len(row.data), len(line)-1); end-- {
		if k := end - len(row.data); shows(line[k:end], row.data) {
			row.chars = at + k
			break
		}
	}
	return row, open
}

// shows reports whether chars are how a dump shows data.
func shows(chars, data []byte) bool {
	for i, c := range data {
		if chars[i] != c && chars[i] != '.' {
			return false
		}
	}
	return true
}

// dumpFinder finds named values in dumps.
type dumpFinder struct {
	*named
	line int       // where the line that is not complete begins; below 0 it is too long
	rows []dumpRow // in which a value may begin
}

func (f *dumpFinder) scan(b []byte, from int, hits []hit) []hit {
	for i := max(from, f.line); ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return hits
		}
		i += n + 1
		if len(f.rows) > 0 || f.line >= 0 && offsetAt(b[f.line:i-1]) {
			hits = f.take(b[:i-1], hits)
		}
		f.line = i
	}
}

// offsetAt reports whether a line may begin with an offset. Most do not, and
// this is cheap to tell.
func offsetAt(line []byte) bool {
	const least = 4
	return len(line) > least && (line[0] == ' ' || hexDigits[line[0]] && hexDigits[line[1]] && hexDigits[line[2]] && hexDigits[line[least-1]])
}

// row reads the line that b ends with.
func (f *dumpFinder) row(b []byte) (row dumpRow, open int) {
	if f.line < 0 {
		return row, -1
	}
	return parseRow(b[f.line:], f.line)
}

// take takes the line that b ends with, which is complete.
func (f *dumpFinder) take(b []byte, hits []hit) []hit {
	row, open := f.row(b)
	if open < 0 || len(row.data) == 0 {
		f.rows = nil
		return hits
	}
	if n := len(f.rows); n > 0 && f.rows[n-1].offset+uint64(len(f.rows[n-1].data)) != row.offset {
		f.rows = nil
	}
	f.rows = append(f.rows, row)
	data := f.data()
	for _, v := range f.values {
		if len(v.text) < longEnough {
			continue
		}
		for from := 0; ; {
			i := bytes.Index(data[from:], v.text)
			if i < 0 {
				break
			}
			hits = append(hits, f.hit(v.id, from+i, from+i+len(v.text)))
			from += i + len(v.text)
		}
	}
	f.forget(data)
	return hits
}

func (f *dumpFinder) data() []byte {
	var data []byte
	for _, r := range f.rows {
		data = append(data, r.data...)
	}
	return data
}

// hit makes the candidate of the bytes from and to of the rows.
func (f *dumpFinder) hit(id string, from, to int) hit {
	var spans []span
	for _, r := range f.rows {
		if a, b := max(from, 0), min(to, len(r.data)); a < b {
			spans = append(spans, span{start: r.pairs[a], end: r.pairs[b-1] + 2, id: id})
			if r.chars >= 0 {
				spans = append(spans, span{start: r.chars + a, end: r.chars + b, id: id})
			}
		}
		from, to = from-len(r.data), to-len(r.data)
	}
	at := spans[0].start
	for i := range spans {
		spans[i].start, spans[i].end = spans[i].start-at, spans[i].end-at
	}
	return hit{at, dumped(spans)}
}

// forget drops the rows before the first in which a value may begin.
func (f *dumpFinder) forget(data []byte) {
	most := 0
	for _, v := range f.values {
		for n := min(len(data), len(v.text)-1); n > most; n-- {
			if data[len(data)-n] == v.text[0] && bytes.HasPrefix(v.text, data[len(data)-n:]) {
				most = n
			}
		}
	}
	keep := len(f.rows)
	for n := 0; n < most; {
		keep--
		n += len(f.rows[keep].data)
	}
	f.rows = f.rows[keep:]
}

func (f *dumpFinder) pending(b []byte) int {
	if len(f.rows) > 0 {
		return len(b) - f.rows[0].pairs[0]
	}
	if _, open := f.row(b); open >= 0 {
		return len(b) - open
	}
	return 0
}

func (f *dumpFinder) slid(n int) {
	f.line = max(f.line-n, -1)
	for i := range f.rows {
		r := &f.rows[i]
		for k := range r.pairs {
			r.pairs[k] -= n
		}
		if r.chars >= 0 {
			r.chars -= n
		}
	}
}

// last takes the line that the end of the stream ends.
func (f *dumpFinder) last(s *stage, spans []span) []span {
	for _, h := range f.take(s.buf, nil) {
		spans, _ = h.m.match(s, h.at, true, spans)
	}
	return spans
}

// dumped is a value in rows: its spans, from the first.
type dumped []span

func (dumped) before() int { return 0 }

func (d dumped) match(_ *stage, at int, _ bool, spans []span) ([]span, bool) {
	for _, sp := range d {
		sp.start, sp.end = sp.start+at, sp.end+at
		spans = append(spans, sp)
	}
	return spans, false
}
