package language

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestGoExercises runs the exercises of a track of Exercism, whose folder
// GLOVEBOX_EXERCISES names: the example passes its tests, the stub does not.
func TestGoExercises(t *testing.T) {
	dir := os.Getenv("GLOVEBOX_EXERCISES")
	if dir == "" {
		t.Skip("GLOVEBOX_EXERCISES names no folder: set it to exercises/practice of github.com/exercism/go")
	}
	rigTool(t, Go)
	all, err := filepath.Glob(filepath.Join(dir, "*", ".meta", "example.go"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no exercises in %s: %v", dir, err)
	}
	only := os.Getenv("GLOVEBOX_EXERCISE")
	proofs := map[glovebox.Proof]int{}
	for _, example := range all {
		folder := filepath.Dir(filepath.Dir(example))
		name := filepath.Base(folder)
		if only != "" && !strings.Contains(","+only+",", ","+name+",") {
			continue
		}
		stub := filepath.Join(folder, strings.ReplaceAll(name, "-", "_")+".go")
		read := func(path string) []byte {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		var tests Tests
		var more []glovebox.File
		files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, f := range files {
			file := glovebox.File{Path: filepath.Base(f), Data: read(f)}
			if strings.HasSuffix(f, "_test.go") {
				tests.Files = append(tests.Files, file)
			} else if f != stub {
				more = append(more, file)
			}
		}
		p := &glovebox.Program{Language: "go", Main: "main.go", Files: append([]glovebox.File{{Path: "main.go", Data: read(example)}}, more...)}
		v := rigExam(t, Go, p, tests)
		if v.pass {
			proofs[v.worth()]++
		} else {
			t.Errorf("%s: the example does not pass %s: %s\n%.600s\n%.600s", name, v.proof, v.why, v.harness.stdout, v.harness.stderr+v.candidate.stderr)
		}
		if data, err := os.ReadFile(stub); err == nil {
			p.Files[0].Data = data
			if s := rigExam(t, Go, p, tests); s.pass {
				t.Errorf("%s: the stub passes", name)
			}
		}
		reason := ""
		if v.proof == glovebox.ProofInProcess {
			tc, _ := rigTool(t, Go)
			if x, err := Go.Exam(tc, p, tests); err == nil {
				reason = x.Reason
			}
		}
		t.Logf("%s\t%t\t%s\t%s", name, v.pass, v.worth(), reason)
	}
	t.Logf("%v", proofs)
}
