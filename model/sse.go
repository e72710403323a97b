package model

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// events yields the data of each server-sent event of r; the format is
// https://html.spec.whatwg.org/multipage/server-sent-events.html, of which
// both providers need the data alone. The data is good until the next event.
func events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReader(r)
		var line, data []byte
		for {
			var err error
			if line, err = readLine(in, line[:0]); err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				if len(data)+len(value) > maxLine {
					yield(nil, malformed("an event of the stream is longer than %d KiB", maxLine>>10))
					return
				}
				if len(data) > 0 {
					data = append(data, '\n')
				}
				data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
			}
			// The blank line after the last event is often left out.
			if len(data) > 0 && (len(line) == 0 || err == io.EOF) {
				if !yield(data, nil) {
					return
				}
				data = data[:0]
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine appends the next line to line, without its end. Unlike a
// [bufio.Scanner] readLine looks at each byte once, even in small pieces.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		if len(line)+len(piece) > maxLine {
			return nil, malformed("a line of the stream is longer than %d KiB", maxLine>>10)
		}
		line = append(line, piece...)
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}
