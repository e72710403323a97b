package wire

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/tap"
)

// Link is the host's end of a relay's channel. Its methods may be called from
// many goroutines.
type Link struct {
	conn io.ReadWriteCloser
	ends glove.Ends
	outs [outputs]*output
	ins  [inputs]*input
	// slots are the streams of the descriptors; 0 is none (it is the reply's).
	slots []int

	send    sync.Mutex // held by who writes to conn
	done    chan struct{}
	workers sync.WaitGroup

	end sync.Once
	err error // once done is closed
}

// errClosed is what a link ends with that nobody has broken.
var errClosed = errors.New("the link is closed")

// Attach joins a connection to a relay with the descriptors of a [tier.Spec].
// The link has copies of the descriptors: the caller closes its files (which
// become non-blocking, as pipes of Go are). The connection is the link's from
// now on, and is closed where Attach fails; its Close must end a Read and a
// Write that are under way, as that of a [net.Conn] does.
func Attach(conn io.ReadWriteCloser, descriptors []*os.File) (_ *Link, err error) {
	l := &Link{conn: conn, done: make(chan struct{}), slots: make([]int, len(descriptors))}
	for i := range l.outs {
		l.outs[i] = &output{link: l, stream: i, frames: make(chan frame, 1)}
	}
	for i := range l.ins {
		l.ins[i] = &input{link: l, stream: outputs + i, answers: make(chan bool, 1)}
	}
	defer func() {
		if err != nil {
			l.fail(err)
			err = errors.Join(err, l.ends.Close())
		}
	}()
	directions, err := directions(descriptors)
	if err != nil {
		return nil, err
	}
	out, in := firstOut, firstIn
	for i, f := range descriptors {
		if f == nil {
			continue
		}
		own, err := tap.Duplicate(f)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d: %w", 3+i, err)
		}
		if directions[i] == fromBox {
			l.outs[out].to, l.slots[i] = own, out
			out++
		} else {
			l.ins[in].from, l.slots[i] = own, outputs+in
			in++
		}
	}
	for _, p := range []struct{ host, link **os.File }{
		{&l.ends.Reply, &l.outs[reply].to}, {&l.ends.Stdout, &l.outs[stdout].to}, {&l.ends.Stderr, &l.outs[stderr].to},
	} {
		if *p.host, *p.link, err = tap.Pipe(); err != nil {
			return nil, err
		}
	}
	for _, p := range []struct{ host, link **os.File }{
		{&l.ends.Script, &l.ins[script].from}, {&l.ends.Kill, &l.ins[kill].from},
	} {
		if *p.link, *p.host, err = tap.Pipe(); err != nil {
			return nil, err
		}
	}

	for _, o := range l.outs {
		if o.to != nil {
			l.workers.Go(o.work)
		}
	}
	for _, i := range l.ins {
		if i.from != nil {
			l.workers.Go(i.work)
		}
	}
	l.workers.Go(func() { l.fail(l.read()) })
	return l, nil
}

// Check tells whether descriptors fit into the slots of a relay.
func Check(descriptors []*os.File) error {
	_, err := directions(descriptors)
	return err
}

// direction is which way a descriptor of a box goes.
type direction int

const (
	closed direction = iota
	toBox
	fromBox
)

// directions looks at descriptors, and refuses what the slots cannot carry.
func directions(descriptors []*os.File) ([]direction, error) {
	if len(descriptors) > glove.MaxDescriptors {
		return nil, fmt.Errorf("%d descriptors: at most %d", len(descriptors), glove.MaxDescriptors)
	}
	list, count := make([]direction, len(descriptors)), map[direction]int{}
	for i, f := range descriptors {
		if f == nil {
			continue
		}
		d, err := directionOf(f)
		if err != nil {
			return nil, fmt.Errorf("descriptor %d: %w", 3+i, err)
		}
		list[i] = d
		if count[d]++; count[d] > Slots {
			return nil, fmt.Errorf("more than %d descriptors in one direction", Slots)
		}
	}
	return list, nil
}

// Ends are the host's ends of the glove's pipes. They are the caller's to
// close, before the link or after it.
func (l *Link) Ends() glove.Ends { return l.ends }

// Place appends to a script of the glove, the first or one of the first, the
// calls that give the descriptors of Attach their numbers, 3 and what follows,
// and close the slots that are not used.
func (l *Link) Place(s *glove.Script) {
	for i, stream := range l.slots {
		if stream != 0 {
			s.Call("descriptor", linux.SYS_DUP3, inner(stream), 3+i, 0)
		}
	}
	for i := range Slots {
		s.Call("close a slot", linux.SYS_CLOSE, inner(firstOut+i))
		s.Call("close a slot", linux.SYS_CLOSE, inner(outputs+firstIn+i))
	}
}

// Done is closed when the link has ended; Err tells why.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err tells what broke the link: nil while it works and after a Close,
// [io.EOF] where the channel ended between two frames, an error that says what
// else the box did. The box is of no more use then.
func (l *Link) Err() error {
	select {
	case <-l.done:
	default:
		return nil
	}
	if l.err == errClosed {
		return nil
	}
	return l.err
}

// Close ends the link: the connection and its own ends of all pipes are closed.
// It is idempotent, and returns when nothing of the link runs any more.
func (l *Link) Close() error {
	l.fail(errClosed)
	l.workers.Wait()
	return nil
}

func (l *Link) fail(err error) {
	l.end.Do(func() {
		l.err = err
		close(l.done)
		l.conn.Close()
		for _, o := range l.outs {
			if o.to != nil {
				o.to.Close()
			}
		}
		for _, i := range l.ins {
			if i.from != nil {
				i.from.Close()
			}
		}
	})
}

// Settle waits until no frame is under way in either direction and the relay
// has read all that was sent, and all its threads are there. A machine whose snapshot is taken then can be
// restored with a new link. Nobody may use the ends meanwhile.
func (l *Link) Settle(ctx context.Context) error {
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for !l.probe() {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.done:
			return l.err
		}
	}
	select {
	case <-l.ins[echo].answers:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.done:
		return l.err
	}
}

// probe sends a frame that leads nowhere, if all others were answered.
func (l *Link) probe() bool {
	l.send.Lock()
	defer l.send.Unlock()
	for _, o := range l.outs {
		if o.busy.Load() {
			return false
		}
	}
	for _, i := range l.ins {
		if i.busy.Load() {
			return false
		}
	}
	l.ins[echo].busy.Store(true)
	l.write(l.ins[echo].stream, make([]byte, headSize+1))
	return true
}

// write sends a frame for a stream: the payload follows room for a head. The
// caller holds send.
func (l *Link) write(stream int, frame []byte) {
	binary.LittleEndian.PutUint64(frame, uint64(fd(stream, fill)))
	binary.LittleEndian.PutUint64(frame[8:], uint64(len(frame)-headSize))
	if _, err := l.conn.Write(frame); err != nil {
		l.fail(err)
	}
}

// read takes what the box sends. It trusts nothing of it.
func (l *Link) read() error {
	r := bufio.NewReaderSize(l.conn, headSize+MaxPayload)
	var head [headSize]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		stream, n := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
		var err error
		switch {
		case stream < outputs:
			err = l.outs[stream].take(r, n)
		case stream < outputs+inputs:
			err = l.ins[stream-outputs].take(n)
		default:
			err = errors.New("there is none")
		}
		if err != nil {
			return fmt.Errorf("the box sent %d for stream %d: %w", n, stream, err)
		}
	}
}
