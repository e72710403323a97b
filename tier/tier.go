// Package tier holds the contract between the pipeline and the ways to
// isolate: a [Tier] makes a [Box], and a Box runs commands.
//
// # What every tier promises
//
//   - Deny by default: a read-only root with only what the toolchain needs, a
//     fresh /workspace and /tmp, a private /proc, no network but a private
//     loopback, no descriptor but the ones of [Spec] and [Command], no
//     capability, no way to gain privileges, its own user, pid, mount, net,
//     ipc and uts namespaces or a kernel of its own.
//   - Fail closed: what a host cannot enforce makes Open fail with an error
//     that names it, unless [Spec.Allow] names that control.
//   - Single use: a Box is never used for a second Job.
//   - Nothing left behind: after Close, on every path, no process, mount,
//     cgroup, namespace, socket or file of the box is left. When the process
//     that opened it dies, the box's processes die with it, and what else it
//     left is swept when the next process makes a [Tier] of the same kind.
//
// The conformance suite is package tiertest; every tier runs it.
package tier

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Places in every box.
const (
	Workspace = "/workspace"
	Temp      = "/tmp"
	// UID and GID are the user and group that commands run as.
	UID = 1000
	GID = 1000
	// Hostname is the name of every box.
	Hostname = "glovebox"
)

// Tier is a way to isolate. Its methods may be called from many goroutines.
type Tier interface {
	// Name is the tier's name in a Job and in an Observation.
	Name() glovebox.TierName
	// Probe tries every control of the tier on this host, by making a box and
	// attacking it, and reports what held. It takes up to a few seconds. It
	// never panics and never leaves anything behind.
	Probe(ctx context.Context) Report
	// Open boots a box. It fails with an [*Error] of kind KindUnsupported
	// when the host cannot enforce a control, KindInvalid when the Spec is
	// wrong, KindBroken otherwise. Cancelling ctx during Open
	// undoes everything; after Open, ctx no longer matters to the box.
	Open(ctx context.Context, spec Spec) (Box, error)
}

// Box is one isolated environment. Run and Workspace may not be called at the
// same time; Close may be called at any time, from any goroutine.
type Box interface {
	// Run executes one command and returns when it and all its descendants
	// are dead and reaped, and its streams are drained. It never returns an
	// error: what went wrong with us is an Outcome with CauseBox. Cancelling
	// ctx kills the whole tree at once (CauseCancelled), and so does a stream
	// that grows past its limit (CauseOutput) or a writer's error (CauseBox). After CauseExit the box takes a further
	// command, and the workspace is as the last one left it; after any other
	// cause [Box.Alive] tells.
	Run(ctx context.Context, cmd Command) glovebox.Outcome
	// Alive tells whether the box still takes commands.
	Alive() bool
	// Workspace gives what the box's workspace holds, for reading until the
	// next run. Names in it are hostile. Opening anything but a regular file
	// fails. It works after a command was killed if the tier can do it; it is
	// an error where the box is gone.
	Workspace() (fs.FS, error)
	// Controls says what this box enforces.
	Controls() []glovebox.Control
	// Close destroys the box. It is idempotent and safe on every path. An
	// error means that something may be left; it says what.
	Close() error
}

