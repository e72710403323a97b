package model

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// events yields the data of each server-sent event of r; the format is
// https://html.spec.whatwg.org/multipage/server-sent-events.html, of which
// both providers need the data alone. The data is good until the next event.
//
// The client libraries have readers of their own. They allow a line of 32 MB,
// events of any size, and tell no end from a break.
func events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		var data []byte
		for lines.Scan() {
			line := lines.Bytes()
			if len(line) == 0 {
				if len(data) > 0 && !yield(data, nil) {
					return
				}
				data = data[:0]
				continue
			}
			value, ok := bytes.CutPrefix(line, []byte("data:"))
			if !ok {
				continue
			}
			if len(data)+len(value) > maxLine {
				yield(nil, malformed("an event of the stream is longer than %d KiB", maxLine>>10))
				return
			}
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, malformed("a line of the stream is longer than %d KiB", maxLine>>10))
		case err != nil:
			yield(nil, err)
		case len(data) > 0:
			// The blank line after the last event is often left out.
			yield(data, nil)
		}
	}
}
