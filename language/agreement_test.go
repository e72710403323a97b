package language

import (
	"context"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestAgreement runs every real reply of a language twice: with its tests
// appended, as one script by itself, and through the exam. The verdicts must
// agree. GLOVEBOX_ROWS limits it to the rows that a pattern matches.
func TestAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some minutes")
	}
	only := regexp.MustCompile(os.Getenv("GLOVEBOX_ROWS"))
	for _, c := range []struct {
		lang   *Language
		suffix string
		test   string
		// alone makes the script that is run by itself, and command runs it.
		alone   func(program, tests string) string
		command func(tc *Toolchain) []string
		// adapt makes the tests that a user would write of the corpus's, which
		// are the end of a file.
		adapt func(tests string) string
		// want are the rows that cannot agree, with the reason.
		want map[string]string
	}{
		{lang: JavaScript, suffix: "js", test: "tests.js", alone: appended,
			command: func(tc *Toolchain) []string { return []string{tc.Exe, "main.js"} }},
		{lang: TypeScript, suffix: "ts", test: "tests.ts", alone: appended},
		{lang: PHP, suffix: "php", test: "tests.php",
			alone: func(program, tests string) string {
				return strings.TrimSuffix(strings.TrimSpace(program), "?>") + "\n" + tests
			},
			command: func(tc *Toolchain) []string { return []string{tc.Exe, "main.php"} }},
		{lang: Bash, suffix: "sh", test: "tests.sh",
			// The rows' tests begin by closing the function that a completion
			// was to stand in; a reply is a whole program.
			alone:   func(program, tests string) string { return program + "\n" + strings.TrimPrefix(tests, "}") },
			adapt:   func(tests string) string { return strings.TrimPrefix(tests, "}") },
			command: func(tc *Toolchain) []string { return []string{tc.Exe, "main.sh"} }},
	} {
		t.Run(c.lang.Name, func(t *testing.T) {
			tc, tree := rigTool(t, c.lang)
			var mu sync.Mutex
			var passed, agreed, rows int
			limit := make(chan bool, 2)
			var all sync.WaitGroup
			for _, r := range replies(t, c.suffix) {
				if !only.MatchString(r.Name) {
					continue
				}
				all.Go(func() {
					limit <- true
					defer func() { <-limit }()
					p := glovebox.Program{Language: c.lang.Name, Main: c.lang.Main,
						Files: []glovebox.File{{Path: c.lang.Main, Data: []byte(c.alone(r.Program, r.Tests))}}}
					var alone rigRun
					if c.command == nil {
						alone = rigPlan(t, c.lang, &p, "")
					} else {
						ctx, cancel := context.WithTimeout(context.Background(), rigWall)
						defer cancel()
						alone = rigStart(t, ctx, tc, tree, Step{Args: c.command(tc)}, p.Files, [3]*os.File{})()
					}
					tests := r.Tests
					if c.adapt != nil {
						tests = c.adapt(tests)
					}
					p.Files = []glovebox.File{{Path: c.lang.Main, Data: []byte(r.Program)}}
					v := rigExam(t, c.lang, &p, Tests{Files: []glovebox.File{{Path: c.test, Data: []byte(tests)}}})
					mu.Lock()
					defer mu.Unlock()
					rows++
					if v.pass {
						passed++
					}
					if v.pass && v.proof != glovebox.ProofOutOfProcess {
						t.Errorf("%s: proof %q", r.Name, v.proof)
					}
					if v.pass == (alone.exit == 0) {
						agreed++
					} else if _, known := c.want[r.Name]; !known {
						t.Errorf("%s: by itself exit %d, exam pass %t (%s)\nby itself: %.600s\ncandidate: %.300s\nharness: %.300s", r.Name, alone.exit, v.pass, v.why, tail(alone.stderr), v.candidate.stderr, v.harness.stderr)
					}
				})
			}
			all.Wait()
			t.Logf("%s: %d rows, %d pass, %d verdicts agree", c.lang.Title, rows, passed, agreed)
		})
	}
}

func appended(program, tests string) string { return program + "\n" + tests }

func tail(s string) string {
	return strings.TrimSpace(s[max(0, len(s)-600):])
}
