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

// readSettings reads the file that GLOVEBOX_CONFIG names, which must exist, or else the
// user's, which need not.
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
	if len(s.values) == 0 {
		return nil // as for most, at each start
	}
	of := map[string][]string{}
	var all []string
	for _, n := range commands(app.Node) {
		for _, f := range n.Flags {
			of[n.Path()] = append(of[n.Path()], f.Name)
		}
		all = append(all, of[n.Path()]...)
	}
	for name, value := range s.values {
		table, ok := value.(map[string]any)
		switch {
		case !ok && !slices.Contains(all, name):
			return fmt.Errorf("%s: no command has a flag --%s", s.file, name)
		case !ok:
			continue
		case of[name] == nil:
			return fmt.Errorf("%s: [%s]: there is no such command", s.file, name)
		}
		for flag := range table {
			if !slices.Contains(of[name], flag) {
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
