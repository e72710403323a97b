//go:build linux

package native

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A network name space takes the kernel longer to make than all other name spaces of a
// box together. So a thread makes a network name space ahead and waits inside; its
// children are born there. Each name space is for one box: the thread moves to the next
// before another start.
//
// Who makes it this way is not the box's root but the host's, so that nobody in
// the box has a capability over it. (That of a parent's copy belongs to the copy's
// own user name space, of which only pid 1 has capabilities.)
type outpost struct {
	spawner
	// vacant: nothing was started in the thread's network name space. Only the
	// thread uses it.
	vacant bool
}

// apart is the outpost, nil where this process may not have one.
var apart = sync.OnceValue(func() *outpost {
	if os.Geteuid() != 0 {
		return nil
	}
	o := &outpost{spawner: newSpawner()}
	vacant := make(chan bool)
	o.spawner <- func() { vacant <- o.renew() }
	if !<-vacant {
		close(o.spawner) // its thread ends with it
		return nil
	}
	return o
})

// Apart tells whether [StartApart] can be used.
func Apart() bool { return apart() != nil }

// StartApart is [Start] in a network name space of its own, with a loopback that
// is up. ok is false, and nothing was started, where there is none to be had
// now. The buffers of TCP are kept small in it if they are to be.
func StartApart(dir string, files map[int]*os.File, small bool, change func(*syscall.SysProcAttr)) (proc *os.Process, ok bool, err error) {
	o := apart()
	if o == nil {
		return nil, false, nil
	}
	done := make(chan struct{})
	o.spawner <- func() {
		if ok = o.vacant || o.renew(); ok {
			o.vacant = false
			if small {
				err = keepBuffersSmall()
			}
			if err == nil {
				proc, err = start(dir, files, change)
			}
		}
		close(done)
	}
	<-done
	return proc, ok, err
}

// Ahead has the next network name space of [StartApart] made, and does not wait
// for it. It is called when there is time: while a box is at work.
func Ahead() {
	if o := apart(); o != nil {
		go func() {
			o.spawner <- func() {
				if !o.vacant {
					o.renew()
				}
			}
		}()
	}
}

// renew takes the thread to a new network name space, and tells whether it did.
func (o *outpost) renew() bool {
	o.vacant = unix.Unshare(unix.CLONE_NEWNET) == nil && raiseLoopback() == nil
	return o.vacant
}

// raiseLoopback brings the loopback of this thread's network name space up.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	up, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	up.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, up)
}
