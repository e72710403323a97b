package language

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// A tree is a program in the shape of a repository, without a main file. The tests
// load the required parts by themselves.

// inTree is the reason why the tests of a tree run in the program's process, in
// languages with tests that load files.
const inTree = "the program's files, which they load by themselves"

// startTree adds a main file of ours to a program without one, for drivers that
// start a main file. It reports whether a file was added.
func startTree(p *glovebox.Program, ext, text string) (*glovebox.Program, bool) {
	if p.Main != "" {
		return p, false
	}
	q := *p
	q.Main = ownMain + "main" + ext
	q.Files = append(withoutFiles(p.Files, []string{q.Main}), glovebox.File{Path: q.Main, Data: []byte(text), ReadOnly: true})
	return &q, true
}

// testHelper matches names of helper files for tests.
var testHelper = lazyre.New(`(?:^|[._-])(?:helpers?|bootstrap|setup|fixtures?|common|support|utils?)\.\w+$`)

// startedTests returns the test files of a tree to start; the others are helpers. A
// file without a test's name is not started if another file mentions its name.
func startedTests(tests []glovebox.File, isTest func(glovebox.File) bool) []glovebox.File {
	started := slices.DeleteFunc(slices.Clone(tests), func(f glovebox.File) bool {
		if testHelper().MatchString(f.Path) {
			return true
		}
		stem, _, _ := strings.Cut(path.Base(f.Path), ".")
		word := regexp.MustCompile(`[/'". :]` + regexp.QuoteMeta(stem) + `\b`)
		return !isTest(f) && slices.ContainsFunc(tests, func(g glovebox.File) bool {
			return g.Path != f.Path && bytes.Contains(g.Data, []byte(stem)) && word.Match(g.Data)
		})
	})
	if len(started) == 0 {
		return tests
	}
	return started
}

// startedNames returns the names of the tests to start. Only files with one of the
// endings count.
func startedNames(tests []glovebox.File, isTest func(glovebox.File) bool, exts ...string) []string {
	ours := slices.DeleteFunc(slices.Clone(tests), func(f glovebox.File) bool { return !slices.Contains(exts, path.Ext(f.Path)) })
	var names []string
	for _, f := range startedTests(ours, isTest) {
		names = append(names, f.Path)
	}
	return names
}
