// Package wire is the glove over one stream of bytes each way: a serial port of
// a virtual machine, a vsock connection, or the standard input and output of a
// container that an engine runs. Where a box cannot inherit pipes, it stands in
// for them.
//
//	host                            │ box
//	glove.Ends ── pipes ── Link ── conn ── relay ── pipes ── glove
//	descriptors ───────────┘        │        └────── pipes ──┘
//
// # The two ends
//
// In the box is the relay, which [Relay] makes: a static program of system calls
// as the glove itself is, so there is nothing to build or to ship. It opens the
// channel, makes the glove's pipes, starts the glove, and moves bytes with one
// thread for each pipe. It ends when the channel ends or the glove does.
//
// On the host is a [Link], which [Attach] makes of a connection. Its
// [Link.Ends] are the ends of ordinary pipes, so that package glove notices no
// difference.
//
//	ELF, err := wire.Relay(wire.Config{Channel: wire.Port("/dev/vport0p1"), Glove: glove.Path})
//	// … boot a box whose first program is the ELF …
//	link, err := wire.Attach(conn, spec.Descriptors)
//	s := new(glove.Script)
//	link.Place(s) // and whatever else makes the box's walls
//	_, err = link.Ends().Do(s, deadline)
//	box, err := glove.NewBox(glove.Config{Ends: link.Ends(), …}) // closes the ends
//	// when the box is dead:
//	link.Close()
//
// The glove is not process 1 of such a box: the relay is, or something above it.
// A signal to all processes (the glove's way to end a command) does not reach
// the relay where it is process 1, and there it must be. The glove adopts what
// its commands leave behind.
//
// # Protocol
//
// A frame is two words of eight bytes, little endian, and a payload of at most
// [MaxPayload] bytes. Each pipe is a stream with a window of one frame: the next
// one follows when the last was moved on and acknowledged. So no pipe blocks
// another, and both sides need memory for one frame of each, whatever happens.
//
//	to the box    number of a descriptor of the relay, length of the payload
//	  data        the payload goes to an input pipe; a length of 0 ends it
//	  answer      a length of 0: the output was moved on; of 8: nobody reads it
//	              any more
//	to the host   number of a stream, a length
//	  data        from an output pipe; a length of 0 ends it
//	  answer      0: the input was moved on; 1: nobody reads it any more
//
// The relay believes the host. The host believes nothing: a frame that is too
// long, early, unasked for or of no stream breaks the link, see [Link.Err].
//
// # Order
//
// What a command wrote before its end is in the host's pipes before the glove's
// reply is: the relay sends a reply when the outputs are empty, and the host
// moves it on when they were moved on.
package wire

import (
	"github.com/gloveboxhq/glovebox/glove"
)

const (
	// MaxPayload is the most bytes of a frame's payload.
	MaxPayload = 32 << 10
	// Slots is how many descriptors of [tier.Spec] there can be in each
	// direction.
	Slots = 4
	// Tasks is how many tasks (threads of its own, and the glove's) the relay
	// needs in the box beside the commands'.
	Tasks = outputs + inputs + 2 + 2

	headSize = 16
)

// The streams, by number. Outputs come from the box, inputs go there.
const (
	reply = iota
	stdout
	stderr
	firstOut // the slots that the box writes
	outputs  = firstOut + Slots

	script  = 0 // of the inputs; their numbers follow the outputs'
	kill    = 1
	firstIn = 2               // the slots that the box reads
	echo    = firstIn + Slots // leads nowhere: an answer tells that the relay has read
	inputs  = echo + 1
)

// Descriptors of the relay. Those of a stream follow each other, from
// streamBase on.
const (
	fdListener = 59
	fdLock     = 60 // a pipe that holds a byte while nobody writes the channel
	fdUnlock   = 61
	fdIn       = 62 // the channel, read
	fdOut      = 63 // the channel, written
	streamBase = 64

	near      = 0 // the relay's end of the pipe
	feed      = 1 // where a stream's thread reads what the host sends it
	fill      = 2 // the other end of that
	far       = 3 // the glove's end of the pipe
	perStream = 4
)

// fd is a descriptor of a stream in the relay.
func fd(stream, which int) int { return streamBase + perStream*stream + which }

// inner is the number that a stream's pipe has in the glove.
func inner(stream int) int {
	switch stream {
	case reply:
		return glove.FDReply
	case stdout:
		return 1
	case stderr:
		return 2
	case outputs + script:
		return glove.FDScript
	case outputs + kill:
		return glove.FDKill
	}
	return slotBase + stream
}

// slotBase and the number of a stream is the number of a slot in the glove
// until [Link.Place] gives it another: above all that the glove uses, below
// streamBase.
const slotBase = 40
