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

// A state is a box, kernel and memory, written down by one sentry and read by
// another. It is a nameless file in memory, protected from replacement; once
// sealed, it is immutable, even for us.

// stateName is the kernel's name of such a file, for people to read.
const stateName = "state of a box"

func newState() (*os.File, error) { return memoryFile(stateName, nil, unix.MFD_ALLOW_SEALING) }

// seal makes a state immutable, and returns the size in bytes. It fails while
// part of the state is mapped for writing.
func seal(state *os.File) (size int64, err error) {
	const forGood = unix.F_SEAL_SEAL | unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK
	if _, err := unix.FcntlInt(state.Fd(), unix.F_ADD_SEALS, forGood); err != nil {
		return 0, fmt.Errorf("seal the state of a box: %w", err)
	}
	info, err := state.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// reopen opens a state anew, for reading: each reader has its own position.
func reopen(state *os.File) (*os.File, error) {
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", state.Fd()))
}

// save has the sentry write the box down, which ends it. The pages of memory go
// into the same file as the kernel: from a separate file many threads would
// read them, at a greater cost than reading the few pages.
func (g *ground) save(ctx context.Context, state *os.File) error {
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
		FilePayload:                    urpc.FilePayload{Files: []*os.File{state}},
	}, nil)
	return errors.Join(err, ctx.Err())
}

// restore has a waiting sentry read its guest from a state.
// sandbox.Sandbox.Restore does the same with a named file.
func (g *ground) restore(state *os.File) error {
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
	return conn.Call(boot.ContMgrRestore, &boot.RestoreOpts{FilePayload: urpc.FilePayload{Files: []*os.File{state}}}, nil)
}
