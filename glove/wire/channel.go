package wire

import (
	"encoding/binary"
	"time"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
)

// Channel is how the relay reaches the host.
type Channel struct {
	// open appends the calls that prepare it, once.
	open func(r *relay)
	// connect appends those that make fdIn and fdOut the channel; again when a
	// channel that is restored ends.
	connect func(r *relay)
	// restore: the channel is connected anew after its end.
	restore bool
	// quiet: an empty read means an absent peer.
	quiet bool
}

// Stdio is the channel of a process whose standard input and output are the
// connection. The relay ends with it.
func Stdio() Channel {
	return Channel{connect: func(r *relay) {
		r.Call("channel", linux.SYS_DUP3, 0, fdIn, linux.O_CLOEXEC)
		r.Call("channel", linux.SYS_DUP3, 1, fdOut, linux.O_CLOEXEC)
		r.Call("close", linux.SYS_CLOSE, 0)
		r.Call("close", linux.SYS_CLOSE, 1)
	}}
}

// Port is a serial port of a virtual machine, such as /dev/vport0p1. The relay
// waits until the file is there. It does not end when the host closes the port,
// which a guest cannot tell from a host that is not there yet: the machine has
// to be killed.
func Port(path string) Channel {
	return Channel{quiet: true, connect: func(r *relay) {
		again, missing, open := r.Label(), r.Label(), r.Label()
		port := r.Words(0)
		r.Place(again)
		r.Call("open", linux.SYS_OPENAT, linux.AT_FDCWD, path, linux.O_RDWR|linux.O_NOCTTY|linux.O_CLOEXEC, 0).To(port).IfError(missing)
		r.Jump(open)
		r.Place(missing)
		r.sleep(breath)
		r.Jump(again)
		r.Place(open)
		r.become(port)
	}}
}

// Addresses of vsock: see include/uapi/linux/vm_sockets.h.
const (
	// VsockHost is the host that a guest is on.
	VsockHost = 2
	// VsockLocal is the guest itself.
	VsockLocal = 1

	vsockAny = 1<<32 - 1
)

// Vsock is a vsock port where the relay listens. The host connects, and none
// but the peer (VsockHost, but in tests). When the connection ends, the relay
// takes the next: a machine that is restored from a snapshot has lost it, and
// if no frame was under way ([Link.Settle]) nothing else. The relay ends when
// it has something to send and no connection.
func Vsock(port, peer uint32) Channel {
	// Struct sockaddr_vm: the family, the port; the address, flags.
	address := binary.LittleEndian.AppendUint64(nil, linux.AF_VSOCK|uint64(port)<<32)
	address = binary.LittleEndian.AppendUint64(address, vsockAny)
	return listen(linux.AF_VSOCK, address, func(r *relay, from glove.Ref, wrong *glove.Label) {
		r.Load(from.Plus(8)).IfOther(int64(peer), wrong)
	})
}

// listen is the channel of a stream socket at an address. What admit appends
// jumps where it does not like who connects.
func listen(family uint64, address []byte, admit func(r *relay, from glove.Ref, wrong *glove.Label)) Channel {
	return Channel{
		restore: true,
		open: func(r *relay) {
			listener := r.Words(0)
			r.Call("socket", linux.SYS_SOCKET, family, linux.SOCK_STREAM|linux.SOCK_CLOEXEC, 0).To(listener)
			r.Renumber(listener, fdListener)
			r.Call("bind", linux.SYS_BIND, fdListener, address, len(address))
			r.Call("listen", linux.SYS_LISTEN, fdListener, 8)
		},
		connect: func(r *relay) {
			again, wrong, right := r.Label(), r.Label(), r.Label()
			conn, from, size := r.Words(0), r.Buffer(16), r.Words(16)
			r.Place(again)
			r.Call("accept", linux.SYS_ACCEPT4, fdListener, from, size, linux.SOCK_CLOEXEC).To(conn)
			admit(r, from, wrong)
			r.Jump(right)
			r.Place(wrong)
			r.CallOn(conn, "close", linux.SYS_CLOSE)
			r.Jump(again)
			r.Place(right)
			r.become(conn)
		},
	}
}

// become makes the descriptor in a word both ways of the channel.
func (r *relay) become(word glove.Ref) {
	r.CallOn(word, "channel", linux.SYS_DUP3, fdIn, linux.O_CLOEXEC)
	r.Renumber(word, fdOut)
}

// breath is how long the relay waits for what comes without telling.
const breath = 2 * time.Millisecond
