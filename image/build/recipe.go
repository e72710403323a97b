package build

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Recipe describes the parts of an image. All are pinned: the base by digest,
// packages by hash. A file is YAML or JSON:
//
//	name: plots:1
//	base: docker.io/library/python@sha256:…
//	host:
//	  languages: [python]
//	  packages: [fonts-dejavu-core]
//	  files: ["/opt/model:/opt/model"]
//	debian: {list: debs.txt}
//	python: {lock: requirements.txt}
//	npm: {lock: package-lock.json}
//	env: {MPLBACKEND: Agg}
type Recipe struct {
	// Name is the name of the new image.
	Name string `yaml:"name"`
	// Base is the image of the store below the new layers. A file must name the
	// base with its digest.
	Base string `yaml:"base"`
	// Host is taken from this machine.
	Host Host `yaml:"host"`
	// Debian packages come before what follows: they may bring an interpreter.
	Debian Debian `yaml:"debian"`
	Python Python `yaml:"python"`
	NPM    NPM    `yaml:"npm"`
	// Env are environment variables of whatever runs in the image.
	Env map[string]string `yaml:"env"`
	// Command is the default command.
	Command []string `yaml:"command"`
	// Dir is the base of relative paths: the directory of the file.
	Dir string `yaml:"-"`
}

// Debian are Debian packages.
type Debian struct {
	// List is a file with the packages and their SHA-256: lines of apt-get
	// --print-uris or of sha256sum.
	List string `yaml:"list"`
}

// Python are wheels.
type Python struct {
	// Lock is a requirements.txt with hashes, pylock.toml, uv.lock or
	// poetry.lock.
	Lock string `yaml:"lock"`
	// Version selects an interpreter, such as 3.11, where the image has
	// several.
	Version string `yaml:"version"`
	// Index is a simple index (PEP 503), for locks without URLs; empty means
	// [DefaultPythonIndex].
	Index string `yaml:"index"`
	// Compile compiles the modules of the image to byte code, in a box, by the
	// image's own interpreter. Else Python does so anew in every run.
	Compile bool `yaml:"compile"`
}

// NPM are packages for Node.
type NPM struct {
	// Lock is a package-lock.json of version 2 or 3.
	Lock string `yaml:"lock"`
	// Into is the directory of node_modules; empty means the root, where
	// programs in /workspace find it.
	Into string `yaml:"into"`
	// Dev takes development dependencies too.
	Dev bool `yaml:"dev"`
}

// maxRecipe bounds a build file.
const maxRecipe = 1 << 20

// ReadRecipe reads a build file.
func ReadRecipe(name string) (*Recipe, error) {
	b, err := readFile(name, maxRecipe)
	if err != nil {
		return nil, err
	}
	r, err := ParseRecipe(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.Dir = filepath.Dir(name)
	return r, nil
}

// ParseRecipe reads the text of a build file. Unknown fields are errors.
func ParseRecipe(b []byte) (*Recipe, error) {
	if len(b) > maxRecipe {
		return nil, fmt.Errorf("more than %d MiB", maxRecipe>>20)
	}
	var r Recipe
	if err := yaml.UnmarshalWithOptions(b, &r, yaml.Strict()); err != nil {
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	if r.Base != "" && !pinned().MatchString(r.Base) {
		return nil, fmt.Errorf("base: %.200q does not say which image it is: name it with its digest, NAME@sha256:…", r.Base)
	}
	return &r, r.Check()
}

var (
	pinned  = lazyre.New(`(^|@)sha256:[0-9a-f]{64}$`)
	envName = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]{0,199}$`)
)

// Check reports a recipe that cannot be followed.
func (r *Recipe) Check() error {
	nothing := r.Host.empty() && r.Debian.List == "" && r.Python.Lock == "" && !r.Python.Compile && r.NPM.Lock == "" && len(r.Env) == 0 && len(r.Command) == 0
	if nothing {
		return errors.New("it is made of nothing: give host, debian, python, npm or env")
	}
	for name, value := range r.Env {
		if !envName().MatchString(name) || strings.IndexByte(value, 0) >= 0 || len(value) > 32<<10 {
			return fmt.Errorf("env: %.100q cannot be set", name)
		}
	}
	if len(r.Env) > 1000 || len(r.Command) > 1000 {
		return errors.New("env and command: more than 1000")
	}
	if slices.ContainsFunc(r.Command, func(s string) bool { return strings.IndexByte(s, 0) >= 0 }) {
		return errors.New("command: a zero byte")
	}
	if r.NPM.Into != "" && (!path.IsAbs(r.NPM.Into) || valid(path.Clean(r.NPM.Into)) != nil) {
		return fmt.Errorf("npm: into: %.200q is no absolute path", r.NPM.Into)
	}
	return nil
}
