// Package wasm is the tier whose boxes have no system calls at all: WebAssembly
// modules on wazero, with no capability but the streams, files and pipes from
// the box. The tier needs no installed program, no privilege, and works on
// every host supported by Go.
//
// # How a box is made
//
// To open a box, a program starts itself again as the box's process (child.go
// has the mechanism). The process reads the root and compiles the modules,
// confines itself by the host's means (confine_linux.go), and then runs
// commands: one module each, in a new instance. A module may call WASI preview
// 1: files in a tree in the process's memory (files.go), the clock, the
// arguments. There are no sockets and no processes.
//
// The deadline is a kill of the process, never a check in the module's code,
// which would make all code many times slower. The box ends with a killed
// command.
//
// # Descriptors
//
// A module opens the descriptors 3, 4, … of a Spec as /dev/fd/3, …. /dev/stdin
// is standard input from its beginning, and seekable.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Tier makes boxes of WebAssembly.
type Tier struct {
	c Config
	// together records a host without name spaces for a process.
	together atomic.Bool
}

// Config says how to make a Tier. Its zero value is ready to use.
type Config struct {
	// Cache is the directory of compiled modules, of this user alone; empty
	// means a directory in [rootfs.DefaultDir]. A box's process writes only
	// modules compiled from the root, before running any code.
	Cache string
	// Fixed makes runs repeatable: the same code sees the same time and the
	// same random bytes. Nil means the host's clock and real randomness.
	Fixed *Fixed
}

// Fixed is the time and the randomness of repeatable runs.
type Fixed struct {
	// Time is when each box begins; only sleeps of the code advance it.
	Time time.Time
	// Seed is the source of the random bytes.
	Seed uint64
}

// New makes a Tier. There is never anything to sweep: a box is a process, with
// the files inside.
func New(c Config) (*Tier, error) {
	t := &Tier{c: c}
	t.together.Store(!apartPossible)
	if c.Cache == "" {
		dir, err := rootfs.DefaultDir()
		if err != nil {
			return nil, t.fail("find the cache", err)
		}
		t.c.Cache = filepath.Join(dir, "wasm")
	}
	dir, err := rootfs.Private(t.c.Cache)
	if err != nil {
		return nil, t.fail("open the cache", err)
	}
	t.c.Cache = dir
	return t, nil
}

// Name implements [tier.Tier].
func (t *Tier) Name() glovebox.TierName { return glovebox.TierWasm }

// Modules implements [tier.Modules].
func (t *Tier) Modules() {}

// Traits implements [tier.Described].
func (t *Tier) Traits() tier.Traits {
	return tier.Traits{
		Title: "WebAssembly on wazero, in a process that has given up all else", Kernel: tier.KernelNone,
		Stops: []string{
			"system calls: the code has none, and no network, no process and no file of the host's can be named",
			"machine code: only validated modules run",
		},
		Exposes: []string{
			"a bug in wazero's compiler, and on Linux behind it the some 30 system calls that its process keeps",
			"the processor: what leaks by timing and caches",
		},
		Needs: "nothing; off Linux the process around the module is not confined",
	}
}

// Open implements [tier.Tier].
func (t *Tier) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	switch err := spec.Check(); {
	case err != nil:
		return nil, t.invalid(err)
	case spec.Root.Tree == "":
		return nil, t.invalid(errors.New("the root file system has no tree"))
	}
	apart := !t.together.Load()
	b, err := t.boot(ctx, spec, apart)
	var start *startError
	if errors.As(err, &start) && apart {
		t.together.Store(true)
		b, err = t.boot(ctx, spec, false)
	}
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), err)
	}
	return nil, t.fail("boot", err)
}

// startError is the error of a process that could not be started at all.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }

// executable is our own program as started, even if the file was replaced
// since.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

func (t *Tier) fail(op string, err error) error {
	return &tier.Error{Tier: t.Name(), Op: op, Kind: tier.KindBroken, Err: err}
}

func (t *Tier) invalid(err error) error {
	return &tier.Error{Tier: t.Name(), Op: "open", Kind: tier.KindInvalid, Err: err}
}

// controls lists the box's controls. confined is the process's own report, made
// before running any code.
func controls(apart bool, confined []glovebox.Control) []glovebox.Control {
	const module = "a module can name none: WASI has "
	held := []glovebox.Control{
		{Name: tier.ControlUser, Enforced: true, How: "a module has no user"},
		{Name: tier.ControlFilesystem, Enforced: true, How: "files are in the memory of the box's process; none of the host's can be named"},
		{Name: tier.ControlProc, Enforced: true, How: "there is no /proc"},
		{Name: tier.ControlDevices, Enforced: true, How: "null, zero, random and the streams, of our own"},
		{Name: tier.ControlNetwork, Enforced: true, How: module + "no sockets"},
		{Name: tier.ControlIPC, Enforced: true, How: module + "no such call"},
		{Name: tier.ControlHostname, Enforced: true, How: module + "no such call"},
		{Name: tier.ControlCapabilities, Enforced: true, How: "a module makes no system call"},
		{Name: tier.ControlDescriptors, Enforced: true, How: "those of the box, as /dev/fd/N"},
		{Name: tier.ControlAgent, Enforced: true, How: "there is none in reach of a module"},
		{Name: tier.ControlWall, Enforced: true, How: "the box's process is killed"},
		{Name: tier.ControlOutput, Enforced: true, How: "counted outside"},
		{Name: tier.ControlProcesses, Enforced: true, How: "none can be made"},
		{Name: tier.ControlOpenFiles, Enforced: true, How: "counted where files are opened"},
		{Name: tier.ControlFileSize, Enforced: true, How: "refused where files are written"},
		{Name: tier.ControlDisk, Enforced: true, How: "refused where files are written"},
		{Name: tier.ControlFiles, Enforced: true, How: "refused where files are made"},
	}
	_, _, err := usage(os.Getpid())
	cpu := glovebox.Control{Name: tier.ControlCPU, Enforced: err == nil, How: "the process's time, metered"}
	if err != nil {
		cpu.How = "not metered on this host: the deadline is the bound"
	}
	spaces := glovebox.Control{Name: tier.ControlNamespaces, Enforced: true, How: "a module can name none; its process is in a user, mount, net, ipc and uts name space of its own"}
	if !apart {
		spaces.How = "a module can name none; its process is in the host's"
	}
	held = append(held, cpu, spaces)
	memory := glovebox.Control{Name: tier.ControlMemory, Enforced: true, How: "linear memory and files are counted as one sum"}
	calls := glovebox.Control{Name: tier.ControlSyscalls, Enforced: true, How: "a module makes none"}
	for _, c := range confined {
		switch c.Name {
		case tier.ControlMemory:
			memory.How += "; " + c.How
		case tier.ControlSyscalls:
			calls.How += "; " + c.How
		default:
			held = append(held, c)
		}
	}
	if len(confined) == 0 {
		calls.How += "; its process is not confined on this host"
		for _, name := range []string{tier.ControlNoNewPrivs, tier.ControlLandlock} {
			held = append(held, glovebox.Control{Name: name, How: fmt.Sprintf("%s has none", runtime.GOOS)})
		}
	}
	return append(held, memory, calls)
}
