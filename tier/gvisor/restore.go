//go:build linux

package gvisor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/control/client"
	"gvisor.dev/gvisor/pkg/sentry/control"
	"gvisor.dev/gvisor/pkg/state/statefile"
	"gvisor.dev/gvisor/pkg/urpc"
	"gvisor.dev/gvisor/runsc/boot"
)

// state is what a sentry writes down of a box and another reads: its kernel, the
// list of its pages of memory, and the pages. The files are in memory and have
// no name, so nobody can put others in their place; and once they are sealed
// nobody can change them, not even we.
type state [3]*os.File

// stateNames are what the kernel calls them.
var stateNames = [...]string{"kernel", "list of pages", "pages"}

func newState() (state, error) {
	var s state
	for i, name := range stateNames {
		f, err := memoryFile(name, nil, unix.MFD_ALLOW_SEALING)
		if err != nil {
			return state{}, errors.Join(err, s.Close())
		}
		s[i] = f
	}
	return s, nil
}

// seal makes the files what they are for good. It fails where somebody has a
// part of one mapped for writing. It returns their size.
func (s state) seal() (size int64, err error) {
	const forGood = unix.F_SEAL_SEAL | unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK
	for _, f := range s {
		if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, forGood); err != nil {
			return 0, fmt.Errorf("seal the %s: %w", f.Name(), err)
		}
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		if info.Size() == 0 {
			return 0, fmt.Errorf("the %s of the box has nothing in it", f.Name())
		}
		size += info.Size()
	}
	return size, nil
}

// reopen opens the files anew, for reading: each reader has its own place in
// them.
func (s state) reopen() (state, error) {
	var own state
	for i, f := range s {
		var err error
		if own[i], err = os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err != nil {
			return state{}, errors.Join(err, own.Close())
		}
	}
	return own, nil
}

// Close closes them.
func (s state) Close() error {
	var errs []error
	for _, f := range s {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// save has the sentry write the box down, which ends it.
func (g *ground) save(ctx context.Context, s state) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(ctx, g.Kill)()
	conn, err := client.ConnectTo(g.sandbox.ControlSocketPath)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.Call(boot.ContMgrCheckpoint, &control.SaveOpts{
		Metadata:                       statefile.CompressionLevelNone.ToMetadata(),
		AppMFExcludeCommittedZeroPages: true,
		HavePagesFile:                  true,
		FilePayload:                    urpc.FilePayload{Files: s[:]},
	}, nil)
	return errors.Join(err, ctx.Err())
}

// restore has a sentry that waits for its guest read one. It is what
// sandbox.Sandbox.Restore does with files that have names.
func (g *ground) restore(s state) error {
	conn, err := client.ConnectTo(g.sandbox.ControlSocketPath)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Call(boot.ContMgrSetNetworkArgs, &boot.CreateLinksAndRoutesArgs{
		LoopbackLinks: []boot.LoopbackLink{boot.DefaultLoopbackLink}, IsRestore: true,
	}, nil); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return conn.Call(boot.ContMgrRestore, &boot.RestoreOpts{
		FilePayload: urpc.FilePayload{Files: s[:]}, HavePagesFile: true,
	}, nil)
}
