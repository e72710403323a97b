package kernel

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// tree is a kernel as distributed: a boot image and modules, possibly
// compressed.
type tree struct {
	version string
	image   []byte
	modules map[string]func() ([]byte, error) // how to read each, by name
	builtin map[string]bool                   // modules that are part of the image
	whole   bool                              // there are no modules: all is built in
}

func (t *tree) has(name string) bool {
	_, ok := t.modules[name]
	return ok || t.builtin[name]
}

// add notes a module's file.
func (t *tree) add(file string, read func() ([]byte, error)) error {
	name, ok := moduleName(file)
	if !ok {
		return nil
	}
	if _, twice := t.modules[name]; twice {
		return fmt.Errorf("there are two modules %q", name)
	}
	t.modules[name] = read
	return nil
}

// moduleNames are what modules may be called; names become names of files.
var moduleNames = lazyre.New(`^[0-9A-Za-z_]{1,56}$`)

// readBuiltin reads a file modules.builtin: one path in each line.
func readBuiltin(text []byte) map[string]bool {
	names := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if name, ok := moduleName(s.Text()); ok {
			names[name] = true
		}
	}
	return names
}
