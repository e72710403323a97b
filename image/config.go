package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Config is an image's own advice on running it. Config is bounded and valid,
// but a stranger's wish: no part takes effect by itself.
type Config struct {
	// Env is the environment, as "NAME=value".
	Env []string `json:"env,omitempty"`
	// Entrypoint and Cmd together, in this order, are the command.
	Entrypoint []string `json:"entrypoint,omitempty"`
	Cmd        []string `json:"cmd,omitempty"`
	// WorkingDir is absolute and clean, or empty.
	WorkingDir string `json:"working_dir,omitempty"`
	// User is the image's preferred user. Boxes have one user of their own.
	User string `json:"user,omitempty"`
	// Labels are free.
	Labels map[string]string `json:"labels,omitempty"`
}

// Bounds of a configuration: the file, each list and all text in lists.
const (
	maxConfig     = 4 << 20
	maxConfigList = 4096
	maxConfigText = 512 << 10
)

// parseConfig reads a configuration file. Fields without relevance to running,
// such as volumes, ports and health checks, are skipped.
func parseConfig(b []byte) (Config, *v1.ConfigFile, error) {
	if len(b) > maxConfig {
		return Config{}, nil, fmt.Errorf("configuration: more than %d MiB", maxConfig>>20)
	}
	var file v1.ConfigFile
	if err := json.Unmarshal(b, &file); err != nil {
		return Config{}, nil, fmt.Errorf("configuration: %w", err)
	}
	if file.RootFS.Type != "" && file.RootFS.Type != "layers" {
		return Config{}, nil, fmt.Errorf("configuration: root file system of the unknown type %q", file.RootFS.Type)
	}
	in := file.Config
	c := Config{Env: in.Env, Entrypoint: in.Entrypoint, Cmd: in.Cmd, WorkingDir: in.WorkingDir, User: in.User, Labels: in.Labels}
	if c.WorkingDir != "" {
		c.WorkingDir = path.Join("/", c.WorkingDir)
	}
	if err := c.check(); err != nil {
		return Config{}, nil, err
	}
	return c, &file, nil
}

// check fails for values that cannot be given to a program.
func (c *Config) check() error {
	text := 0
	clean := func(what, s string) error {
		text += len(s)
		switch {
		case text > maxConfigText:
			return fmt.Errorf("configuration: more than %d KiB of text", maxConfigText>>10)
		case strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s):
			return fmt.Errorf("configuration: %s %.40q is not text", what, s)
		}
		return nil
	}
	var errs []error
	for what, list := range map[string][]string{"environment": c.Env, "entry point": c.Entrypoint, "command": c.Cmd} {
		if len(list) > maxConfigList {
			return fmt.Errorf("configuration: %d elements of the %s", len(list), what)
		}
		for _, s := range list {
			errs = append(errs, clean(what, s))
		}
	}
	for _, e := range c.Env {
		if strings.IndexByte(e, '=') <= 0 {
			return fmt.Errorf("configuration: environment %.40q is not NAME=value", e)
		}
	}
	if len(c.Labels) > maxConfigList {
		return fmt.Errorf("configuration: %d labels", len(c.Labels))
	}
	for k, v := range c.Labels {
		errs = append(errs, clean("label", k), clean("label", v))
	}
	errs = append(errs, clean("user", c.User), clean("working directory", c.WorkingDir))
	if c.WorkingDir != "" && (!path.IsAbs(c.WorkingDir) || len(c.WorkingDir) > maxPath) {
		errs = append(errs, fmt.Errorf("configuration: working directory %.40q is not an absolute path", c.WorkingDir))
	}
	return errors.Join(errs...)
}

// over returns c with its empty fields taken from base.
func (c Config) over(base Config) Config {
	if c.Env == nil {
		c.Env = base.Env
	}
	if c.Entrypoint == nil && c.Cmd == nil {
		c.Entrypoint, c.Cmd = base.Entrypoint, base.Cmd
	}
	if c.WorkingDir == "" {
		c.WorkingDir = base.WorkingDir
	}
	if c.User == "" {
		c.User = base.User
	}
	labels := map[string]string{}
	for _, from := range []map[string]string{base.Labels, c.Labels} {
		for k, v := range from {
			labels[k] = v
		}
	}
	if len(labels) > 0 {
		c.Labels = labels
	}
	return c
}

// env returns the value of a variable of the environment, the last one winning.
func (c *Config) env(name string) string {
	value := ""
	for _, e := range c.Env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}
