package language

import (
	"path"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// Python is CPython 3. Its tests run out of process wherever they use the
// program through plain values.
var Python = &Language{
	Name:       "python",
	Title:      "Python",
	Aliases:    []string{"python", "py", "python3", "py3", "cpython", "pycon", "ipython"},
	Extensions: []string{".py", ".pyw"},
	Main:       "main.py",
	Comment:    "#",
	Score:      pythonScore,
	IsTest:     pythonIsTest,
	Install:    "install Python 3.8 or newer (Debian: apt-get install python3) so that python3 is on PATH",
}

// pythonMarks are lines that only, or nearly only, Python has, and the points
// that each gives once; negative points are for lines of its neighbours.
var pythonMarks = []struct {
	re     *regexp.Regexp
	points int
}{
	{regexp.MustCompile(`\A#!.*\bpython`), 90},
	{regexp.MustCompile(`(?m)^[ \t]*(async )?def \w+\(.*\)( *-> *.+)?:\s*(#.*)?$`), 45},
	{regexp.MustCompile(`(?m)^[ \t]*(async )?def \w+\($`), 25},
	{regexp.MustCompile(`(?m)^if __name__ == ['"]__main__['"]:`), 60},
	{regexp.MustCompile(`(?m)^from [\w.]+ import (\w|\(|\*)`), 50},
	{regexp.MustCompile(`(?m)^import [A-Za-z_][\w.]*( as \w+)?(, *[A-Za-z_][\w.]*( as \w+)?)*\s*(#.*)?$`), 40},
	{regexp.MustCompile(`(?m)^[ \t]*class \w+(\([\w., =\[\]]*\))?:\s*(#.*)?$`), 45},
	{regexp.MustCompile(`(?m)^[ \t]*(if|elif|while|for|with|except|try|else|finally)\b[^{};]*:\s*(#.*)?$`), 25},
	{regexp.MustCompile(`(?m)^[ \t]*for \w+(, *\w+)* in [^{;]+:`), 25},
	{regexp.MustCompile(`(?m)^[ \t]*(elif .*:|except( \w+)?.*:|raise \w+|pass|yield\b.*|assert .*)$`), 20},
	{regexp.MustCompile(`\b(None|True|False|self\.\w+|lambda \w+(, *\w+)*:|not in|is not)\b`), 12},
	{regexp.MustCompile(`(?m)^[ \t]*print\(.*\)\s*(#.*)?$`), 22},
	{regexp.MustCompile(`\bf"[^"\n]*\{|\bf'[^'\n]*\{`), 15},
	{regexp.MustCompile(`(?m)^[ \t]*("""|''')`), 15},
	{regexp.MustCompile(`(?m)^[A-Za-z_]\w*(: *[\w\[\], .]+)? = \S`), 8},
	{regexp.MustCompile(`\[[^\]\n]+ for \w+(, *\w+)* in [^\]\n]+\]`), 25},
	{regexp.MustCompile(`(?m)^>>> `), 30},

	{regexp.MustCompile(`(?m)^[ \t]*(const|let|var|function|public|private|func|package|using|#include|fn|local|use|my|our|sub)\b[^:]*[;{(]`), -50},
	{regexp.MustCompile(`(?m)^[ \t]*(const|let) \w+ = |=> *[{(]|\bconsole\.log\(`), -40},
	{regexp.MustCompile(`(?m)[;{]\s*$`), -15},
	{regexp.MustCompile(`(?m)^\s*}\s*;?$`), -15},
	{regexp.MustCompile(`(?m)^[ \t]*end\s*$`), -40},
	{regexp.MustCompile(`(?m)^[ \t]*(then|fi|done|esac)\s*$|\bthen\s*$`), -40},
	{regexp.MustCompile(`<\?php|\$\w+ = |\A#!/(usr/)?bin/(env )?(ba|z|da)?sh`), -60},
	{regexp.MustCompile(`(?m)^[ \t]*[$%] (pip|python|npm|cd|git|apt)`), -30},
}

func pythonScore(src string) int {
	score := 0
	for _, m := range pythonMarks {
		if m.re.MatchString(src) {
			score += m.points
		}
	}
	return max(0, min(score, 100))
}

var (
	pythonTestName = regexp.MustCompile(`^(test_.*|.*_test|tests?|conftest)\.py$`)
	pythonTopLevel = regexp.MustCompile(`(?m)^(?:async )?(?:def|class) +(\w+)`)
	pythonTestWord = regexp.MustCompile(`^(test_|Test|check$)|Tests?$`)
)

// pythonIsTest goes by the file's name, and else by what it defines: only
// tests, and at least one.
func pythonIsTest(f glovebox.File) bool {
	if pythonTestName.MatchString(path.Base(f.Path)) {
		return true
	}
	if !strings.HasSuffix(f.Path, ".py") {
		return false
	}
	found := pythonTopLevel.FindAllSubmatch(f.Data, -1)
	for _, m := range found {
		if !pythonTestWord.Match(m[1]) {
			return false
		}
	}
	return len(found) > 0
}
