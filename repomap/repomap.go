// Package repomap describes a repository to a model within a token budget: the
// tree of folders, the signatures of files, the results of a search, and the
// files of a task with dependencies.
//
// [Build] reads every file once. Definitions are found with tree-sitter (with
// go/parser for Go), or line by line for a file that is too large, too odd or
// beyond the budget of parsing; [Map.Notes] gives the numbers. Texts are not
// kept: they are read from the [Source] again on demand.
//
// # Ranking
//
// A file has a weight of its own, for the share of the repository built on it,
// and a weight for a task:
//
//	own   2·log2(1 + files that import it) + log2(1 + files that name what only
//	      it and few others define) − ½·depth of its folder − 4 for a test
//	task  100 where the task names the file, 20 where such a file imports it,
//	      10 where it imports such a file and is no test, and 16 divided by the
//	      number of definitions for each identifier of the task that it defines
//
// Files of equal weight stand by path. The same files, options and task always
// give the same text, unless parsing ran out of time.
//
// # What it must not trust
//
// A repository is a stranger's data. Its code is never run. Names and lines
// with control characters, terminal escapes or marks of direction are shown
// escaped, a [Context] is framed by a mark absent from its text, and time,
// memory and sizes are bounded for all contents of files.
package repomap

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"
	"time"
)

// Source is the files of a repository. Read is called from many goroutines.
type Source interface {
	// Paths are the names of all files, with slashes, relative to the
	// repository's folder.
	Paths() []string
	// Read is the content of a file.
	Read(path string) ([]byte, error)
}

// Options bound the reading of a repository. A field of 0 has the default named
// in its comment.
type Options struct {
	// MaxFiles is how many files are read; the others are listed (50,000).
	MaxFiles int
	// MaxFileBytes is the size in bytes above which a file is listed but not
	// read (1 MiB).
	MaxFileBytes int
	// ParseBytes is how many bytes of source, of all files, tree-sitter
	// parses; the files of least weight are read line by line (4 MiB).
	ParseBytes int
	// ParseTime is how long tree-sitter may work on all files (20 s). It is for
	// hostile files: with common ones ParseBytes ends the work before.
	ParseTime time.Duration
	// Count tells how many tokens a text has. Nil estimates three bytes to
	// a token, which is more than most tokenizers make of code.
	Count func(string) int
	// Base is an earlier map: files unchanged since then are not parsed again.
	Base *Map
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.MaxFiles, 50_000}, {&o.MaxFileBytes, 1 << 20}, {&o.ParseBytes, 4 << 20},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if o.ParseTime <= 0 {
		o.ParseTime = 20 * time.Second
	}
	if o.Count == nil {
		o.Count = func(s string) int { return (len(s) + 2) / 3 }
	}
	return o
}

// Focus is what a task is about.
type Focus struct {
	// Files are the files of the task, the most important first.
	Files []string
	// Text is the task. Paths and identifiers in it count.
	Text string
}

// Symbol is something that a file defines.
type Symbol struct {
	Name string
	// Kind is "class", "function", "method", "type" or "module".
	Kind string
	// Line and End are its first and last line, from 1.
	Line, End int
	// Depth is the number of enclosing classes or modules.
	Depth int
	// Text is the signature on one line, escaped and shortened.
	Text string
}

// Map holds the facts about a repository. It is safe for concurrent use, as far
// as its Source is.
type Map struct {
	src   Source
	o     Options
	files []*file
	by    map[string]*file
	// defined are the files that define a name.
	defined map[string][]*file
	notes   []string
	// seed is a hash of all files, the basis of marks.
	seed [sha256.Size]byte
}

// Build reads the files of src. The error is ctx's: an unreadable file is
// listed and mentioned in [Map.Notes].
func Build(ctx context.Context, src Source, o Options) (*Map, error) {
	m := &Map{src: src, o: o.withDefaults(), by: map[string]*file{}}
	paths := src.Paths()
	sort.Strings(paths)
	for _, p := range paths {
		if _, twice := m.by[p]; !twice {
			f := newFile(p)
			m.files, m.by[p] = append(m.files, f), f
		}
	}
	if err := m.scan(ctx); err != nil {
		return nil, err
	}
	m.link()
	if err := m.parse(ctx); err != nil {
		return nil, err
	}
	m.index()
	m.note()
	m.o.Base = nil
	return m, nil
}

// Files is how many files the repository has.
func (m *Map) Files() int { return len(m.files) }

// Symbols returns a file's definitions, in its order.
func (m *Map) Symbols(path string) []Symbol {
	if f := m.by[path]; f != nil {
		return f.symbols
	}
	return nil
}

// Notes lists the gaps of the map: unread files, and files whose definitions
// were found line by line, each with the reason. Notes are our words, without
// names of files.
func (m *Map) Notes() []string { return m.notes }

func (m *Map) note() {
	counts := map[string]int{}
	for _, f := range m.files {
		switch {
		case f.skipped != "":
			counts["not read: "+f.skipped]++
		case f.fallback != "":
			counts["read line by line: "+f.fallback]++
		}
	}
	for reason, n := range counts {
		m.notes = append(m.notes, fmt.Sprintf("%d files %s", n, reason))
	}
	sort.Strings(m.notes)
}

// index is made last, as parsing finds other names than reading line by line.
func (m *Map) index() {
	m.defined = map[string][]*file{}
	all := sha256.New()
	for _, f := range m.files {
		fmt.Fprintf(all, "%q %x\n", f.path, f.sum)
		for _, s := range f.symbols {
			if d := m.defined[s.Name]; len(d) == 0 || d[len(d)-1] != f {
				m.defined[s.Name] = append(d, f)
			}
		}
	}
	all.Sum(m.seed[:0])
}

// fit joins lines under the budget. more describes the omitted lines by their
// number.
func (m *Map) fit(lines []string, budget int, more func(left int) string) string {
	text := func(n int) string {
		t := strings.Join(lines[:n], "")
		if n < len(lines) {
			t += more(len(lines) - n)
		}
		return t
	}
	// The number of lines that fit: the largest n for which text(n) does.
	n := sort.Search(len(lines), func(n int) bool { return m.o.Count(text(n+1)) > budget })
	// A tokenizer need not grow with its text: the count decides.
	for ; n >= 0; n-- {
		if t := text(n); m.o.Count(t) <= budget {
			return t
		}
	}
	return ""
}
