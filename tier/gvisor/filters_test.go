//go:build linux

package gvisor

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/seccomp"
	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
	"gvisor.dev/gvisor/runsc/boot/filter"
	rules "gvisor.dev/gvisor/runsc/boot/filter/config"
	"gvisor.dev/gvisor/runsc/config"
)

var generate = flag.Bool("generate", false, "make this architecture's filter anew")

// A test's executable does not say what it is linked with. Its sentries may use
// the program that TestFilter compares.
var _ = func() bool {
	linkedVersion = func() string { return sentryFilter.version }
	return true
}()

// filterOptions are what our sentries ask for a filter with; see
// installSeccompFilters in gVisor's loader.
func filterOptions(t *testing.T) filter.Options {
	conf, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platform.Lookup(conf.Platform)
	if err != nil {
		t.Fatal(err)
	}
	return filter.Options{
		Platform: p.PrecompiledSeccompInfo()[0], HostNetwork: conf.Network == config.NetworkHost,
		HostFilesystem: conf.DirectFS, ProfileEnable: conf.ProfileEnable, CgoEnabled: config.CgoEnabled,
		PluginNetwork: conf.Network == config.NetworkPlugin,
	}
}

// withValues makes rules with values that are only known in a sentry.
type withValues struct {
	platform.SeccompInfo
	values precompiledseccomp.Values
}

func (w withValues) Variables() precompiledseccomp.Values { return w.values }

// SyscallFilters implements [platform.SeccompInfo]. One of gVisor's rules has
// the number of the process that makes the program, where it should have the
// variable: the sentry is another process.
func (w withValues) SyscallFilters(v precompiledseccomp.Values) seccomp.SyscallRules {
	of := func(pid uint64) seccomp.SyscallRule {
		return seccomp.PerArg{seccomp.EqualTo(pid), seccomp.AnyValue{}, seccomp.EqualTo(unix.SIGKILL)}
	}
	all := w.SeccompInfo.SyscallFilters(v)
	if reflect.DeepEqual(all.Get(unix.SYS_RT_TGSIGQUEUEINFO), of(uint64(os.Getpid()))) {
		all.Remove(unix.SYS_RT_TGSIGQUEUEINFO)
		all.Set(unix.SYS_RT_TGSIGQUEUEINFO, of(v.GetUint64("self_pid")))
	}
	return all
}

// compile makes the filter's program of gVisor's rules, with gVisor's compiler.
func compile(t *testing.T) precompiledseccomp.Program {
	o := filterOptions(t)
	program, err := precompiledseccomp.Precompile(o.ConfigKey(), slices.Collect(maps.Keys(o.Vars())), func(v precompiledseccomp.Values) *seccomp.Program {
		o := o
		o.Platform = withValues{o.Platform, v}
		allow, deny := rules.Rules(o)
		options := rules.SeccompOptions(o)
		options.DefaultAction = seccomp.KillProcess // what gVisor finds out on Linux 4.14 and later
		return &seccomp.Program{
			RuleSets: []seccomp.RuleSet{{Rules: deny}, {Rules: allow, Action: seccomp.Allow}},
			Options:  options,
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestFilter: the program that was made ahead is the one that gVisor makes, and
// the one that a sentry gets.
func TestFilter(t *testing.T) {
	if config.CgoEnabled {
		t.Skip("a sentry is built without cgo")
	}
	want := madeFilter{requiredVersion(t), compile(t)}
	if *generate {
		writeFilter(t, want)
		return
	}
	if sentryFilter.version == "" {
		t.Skip("no filter is made ahead for " + runtime.GOARCH)
	}
	if sentryFilter.version != want.version {
		t.Errorf("made for gVisor %s, this is %s: run go generate", sentryFilter.version, want.version)
	}
	if !reflect.DeepEqual(sentryFilter.program, want.program) {
		t.Errorf("gVisor's rules make another program: run go generate")
	}
	// In a process with its own values it is what gVisor would make there.
	o := filterOptions(t)
	o.ControllerFD = 6
	allow, deny := rules.Rules(o)
	fresh, _, err := (&seccomp.Program{
		RuleSets: []seccomp.RuleSet{{Rules: deny}, {Rules: allow, Action: seccomp.Allow}},
		Options:  rules.SeccompOptions(o),
	}).Build()
	if err != nil {
		t.Fatal(err)
	}
	program := sentryFilter.program
	program.Bytecode32 = slices.Clone(program.Bytecode32) // it is written to
	rendered, err := program.RenderInstructions(o.Vars())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rendered, fresh) {
		t.Errorf("with the values of a process: %d instructions, gVisor makes %d", len(rendered), len(fresh))
	}
	takeFilter(sentryFilter, sentryFilter.version)
	if got, ok := filter.GetPrecompiled(filterOptions(t).ConfigKey()); !ok || !reflect.DeepEqual(got, sentryFilter.program) {
		t.Error("a sentry does not get it")
	}
}

// TestFilterOfAnother: no sentry uses a program that was made for another
// version of gVisor.
func TestFilterOfAnother(t *testing.T) {
	before := filterPrograms
	defer func() { filterPrograms = before }()
	filterPrograms = nil
	for _, linked := range []string{"", "v0.0.0-20270101000000-0123456789ab"} {
		takeFilter(madeFilter{version: "v1", program: sentryFilter.program}, linked)
		takeFilter(madeFilter{}, linked)
	}
	if filterPrograms != nil {
		t.Errorf("took %v", filterPrograms)
	}
}

func TestVersionIn(t *testing.T) {
	other := &debug.Module{Path: "example.com/gvisor", Version: "v2"}
	for name, tc := range map[string]struct {
		modules []*debug.Module
		want    string
	}{
		"none":             {},
		"another":          {modules: []*debug.Module{other}},
		"gVisor":           {[]*debug.Module{other, {Path: gvisorModule, Version: "v1"}}, "v1"},
		"one in its stead": {modules: []*debug.Module{{Path: gvisorModule, Version: "v1", Replace: other}}},
	} {
		if got := versionIn(tc.modules); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// requiredVersion is the version of gVisor that go.mod names.
func requiredVersion(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(f) > 1 && f[0] == gvisorModule {
			return f[1]
		}
	}
	t.Fatal("go.mod names no gVisor")
	return ""
}

// writeFilter writes this architecture's source file.
func writeFilter(t *testing.T, f madeFilter) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build linux\n\n// Code generated by TestFilter; DO NOT EDIT.\n\npackage gvisor\n\nimport %q\n\n", reflect.TypeFor[precompiledseccomp.Program]().PkgPath())
	fmt.Fprintf(&b, "var sentryFilter = madeFilter{version: %q, program: precompiledseccomp.Program{\nName: %q,\nBytecode32: []uint32{", f.version, f.program.Name)
	for i, word := range f.program.Bytecode32 {
		if i%8 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#08x, ", word)
	}
	b.WriteString("\n},\nVarOffsets: map[string][]int{\n")
	for _, name := range slices.Sorted(maps.Keys(f.program.VarOffsets)) {
		fmt.Fprintf(&b, "%q: %#v,\n", name, f.program.VarOffsets[name])
	}
	b.WriteString("},\n}}\n")
	source, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("filters_"+runtime.GOARCH+".go", source, 0o644); err != nil {
		t.Fatal(err)
	}
}
