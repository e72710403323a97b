//go:build linux

package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/leftover"
)

// said is a frame of a box.
func said(stream, n uint64, payload ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, stream)
	return append(binary.LittleEndian.AppendUint64(b, n), payload...)
}

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

// A box that lies breaks its link, and nothing else.
func TestLies(t *testing.T) {
	text := said(stdout, 5, []byte("hello")...)
	for name, tc := range map[string]struct {
		said []byte
		want string
	}{
		"nothing":                     {nil, "EOF"},
		"a part of a head":            {text[:7], "unexpected EOF"},
		"a head alone":                {text[:headSize], "unexpected EOF"},
		"a part of a payload":         {text[:headSize+2], "unexpected EOF"},
		"an unknown stream":           {said(outputs+inputs, 0), "there is none"},
		"a stream far away":           {said(1<<63, 1), "there is none"},
		"a stream below zero":         {said(1<<64-1, 1), "there is none"},
		"a byte too many":             {said(stdout, MaxPayload+1), "too long"},
		"a giant":                     {said(stdout, 1<<63+5), "too long"},
		"a second frame":              {join(said(stdout, MaxPayload, make([]byte, MaxPayload)...), said(stdout, MaxPayload, make([]byte, MaxPayload)...), said(stdout, MaxPayload, make([]byte, MaxPayload)...), text), "not answered"},
		"after its end":               {join(said(stdout, 0), text), "ended"},
		"two ends":                    {join(said(stderr, 0), said(stderr, 0)), "ended"},
		"a slot that nobody has":      {said(firstOut, 1, 'x'), "nowhere"},
		"an answer to nothing":        {said(outputs+script, 0), "nothing was asked"},
		"an answer on a slot":         {said(outputs+firstIn, 1), "nothing was asked"},
		"an answer on the echo":       {said(outputs+echo, 0), "nothing was asked"},
		"a wrong answer":              {said(outputs+script, 2), "no answer"},
		"an answer with a payload":    {said(outputs+kill, 5, []byte("hello")...), "no answer"},
		"text":                        {[]byte("panic: no init found, try passing init= to the kernel"), "there is none"},
		"the end of an unused stream": {join(said(firstOut, 0), said(firstOut+1, 0)), "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			before := leftover.Look(t, leftover.Options{})
			host, box := net.Pipe()
			l, err := Attach(host, nil)
			if err != nil {
				t.Fatal(err)
			}
			go io.Copy(io.Discard, box) // answers
			box.Write(tc.said)
			box.Close()
			<-l.Done()
			if err := l.Err(); err == nil || !strings.Contains(err.Error(), tc.want) || tc.want == "EOF" && err != io.EOF {
				t.Errorf("the link ended with %v, want %q", err, tc.want)
			}
			if _, err := l.Ends().Do(new(glove.Script), soon()); err == nil {
				t.Error("a broken link carried a script")
			}
			if err := errors.Join(l.Close(), l.Ends().Close()); err != nil {
				t.Error(err)
			}
			before.Same(t)
		})
	}
}

// A box that floods, or does nothing, cannot make the host wait for ever.
func TestStubborn(t *testing.T) {
	for name, box := range map[string]func(c net.Conn){
		"silent":      func(c net.Conn) { io.Copy(io.Discard, c) },
		"reads never": func(c net.Conn) {},
		"floods answers": func(c net.Conn) {
			for err := error(nil); err == nil; {
				_, err = c.Write(said(outputs+script, 0))
			}
		},
		"floods": func(c net.Conn) {
			for err := error(nil); err == nil; {
				_, err = c.Write(said(stdout, MaxPayload, make([]byte, MaxPayload)...))
			}
		},
		"floods ends": func(c net.Conn) {
			for err := error(nil); err == nil; {
				_, err = c.Write(said(stdout, 0))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := leftover.Look(t, leftover.Options{})
			host, conn := net.Pipe()
			l, err := Attach(host, nil)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan bool)
			go func() { box(conn); close(done) }()
			if _, err := l.Ends().Do(new(glove.Script), time.Now().Add(50*time.Millisecond)); err == nil {
				t.Error("a script was carried")
			}
			if err := errors.Join(l.Close(), l.Ends().Close()); err != nil {
				t.Error(err)
			}
			<-done
			conn.Close()
			before.Same(t)
		})
	}
}

// A reply does not pass what came before it, however slowly that is read.
func TestReplyWaits(t *testing.T) {
	host, box := net.Pipe()
	l := attach(t, host)
	// More than the host's pipe holds: the last one is not answered.
	const frames = 3
	go func() {
		for i := range frames {
			box.Write(said(stderr, MaxPayload, make([]byte, MaxPayload)...))
			if i < frames-1 {
				io.ReadFull(box, make([]byte, headSize))
			}
		}
		box.Write(said(reply, 5, []byte("reply")...))
		io.Copy(io.Discard, box)
	}()
	ends := l.Ends()
	got := make([]byte, 5)
	ends.Reply.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := ends.Reply.Read(got); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the reply came first: %q, %v", got[:n], err)
	}
	ends.Reply.SetReadDeadline(time.Time{})
	if _, err := io.ReadFull(ends.Stderr, make([]byte, frames*MaxPayload)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(ends.Reply, got); err != nil || string(got) != "reply" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCheck(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for name, tc := range map[string]struct {
		files []*os.File
		ok    bool
	}{
		"none":         {nil, true},
		"all":          {[]*os.File{r, w, r, w, nil, r, w, r, w}, true},
		"many to":      {[]*os.File{r, r, r, r, r}, false},
		"many from":    {[]*os.File{w, w, nil, w, w, w}, false},
		"both ways":    {[]*os.File{null}, false},
		"many nothing": {make([]*os.File, glove.MaxDescriptors+1), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(tc.files); (err == nil) != tc.ok {
				t.Errorf("got %v", err)
			}
			before := leftover.Look(t, leftover.Options{})
			host, box := net.Pipe()
			if l, err := Attach(host, tc.files); err == nil {
				l.Close()
				l.Ends().Close()
			} else if tc.ok {
				t.Error(err)
			} else if _, err := box.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("the connection is left: %v", err)
			}
			before.Same(t)
		})
	}
}

// scripted is a connection to a box that says one thing.
type scripted struct{ *bytes.Reader }

func (scripted) Write(p []byte) (int, error) { return len(p), nil }
func (scripted) Close() error                { return nil }

// Whatever a box says, the host's end ends with it.
func FuzzLink(f *testing.F) {
	f.Add(said(stdout, 5, []byte("hello")...))
	f.Add(join(said(reply, 16, make([]byte, 16)...), said(stdout, 0), said(outputs+script, 0)))
	f.Add(join(said(stderr, 1, 'a'), said(stderr, 1, 'b'), said(firstOut, 0), said(1<<40, 1<<40)))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Attach(scripted{bytes.NewReader(data)}, nil)
		if err != nil {
			t.Skip(err)
		}
		<-l.Done()
		if l.Err() == nil {
			t.Error("a link without a connection works")
		}
		if err := errors.Join(l.Close(), l.Ends().Close()); err != nil {
			t.Error(err)
		}
	})
}
