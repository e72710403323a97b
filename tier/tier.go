// Package tier holds the contract between the pipeline and the ways to isolate:
// a [Tier] makes a [Box], and a Box runs commands.
//
// # What every tier promises
//
//   - Deny by default: a read-only root with only what the toolchain needs, a
//     fresh /workspace and /tmp, a private /proc, no network but a private
//     loopback, no descriptors but those of [Spec] and [Command], no
//     capability, no way to gain privileges, and either new user, pid, mount,
//     net, ipc and uts namespaces or a separate kernel.
//   - Fail closed: a control that a host cannot enforce makes Open fail with
//     an error naming the control, unless [Spec.Allow] names it too.
//   - Single use: a Box is never used for a second Job.
//   - Nothing left behind: after Close, on every path, no process, mount,
//     cgroup, namespace, socket or file of the box is left. When the process
//     that opened the box dies, the box's processes die too. All other
//     remains are swept when the next process makes a [Tier] of the same kind.
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
	// UID and GID are the user and group of commands in a box.
	UID = 1000
	GID = 1000
	// Hostname is the name of every box.
	Hostname = "glovebox"
)

// Tier is a way to isolate. Its methods are safe for concurrent use.
type Tier interface {
	// Name is the tier's name in a Job and in an Observation.
	Name() glovebox.TierName
	// Probe tries every control of the tier on this host, by making a box and
	// attacking it, and reports the controls that held. Probe takes up to a few
	// seconds. It never panics and leaves nothing behind.
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
	// Run executes one command and returns when the command and all its
	// descendants are dead and reaped, and the streams are drained. Run never
	// returns an error: a failure of the tier is an Outcome with CauseBox.
	// Cancelling ctx kills the whole tree at once (CauseCancelled), and so does
	// a stream past its limit (CauseOutput) or a writer's error (CauseBox).
	// After CauseExit the box takes a further command, in the workspace of the
	// last command; after any further cause [Box.Alive] reports whether the box
	// does.
	Run(ctx context.Context, cmd Command) glovebox.Outcome
	// Alive reports whether the box still takes commands.
	Alive() bool
	// Workspace returns the contents of the box's workspace, for reading until
	// the next run. Names in it are hostile. Opening anything but a regular
	// file fails. Workspace works after a command was killed if the tier can do
	// so, and returns an error where the box is gone.
	Workspace() (fs.FS, error)
	// Controls says what this box enforces.
	Controls() []glovebox.Control
	// Close destroys the box. It is idempotent and safe on every path. An error
	// names whatever may be left.
	Close() error
}

// Spec says what box to make.
type Spec struct {
	// Root is the read-only root file system.
	Root *rootfs.Root
	// Files are staged in the workspace. Commands cannot change, rename,
	// replace or remove ReadOnly files: the tier keeps ReadOnly files in
	// directories owned by another user if possible, or else bind-mounts each.
	Files []glovebox.File
	// Limits bound the box as a whole; Wall bounds each command. They are
	// complete: no field is zero.
	Limits glovebox.Limits
	// Descriptors are given to every command as 3, 4, 5, …; a nil entry
	// leaves its number closed. They must be pipes. Open takes its own
	// copies: the caller closes its files.
	Descriptors []*os.File
	// Allow names controls (see [Report]) that may be missing. Controls lists
	// the box's actual controls.
	Allow []string
	// Standby, if not nil, is a command that starts with the box and then waits
	// for a start message, to begin a run after the slow part: its Args, Env
	// and Dir. Support for Standby is one of the [Traits]. Beside the
	// Descriptors the command has two more, with the next two numbers. From the
	// first it reads its start message, up to end of file. To the second it
	// writes one byte when ready, and Open then returns. A message of a single
	// line end asks the command to get ready once more (its memory may have
	// been laid aside), and the command answers with another byte; end of file
	// without a message means that nobody needs the command. The first Run is
	// of this command; see [Command.Orders].
	//
	// A waiting standby command holds nothing of a Job. A tier may copy the
	// command from an earlier box: values that must differ between two boxes,
	// such as a seed, are made after the start message.
	Standby *Command
	// Forks reports that the standby command can be the zygote of many boxes.
	// If started with the glove's image as descriptor [FDImage], the command
	// gets ready, loads the image's segments into its memory at their
	// addresses, and calls the image's entry as a C function, from its only
	// thread. The call returns only in copies of the process, each in its own
	// box, and each copy goes on like any standby command. A process with
	// memory that copies could write together does not call. Forks is a hint: a
	// tier may start each box by itself.
	Forks bool
	// Batch, if not empty, names boxes of one tenant. They may share a
	// foundation, in sequence, where the tier gains by sharing: a kernel of
	// their own, but no namespace. The caller chooses a name that no other
	// tenant's boxes can have. Batch is a hint, for boxes with a forking
	// standby command.
	Batch string
}

// FDImage is the descriptor whose presence makes a command a zygote; see
// [Spec.Forks].
const FDImage = 39

// Command is a command to run in a box.
type Command struct {
	// Orders, if not nil, is the start message of the box's standby command,
	// and makes the Command a run of it: Args, Env and Dir are not used. See
	// [Spec.Standby].
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
	// discards. Each is called from one goroutine.
	Stdout, Stderr io.Writer
	// Files are written into the workspace before the command starts.
	Files []glovebox.File
	// Wall bounds this command; 0 means the box's limit.
	Wall time.Duration
	// Look lists, by name, the files to be read by the caller from the
	// [Box.Workspace] after the command, beside the list of files. As a hint,
	// Look lets a tier prefetch the files right after the end of the command,
	// in less time than by a request for each.
	Look []string
}

// Report holds the findings of a tier's Probe on this host.
type Report struct {
	Tier glovebox.TierName `json:"tier"`
	// Usable reports whether Open would succeed without any Allow.
	Usable bool `json:"usable"`
	// Reason explains why the tier is not usable, and how to fix it.
	Reason string `json:"reason,omitempty"`
	// Controls lists each control and its proof.
	Controls []Probe `json:"controls"`
}

// Probe is one control that was tried.
type Probe struct {
	// Name is the control, such as "network".
	Name string `json:"name"`
	// Proven: the attack was tried and stopped.
	Proven bool `json:"proven"`
	// Detail describes the attempt and its result.
	Detail string `json:"detail"`
	// Fix explains how to get the control where it is missing.
	Fix string `json:"fix,omitempty"`
}

// ImageRoot is implemented by a Tier booting from the image of its Root rather
// than from the tree.
type ImageRoot interface {
	// ImageRoot returns the tier's own needs in each root, beside the
	// toolchain's entries.
	ImageRoot() rootfs.Plan
}

// TreeRoot is implemented by a Tier booting from the tree of its Root and in
// need of more than the toolchain's entries.
type TreeRoot interface {
	TreeRoot() rootfs.Plan
}
