package glove

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/internal/tap"
	"github.com/gloveboxhq/glovebox/tier"
)

// Standby is the host's end of a box's standby command; see [tier.Spec].
type Standby struct {
	command       tier.Command
	orders, ready *os.File
	first         int        // its number in the box that orders come by
	inner         []*os.File // the box's ends, until the box has them
}

// NewStandby makes what the standby command of spec needs, and returns spec with
// two more descriptors, as the box is to be booted with them. It returns nil
// where spec has no standby command. Call [Standby.Booted] when the box has its
// descriptors, and Close unless a [Box] takes it over.
func NewStandby(spec tier.Spec) (*Standby, tier.Spec, error) {
	if spec.Standby == nil {
		return nil, spec, nil
	}
	s := &Standby{command: *spec.Standby, first: 3 + len(spec.Descriptors)}
	toBox, orders, err := tap.Pipe()
	if err != nil {
		return nil, spec, err
	}
	s.orders, s.inner = orders, []*os.File{toBox}
	ready, fromBox, err := tap.Pipe()
	if err != nil {
		return nil, spec, errors.Join(err, s.Close())
	}
	s.ready, s.inner = ready, append(s.inner, fromBox)
	spec.Descriptors = append(slices.Clone(spec.Descriptors), s.inner...)
	return s, spec, nil
}

// Booted closes our copies of the box's ends.
func (s *Standby) Booted() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, f := range s.inner {
		errs = append(errs, f.Close())
	}
	s.inner = nil
	return errors.Join(errs...)
}

// Close closes our ends.
func (s *Standby) Close() error {
	if s == nil {
		return nil
	}
	errs := []error{s.Booted()}
	for _, f := range []**os.File{&s.orders, &s.ready} {
		if *f != nil {
			errs = append(errs, (*f).Close())
			*f = nil
		}
	}
	return errors.Join(errs...)
}

// after returns the number of the first descriptor that the command does not
// have, where fd is that without a standby command.
func (s *Standby) after(fd int) int {
	if s == nil || s.orders == nil {
		return fd
	}
	return s.first + 2
}

// await waits until the command is ready. It is untrue to nobody but its own
// box: nothing of a Job is in it yet.
func (s *Standby) await() error {
	s.ready.SetReadDeadline(time.Now().Add(patience))
	var one [1]byte
	if _, err := io.ReadFull(s.ready, one[:]); err != nil {
		return fmt.Errorf("the standby command does not become ready: %w", err)
	}
	return nil
}

// Again makes a command that waits get ready once more.
func (s *Standby) Again() error {
	s.orders.SetWriteDeadline(time.Now().Add(patience))
	if _, err := s.orders.Write([]byte{'\n'}); err != nil {
		return fmt.Errorf("wake the standby command: %w", err)
	}
	return s.await()
}

// order gives the command its orders, and closes our ends.
func (s *Standby) order(orders []byte) error {
	s.orders.SetWriteDeadline(time.Now().Add(patience))
	_, err := s.orders.Write(orders)
	if err != nil {
		err = fmt.Errorf("give the standby command its orders: %w", err)
	}
	return errors.Join(err, s.Close())
}

// startStandby starts the command, and returns when it is ready.
func (b *Box) startStandby() error {
	if err := b.openStdin(); err != nil {
		return err
	}
	script, child := new(Script), new(Script).Label()
	pid := script.Buffer(8)
	fork(script, child).To(pid)
	// The command alone has them now: when it ends, they are seen to end.
	for i := range 2 {
		script.Call("close", linux.SYS_CLOSE, b.c.Standby.first+i)
	}
	script.replyAtOnce(pid, 8)
	b.child(script, child, b.c.Standby.command)
	reply, err := b.do(script)
	if err != nil {
		return fmt.Errorf("start %s: %w", b.c.Standby.command.Args[0], err)
	}
	if len(reply) != 8 {
		return fmt.Errorf("the glove reported a process id of %d bytes", len(reply))
	}
	b.standby = int64(binary.LittleEndian.Uint64(reply))
	return b.c.Standby.await()
}

// standbyScript waits for the end of the standby command as commandScript does
// for a command that it starts.
func (b *Box) standbyScript() *Script {
	s := new(Script)
	awaitEnd(s, b.standby)
	b.standby = 0
	return s
}
