package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// dialect describes MultiPL-E's tests of a language. MultiPL-E appends tests to
// the program as text; here they are a separate file.
type dialect struct {
	lang *language.Language
	// file is the name of the tests.
	file string
}

// dialects are the supported languages of MultiPL-E.
var dialects = []dialect{
	{language.Python, "test_humaneval.py"},
	{language.JavaScript, "tests.js"},
	{language.TypeScript, "tests.ts"},
	{language.PHP, "tests.php"},
	{language.Bash, "tests.sh"},
	{language.Go, "main_test.go"},
	{language.Ruby, "main_test.rb"},
	{language.Perl, "main_test.t"},
	{language.Lua, "main_test.lua"},
}

// dialectOf finds the language by MultiPL-E's name, which is the suffix of its
// files, such as "js" or "go_test.go".
func dialectOf(name string) *dialect {
	ending := "." + name[strings.LastIndexByte(name, '.')+1:]
	l := language.ByName(name)
	i := slices.IndexFunc(dialects, func(d dialect) bool {
		return d.lang == l || l == nil && slices.Contains(d.lang.Extensions, ending)
	})
	if i < 0 {
		return nil
	}
	return &dialects[i]
}

// multiPLE reads a row {name, language, prompt, tests}.
func (*loader) multiPLE(r row, p *Problem) error {
	name, err1 := r.text("language")
	tests, err2 := r.text("tests")
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	d := dialectOf(name)
	if d == nil {
		return r.errorf("language %q is not known; there are %s", name, language.All().Names())
	}
	p.Kind, p.Language = KindMultiPLE, d.lang.Name
	p.Before = p.Prompt
	// In Bash the tests begin with the closing brace of the completion. A whole
	// program has its own.
	if rest, open := strings.CutPrefix(strings.TrimSpace(tests), "}"); open {
		p.After, tests = "\n}", rest
	}
	p.Tests = []glovebox.File{{Path: d.file, Data: []byte(tests)}}
	return nil
}
