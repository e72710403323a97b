//go:build linux

package container_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/tier"
	"github.com/gloveboxhq/glovebox/tier/container"
)

// nothing is a program that ends.
func nothing(b *testing.B) []byte {
	b.Helper()
	program, err := glove.Program(new(glove.Script))
	if err != nil {
		b.Fatal(err)
	}
	return program
}

// BenchmarkBox opens a box, runs a program that ends at once, and closes it; and
// beside it, as root, the runtime alone runs the same program from the same
// bundle.
func BenchmarkBox(b *testing.B) {
	for _, name := range runtimes {
		tr, err := container.New(container.Options{Runtime: name})
		if err != nil {
			continue
		}
		b.Run(name, func(b *testing.B) {
			spec := bareSpec(b)
			spec.Files = []glovebox.File{{Path: "true", Data: nothing(b), Executable: true}}
			for b.Loop() {
				box, err := tr.Open(context.Background(), spec)
				if err != nil {
					b.Fatal(err)
				}
				out := box.Run(context.Background(), tier.Command{Args: []string{tier.Workspace + "/true"}})
				if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
					b.Fatalf("ended with %+v", out)
				}
				if err := box.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		if name == "runsc" {
			continue // alone it leaves a mount on the host
		}
		b.Run(name+" alone", func(b *testing.B) { alone(b, tr) })
	}
}

func alone(b *testing.B, tr *container.Tier) {
	if os.Geteuid() != 0 {
		b.Skip("not as an ordinary user, who cannot map the bundle's users")
	}
	// The container's root must find the way.
	dir, err := os.MkdirTemp("/tmp", "gbbench")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tree := filepath.Join(dir, "bundle", "root")
	for _, d := range []string{tree, tree + "/dev", tree + "/proc", tree + "/sys", tree + "/tmp", tree + "/workspace"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	spec := tr.Bundle(bareSpec(b))
	spec.Process.Args = []string{"/true"}
	spec.Linux.UIDMappings = []specs.LinuxIDMapping{{ContainerID: 0, HostID: 0x6fff0000, Size: 65536}}
	spec.Linux.GIDMappings = spec.Linux.UIDMappings
	config, err := json.Marshal(spec)
	if err != nil {
		b.Fatal(err)
	}
	for path, data := range map[string][]byte{tree + "/true": nothing(b), dir + "/bundle/config.json": config} {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		out, err := exec.Command(tr.Runtime(), "--root", dir+"/state", "run", "--bundle", dir+"/bundle", fmt.Sprintf("glovebox-bench-%d-%d", os.Getpid(), n)).CombinedOutput()
		if err != nil {
			b.Skipf("%v: %s", err, out) // crun refuses a host with both versions of control groups
		}
	}
}
