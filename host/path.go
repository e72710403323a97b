package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// pathDirs splits a PATH. Relative directories are left out: a file in the
// working directory is never taken for a tool.
func pathDirs(path string) []string {
	var dirs []string
	for _, d := range filepath.SplitList(path) {
		if filepath.IsAbs(d) {
			dirs = append(dirs, filepath.Clean(d))
		}
	}
	return dirs
}

// LookPath finds a program like the operator's shell: the first of the names
// found on PATH, in the first directory with a match. The result is the real
// path, links and shims resolved. Candidates without permission to read and
// execute are skipped, and so are shims without a target. The error wraps
// [fs.ErrNotExist] if none of the names is found, as on a host other than
// Linux; see [ErrForeign].
func (h *Host) LookPath(names ...string) (string, error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("%s: %w: %w", strings.Join(names, ", "), ErrForeign, fs.ErrNotExist)
	}
	var errs []error
	for _, name := range names {
		if strings.ContainsRune(name, '/') {
			return "", fmt.Errorf("look for %s: not the name of a program", name)
		}
		for _, dir := range h.dirs {
			found := filepath.Join(dir, name)
			if !executable(found) {
				continue
			}
			real, err := h.Real(found)
			if err == nil {
				return real, nil
			}
			errs = append(errs, err)
		}
	}
	err := fmt.Errorf("%s: not found on PATH: %w", strings.Join(names, ", "), fs.ErrNotExist)
	return "", errors.Join(append([]error{err}, errs...)...)
}

// Real returns the program that runs when p is called: p with links followed,
// or the program behind a version manager's shim or a wrapper script around an
// interpreter. A script that is a program in its own right is the answer
// itself.
func (h *Host) Real(p string) (string, error) {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return "", err
	}
	script, err := isScript(real)
	if err != nil {
		return "", err
	}
	shims := filepath.Base(filepath.Dir(p)) == "shims"
	if !script && !shims && !slices.Contains(multiShims, filepath.Base(real)) {
		return real, nil
	}
	behind, err := h.choice(p)
	if errors.Is(err, errNoWay) && script && !shims {
		return real, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s is a shim: %w", p, err)
	}
	if behind, err = filepath.EvalSymlinks(behind); err != nil {
		return "", err
	}
	if !executable(behind) || filepath.Base(filepath.Dir(behind)) == "shims" {
		return "", fmt.Errorf("%s is a shim that leads to %s, which is no program for this user", p, behind)
	}
	return behind, nil
}

// multiShims are programs whose behaviour depends on the name of the call.
var multiShims = []string{"volta-shim", "volta", "mise", "rtx", "asdf", "proto-shim"}

func isScript(p string) (bool, error) {
	f, err := os.Open(p)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [2]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false, fmt.Errorf("%s is not a program: %w", p, err)
	}
	return string(head[:]) == "#!", nil
}

// whoAreYou are the ways to ask an interpreter for its own path, by name
// without a version. All work through any shim.
var whoAreYou = map[string][]string{
	"python": {"-I", "-c", "import sys; print(sys.executable)"},
	"pypy":   {"-I", "-c", "import sys; print(sys.executable)"},
	"node":   {"-p", "process.execPath"},
	"ruby":   {"-e", "puts RbConfig.ruby"},
	"php":    {"-n", "-r", "echo PHP_BINARY;"},
	"perl":   {"-e", "print $^X"},
}

// errNoWay: nothing knows what is behind a script.
var errNoWay = errors.New("no way to learn what is behind it")

// versionFiles are files that select the version of a tool for a directory and
// its subdirectories.
var versionFiles = []string{
	".python-version", ".ruby-version", ".node-version", ".nvmrc", ".php-version", ".perl-version",
	".go-version", ".tool-versions", "mise.toml", ".mise.toml", "package.json",
}

// homeFiles are a user's files with the same purpose, relative to the home.
var homeFiles = []string{".config/mise/config.toml", ".volta/tools/user/platform.json", ".asdfrc"}

// choice is behind, remembered as long as nothing has changed by which a
// version is chosen: the shim, the variables and the version files. A shim
// takes a tenth of a second, each time.
func (h *Host) choice(p string) (string, error) {
	key := []string{"shim", p}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		manager, _, _ := strings.Cut(name, "_")
		if name == "PATH" || strings.HasSuffix(name, "_VERSION") ||
			slices.Contains([]string{"PYENV", "RBENV", "NODENV", "PLENV", "PHPENV", "GOENV", "ASDF", "MISE", "VOLTA"}, manager) {
			key = append(key, v)
		}
	}
	files := []string{p, filepath.Join(filepath.Dir(p), "..", "version")}
	for _, f := range homeFiles {
		files = append(files, filepath.Join(os.Getenv("HOME"), f))
	}
	dirs := []string{os.Getenv("HOME")}
	if dir, err := os.Getwd(); err == nil {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for _, f := range versionFiles {
			files = append(files, filepath.Join(dir, f))
		}
	}
	var real string
	err := h.Memo(fmt.Sprintf("%q", key), files, &real, func() (err error) {
		real, err = h.behind(p)
		return err
	})
	return real, err
}

// behind returns the path of the program that the shim p runs. The shim gets
// the operator's environment and working directory, the grounds for its choice
// of a version.
func (h *Host) behind(p string) (string, error) {
	name := filepath.Base(p)
	var asks [][]string
	if args := whoAreYou[strings.TrimRight(name, "0123456789.")]; args != nil {
		asks = append(asks, append([]string{p}, args...))
	}
	// ~/.pyenv/shims/x belongs to pyenv, which answers "pyenv which x".
	if root := filepath.Dir(filepath.Dir(p)); filepath.Base(filepath.Dir(p)) == "shims" {
		manager := strings.TrimPrefix(filepath.Base(root), ".")
		for _, dir := range append([]string{filepath.Join(root, "bin")}, h.dirs...) {
			if m := filepath.Join(dir, manager); executable(m) {
				asks = append(asks, []string{m, "which", name})
				break
			}
		}
	}
	if real, err := filepath.EvalSymlinks(p); err == nil && slices.Contains(multiShims, filepath.Base(real)) {
		asks = append(asks, []string{strings.TrimSuffix(real, "-shim"), "which", name})
	}
	err := errNoWay
	for _, args := range asks {
		var out string
		out, err = run(context.Background(), os.Environ(), "", args)
		if err != nil {
			continue
		}
		if path := strings.TrimSpace(out); filepath.IsAbs(path) {
			return path, nil
		}
		err = fmt.Errorf("%s answered %.100q", filepath.Base(args[0]), out)
	}
	return "", err
}

// Stat implements language.Host.
func (h *Host) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
