package workcopy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
)

// ignoreName is the file that says what git leaves out of its folder.
const ignoreName = ".gitignore"

// Bounds of a .gitignore, and of all that are in force in one folder: each
// pattern is tried on each file.
const (
	maxIgnoreBytes = 64 << 10
	maxPatterns    = 1000
)

// ignoreFile is one .gitignore: its folder and patterns, the last of which that
// matches decides.
type ignoreFile struct {
	at       string
	patterns []pattern
}

// pattern is one line of a .gitignore.
type pattern struct {
	parts  []string // between slashes; "**" stands for any number
	again  bool     // "!": takes in what an earlier one left out
	folder bool     // "/" at the end: folders only
}

// readIgnore returns above with the .gitignore of the folder at root.
func readIgnore(root *os.Root, at string, above []ignoreFile) ([]ignoreFile, error) {
	info, err := root.Lstat(ignoreName)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	in, err := root.OpenFile(ignoreName, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
	own := ignoreFile{at: at, patterns: parseIgnore(string(text))}
	count := len(own.patterns)
	for _, f := range above {
		count += len(f.patterns)
	}
	if count > maxPatterns {
		return nil, fmt.Errorf("there are more than %d patterns with those above", maxPatterns)
	}
	return append(above[:len(above):len(above)], own), nil
}

// parseIgnore reads the lines of a .gitignore, as gitignore(5) has them.
func parseIgnore(text string) []pattern {
	var all []pattern
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if rest := strings.TrimRight(line, " "); !strings.HasSuffix(rest, `\`) {
			line = rest
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var p pattern
		line, p.again = strings.CutPrefix(line, "!")
		line, p.folder = strings.CutSuffix(line, "/")
		anchored := strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" {
			continue
		}
		p.parts = strings.Split(line, "/")
		if !anchored {
			p.parts = []string{"**", line}
		}
		all = append(all, p)
	}
	return all
}

// ignored tells whether the files leave out the path p, whose folder they did
// not leave out.
func ignored(files []ignoreFile, p string, folder bool) bool {
	for i := len(files) - 1; i >= 0; i-- {
		f := &files[i]
		rel := p
		if f.at != "" {
			rel = strings.TrimPrefix(p, f.at+"/")
		}
		parts := strings.Split(rel, "/")
		for j := len(f.patterns) - 1; j >= 0; j-- {
			if q := &f.patterns[j]; (folder || !q.folder) && matchParts(q.parts, parts) {
				return !q.again
			}
		}
	}
	return false
}

// matchParts matches a path part by part. It goes back to the last "**" only,
// so its time is at most the product of the lengths.
func matchParts(pattern, parts []string) bool {
	i, j := 0, 0
	star, from := -1, 0
	for j < len(parts) {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			if i == len(pattern)-1 {
				return true // all that is inside
			}
			star, from = i, j
			i++
		case i < len(pattern) && matchPart(pattern[i], parts[j]):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return i == len(pattern)
}

func matchPart(pattern, part string) bool {
	ok, err := path.Match(pattern, part)
	return ok && err == nil
}
