package language

import (
	"context"
	"fmt"
	"os"
	"path"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/host"
	"github.com/gloveboxhq/glovebox/internal/sample"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/wasm"
)

// The rig runs a language that is a WebAssembly module in boxes of the tier for
// those, in place of bubblewrap.

// inModule is a language as it is in tiers that run modules only.
func inModule(l *Language) *Language {
	m := *l
	m.Find = l.FindModule
	modules[&m] = true
	return &m
}

var (
	modules          = map[*Language]bool{}
	moduleJavaScript = inModule(JavaScript)
	moduleTypeScript = inModule(TypeScript)
)

// eachWay runs a test with a language as it is on the host and, where it is one,
// as a module.
func eachWay(t *testing.T, l *Language, name string, test func(t *testing.T, l *Language)) {
	t.Helper()
	t.Run(path.Join(l.Name, name), func(t *testing.T) {
		sample.Row(t, 3)
		test(t, l)
	})
	for m := range modules {
		if m.Name == l.Name {
			t.Run(path.Join(l.Name+" as a module", name), func(t *testing.T) {
				if why, differs := moduleDiffers[t.Name()]; differs {
					t.Skip(why)
				}
				sample.Row(t, 3)
				test(t, m)
			})
		}
	}
}

// moduleDiffers are the tests whose outcome is another one in a module, and why.
var moduleDiffers = map[string]string{
	"TestScriptedRun/javascript_as_a_module/thrown_string": "QuickJS does not know where a value was thrown that is no error",
	"TestScriptedExam/javascript_as_a_module/missing_name": "QuickJS has undefined for a name that the harness's globals do not have",
}

var moduleTools sync.Map

func moduleTool(l *Language) (*Toolchain, string, error) {
	v, _ := moduleTools.LoadOrStore(l.Name, sync.OnceValue(func() rigFound { return moduleFind(l) }))
	found := v.(func() rigFound)()
	return found.tc, found.tree, found.err
}

func moduleFind(l *Language) rigFound {
	tc, err := l.Find(context.Background(), host.New())
	if err != nil {
		return rigFound{err: err}
	}
	store, err := rootfs.Open("")
	if err != nil {
		return rigFound{err: err}
	}
	root, err := store.Tree(context.Background(), tc.Root)
	if err != nil {
		return rigFound{err: err}
	}
	return rigFound{tc: tc, tree: root.Tree}
}

var moduleTier = sync.OnceValues(func() (*wasm.Tier, error) { return wasm.New(wasm.Config{}) })

// moduleLimits are patient: the machine may be busy.
var moduleLimits = glovebox.Limits{Wall: rigWall, CPU: rigWall}.WithDefaults()

// moduleStart is rigStart for a toolchain of modules.
func moduleStart(t testing.TB, ctx context.Context, tc *Toolchain, tree string, step Step, files []glovebox.File, fds [3]*os.File) func() rigRun {
	t.Helper()
	tt, err := moduleTier()
	if err != nil {
		t.Fatal(err)
	}
	box, err := tt.Open(ctx, tier.Spec{
		Root: &rootfs.Root{Tree: tree}, Files: append(append([]glovebox.File(nil), files...), step.Files...),
		Limits: moduleLimits, Descriptors: fds[:],
	})
	for _, f := range fds {
		if f != nil {
			f.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan rigRun, 1)
	go func() {
		var stdout, stderr rigBuffer
		out := box.Run(ctx, tier.Command{
			Args: step.Args, Stdin: step.Stdin, Stdout: &stdout, Stderr: &stderr,
			Env: append([]string{"PATH=" + tc.Path, "HOME=/workspace", "LANG=C.UTF-8"}, append(tc.Env, step.Env...)...),
		})
		box.Close()
		if out.Cause != glovebox.CauseExit || out.Signal != "" {
			fmt.Fprintf(&stderr, "rig: %s %s %v %v", out.Cause, out.Signal, out.Hits, out.Err)
		}
		late := out.Cause == glovebox.CauseWall || out.Cause == glovebox.CauseCancelled
		ended <- rigRun{stdout: stdout.String(), stderr: stderr.String(), exit: out.ExitCode, timedOut: late}
	}()
	return func() rigRun { return <-ended }
}
