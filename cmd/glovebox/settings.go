package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"
)

// settings are what commands take where neither a flag nor the environment says it: a
// TOML file of flags by their names, for all commands that have them, and in tables for
// one command, as [run] and ["image build"]. It is a file of the user's alone: what lies
// in a folder that a model writes to decides nothing.
type settings struct {
	file   string
	values map[string]any
}

// readSettings reads the file that GLOVEBOX_CONFIG names, or the user's. There need be
// none where nobody names it.
func readSettings() (*settings, error) {
	s := &settings{}
	name, named := os.LookupEnv("GLOVEBOX_CONFIG")
	if !named {
		dir, err := os.UserConfigDir()
		if err != nil {
			return s, nil
		}
		name = filepath.Join(dir, "glovebox", "config.toml")
	}
	if name == "" {
		return s, nil
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return s, nil
	}
	if err == nil {
		err = toml.Unmarshal(b, &s.values)
	}
	if err != nil {
		return nil, usagef("the settings in %s: %w", name, err)
	}
	s.file = name
	return s, nil
}

// Validate implements [kong.Resolver]: a name that no command has is an error.
func (s *settings) Validate(app *kong.Application) error {
	commands := map[string][]string{}
	var flags []string
	_ = kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if n, ok := v.(*kong.Node); ok && n.Type == kong.CommandNode {
			for _, f := range n.Flags {
				commands[n.Path()] = append(commands[n.Path()], f.Name)
			}
			flags = append(flags, commands[n.Path()]...)
		}
		return next(nil)
	})
	for name, value := range s.values {
		table, ok := value.(map[string]any)
		switch {
		case !ok && !slices.Contains(flags, name):
			return fmt.Errorf("%s: no command has a flag --%s", s.file, name)
		case !ok:
			continue
		case commands[name] == nil:
			return fmt.Errorf("%s: [%s]: there is no such command", s.file, name)
		}
		for flag := range table {
			if !slices.Contains(commands[name], flag) {
				return fmt.Errorf("%s: [%s]: glovebox %s has no flag --%s", s.file, name, name, flag)
			}
		}
	}
	return nil
}

// Resolve implements [kong.Resolver].
func (s *settings) Resolve(_ *kong.Context, of *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return nil, nil
		}
	}
	if n := of.Node(); n != nil {
		if table, ok := s.values[n.Path()].(map[string]any); ok && table[flag.Name] != nil {
			return setting(table[flag.Name]), nil
		}
	}
	if _, table := s.values[flag.Name].(map[string]any); table {
		return nil, nil // of a command
	}
	return setting(s.values[flag.Name]), nil
}

// setting is a value as a flag would have it.
func setting(v any) any {
	switch v := v.(type) {
	case nil, []any:
		return v
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}
