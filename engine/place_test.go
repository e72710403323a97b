package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// described is a tier that is what its traits say, and opens no box.
type described struct {
	unusable
	name   glovebox.TierName
	traits tier.Traits
	opened *[]glovebox.TierName
}

func (d described) Name() glovebox.TierName { return d.name }
func (d described) Traits() tier.Traits     { return d.traits }
func (d described) Open(ctx context.Context, spec tier.Spec) (tier.Box, error) {
	if d.opened != nil {
		*d.opened = append(*d.opened, d.name)
	}
	return d.unusable.Open(ctx, spec)
}

// moduled is one that runs modules.
type moduled struct{ described }

func (moduled) Modules() {}

var ladder = []tier.Tier{
	described{name: "emulated", traits: tier.Traits{Kernel: tier.KernelGuest, Native: true, Emulated: true}},
	described{name: "gvisor", traits: tier.Traits{Kernel: tier.KernelUser, Native: true}},
	described{name: "process", traits: tier.Traits{Kernel: tier.KernelHost, Native: true}},
	moduled{described{name: "wasm", traits: tier.Traits{Kernel: tier.KernelNone}}},
}

func TestChoose(t *testing.T) {
	e, err := engine.New(engine.Config{Tiers: ladder})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, tt := range []struct {
		wish  glovebox.TierName
		needs []glovebox.Need
		want  string
	}{
		{glovebox.TierAuto, nil, "gvisor process wasm"},
		{"emulated", nil, "emulated"},
		{glovebox.TierAuto, []glovebox.Need{glovebox.NeedKernelBoundary}, "gvisor wasm"},
		{glovebox.TierAuto, []glovebox.Need{glovebox.NeedOwnKernel}, "emulated wasm"},
		{glovebox.TierAuto, []glovebox.Need{glovebox.NeedOwnKernel, glovebox.NeedNative}, "emulated"},
		{glovebox.TierAuto, []glovebox.Need{glovebox.NeedNetwork}, ""},
		{"process", []glovebox.Need{glovebox.NeedKernelBoundary}, ""},
		{glovebox.TierAuto, []glovebox.Need{"start_under=1ns"}, ""},
	} {
		var fit []string
		for _, c := range e.Choose(context.Background(), tt.wish, tt.needs) {
			if c.Why == nil {
				fit = append(fit, string(c.Tier.Name()))
			} else if !strings.Contains(c.Why.Error(), string(c.Tier.Name())) {
				t.Errorf("%v %v: the reason does not name the tier: %v", tt.wish, tt.needs, c.Why)
			}
		}
		if got := strings.Join(fit, " "); got != tt.want {
			t.Errorf("%s with %v: %q fit, want %q", tt.wish, tt.needs, got, tt.want)
		}
	}
}

