package workcopy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-pkgs/gitignore"
)

// ignoreName is the file with git's ignore rules for its folder.
const ignoreName = ".gitignore"

// Bounds of a .gitignore, and of all rules in force in one folder: each pattern
// is tried on each file.
const (
	maxIgnoreBytes = 64 << 10
	maxPatterns    = 1000
)

// ignore holds git's ignore rules in a folder: the rules of all files in force
// there, the weakest first. The last pattern of the last file decides.
type ignore struct {
	// at is the folder of the copy within its repository, "" for the whole
	// repository.
	at    string
	rules []*gitignore.Matcher
	count int // patterns of all
}

// and returns the rules with those of a text from the folder dir of the
// repository.
func (i ignore) and(text []byte, dir string) (ignore, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF")) // as git does
	var lines []byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \r\n")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		i.count++
		if bytes.HasSuffix(line, []byte(`\`)) {
			line = append(line[:len(line):len(line)], ' ') // a space that is meant
		}
		lines = append(lines, line...)
		if bytes.HasSuffix(line, []byte("/**")) {
			lines = append(lines, "/*"...) // all that is in it: the library takes the folder, too
		}
		lines = append(lines, '\n')
	}
	if i.count > maxPatterns {
		return i, fmt.Errorf("there are more than %d patterns with those above", maxPatterns)
	}
	m := gitignore.New("")
	m.AddPatterns(lines, dir)
	i.rules = append(i.rules[:len(i.rules):len(i.rules)], m)
	return i, nil
}

// out reports whether the rules leave out the path p of the copy, whose folder
// is not left out.
func (i ignore) out(p string, folder bool) bool { return i.matches(path.Join(i.at, p), folder) }

// matches is out for a path of the repository.
func (i ignore) matches(p string, folder bool) bool {
	if folder {
		p += "/"
	}
	for n := len(i.rules) - 1; n >= 0; n-- {
		if found := i.rules[n].MatchDetail(p); found.Matched {
			return found.Ignored
		}
	}
	return false
}

// readIgnore returns the rules with those of the .gitignore of the folder at
// root, with the path at in the copy.
func (i ignore) readIgnore(root *os.Root, at string) (ignore, error) {
	text, err := readRules(root, ignoreName)
	if err != nil {
		return i, err
	}
	return i.and(text, path.Join(i.at, at))
}

// readRules reads a file of patterns. No link leads it out of root.
func readRules(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	in, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxIgnoreBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxIgnoreBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxIgnoreBytes)
	}
	return text, nil
}

// above returns the rules in force in the folder dir from files outside of it:
// the user's own (core.excludesFile), the rules of the enclosing repository
// (.git/info/exclude), and the .gitignore files in between. The caller may name
// a folder excluded by these rules: then the rules do not apply to its
// contents. refuse receives files that are not honoured.
func above(dir string, refuse func(name, reason string)) ignore {
	top := repository(dir)
	if top == "" {
		return ignore{}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return ignore{}
	}
	defer root.Close()
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return ignore{}
	}
	i := ignore{at: filepath.ToSlash(rel)}
	if i.at == "." {
		i.at = ""
	}
	// A folder without files there gets the user's own rules alone.
	i.rules = []*gitignore.Matcher{gitignore.New(filepath.Join(os.DevNull, "nowhere"))}
	add := func(name, at string) {
		text, err := readRules(root, name)
		if err == nil {
			var more ignore
			if more, err = i.and(text, at); err == nil {
				i = more
			}
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			refuse(name, "not honoured: "+cause(err).Error())
		}
	}
	add(".git/info/exclude", "")
	if i.at == "" {
		return i
	}
	folder := ""
	for part := range strings.SplitSeq(i.at, "/") {
		add(path.Join(folder, ignoreName), folder)
		if folder = path.Join(folder, part); i.matches(folder, true) {
			return ignore{}
		}
	}
	return i
}

// repository returns the nearest folder at or above dir that git works in, or
// "".
func repository(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
