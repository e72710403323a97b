package wasm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/wasm/assemble"
)

// attack is a module that tries to get past one control.
type attack struct {
	control, what string
	limits        func(*glovebox.Limits)
	module        func(m *program)
	// held judges whether the attack was stopped, and returns the observation.
	held func(out glovebox.Outcome) (bool, string)
}

// probeLimits are low, and soon hit.
var probeLimits = glovebox.Limits{
	Wall: 20 * time.Second, Memory: 32 << 20, OpenFiles: 16, FileSize: 1 << 20, Disk: 1 << 20, Files: 16, Output: 64 << 10,
}

// soon is the length of a limit of time, in a trial.
const soon = 200 * time.Millisecond

// Probe implements [tier.Tier].
func (t *Tier) Probe(ctx context.Context) tier.Report {
	report, err := t.probe(ctx)
	if err != nil {
		return tier.Report{Tier: t.Name(), Reason: err.Error()}
	}
	return report
}

func (t *Tier) probe(ctx context.Context) (_ tier.Report, err error) {
	dir, err := os.MkdirTemp("", "glovebox-probe-")
	if err != nil {
		return tier.Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	bait := filepath.Join(dir, "secret")
	root := filepath.Join(dir, "root")
	if err := errors.Join(os.WriteFile(bait, []byte("secret"), 0o644), os.Mkdir(root, 0o755)); err != nil {
		return tier.Report{}, err
	}
	report := tier.Report{Tier: t.Name(), Usable: true}
	for _, a := range attacks(filepath.ToSlash(bait)) {
		p, err := t.try(ctx, a, &rootfs.Root{Tree: root})
		if err != nil {
			p.Detail += ": " + err.Error()
		}
		if at := slices.IndexFunc(report.Controls, func(q tier.Probe) bool { return q.Name == p.Name }); at >= 0 && p.Proven && report.Controls[at].Proven {
			report.Controls[at].Detail += "; " + p.Detail
		} else {
			report.Controls = append(report.Controls, p)
		}
		if !p.Proven && report.Usable {
			report.Usable, report.Reason = false, "the control "+p.Name+" does not hold: "+p.Detail
		}
		if ctx.Err() != nil {
			return report, nil
		}
	}
	return report, nil
}

// try runs one attack in a new box.
func (t *Tier) try(ctx context.Context, a attack, root *rootfs.Root) (p tier.Probe, err error) {
	p = tier.Probe{Name: a.control, Detail: a.what}
	m := newProgram()
	a.module(m)
	l := probeLimits.WithDefaults()
	if a.limits != nil {
		a.limits(&l)
	}
	box, err := t.Open(ctx, tier.Spec{Root: root, Limits: l})
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	var stderr bytes.Buffer
	out := box.Run(ctx, tier.Command{
		Args: []string{tier.Workspace + "/attack.wasm"}, Stderr: &stderr,
		Files: []glovebox.File{{Path: "attack.wasm", Data: m.Bytes()}},
	})
	if !out.Started || out.Cause == glovebox.CauseBox || out.Cause == glovebox.CauseCancelled {
		return p, errors.Join(errors.New("the attack did not run"), out.Err)
	}
	held, seen := a.held(out)
	p.Proven, p.Detail = held, a.what+": "+seen
	return p, nil
}

// fails is for attacks with a forbidden request: the program ends with WASI's
// number of the error.
func fails(out glovebox.Outcome) (bool, string) {
	if out.Cause != glovebox.CauseExit || out.ExitCode == 0 {
		return false, fmt.Sprintf("it ended with %s %d", out.Cause, out.ExitCode)
	}
	if out.ExitCode < 0 {
		return true, cmp.Or(out.Signal, "it was not started")
	}
	return true, fmt.Sprintf("refused (%d)", out.ExitCode)
}

// hitsLimit is for attacks on a limit.
func hitsLimit(limit glovebox.LimitName, cause glovebox.Cause) func(glovebox.Outcome) (bool, string) {
	return func(out glovebox.Outcome) (bool, string) {
		for _, h := range out.Hits {
			if h.Limit == limit && out.Cause == cause {
				return true, h.Evidence.Fact
			}
		}
		return false, fmt.Sprintf("it ended with %s %d and hit %v", out.Cause, out.ExitCode, out.Hits)
	}
}

// program is a module that uses the system interface.
type program struct {
	assemble.Module
	exit int
}

func newProgram() *program {
	p := &program{}
	p.exit = p.Import(assemble.WASI, "proc_exit", "i", "")
	return p
}

// Places in the memory of programs.
const (
	atResult = 0x100 // where calls put a number
	atVector = 0x110 // a list of one buffer
	atName   = 0x200
	atText   = 0x1000
)

// Rights and flags of path_open.
const (
	openCreate = 1
	rightRead  = 1 << 1
	allRights  = 1<<29 - 1
)

// open opens a path, from the root, and leaves the error on the stack and the
// descriptor at atResult.
func (p *program) open(name string, flags int) []byte { return p.openFor(name, flags, allRights) }

func (p *program) openFor(name string, flags int, rights int64) []byte {
	f := p.Import(assemble.WASI, "path_open", "iiiiiIIii", "i")
	p.Data(atName, []byte(name))
	return slices.Concat(assemble.I32(3), assemble.I32(0), assemble.I32(atName), assemble.I32(len(name)), assemble.I32(flags),
		assemble.I64(rights), assemble.I64(rights), assemble.I32(0), assemble.I32(atResult), assemble.Call(f))
}

// transfer reads or writes a text at the descriptor on the stack, and leaves
// the error there.
func (p *program) transfer(call, text string) []byte {
	f := p.Import(assemble.WASI, call, "iiii", "i")
	p.Data(atText, []byte(text))
	p.Data(atVector, []byte{atText & 0xff, atText >> 8, 0, 0, byte(len(text)), byte(len(text) >> 8), 0, 0})
	return slices.Concat(assemble.I32(atVector), assemble.I32(1), assemble.I32(atResult+4), assemble.Call(f))
}

// exits ends the program with the number on the stack.
func (p *program) exits() []byte { return assemble.Call(p.exit) }

// opened pushes the descriptor that open left.
var opened = slices.Concat(assemble.I32(atResult), assemble.Load)

// kilobyte is the unit of large writes.
var kilobyte = string(bytes.Repeat([]byte("x"), 1024))

func attacks(bait string) []attack {
	set := func(change func(*glovebox.Limits)) func(*glovebox.Limits) { return change }
	return []attack{
		{control: tier.ControlFilesystem, what: "opening a file of the host", held: fails,
			module: func(m *program) { m.Code(m.openFor(bait, 0, rightRead), m.exits()) }},
		{control: tier.ControlFilesystem, what: "climbing out of the root", held: fails,
			module: func(m *program) { m.Code(m.openFor("workspace/../../../../../.."+bait, 0, rightRead), m.exits()) }},
		{control: tier.ControlFilesystem, what: "making a file in the root", held: fails,
			module: func(m *program) { m.Code(m.open("dev/new", openCreate), m.exits()) }},
		{control: tier.ControlProc, what: "opening /proc/self/environ", held: fails,
			module: func(m *program) { m.Code(m.openFor("proc/self/environ", 0, rightRead), m.exits()) }},
		{control: tier.ControlDescriptors, what: "reading descriptors that nobody gave", held: fails,
			module: func(m *program) { m.Code(assemble.I32(5), m.transfer("fd_read", "x"), m.exits()) }},
		{control: tier.ControlNetwork, what: "accepting a connection", held: fails,
			module: func(m *program) {
				accept := m.Import(assemble.WASI, "sock_accept", "iii", "i")
				m.Code(assemble.I32(3), assemble.I32(0), assemble.I32(atResult), assemble.Call(accept), m.exits())
			}},
		{control: tier.ControlNetwork, what: "importing a socket", held: fails,
			module: func(m *program) { m.Code(assemble.Call(m.Import(assemble.WASI, "sock_open", "", "i")), m.exits()) }},
		{control: tier.ControlProcesses, what: "importing a fork", held: fails,
			module: func(m *program) { m.Code(assemble.Call(m.Import("env", "fork", "", "i")), m.exits()) }},
		{control: tier.ControlSyscalls, what: "reading beyond its memory",
			module: func(m *program) { m.Code(assemble.I32(-16), assemble.Load, assemble.Drop, assemble.I32(0), m.exits()) },
			held: func(out glovebox.Outcome) (bool, string) {
				return out.Cause == glovebox.CauseExit && out.Signal == "SIGSEGV", "it ended with " + out.Signal
			}},
		{control: tier.ControlMemory, what: "taking more memory than there is", held: hitsLimit(glovebox.LimitMemory, glovebox.CauseExit),
			module: func(m *program) {
				m.Code(assemble.Loop(assemble.I32(16), assemble.Grow, assemble.I32(1), assemble.Add, assemble.Eqz, assemble.Leave), assemble.I32(9), m.exits())
			}},
		{control: tier.ControlDisk, what: "filling the disk", held: hitsLimit(glovebox.LimitDisk, glovebox.CauseExit),
			limits: set(func(l *glovebox.Limits) { l.FileSize = l.Disk * 2 }),
			module: func(m *program) {
				m.Code(m.open("workspace/f", openCreate), assemble.Drop, assemble.Loop(opened, m.transfer("fd_write", kilobyte), assemble.Leave))
			}},
		{control: tier.ControlFileSize, what: "writing a large file", held: hitsLimit(glovebox.LimitFileSize, glovebox.CauseExit),
			limits: set(func(l *glovebox.Limits) { l.FileSize = 64 << 10 }),
			module: func(m *program) {
				m.Code(m.open("workspace/f", openCreate), assemble.Drop, assemble.Loop(opened, m.transfer("fd_write", kilobyte), assemble.Leave))
			}},
		{control: tier.ControlFiles, what: "making files for ever", held: hitsLimit(glovebox.LimitFiles, glovebox.CauseExit),
			limits: set(func(l *glovebox.Limits) { l.OpenFiles = 1024 }),
			module: func(m *program) { m.Code(m.manyFiles()) }},
		{control: tier.ControlOpenFiles, what: "opening files for ever", held: hitsLimit(glovebox.LimitOpenFiles, glovebox.CauseExit),
			limits: set(func(l *glovebox.Limits) { l.Files = 1024 }),
			module: func(m *program) { m.Code(m.manyFiles()) }},
		{control: tier.ControlOutput, what: "printing for ever", held: hitsLimit(glovebox.LimitOutput, glovebox.CauseOutput),
			module: func(m *program) {
				m.Code(assemble.Loop(assemble.I32(1), m.transfer("fd_write", kilobyte), assemble.Drop))
			}},
		{control: tier.ControlWall, what: "running for ever", held: hitsLimit(glovebox.LimitWall, glovebox.CauseWall),
			limits: set(func(l *glovebox.Limits) { l.Wall = soon }),
			module: func(m *program) { m.Code(assemble.Loop()) }},
	}
}

// manyFiles makes files, each with a new name, until one is refused.
func (p *program) manyFiles() []byte {
	name := "workspace/aa"
	last := atName + len(name) - 1
	return assemble.Loop(p.open(name, openCreate), assemble.Leave,
		assemble.I32(last), assemble.I32(last), assemble.Load8, assemble.I32(1), assemble.Add, assemble.Store8)
}
