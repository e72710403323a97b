package wasm

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language/typescript"
	"github.com/gloveboxhq/glovebox/tier"
)

// stripTypes is the program for stripping the types of TypeScript files: our
// own machine code in this process, confined like a module.
func stripTypes(g *guest, args []string, stderr io.Writer) []string {
	var job typescript.Job
	if len(args) < 3 || json.Unmarshal([]byte(args[1]), &job) != nil {
		fmt.Fprintln(stderr, "strip: no job")
		return nil
	}
	v := view{tree: g.files, from: g.files.root}
	tell := func(line []byte) error {
		if f := g.report(); f != nil {
			_, errno := f.Write(line)
			if errno != 0 {
				return errno
			}
		}
		return nil
	}
	ok, err := job.Strip(typescript.Files{
		Read: func(name string) ([]byte, error) {
			n, errno := v.find(path.Join(tier.Workspace, name), true)
			if errno != 0 {
				return nil, &os.PathError{Op: "open", Path: name, Err: errno}
			}
			return n.data, nil
		},
		Write: func(name string, data []byte) error { return v.replace(name, data) },
	}, tell)
	if err != nil {
		fmt.Fprintln(stderr, "strip:", err)
	}
	if !ok {
		return nil
	}
	if job.Last {
		if f := g.report(); f != nil {
			f.Close()
		}
	}
	return args[2:]
}

// replace writes a whole file of the workspace.
func (v view) replace(name string, data []byte) error {
	if n, _ := v.find(path.Join(tier.Workspace, name), false); n != nil && !n.mode.IsDir() && !n.fixed {
		v.remove(n)
	}
	return v.stage(glovebox.File{Path: name, Data: data})
}
