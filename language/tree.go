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

// A tree is a program in the shape of a repository, without a main file: its
// tests load what they need of it by themselves.

// inTree says why the tests of a tree run in the program's process, in the
// languages whose tests load files.
const inTree = "the program's files, which they load by themselves"

// startTree returns the program with a main file of ours for drivers that start
// one, where it has none, and whether that is so.
func startTree(p *glovebox.Program, ext, text string) (*glovebox.Program, bool) {
	if p.Main != "" {
		return p, false
	}
	q := *p
	q.Main = ownMain + "main" + ext
	q.Files = append(withoutFiles(p.Files, []string{q.Main}), glovebox.File{Path: q.Main, Data: []byte(text), ReadOnly: true})
	return &q, true
}

// testHelper matches names of files that are there for tests.
var testHelper = lazyre.New(`(?:^|[._-])(?:helpers?|bootstrap|setup|fixtures?|common|support|utils?)\.\w+$`)

// startedTests are those files of a tree's tests that are started; the others
// are there for them. A file that has no test's name and that another one names
// is not started.
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

// startedNames are the names of the tests that are started, among those with
// one of the endings where any has it.
func startedNames(tests []glovebox.File, isTest func(glovebox.File) bool, exts ...string) []string {
	ours := slices.DeleteFunc(slices.Clone(tests), func(f glovebox.File) bool { return !slices.Contains(exts, path.Ext(f.Path)) })
	var names []string
	for _, f := range startedTests(ours, isTest) {
		names = append(names, f.Path)
	}
	return names
}