// Spec says what box to make.
type Spec struct {
	// Root is the read-only root file system.
	Root *rootfs.Root
	// Files are staged in the workspace. ReadOnly ones cannot be changed,
	// renamed, replaced or removed by the commands: they lie in directories
	// of their own owner where the tier can, else they are bind-mounted.
	Files []glovebox.File
	// Limits bound the box as a whole; Wall bounds each command. They are
	// complete: no field is zero.
	Limits glovebox.Limits
	// Descriptors are given to every command as 3, 4, 5, …; a nil entry
	// leaves its number closed. They must be pipes. Open takes its own
	// copies: the caller closes its files.
	Descriptors []*os.File
	// Allow names controls (see [Report]) that may be missing. The box says so
	// in Controls.
	Allow []string
	// Standby, if not nil, is a command that is started with the box and then
	// waits for its orders, so that a run begins where the slow part is over:
	// its Args, Env and Dir. Tiers take it whose [Traits] say so. Beside the
	// Descriptors it has two more: from the next number it reads its orders,
	// after which the end of file comes; to the one after that it writes one byte when it is
	// ready, and Open returns then. An order that is a line end and no more asks
	// it to get ready once more (what was in its memory may have been laid
	// aside), which it answers by another byte; an end without orders means that
	// nobody needs it. The first Run is of this command; see [Command.Orders].
	//
	// It waits for whoever comes, so nothing of a Job is in it. A tier may copy
	// it from one that waited before: what must not be equal in two boxes, such
	// as a seed, is made after the orders came.
	Standby *Command
	// Forks tells that the standby command can be the parent of many: where it is
	// started with the glove's image as descriptor [FDImage], it gets ready, loads
	// the image's segments into its memory where they want to be, and calls its
	// entry as a function of C, from its only thread. The call returns in copies of
	// the process alone, each in a box of its own, which then go on as any standby
	// command does. A process that has memory to which copies could write together
	// does not call. It is a hint: a tier may start each by itself.
	Forks bool
	// Batch, if not empty, names boxes of one tenant's that may share what lies
	// under them, one after the other, where the tier gains by it: a kernel of their
	// own, but no namespace. The caller chooses the name, and no other's boxes can
	// have it. It is for boxes with a standby command that forks, and a hint.
	Batch string
}

// FDImage is the descriptor by which a command is told to be a parent; see
// [Spec.Forks].
const FDImage = 39

// Command is a command to run in a box.
type Command struct {
	// Orders, if not nil, are what the box's standby command reads, and make
	// this the run of it: Args, Env and Dir are not used. See [Spec.Standby].
	Orders []byte
	// Args is the argument vector; Args[0] is an absolute path in the box.
	Args []string
	// Env is the whole environment, as "NAME=value".
	Env []string
	// Dir is the working directory; empty means [Workspace].
	Dir string
	// Stdin is what the command reads; it is seekable in the box. Nil is
	// empty.
	Stdin []byte
	// Stdout and Stderr receive the streams as they come, never mixed. Nil
	// discards. They are called from one goroutine each.
	Stdout, Stderr io.Writer
	// Files are written into the workspace before the command starts.
	Files []glovebox.File
	// Wall bounds this command; 0 means the box's limit.
	Wall time.Duration
	// Look are files, by name, that whoever asks for the [Box.Workspace] after the
	// command is going to read, with the list of it: a tier may read them as soon as
	// the command has ended, which takes less time than to be asked. It is a hint.
	Look []string
}

// Report is what a tier's Probe found on this host.
type Report struct {
	Tier glovebox.TierName `json:"tier"`
	// Usable tells whether Open would succeed without any Allow.
	Usable bool `json:"usable"`
	// Reason says why not, and what to do.
	Reason string `json:"reason,omitempty"`
	// Controls lists each control, with how it was proven.
	Controls []Probe `json:"controls"`
}

// Probe is one control that was tried.
type Probe struct {
	// Name is the control, such as "network".
	Name string `json:"name"`
	// Proven: the attack was tried and stopped.
	Proven bool `json:"proven"`
	// Detail says what was tried and what came of it.
	Detail string `json:"detail"`
	// Fix says how to get the control where it is missing.
	Fix string `json:"fix,omitempty"`
}

// ImageRoot is implemented by a Tier that boots from the image of its Root
// rather than from the tree.
type ImageRoot interface {
	// ImageRoot returns what the tier needs in each root beside the
	// toolchain's entries.
	ImageRoot() rootfs.Plan
}

// TreeRoot is implemented by a Tier that boots from the tree of its Root and
// needs something in it beside the toolchain's entries.
type TreeRoot interface {
	TreeRoot() rootfs.Plan
}
