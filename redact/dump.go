package redact

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// A dump by hexdump -C, xxd, od or Go's hex.Dump splits a value into rows, with an
// offset before the bytes and the characters behind. So the bytes of consecutive
// rows are joined, and searched for named values.

const (
	// maxRow is the maximum number of bytes in a row.
	maxRow = 32
	// maxRowLine is the maximum length of a dump's line.
	maxRowLine = 256
)

// dumpRow is a row, with the buffer positions of its digits and characters.
type dumpRow struct {
	offset uint64
	data   []byte
	pairs  []int // positions of the two digits of each byte
	chars  int   // start of the characters, or -1
}

// parseRow reads the line b, located at buf[at], as a row. open is the position of
// the row's first byte, or -1: no part of a value stands before open.
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

// shows reports whether chars are the characters that a dump shows for data.
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
	line int       // start of the incomplete line; below 0, the line is too long
	rows []dumpRow // rows that may contain the start of a value
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

// offsetAt reports whether a line may begin with an offset. The check is cheap, and
// most lines fail.
func offsetAt(line []byte) bool {
	const least = 4
	return len(line) > least && (line[0] == ' ' || hexDigits[line[0]] && hexDigits[line[1]] && hexDigits[line[2]] && hexDigits[line[least-1]])
}

// row reads the line at the end of b.
func (f *dumpFinder) row(b []byte) (row dumpRow, open int) {
	if f.line < 0 {
		return row, -1
	}
	return parseRow(b[f.line:], f.line)
}

// take processes the complete line at the end of b.
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

// hit makes the candidate for the bytes between from and to of the rows.
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

// forget drops all rows before the first possible start of a value.
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

// last processes the line ended by the end of the stream.
func (f *dumpFinder) last(s *stage, spans []span) []span {
	for _, h := range f.take(s.buf, nil) {
		spans, _ = h.m.match(s, h.at, true, spans)
	}
	return spans
}

// dumped is a value in rows, as its spans relative to the first.
type dumped []span

func (dumped) before() int { return 0 }

func (d dumped) match(_ *stage, at int, _ bool, spans []span) ([]span, bool) {
	for _, sp := range d {
		sp.start, sp.end = sp.start+at, sp.end+at
		spans = append(spans, sp)
	}
	return spans, false
}