// TestElsewhere: where no tier of one toolchain can be had, those of the next
// are tried, with the program planned anew; and the reasons are all told.
func TestElsewhere(t *testing.T) {
	var opened []glovebox.TierName
	planned := map[string]int{}
	l := &language.Language{
		Name: "twofold", Title: "Twofold", Main: "main.two", Extensions: []string{".two"},
		Find: func(context.Context, language.Host) (*language.Toolchain, error) {
			return &language.Toolchain{Exe: "native", Root: rootfs.Base()}, nil
		},
		FindModule: func(context.Context, language.Host) (*language.Toolchain, error) {
			return &language.Toolchain{Exe: "module", Root: rootfs.Base()}, nil
		},
		Plan: func(tc *language.Toolchain, p *glovebox.Program) (*language.Plan, error) {
			planned[tc.Exe]++
			return &language.Plan{Files: p.Files, Run: language.Step{Args: []string{tc.Exe}}}, nil
		},
		ReadFailure: func([]byte) *glovebox.Failure { return nil },
	}
	tiers := []tier.Tier{
		described{name: "a", opened: &opened}, described{name: "b", opened: &opened}, moduled{described{name: "c", opened: &opened}},
	}
	e, err := engine.New(engine.Config{Tiers: tiers, Languages: []*language.Language{l}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o := do(t, e, glovebox.Job{Program: &glovebox.Program{Language: "twofold", Main: "main.two", Files: []glovebox.File{{Path: "main.two"}}}})
	if o.Status != glovebox.StatusSandboxError || !slices.Equal(opened, []glovebox.TierName{"a", "b", "c"}) {
		t.Errorf("%s after %v: %s", o.Status, opened, o.Message)
	}
	if planned["native"] != 1 || planned["module"] != 1 {
		t.Errorf("planned %v", planned)
	}
}

// TestCommand runs commands in place of programs.
func TestCommand(t *testing.T) {
	eachTier(t, func(t *testing.T, e *engine.Engine, name glovebox.TierName) {
		for _, tt := range []struct {
			name string
			job  glovebox.Job
			want glovebox.Status
			out  string
		}{
			{"an interpreter", glovebox.Job{Command: []string{"python3", "-c", "print(6 * 7)"}}, glovebox.StatusPass, "42\n"},
			{"an exit code", glovebox.Job{Command: []string{"python3", "-c", "exit(7)"}}, glovebox.StatusRuntimeError, ""},
			{"an option that looks like ours", glovebox.Job{Command: []string{"python3", "--", "x.py"}, Inputs: []glovebox.File{{Path: "x.py", Data: []byte("print('x')")}}}, glovebox.StatusPass, "x\n"},
			{"the usual tools", glovebox.Job{Command: []string{"sort", "in"}, Inputs: []glovebox.File{{Path: "in", Data: []byte("b\na\n")}}}, glovebox.StatusPass, "a\nb\n"},
			{"stdin", glovebox.Job{Command: []string{"cat"}, Stdin: []byte("in")}, glovebox.StatusPass, "in"},
			{"a file of the workspace", glovebox.Job{Command: []string{"./run.sh", "x"}, Inputs: []glovebox.File{{Path: "run.sh", Data: []byte("#!/bin/bash\necho \"$1\"\n"), Executable: true}}}, glovebox.StatusPass, "x\n"},
			{"a static file of the workspace", glovebox.Job{Command: []string{"./nothing"}, Inputs: []glovebox.File{{Path: "nothing", Data: nothing(t), Executable: true}}}, glovebox.StatusPass, ""},
			{"no descriptor", glovebox.Job{Command: []string{"python3", "-c", "import os\nfor fd in 3, 4, 5:\n  try: os.fstat(fd); print(fd)\n  except OSError: pass"}}, glovebox.StatusPass, ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				tt.job.Tier = name
				o := do(t, e, tt.job)
				if o.Status != tt.want || o.Stdout != tt.out {
					t.Errorf("%s, stdout %q, stderr %q: %s", o.Status, o.Stdout, o.Stderr, o.Message)
				}
			})
		}
	})
}

func nothing(t *testing.T) []byte {
	t.Helper()
	program, err := glove.Program(new(glove.Script))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestModules: the wasm tier runs modules, and a program that has no other
// place goes there by itself.
func TestModules(t *testing.T) {
	e := open(t)
	for _, tt := range []struct {
		name string
		job  glovebox.Job
		want glovebox.Status
		tier glovebox.TierName
		out  string
	}{
		{"a module", glovebox.Job{Program: &glovebox.Program{Language: "wasm", Main: "main.wasm", Files: []glovebox.File{{Path: "main.wasm", Data: module}}}}, glovebox.StatusPass, glovebox.TierWasm, ""},
		{"a command", glovebox.Job{Tier: glovebox.TierWasm, Command: []string{"./main.wasm"}, Inputs: []glovebox.File{{Path: "main.wasm", Data: module}}}, glovebox.StatusPass, glovebox.TierWasm, ""},
		{"a command that is none", glovebox.Job{Tier: glovebox.TierWasm, Command: []string{"ls"}}, glovebox.StatusSandboxError, "", ""},
		{"no module", glovebox.Job{Program: &glovebox.Program{Language: "wasm", Main: "main.wasm", Files: []glovebox.File{{Path: "main.wasm", Data: module[:20]}}}}, glovebox.StatusSyntaxError, glovebox.TierWasm, ""},
		{"JavaScript", glovebox.Job{Tier: glovebox.TierWasm, Reply: "```js\nconsole.log(6 * 7)\n```"}, glovebox.StatusPass, glovebox.TierWasm, "42\n"},
		{"JavaScript without system calls", glovebox.Job{Needs: []glovebox.Need{glovebox.NeedOwnKernel}, Reply: "```js\nconsole.log(6 * 7)\n```"}, glovebox.StatusPass, glovebox.TierWasm, "42\n"},
		{"Python", glovebox.Job{Tier: glovebox.TierWasm, Reply: "```python\nprint(1)\n```"}, glovebox.StatusSandboxError, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := do(t, e, tt.job)
			if o.Status != tt.want || o.Tier != tt.tier || o.Stdout != tt.out {
				t.Errorf("%s in %q, stdout %q, stderr %q: %s", o.Status, o.Tier, o.Stdout, o.Stderr, o.Message)
			}
			if o.Status == glovebox.StatusSandboxError && o.NextAction != glovebox.ActionAskHuman {
				t.Errorf("a refusal with the next action %s", o.NextAction)
			}
		})
	}
}

// module is a WebAssembly module whose _start returns at once.
var module = []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b")

// TestWrongPlaces are jobs that ask for what there is not.
func TestWrongPlaces(t *testing.T) {
	e := open(t)
	for _, tt := range []struct {
		job   glovebox.Job
		field string
	}{
		{glovebox.Job{Needs: []glovebox.Need{"speed"}}, "needs[0]"},
		{glovebox.Job{Needs: []glovebox.Need{glovebox.NeedNative, "start_under=soon"}}, "needs[1]"},
		{glovebox.Job{Needs: []glovebox.Need{glovebox.NeedNetwork}, Reply: "```python\nprint(1)\n```"}, "needs"},
		{glovebox.Job{Needs: []glovebox.Need{glovebox.NeedNative}, Tier: glovebox.TierWasm, Reply: "```js\n1\n```"}, "needs"},
		{glovebox.Job{Command: []string{}}, "command"},
		{glovebox.Job{Command: []string{"no-such-program"}}, "command"},
		{glovebox.Job{Command: []string{"./no-such-file"}}, "command"},
		{glovebox.Job{Command: []string{"./text"}, Inputs: []glovebox.File{{Path: "text", Data: []byte("no program")}}}, "command"},
		{glovebox.Job{Image: "not-there:1", Command: []string{"ls"}}, "image"},
		{glovebox.Job{Command: []string{""}}, "command"},
		{glovebox.Job{Command: []string{"ls", "a\x00b"}}, "command"},
		{glovebox.Job{Command: []string{"ls"}, Tests: []glovebox.File{{Path: "test.py"}}}, "tests"},
	} {
		_, err := e.Run(context.Background(), tt.job)
		var wrong *engine.Error
		if !errors.As(err, &wrong) || wrong.Field != tt.field {
			t.Errorf("%+v: %v, want an error of %s", tt.job, err, tt.field)
		}
	}
}
