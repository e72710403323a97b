package language

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// TestForging has programs that are wrong and try to pass all the same, each
// tested in every form of tests that a language has. None may pass. A right
// program must, in every form, or the tables would prove nothing.
func TestForging(t *testing.T) {
	for _, c := range []struct {
		lang *Language
		dir  string
		// least is how many tricks there are at least.
		least int
	}{
		{JavaScript, "javascript/testdata", 35},
		{TypeScript, "javascript/testdata", 35},
		{PHP, "php/testdata", 15},
		{Bash, "bash/testdata", 15},
	} {
		eachWay(t, c.lang, "", func(t *testing.T, l *Language) {
			c.lang = l
			rigTool(t, c.lang)
			tricks := readAll(t, c.dir, "forge")
			forms := readAll(t, c.dir, "forms")
			right := readAll(t, c.dir, "right*")
			if len(tricks) < c.least || len(forms) == 0 || len(right) != 1 {
				t.Fatalf("%d tricks, %d forms, %d right programs", len(tricks), len(forms), len(right))
			}
			limit := make(chan bool, 2)
			var all sync.WaitGroup
			sit := func(program, form glovebox.File, check func(v rigVerdict)) {
				all.Go(func() {
					limit <- true
					defer func() { <-limit }()
					if c.lang.Name == "typescript" {
						// Every trick is TypeScript too; some forms are not.
						form.Path = strings.NewReplacer(".mjs", ".mts", ".js", ".ts").Replace(form.Path)
					}
					check(rigExam(t, c.lang, &glovebox.Program{Language: c.lang.Name, Main: c.lang.Main,
						Files: []glovebox.File{{Path: c.lang.Main, Data: program.Data}}}, Tests{Files: []glovebox.File{form}}))
				})
			}
			for i, form := range forms {
				sit(right[0], form, func(v rigVerdict) {
					if !v.pass || v.proof != glovebox.ProofOutOfProcess {
						t.Errorf("the right program in %s: pass %t, proof %q, %s\ncandidate: %s\nharness: %s\n%s", form.Path, v.pass, v.proof, v.why, v.candidate.stderr, v.harness.stderr, v.harness.report)
					}
				})
				for j, trick := range tricks {
					// A second language on the same drivers, or an ordinary run,
					// takes each trick in one form only.
					if (!forgeAll() || c.lang.Name == "typescript") && j%len(forms) != i || !sample.Has(t, trick.Path+form.Path, 4) {
						continue
					}
					sit(trick, form, func(v rigVerdict) {
						if v.pass {
							t.Errorf("%s passed in %s\n%s", trick.Path, form.Path, v.harness.report)
						}
						why, _, _ := strings.Cut(v.why, "\n")
						t.Logf("%s in %s: %.200s", trick.Path, form.Path, why)
					})
				}
			}
			all.Wait()
		})
	}
}

// readAll reads the files of a directory of test data, or those that a pattern
// matches.
func readAll(t *testing.T, dir, pattern string) []glovebox.File {
	t.Helper()
	if !strings.Contains(pattern, "*") {
		pattern += "/*"
	}
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), pattern))
	if err != nil {
		t.Fatal(err)
	}
	var files []glovebox.File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, glovebox.File{Path: filepath.Base(name), Data: data})
	}
	return files
}
