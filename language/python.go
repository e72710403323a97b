package language

import (
	"bytes"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Python is CPython 3. Its tests run out of process if calls are their only use of
// the program.
var Python = &Language{
	Name:        "python",
	Title:       "Python",
	Aliases:     []string{"python", "py", "python3", "py3", "cpython", "pycon", "ipython"},
	Extensions:  []string{".py", ".pyw"},
	Main:        "main.py",
	Comment:     "#",
	Score:       pythonSigns.score,
	IsTest:      isPythonTest,
	Find:        findPython,
	FindInImage: findPythonInImage,
	Plan:        planPython,
	Exam:        examPython,
	Standby:     standbyPython,
	ReadFailure: readPythonFailure,
	Names:       512 << 10,
	Libraries:   ownProgram("python", "libraries.py", "libraries.py"),
	Lint:        ownProgram("python", "lint.py", "lint.py"),
	Install:     installPython,
}

const installPython = "install Python 3.10 or later (package python3)"

var pythonSigns = signs{
	signed(90, `^#!.*\bpython`),
	signed(45, `^[ \t]*(?:async )?def \w+\(.*\)(?: *-> *.+)?:\s*(?:#.*)?$`),
	signed(25, `^[ \t]*(?:async )?def \w+\($`),
	signed(60, `^if __name__ == ['"]__main__['"]:`),
	signed(50, `^from [\w.]+ import (?:\w|\(|\*)`),
	signed(40, `^import [A-Za-z_][\w.]*(?: as \w+)?(?:, *[A-Za-z_][\w.]*(?: as \w+)?)*\s*(?:#.*)?$`),
	signed(45, `^[ \t]*class \w+(?:\([\w., =\[\]]*\))?:\s*(?:#.*)?$`),
	signed(25, `^[ \t]*(?:if|elif|while|for|with|except|try|else|finally)\b[^{};]*:\s*(?:#.*)?$`),
	signed(25, `^[ \t]*for \w+(?:, *\w+)* in [^{;]+:`),
	signed(20, `^[ \t]*(?:elif .*:|except(?: \w+)?.*:|raise \w+|pass|yield\b.*|assert .*)$`),
	signed(12, `\b(?:None|True|False|self\.\w+|lambda \w+(?:, *\w+)*:|not in|is not)\b`),
	signed(22, `^[ \t]*print\(.*\)\s*(?:#.*)?$`),
	signed(15, `\bf"[^"\n]*\{|\bf'[^'\n]*\{`),
	signed(15, `^[ \t]*(?:"""|''')`),
	signed(8, `^[A-Za-z_]\w*(?:: *[\w\[\], .]+)? = \S`),
	signed(25, `\[[^\]\n]+ for \w+(?:, *\w+)* in [^\]\n]+\]`),
	signed(30, `^>>> `),
	signed(-50, `^[ \t]*(?:const|let|var|function|public|private|func|package|using|#include|fn|local|use|my|our|sub)\b[^:]*[;{(]`),
	signed(-40, `^[ \t]*(?:const|let) \w+ = |=> *[{(]|\bconsole\.log\(`),
	signed(-15, `[;{]\s*$`),
	signed(-15, `^\s*}\s*;?$`),
	signed(-40, `^[ \t]*end\s*$`),
	signed(-40, `^[ \t]*(?:then|fi|done|esac)\s*$|\bthen\s*$`),
	signed(-60, `<\?php|\$\w+ = |^#!/(?:usr/)?bin/(?:env )?(?:ba|z|da)?sh`),
	signed(-30, `^[ \t]*[$%] (?:pip|python|npm|cd|git|apt)`),
}

var (
	pythonTestName = lazyre.New(`^(?:test_.*|.*_test|tests?|conftest)\.py$`)
	pythonTopLevel = lazyre.New(`^(?:def|class) +(\w+)`)
	pythonTestWord = lazyre.New(`^(?:test_|Test|check$)|Tests?$`)
)

// isPythonTest recognises a test by the file's name, or by its definitions: only
// tests, and at least one.
func isPythonTest(f glovebox.File) bool {
	if pythonTestName().MatchString(path.Base(f.Path)) {
		return true
	}
	if !strings.HasSuffix(f.Path, ".py") {
		return false
	}
	tests := false
	for line := range bytes.Lines(f.Data) {
		line = bytes.TrimPrefix(line, []byte("async "))
		if !bytes.HasPrefix(line, []byte("def ")) && !bytes.HasPrefix(line, []byte("class ")) {
			continue // most lines; the expression is more expensive
		}
		m := pythonTopLevel().FindSubmatch(line)
		if m != nil && !pythonTestWord().Match(m[1]) {
			return false
		}
		tests = tests || m != nil
	}
	return tests
}
