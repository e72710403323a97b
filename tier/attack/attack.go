// Package attack tries the controls of a box by attacking them, with programs
// of a few system calls, without an interpreter (see [glove.Program]). A tier
// thus proves its promises on this host.
package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Attack is a program that tries to get past one control. A failed call
// ends the program with the error's number as exit code.
type Attack struct {
	Control string
	What    string // what is tried
	// Before is done on the host, with the root, while the program runs; nil for
	// nothing.
	Before func(root *rootfs.Root) (io.Closer, error)
	// Limits changes the box's limits, which are low and soon hit.
	Limits  func(*glovebox.Limits)
	Program func(*glove.Script)
	// Held judges, from the program's outcome and output, whether the control
	// held, and returns the observation.
	Held func(out glovebox.Outcome, stdout []byte) (held bool, seen string)
}

// soon is the length of a limit of time, in a trial.
const soon = 200 * time.Millisecond

var limits = glovebox.Limits{
	Wall: 20 * time.Second, Memory: 64 << 20, Processes: 8, OpenFiles: 16,
	FileSize: 1 << 20, Disk: 1 << 20, Files: 16, Output: 64 << 10,
}

// Try runs one attack in a new box.
func (a Attack) Try(ctx context.Context, t tier.Tier, root *rootfs.Root) (p tier.Probe, err error) {
	p = tier.Probe{Name: a.Control, Detail: a.What}
	s := new(glove.Script)
	a.Program(s)
	program, err := glove.Program(s)
	if err != nil {
		return p, err
	}
	l := limits.WithDefaults()
	if a.Limits != nil {
		a.Limits(&l)
	}
	if a.Before != nil {
		bait, err := a.Before(root)
		if err != nil {
			return p, err
		}
		defer func() { err = errors.Join(err, bait.Close()) }()
	}
	box, err := t.Open(ctx, tier.Spec{Root: root, Limits: l})
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	var stdout bytes.Buffer
	out := box.Run(ctx, tier.Command{
		Args:   []string{tier.Workspace + "/attack"},
		Files:  []glovebox.File{{Path: "attack", Data: program, Executable: true}},
		Stdout: &stdout,
	})
	if out.Cause == glovebox.CauseCancelled {
		return p, context.Cause(ctx)
	}
	if !out.Started || out.Cause == glovebox.CauseBox {
		return p, errors.Join(fmt.Errorf("%s: the attack did not run", a.What), out.Err)
	}
	held, seen := a.Held(out, stdout.Bytes())
	p.Proven, p.Detail = held, a.What+": "+seen
	return p, nil
}

// Probe tries all attacks on a tier. A control with several attacks is proven
// when all were stopped.
func Probe(ctx context.Context, t tier.Tier, root *rootfs.Root, list []Attack) tier.Report {
	report := tier.Report{Tier: t.Name(), Usable: true}
	fail := func(p tier.Probe, reason string) {
		report.Controls = append(report.Controls, p)
		if report.Usable {
			report.Usable, report.Reason = false, reason
		}
	}
	at := map[string]int{}
	for _, a := range list {
		p, err := a.Try(ctx, t, root)
		var lack *tier.Error
		if errors.As(err, &lack) && lack.Kind == tier.KindUnsupported {
			// No attack can have a box.
			fail(tier.Probe{Name: lack.Control, Detail: lack.Error(), Fix: lack.Fix}, lack.Error())
			return report
		}
		if err != nil {
			p.Detail += ": " + err.Error()
			fail(p, p.Detail)
			if ctx.Err() != nil {
				return report
			}
			continue
		}
		if !p.Proven {
			fail(p, "the control "+p.Name+" does not hold: "+p.Detail)
			continue
		}
		if i, again := at[p.Name]; again {
			report.Controls[i].Detail += "; " + p.Detail
			continue
		}
		at[p.Name] = len(report.Controls)
		report.Controls = append(report.Controls, p)
	}
	return report
}

// Fails is for attacks stopped by one of the errors.
func Fails(want ...linux.Errno) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, _ []byte) (bool, string) {
		if out.Cause != glovebox.CauseExit || out.Signal != "" {
			return false, fmt.Sprintf("ended with %s %s", out.Cause, out.Signal)
		}
		if out.ExitCode == 0 {
			return false, "it succeeded"
		}
		for _, e := range want {
			if out.ExitCode == int(e) {
				return true, e.Name()
			}
		}
		return false, linux.Errno(out.ExitCode).Name()
	}
}

// Prints is for attacks that end well and print only text permitted by the
// control.
func Prints(want string) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, stdout []byte) (bool, string) {
		if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			return false, fmt.Sprintf("ended with %s %s %s", out.Cause, out.Signal, linux.Errno(max(out.ExitCode, 0)).Name())
		}
		return string(stdout) == want, fmt.Sprintf("%q", stdout)
	}
}

// Hits is for attacks that run into a limit.
func Hits(limit glovebox.LimitName, causes ...glovebox.Cause) func(glovebox.Outcome, []byte) (bool, string) {
	return func(out glovebox.Outcome, _ []byte) (bool, string) {
		for _, h := range out.Hits {
			for _, c := range causes {
				if h.Limit == limit && out.Cause == c {
					return true, h.Evidence.Fact
				}
			}
		}
		return false, fmt.Sprintf("ended with %s %s, exit code %d, and the hits %v", out.Cause, out.Signal, out.ExitCode, out.Hits)
	}
}
