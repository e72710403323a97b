//go:build linux

package container

import (
	"maps"
	"os"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/native"
	"github.com/gloveboxhq/glovebox/tier/cgroup"
)

// Descriptors handed on by the runtime to the container, beside those of the
// glove and of the job. A runtime hands on a range without gaps: the null
// device fills the gaps, and the glove closes the fillers first.
const (
	fdStdout = 34 // the glove's streams; it is started with those of the runtime
	fdStderr = 35
	fdHome   = 36 // the directory around the tree, as a mount that is nowhere yet
	fdTree   = 37 // the tree in it
	fdJoin   = 38 // the files to enter the control group by
)

// last is the highest of these descriptors. Without a control group, the
// listener of the gate is sent over another descriptor.
func (p *plan) last() int {
	if p.sent != nil {
		return native.FDListener
	}
	return fdJoin + p.joins - 1
}

// handOn returns the descriptors for the runtime to hand on, beside the
// streams.
func (p *plan) handOn() (list []int) {
	for n := 3; n <= p.last(); n++ {
		if !p.tier.runtime.guest || n == fdStdout || n == fdStderr || n == glove.FDScript || n == glove.FDReply || n == glove.FDKill || p.given(n) {
			list = append(list, n)
		}
	}
	return list
}

// aside is the distance in numbers between these descriptors and the stage's
// own; the stage is a glove too.
const aside = 64

// handed are the initial files of a process, by number.
type handed map[int]*os.File

// close closes them. It may be called again.
func (h handed) close() {
	for _, f := range h {
		f.Close() // one may have several numbers
	}
	clear(h)
}

// cast puts the descriptors of the container aside. It takes over the glove's.
func (p *plan) cast(h handed, inner glove.Inner, group *cgroup.Group) error {
	for fd, f := range inner {
		switch fd {
		case 1:
			fd = fdStdout
		case 2:
			fd = fdStderr
		}
		h[aside+fd] = f
	}
	if group != nil {
		joins, err := group.Join(false)
		if err != nil {
			return err
		}
		for i, f := range joins {
			h[aside+fdJoin+i] = f
		}
		p.joins = len(joins)
	}
	if !p.metered && !p.tier.runtime.guest && p.tier.deaf == nil {
		host, box, err := native.ListenerPipe()
		if err != nil {
			return err
		}
		p.sent, h[aside+native.FDListener] = host, box
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	h[aside] = null // the container's stdin
	for _, n := range p.handOn() {
		if h[aside+n] == nil && n != fdHome && n != fdTree && !p.given(n) {
			h[aside+n] = null
			p.fillers = append(p.fillers, n)
		}
	}
	return nil
}

// given reports whether n is a descriptor of the job.
func (p *plan) given(n int) bool {
	list := p.spec.Descriptors
	return n >= 3 && n < 3+len(list) && list[n-3] != nil
}

// with adds the job's descriptors, still owned by the caller.
func (h handed) with(list []*os.File) handed {
	all := maps.Clone(h)
	for i, f := range list {
		if f != nil {
			all[aside+3+i] = f
		}
	}
	return all
}
