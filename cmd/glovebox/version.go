package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

// released is the version of a release; its linker sets it.
var released string

// made is what an executable is made of.
type made struct {
	Version string `json:"version"`
	// Commit is the source's, where it is known; Changed tells that the source was
	// changed since.
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"`
	Go      string `json:"go"`
	System  string `json:"system"`
	// Kernel is the version of gVisor, whose kernel is inside.
	Kernel string `json:"gvisor,omitempty"`
}

func built() made {
	b := made{Version: released, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Changed = s.Value == "true"
			}
		}
		for _, m := range info.Deps {
			if m.Path == "gvisor.dev/gvisor" {
				b.Kernel = m.Version
			}
		}
	}
	b.Version = cmp.Or(b.Version, "(unknown version)")
	return b
}

func version() string { return "glovebox " + built().Version }

func (b made) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "glovebox %s\n", b.Version)
	if b.Commit != "" {
		fmt.Fprintf(&s, "commit   %s%s\n", b.Commit, map[bool]string{true: ", changed since"}[b.Changed])
	}
	fmt.Fprintf(&s, "Go       %s %s\n", b.Go, b.System)
	if b.Kernel != "" {
		fmt.Fprintf(&s, "gVisor   %s\n", b.Kernel)
	}
	return s.String()
}

// versionFlag prints the version in place of all else. Kong's own wants it at each start.
type versionFlag bool

// BeforeReset is called by Kong where the flag is given.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprintln(k.Stdout, version())
	k.Exit(exitPass)
	return nil
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print it as JSON."`
}

// Run runs the command.
func (c *versionCmd) Run(s *streams) error {
	if !c.JSON {
		_, err := io.WriteString(s.stdout, built().String())
		return err
	}
	return json.NewEncoder(s.stdout).Encode(built())
}
