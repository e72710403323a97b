package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// field holds the contestants and their open resources.
type field struct {
	list  []bench.Contestant
	boxes []idleBox
	// single are the contestants of whom each request is one single-use box.
	single map[string]bool
	// missing says why somebody is not timed, by name.
	missing     map[string]string
	tiers       []tier.Tier
	interpreter string
	closers     []func() error
}

// close ends what the contestants have open, the last one first.
func (f *field) close() error {
	var errs []error
	for _, end := range slices.Backward(f.closers) {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}

// python is the interpreter that everybody runs: one file, with one library and
// the same packages, which are those of the tiers' boxes. (The host's own
// packages may do things at each start, as files that end in .pth can.)
type python struct {
	// tree is a box's root file system, as a directory; box is the
	// interpreter's path in it, and host on this machine.
	tree, box, host string
	// file is the host's own file that it was made of, if there is one, and
	// made says all that for people.
	file, made string
}

// pythonLine is the program of each contestant, and printed the program's output.
const (
	pythonLine = "print(1)"
	printed    = "1\n"
)

// command are the arguments that start a program with no box around.
func (p python) command() []string { return []string{p.host, "-I", "-c", pythonLine} }

// inTree are those that start it where the tree is the root.
func (p python) inTree() []string { return []string{p.box, "-I", "-c", pythonLine} }

// field finds who can be timed on this machine: bare execution first, which the
// others are compared with.
func (c *benchCmd) field(ctx context.Context, e *engine.Engine, stderr io.Writer) (f *field, err error) {
	f = &field{missing: map[string]string{}, single: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	tc, err := e.Toolchain(ctx, language.Python)
	if err != nil {
		return nil, err
	}
	py, err := findInterpreter(ctx, tc)
	if err != nil {
		return nil, err
	}
	f.interpreter = py.made

	bare := hostCommand("bare", "no box, the interpreter of the tiers' boxes", py.command()...)
	if _, err := bare.Do(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", bare.How, err)
	}
	f.list = append(f.list, bare)
	if err := f.forks(ctx, stderr, py.host, slices.Max(append([]int{peak, workers()}, c.Clients...))); err != nil {
		return nil, err
	}
	if err := c.peers(ctx, f, stderr, py); err != nil {
		return nil, err
	}
	for _, t := range e.Tiers() {
		if len(c.Tier) == 0 || slices.Contains(c.Tier, string(t.Name())) {
			f.tiers = append(f.tiers, t)
		}
	}
	if err := f.enter(ctx, stderr, e, cold); err != nil {
		return nil, err
	}
	for _, by := range []way{warm, batch} {
		kept := &engine.Warm{}
		if by == batch {
			kept = evalWarm()
		}
		// The same tiers, so that nothing differs but what was made before.
		e, err := engine.New(engine.Config{Tiers: e.Tiers(), Warm: kept})
		if err != nil {
			return nil, err
		}
		f.closers = append(f.closers, e.Close)
		if err := f.enter(ctx, stderr, e, by); err != nil {
			return nil, err
		}
	}
	return f, f.idle(tc)
}

// findInterpreter finds the interpreter that the tiers run.
func findInterpreter(ctx context.Context, tc *language.Toolchain) (python, error) {
	roots, err := rootfs.Open("")
	if err != nil {
		return python{}, err
	}
	root, err := roots.Tree(ctx, tc.Root)
	if err != nil {
		return python{}, err
	}
	py := python{tree: root.Tree, box: tc.Exe, host: filepath.Join(root.Tree, tc.Exe)}
	py.made = fmt.Sprintf("%s, Python %s", py.host, tc.Version)
	if py.file = sourceOf(tc.Root, tc.Exe); py.file != "" {
		py.made += ", made of " + py.file
	}
	return py, nil
}

// sourceOf returns the file of the host that a path of a root is made of.
func sourceOf(root rootfs.Plan, name string) string {
	for range root.Entries { // there can be as many links
		i := slices.IndexFunc(root.Entries, func(e rootfs.Entry) bool { return e.Path == name })
		if i < 0 {
			return ""
		}
		switch e := root.Entries[i]; {
		case e.Link == "":
			return e.Source
		case path.IsAbs(e.Link):
			name = e.Link
		default:
			name = path.Join(path.Dir(name), e.Link)
		}
	}
	return ""
}

// tried adds those of a list that run here, and says who does not.
func (f *field) tried(ctx context.Context, stderr io.Writer, list ...bench.Contestant) error {
	for _, c := range list {
		_, err := c.Do(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			f.leave(stderr, c.Name, err)
			continue
		}
		f.list = append(f.list, c)
	}
	return nil
}

// leave leaves somebody out.
func (f *field) leave(stderr io.Writer, name string, why error) {
	f.missing[name] = why.Error()
	fmt.Fprintf(stderr, "glovebox: %s is left out: %v\n", name, why)
}

// scratch makes a directory that is gone when the field is closed.
func (f *field) scratch() (string, error) {
	dir, err := os.MkdirTemp("", "glovebox-bench-")
	if err == nil {
		f.closers = append(f.closers, func() error { return os.RemoveAll(dir) })
	}
	return dir, err
}

// errPrinted is a program that printed something else than it should.
func errPrinted(out []byte) error {
	if string(out) != printed {
		return errors.New("it printed " + fmt.Sprintf("%.200q", out))
	}
	return nil
}
