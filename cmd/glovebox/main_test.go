//go:build linux

package main

import (
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
)

func TestMain(m *testing.M) {
	testscript.Main(static{m}, map[string]func(){"glovebox": main})
}

// static runs the tests in a binary that gVisor can be started from.
type static struct{ *testing.M }

func (s static) Run() int { return statictest.Main(s.M) }

// TestScripts runs the command line as its users do. UPDATE=1 rewrites what
// the scripts compare with.
func TestScripts(t *testing.T) {
	bug, right := example(t, "shipping_bug.md"), example(t, "shipping.md")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			// The scripts share the user's cache of root file systems.
			if dir, err := os.UserCacheDir(); err == nil {
				env.Setenv("XDG_CACHE_HOME", dir)
			}
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PATH", env.Getenv("PATH"))
			server := modeltest.Start(models(bug, right))
			env.Defer(server.Close)
			env.Setenv("MODEL_URL", server.BaseURL(model.ProviderOpenAI))
			env.Setenv("ANTHROPIC_URL", server.BaseURL(model.ProviderAnthropic))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "userns": // namespaces of users can be made here
				return exec.Command("unshare", "-Ur", "true").Run() == nil, nil
			case "mounts": // and we are root, who can mount without one
				return exec.Command("unshare", "-m", "true").Run() == nil, nil
			case "static": // this executable needs no loader, as gVisor demands
				info, ok := debug.ReadBuildInfo()
				return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}), nil
			}
			_, err := exec.LookPath(cond)
			return err == nil, nil
		},
	})
}
