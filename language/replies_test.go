package language

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// reply is a row of the corpus of real replies.
type reply struct {
	Name, Tests, Program string
}

var firstFence = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\\z)")

// corpus reads a gzipped file of JSON lines of the corpora, or skips the test.
func corpus(t testing.TB, name string) []map[string]any {
	t.Helper()
	dir := os.Getenv("GLOVEBOX_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpora")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("the corpora are not here (set GLOVEBOX_CORPORA): %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for d := json.NewDecoder(z); d.More(); {
		var row map[string]any
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func replies(t testing.TB, suffix string) []reply {
	t.Helper()
	var all []reply
	for _, row := range corpus(t, "replies/humaneval-"+suffix+".jsonl.gz") {
		text := row["gpt_solution"].(string)
		if m := firstFence.FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		all = append(all, reply{row["name"].(string), row["tests"].(string), text})
	}
	return all
}

// TestReplies runs the tests of every real reply. Which rows pass is written
// to the file that GLOVEBOX_VERDICTS names, for comparison with other runs.
func TestReplies(t *testing.T) {
	for _, c := range []struct {
		lang   *Language
		suffix string
		tests  string
		// proof is what every row must get.
		proof glovebox.Proof
		// pass is how many rows pass when they run by themselves.
		pass int
	}{
		{Go, "go", "main_test.go", glovebox.ProofOutOfProcess, 107},
		{Perl, "pl", "main_test.t", glovebox.ProofOutOfProcess, 119},
		{Lua, "lua", "main_test.lua", glovebox.ProofOutOfProcess, 124},
		{Ruby, "rb", "main_test.rb", glovebox.ProofOutOfProcess, 136},
	} {
		t.Run(c.lang.Name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("takes a minute")
			}
			rigTool(t, c.lang)
			var out bytes.Buffer
			passed := 0
			var mu sync.Mutex
			rows := replies(t, c.suffix)
			limit := make(chan bool, 2)
			var all sync.WaitGroup
			for _, r := range rows {
				all.Go(func() {
					limit <- true
					defer func() { <-limit }()
					v := rigExam(t, c.lang, program(c.lang.Name, c.lang.Main, r.Program), Tests{Files: []glovebox.File{{Path: c.tests, Data: []byte(r.Tests)}}})
					mu.Lock()
					defer mu.Unlock()
					fmt.Fprintf(&out, "%s\t%s\t%t\t%s\t%q\n", c.lang.Name, r.Name, v.pass, v.proof, v.why)
					if v.pass {
						passed++
					}
					if v.proof != c.proof {
						t.Errorf("%s: proof %q", r.Name, v.proof)
					}
				})
			}
			all.Wait()
			if name := os.Getenv("GLOVEBOX_VERDICTS"); name != "" {
				if err := os.WriteFile(name+"."+c.lang.Name, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if passed != c.pass {
				t.Errorf("%d of %d rows pass, want %d", passed, len(rows), c.pass)
			}
		})
	}
}
