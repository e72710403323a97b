package suite

import (
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Discover finds the language of a repository and its test files, by file names
// alone. It takes the language with the most files among the languages with
// test files, else among all; TypeScript takes JavaScript's files too. A
// repository without code has the language "".
func Discover(c *workcopy.Copy) (lang string, tests []string) {
	counts := map[string]int{}
	for _, p := range c.Paths() {
		if foreign(p) {
			continue
		}
		if l := language.All().ByPath(p); l != nil {
			counts[l.Name]++
		}
	}
	if counts["typescript"] > 0 && counts["typescript"] >= counts["javascript"] {
		counts["typescript"] += counts["javascript"]
		delete(counts, "javascript")
	} else {
		counts["javascript"] += counts["typescript"]
		delete(counts, "typescript")
	}
	best := 0
	for _, l := range language.All() {
		if counts[l.Name] == 0 || l.Exam == nil {
			continue
		}
		found := testsOf(c, l)
		if score := counts[l.Name]; len(found) > 0 && len(tests) == 0 || (len(found) > 0) == (len(tests) > 0) && score > best {
			lang, tests, best = l.Name, found, score
		}
	}
	return lang, tests
}

// Tests returns the test files of a language, by its name.
func Tests(c *workcopy.Copy, lang string) []string { return testsOf(c, byName(lang)) }

// testsOf returns the test files of a language.
func testsOf(c *workcopy.Copy, l *language.Language) []string {
	if l == nil {
		return nil
	}
	var tests []string
	for _, p := range c.Paths() {
		// A file in a folder of tests may have any ending.
		if !isHelper(p) && !foreign(p) && ofLanguage(l, p) && l.IsTest(glovebox.File{Path: p}) {
			tests = append(tests, p)
		}
	}
	return tests
}

// IsTest reports whether a path is a test file of any language.
func IsTest(p string) bool {
	return slices.ContainsFunc(language.All(), func(l *language.Language) bool {
		return ofLanguage(l, p) && l.IsTest != nil && l.IsTest(glovebox.File{Path: p})
	})
}

func ofLanguage(l *language.Language, p string) bool {
	return l.Owns(p) || l.Name == "typescript" && language.JavaScript.Owns(p)
}

// foreign reports whether a file is third-party code, kept in the repository.
func foreign(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "vendor", "third_party", "testdata", "site-packages":
			return true
		}
	}
	return false
}

func byName(name string) *language.Language {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, l := range language.All() {
		if l.Name == name || slices.Contains(l.Aliases, name) {
			return l
		}
	}
	return nil
}
