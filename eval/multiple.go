package eval

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// dialect says how MultiPL-E tests programs of a language. There, tests are the
// text that is appended to a program; here they are a file of their own.
type dialect struct {
	lang *language.Language
	// file is the name of the tests.
	file string
}

// dialects are MultiPL-E's languages that can be run here.
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

// dialectOf finds the language by the name that MultiPL-E gives it, which is
// the ending of its files, such as "js" or "go_test.go".
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
	// In Bash the tests begin with the brace that ends the completion. A whole
	// program has its own.
	if rest, open := strings.CutPrefix(strings.TrimSpace(tests), "}"); open {
		p.After, tests = "\n}", rest
	}
	p.Tests = []glovebox.File{{Path: d.file, Data: []byte(tests)}}
	return nil
}
