package wire

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// output is a stream that comes from the box.
type output struct {
	link   *Link
	stream int
	to     *os.File // nil: nobody wants it
	frames chan frame
	// busy tells that a frame was not answered: the box may not send another.
	// It is cleared by who holds the link's send.
	busy atomic.Bool

	// Of the link's reader alone.
	ended bool
	last  chan struct{} // closed when the newest frame was moved on
	buf   []byte        // the payload; its user changes with busy
}

// frame is one frame of a box: n bytes in the stream's buffer, 0 at the end.
type frame struct {
	n     int
	after []<-chan struct{} // what must be moved on before
	moved chan struct{}     // closed when it was
}

// take reads a frame of n bytes.
func (o *output) take(r io.Reader, n uint64) error {
	switch {
	case o.ended:
		return errors.New("it has ended")
	case n > MaxPayload:
		return errors.New("that is too long")
	case !o.busy.CompareAndSwap(false, true):
		return errors.New("the last frame was not answered")
	case n == 0:
		o.ended = true
	case o.to == nil:
		return errors.New("it leads nowhere")
	}
	if o.to == nil {
		o.busy.Store(false)
		return nil
	}
	if o.buf == nil {
		o.buf = make([]byte, MaxPayload)
	}
	if _, err := io.ReadFull(r, o.buf[:n]); err != nil {
		return noEOF(err)
	}
	f := frame{n: int(n), moved: make(chan struct{})}
	if o.stream == reply {
		for _, other := range o.link.outs {
			if other != o && other.last != nil {
				f.after = append(f.after, other.last)
			}
		}
	}
	o.last = f.moved
	o.frames <- f // has room: the last one was answered, and so taken
	return nil
}

// noEOF makes an end in the middle of something no ordinary end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// work moves frames on.
func (o *output) work() {
	defer o.to.Close()
	for {
		var f frame
		select {
		case f = <-o.frames:
		case <-o.link.done:
			return
		}
		for _, moved := range f.after {
			select {
			case <-moved:
			case <-o.link.done:
				return
			}
		}
		_, err := o.to.Write(o.buf[:f.n])
		close(f.moved)
		if f.n == 0 {
			o.link.send.Lock()
			o.busy.Store(false)
			o.link.send.Unlock()
			return
		}
		o.answer(err == nil)
		if err != nil {
			return
		}
	}
}

// answer tells the box that a frame was moved on, or that nobody reads any more
// (and that there must be no other frame).
func (o *output) answer(moved bool) {
	o.link.send.Lock()
	defer o.link.send.Unlock()
	length := headSize
	if moved {
		o.busy.Store(false)
	} else {
		length += 8
	}
	o.link.write(o.stream, make([]byte, length))
}

// input is a stream that goes to the box.
type input struct {
	link    *Link
	stream  int
	from    *os.File // nil: there is none
	busy    atomic.Bool
	answers chan bool // whether somebody still reads
}

// take takes the box's answer to a frame.
func (i *input) take(word uint64) error {
	if word > 1 {
		return errors.New("that is no answer")
	}
	if !i.busy.CompareAndSwap(true, false) {
		return errors.New("nothing was asked")
	}
	i.answers <- word == 0 // has room: the last one was taken before busy was set
	return nil
}

// work sends what there is to read.
func (i *input) work() {
	defer i.from.Close()
	buf := make([]byte, headSize+MaxPayload)
	for {
		n, err := i.from.Read(buf[headSize:])
		if n == 0 || err != nil {
			n = 0
		} else {
			i.busy.Store(true)
		}
		i.link.send.Lock()
		i.link.write(i.stream, buf[:headSize+n])
		i.link.send.Unlock()
		if n == 0 {
			return
		}
		select {
		case reads := <-i.answers:
			if !reads {
				return
			}
		case <-i.link.done:
			return
		}
	}
}
