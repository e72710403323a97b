package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// endless is what endless answers repeat.
var endless = bytes.Repeat([]byte("again "), 1<<10)

// streamer sends server-sent events.
type streamer struct {
	w      http.ResponseWriter
	gone   <-chan struct{}
	closed <-chan struct{}
}

// send streams an answer. hold is called after the first piece.
func (s *streamer) send(f format, a Answer, hold func()) {
	s.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s.write([]byte(": the comment of a proxy\n\n"))
	if a.Fault == Empty {
		a.Text = ""
	} else {
		s.events(f.open(a)...)
	}
	pieces := split(a.Text)
	for i, p := range pieces {
		if i == (len(pieces)+1)/2 && s.goWrong(f, a.Fault) {
			return
		}
		s.events(f.piece(p))
		if i == 0 {
			hold()
		}
	}
	if len(pieces) == 0 {
		hold()
	}
	if len(pieces) < 2 && s.goWrong(f, a.Fault) {
		return
	}
	s.events(f.close(a)...)
}

// goWrong applies the fault, and reports whether the answer is over.
func (s *streamer) goWrong(f format, fault Fault) bool {
	switch fault {
	case BrokenOff:
		panic(http.ErrAbortHandler)
	case CutShort:
	case Malformed:
		s.write([]byte("event: message_delta\ndata: {\"choices\": [{\x00\n\n"))
	case Overloaded:
		s.events(f.overloaded())
	case Endless:
		for s.up() {
			s.events(f.piece(string(endless)))
		}
	case EndlessLine:
		s.write([]byte("data: "))
		for s.up() {
			s.write(endless)
		}
	default:
		return false
	}
	return true
}

func (s *streamer) up() bool {
	select {
	case <-s.gone:
		return false
	case <-s.closed:
		return false
	default:
		return true
	}
}

func (s *streamer) events(events ...event) {
	for _, e := range events {
		var b bytes.Buffer
		if e.name != "" {
			fmt.Fprintf(&b, "event: %s\n", e.name)
		}
		data, ok := e.data.(string)
		if !ok {
			text, err := json.Marshal(e.data)
			if err != nil {
				panic(err)
			}
			data = string(text)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
		at := oddPlace(b.Bytes())
		s.write(b.Bytes()[:at])
		s.write(b.Bytes()[at:])
	}
}

func (s *streamer) write(b []byte) {
	_, _ = s.w.Write(b)
	_ = http.NewResponseController(s.w).Flush()
}

// oddPlace is a place inside of a character of several bytes if b has one, else
// the middle.
func oddPlace(b []byte) int {
	for i, c := range b {
		if !utf8.RuneStart(c) {
			return i
		}
	}
	return len(b) / 2
}

// split cuts a text into pieces of odd sizes on the boundaries of its
// characters; long texts have no more pieces than short ones.
func split(text string) []string {
	sizes := []int{1, 2, 3, 5, 7, 11}
	scale := 1 + len(text)/512
	var pieces []string
	for n := 0; text != ""; n++ {
		at := 0
		for i := 0; i < sizes[n%len(sizes)]*scale && at < len(text); i++ {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
		pieces = append(pieces, text[:at])
		text = text[at:]
	}
	return pieces
}
