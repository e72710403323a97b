package language

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestFuzzNode sends mutated frames to both ends of the link, and mutated tests
// to the readers of their text, in a box.
func TestFuzzNode(t *testing.T) {
	fuzz := fuzzFor(t, 200)
	tc, tree := rigTool(t, JavaScript)
	fuzzer, err := os.ReadFile("javascript/testdata/fuzz.js")
	if err != nil {
		t.Fatal(err)
	}
	files := []glovebox.File{{Path: "fuzz.js", Data: fuzzer}}
	names, _ := filepath.Glob("javascript/testdata/subjects/*.test.js")
	var texts []string
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, fmt.Sprintf("text%d.txt", i))
		files = append(files, glovebox.File{Path: texts[i], Data: data})
	}
	for _, end := range []string{"harness", "candidate", "text"} {
		t.Run(end, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), fuzz.wall+2*time.Minute)
			defer cancel()
			args := slices.Concat([]string{"fuzz.js", end}, fuzz.args(), texts)
			run := rigStart(t, ctx, tc, tree, Step{Args: nodeCommand(tc, args...)}, files, [3]*os.File{})()
			if run.exit != 0 || run.timedOut {
				t.Errorf("exit code %d, timed out %t\n%s\n%s", run.exit, run.timedOut, run.stdout, run.stderr)
			}
			t.Log(strings.TrimSpace(run.stdout))
		})
	}
}

// FuzzNodeText reads any text as tests, and as what node prints of a failure.
func FuzzNodeText(f *testing.F) {
	names, _ := filepath.Glob("javascript/testdata/subjects/*.test.js")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("import { expect } from 'chai';\nexpect(f(`${a}`)).to.equal(/[/]/);\n"))
	f.Add([]byte("/workspace/main.js:3\n    throw new TypeError('no');\n    ^\n\nTypeError: no\n    at f (/workspace/main.js:3:11)\n\nNode.js v20.10.0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		read := readNodeText(text)
		if again := readNodeText(text); again.Code != read.Code {
			t.Errorf("%q is read in two ways", text)
		}
		expectChains(read.Code)
		tests := []glovebox.File{{Path: "t.test.js", Data: text}}
		wants, unrunnable := readNodeWants(&Toolchain{Language: "javascript"}, &glovebox.Program{Main: "main.js"}, tests)
		if unrunnable != nil && unrunnable.Reason == "" {
			t.Errorf("%q cannot run, and nothing says why", text)
		}
		wants.needsProcess(tests)
		readNodeFailure(text)
	})
}
