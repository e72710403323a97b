package language

import (
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

var (
	perlNoTest  = lazyre.New(`\b(?:use|no|package|plan|done_testing|BEGIN|1)\b[^;{}]*`)
	perlSkipAll = lazyre.New(`(?:^|[;}])\s*(?:plan\s*\(?|use\s+Test::(?:More|Simple)\s*\(?)\s*skip_all\b([^;]*)`)
	perlLoads   = lazyre.New(`(?m)(?:^|;)\s*(?:require|do)\s*\(?\s*['"](?:\./)?([\w.-][\w./-]*\.(?:pl|pm|t))['"]`)
	perlDecided = lazyre.New(`\b(?:if|unless)\b`)
)

// cannot returns the reason why tests cannot run with any program, or "". names are
// the scripts among the tests; files are the program's, the first its main file.
func perlCannot(tests []glovebox.File, names []string, files []glovebox.File, main string) string {
	here := []string{main, "main.pl", "solution.pl", "solution.pm"}
	for _, f := range slices.Concat(tests, files) {
		here = append(here, f.Path, path.Base(f.Path))
	}
	blank, empty, skipped := true, true, len(names) > 0
	for _, f := range tests {
		text := readPerlText(string(f.Data))
		blank = blank && strings.TrimSpace(text.bare) == ""
		empty = empty && strings.Trim(perlNoTest().ReplaceAllString(text.bare, ""), "; {}\t\r\n") == ""
		skipped = skipped && (!slices.Contains(names, f.Path) || text.skipsAll())
		for _, m := range perlLoads().FindAllStringSubmatch(text.kept, -1) {
			if name := m[1]; !slices.Contains(here, name) && !slices.Contains(here, path.Base(name)) {
				return notHere(name, main, "solution").Reason
			}
		}
	}
	switch {
	case blank:
		return "the tests are empty"
	case empty:
		return "the tests have no test"
	case skipped:
		return "the tests skip all of their tests"
	}
	return ""
}

// skipsAll reports whether a script unconditionally skips itself.
func (t perlText) skipsAll() bool {
	at := perlSkipAll().FindStringSubmatchIndex(t.bare)
	return at != nil && !perlDecided().MatchString(t.bare[at[2]:at[3]]) && strings.Count(t.bare[:at[0]], "{") == strings.Count(t.bare[:at[0]], "}")
}
