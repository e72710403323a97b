package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// command stands for the language of a Job that has a Command in place of a
// program: nothing is found, parsed or tested.
var command = &language.Language{Name: "command", Title: "a command", ReadFailure: func([]byte) *glovebox.Failure { return nil }}

// commandPlan runs the Job's argument vector.
func (r *run) commandPlan() (*language.Plan, error) {
	args := slices.Clone(r.job.Command)
	exe, err := r.lookPath(args[0])
	if err != nil {
		return nil, err
	}
	args[0] = exe
	return &language.Plan{Run: language.Step{Args: args}}, nil
}

// lookPath finds the program of a command by its path in the box.
func (r *run) lookPath(name string) (string, error) {
	switch {
	case path.IsAbs(name):
		return name, nil
	case strings.Contains(name, "/"):
		return path.Join(tier.Workspace, name), nil
	case r.image != nil:
		exe, err := r.image.LookPath(name)
		if err != nil {
			return "", &Error{"command", err}
		}
		return exe, nil
	case r.tools.Tools[name] != "":
		return r.tools.Tools[name], nil
	}
	return r.tools.Exe, nil
}

// commandTools finds the host's toolchain that a command's program is of: a
// language's interpreter or one of the usual tools. A program that is named by
// its path gets the usual tools beside it.
func (r *run) commandTools(ctx context.Context) (*language.Toolchain, error) {
	name := r.job.Command[0]
	if path.Ext(name) == ".wasm" {
		return nil, fmt.Errorf("%s: WebAssembly modules run in the wasm tier", name)
	}
	for _, l := range r.e.c.Languages {
		if slices.Contains(interpreters[l.Name], name) {
			return r.e.Toolchain(ctx, l)
		}
	}
	tc, err := r.e.Toolchain(ctx, language.Bash)
	switch {
	case strings.Contains(name, "/") && err != nil:
		return r.e.bare()
	case strings.Contains(name, "/"):
		return tc, nil
	case err != nil:
		return nil, err
	case tc.Tools[name] == "":
		return nil, &Error{"command", fmt.Errorf("without an image there is no program %q in a box: name an image that has it, or a file of the workspace as ./%s", name, name)}
	}
	return tc, nil
}

// commandModule is the root of a command that is a module of the workspace.
func (r *run) commandModule() (*language.Toolchain, error) {
	if path.Ext(r.job.Command[0]) != ".wasm" {
		return nil, fmt.Errorf("%q is no WebAssembly module: name a .wasm file of the workspace, as ./prog.wasm", r.job.Command[0])
	}
	return r.e.bare()
}

// notExecutable tells whether it is the command that cannot be started, and not
// the box.
func notExecutable(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOEXEC) || errors.Is(err, syscall.ENOTDIR)
}

// bare is a root with nothing but what every root has.
func (e *Engine) bare() (*language.Toolchain, error) {
	return e.once("nothing", func() (*language.Toolchain, error) {
		return &language.Toolchain{Path: "/usr/local/bin:/usr/bin:/bin", Root: rootfs.Base()}, nil
	})
}

// interpreters are the programs by which the languages' toolchains are called.
var interpreters = map[string][]string{
	language.Python.Name: {"python3", "python"}, language.JavaScript.Name: {"node"}, language.PHP.Name: {"php"},
	language.Bash.Name: {"bash", "sh"}, language.Ruby.Name: {"ruby"}, language.Perl.Name: {"perl"}, language.Lua.Name: {"lua"},
}

// validateCommand checks a Job that has a Command in place of a program.
func (e *Engine) validateCommand(job *glovebox.Job) error {
	switch {
	case job.Command == nil:
		return nil
	case len(job.Command) == 0 || job.Command[0] == "":
		return &Error{"command", errors.New("it is empty: the first word is the program")}
	case slices.ContainsFunc(job.Command, func(a string) bool { return strings.Contains(a, "\x00") }):
		return &Error{"command", errors.New("an argument has a NUL")}
	case len(job.Tests) > 0:
		return &Error{"tests", errors.New("a command has no tests; compare its output with cases")}
	}
	job.Program, job.Reply = nil, ""
	return nil
}
