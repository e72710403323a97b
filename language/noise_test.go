package language

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestNoise has a candidate's side that damages its own frames and sends ones
// that nobody asked for, by a seeded generator. Whatever comes, a wrong program
// does not pass, and the tests' side ends with a report and not by an error of
// its own.
func TestNoise(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 2
	}
	for _, c := range []struct {
		lang *Language
		dir  string
	}{{JavaScript, "javascript"}, {PHP, "php"}, {Bash, "bash"}} {
		t.Run(c.lang.Name, func(t *testing.T) {
			rigTool(t, c.lang)
			program := readAll(t, c.dir+"/testdata/noise", "program.*")[0]
			tests := readAll(t, c.dir+"/testdata/noise", "tests.*")
			limit := make(chan bool, 2)
			var all sync.WaitGroup
			for seed := 1; seed <= seeds; seed++ {
				all.Go(func() {
					limit <- true
					defer func() { <-limit }()
					text := bytes.ReplaceAll(program.Data, []byte("SEED"), []byte(strconv.Itoa(seed*7919)))
					v := rigExam(t, c.lang, &glovebox.Program{Language: c.lang.Name, Main: c.lang.Main,
						Files: []glovebox.File{{Path: c.lang.Main, Data: text}}}, Tests{Files: tests})
					if v.pass {
						t.Errorf("seed %d passed\n%s", seed, v.harness.report)
					}
					last := len(v.harness.events) - 1
					if last < 0 || v.harness.events[last].Type != "done" && v.harness.events[last].Type != "broken" {
						t.Errorf("seed %d: the report has no end: %q\n%s\n%s", seed, v.why, v.harness.report, v.harness.stderr)
					}
					if strings.Contains(v.harness.stderr, filepath.Join("/opt/glovebox", c.dir)) {
						t.Errorf("seed %d: an error of our own:\n%s", seed, v.harness.stderr)
					}
					t.Logf("seed %d: %.150s", seed, v.why)
				})
			}
			all.Wait()
		})
	}
}
