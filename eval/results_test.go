package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/eval"
)

// runAll runs a set into a results file, to the end.
func runAll(t testing.TB, s *eval.Set, e glovebox.Runner, name string) []eval.Row {
	t.Helper()
	work := s.Work(eval.Options{})
	r, err := eval.OpenResults(name, eval.NewHeader(eval.Source{Problems: "p.jsonl"}, work, eval.Options{}), false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	runner := eval.Runner{Do: eval.Judge(e), Workers: 4}
	if _, err := runner.Run(context.Background(), work, r); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(work); err != nil {
		t.Fatal(err)
	}
	return r.Rows(work)
}

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestResume cuts a finished file at every kind of place, and runs on.
func TestResume(t *testing.T) {
	s := set(t, 5)
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	runAll(t, s, &pretended{}, whole)
	text := normal(t, whole)
	lines := strings.SplitAfter(read(t, whole), "\n")
	if len(lines) != 12 {
		t.Fatalf("%d lines, not a header, ten rows and nothing", len(lines))
	}
	cuts := map[string]struct {
		text string
		left int // how many runs are left to do
	}{
		"empty":               {"", 10},
		"a piece of a header": {lines[0][:9], 10},
		"most of a header":    {lines[0][:len(lines[0])-2], 10},
		"a header":            {lines[0], 10},
		"three rows":          {strings.Join(lines[:4], ""), 7},
		"a piece of a row":    {strings.Join(lines[:4], "") + lines[4][:20], 7},
		"no end of line":      {strings.Join(lines[:4], "") + strings.TrimSuffix(lines[4], "\n"), 7},
		"zeros":               {strings.Join(lines[:4], "") + strings.Repeat("\x00", 300), 7},
		"another order":       {lines[0] + lines[7] + lines[2], 8},
		"a row twice":         {lines[0] + lines[7] + lines[7], 9},
		"our failure":         {lines[0] + strings.Replace(lines[1], `"test_failed"`, `"sandbox_error"`, 1), 10},
		"our failure, again":  {lines[0] + strings.Replace(lines[1], `"test_failed"`, `"sandbox_error"`, 1) + lines[1], 9},
		"all":                 {strings.Join(lines, ""), 0},
	}
	for name, c := range cuts {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "cut")
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			// A crash while the sorted file was written left a piece of it.
			if err := os.WriteFile(file+".unfinished", []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			e := &pretended{}
			runAll(t, s, e, file)
			if n := e.ran["pass"] + e.ran["fail"]; n != c.left {
				t.Errorf("%d runs, want %d", n, c.left)
			}
			if got := normal(t, file); got != text {
				t.Errorf("the file differs:\n%s\n%s", got, text)
			}
			if _, err := os.Stat(file + ".unfinished"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a piece is left: %v", err)
			}
		})
	}
}

var measured = regexp.MustCompile(`"measured":\{.*\}\}`)

// normal is a results file without what time measures.
func normal(t testing.TB, name string) string {
	t.Helper()
	return measured.ReplaceAllString(read(t, name), `"measured":{}}`)
}

func TestResultsRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "r")
	work := set(t, 2).Work(eval.Options{})
	header := eval.NewHeader(eval.Source{Problems: "p.jsonl"}, work, eval.Options{})
	runAll(t, set(t, 2), &pretended{}, file)
	good := read(t, file)
	lines := strings.SplitAfter(good, "\n")

	t.Run("other problems, samples or options", func(t *testing.T) {
		o := eval.Options{Limits: glovebox.Limits{Wall: time.Second}}
		other := set(t, 2)
		other.Samples[1].Text += " differently"
		for name, w := range map[string][]*eval.Work{
			"fewer": set(t, 1).Work(eval.Options{}), "sample": other.Work(eval.Options{}), "options": set(t, 2).Work(o),
		} {
			h := eval.NewHeader(eval.Source{}, w, eval.Options{})
			if _, err := eval.OpenResults(file, h, false); !errors.Is(err, eval.ErrOther) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if read(t, file) != good {
			t.Error("the file was changed")
		}
	})
	t.Run("locked", func(t *testing.T) {
		r, err := eval.OpenResults(file, header, false)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := eval.OpenResults(file, header, true); err == nil || !strings.Contains(err.Error(), "another process is writing to it") {
			t.Error(err)
		}
	})
	t.Run("anew", func(t *testing.T) {
		r, err := eval.OpenResults(file, header, true)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if read(t, file) != lines[0] {
			t.Error("it was not begun anew")
		}
	})
	for name, text := range map[string]string{
		"hello\n": "not a results file", "hello": "not a results file", "{}\n": "not a results file",
		strings.Replace(lines[0], `"glovebox_eval":1`, `"glovebox_eval":9`, 1): "version 9",
		lines[0] + "x\n" + lines[1]:                   "line 2 is broken, and not the last one",
		lines[0] + strings.Repeat("x", 2<<20):         "line 2 is longer",
		lines[0] + lines[1][:9] + lines[2] + lines[3]: "line 2 is broken",
	} {
		if err := os.WriteFile(file, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, anew := range []bool{false, true} {
			if _, err := eval.OpenResults(file, header, anew); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%.40q: the error is %v, want %s", name, err, text)
			}
		}
		if read(t, file) != name {
			t.Errorf("%.40q was changed", name)
		}
	}
	if _, err := eval.OpenResults(dir, header, true); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestResultsThroughLink: the file that a link names is replaced, not the link.
func TestResultsThroughLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	runAll(t, set(t, 1), &pretended{}, link)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err = os.Stat(real); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// Killed child processes: see TestKilled.
const (
	childResults = "GLOVEBOX_EVAL_CHILD_RESULTS"
	childTasks   = 40
)

// child is a run that the test kills, as a process of its own.
func child(name string) int {
	var t testing.T
	runAll(&t, set(&t, childTasks), &pretended{before: func(context.Context) {
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
	}}, name)
	return 0
}

// TestKilled kills a run at random moments, with a signal that nobody can catch,
// and lets it go on each time. At the end the file is that of a run that nobody
// disturbed, and at no time was there more than the last line to lose.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	clean, file := filepath.Join(dir, "clean"), filepath.Join(dir, "killed")
	runAll(t, set(t, childTasks), &pretended{}, clean)
	start := func() *exec.Cmd {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), childResults+"="+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	kept := 0
	for killed := 0; killed < 10; {
		cmd := start()
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// Its moment is some rows from now, and a little later.
		for goal := kept + rand.IntN(16); lines(file) < goal && len(ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		cmd.Process.Kill()
		if err := <-ended; err == nil {
			// It came to its end before its moment: once more from the start.
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			kept = 0
			continue
		}
		killed++
		b, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		rows := check(t, b)
		if rows < kept {
			t.Fatalf("there were %d rows, and after a kill there are %d", kept, rows)
		}
		t.Logf("killed with %d rows", rows)
		kept = rows
	}
	if err := start().Wait(); err != nil {
		t.Fatalf("the last child: %v", err)
	}
	if got, want := normal(t, file), normal(t, clean); got != want {
		t.Errorf("the file differs from that of a clean run:\n%s\n%s", got, want)
	}
}

// lines counts the lines of a file.
func lines(name string) int {
	b, _ := os.ReadFile(name)
	return bytes.Count(b, []byte("\n"))
}

// check counts the whole rows of a file that somebody was writing to. None is
// there twice.
func check(t *testing.T, b []byte) int {
	t.Helper()
	seen := map[string]bool{}
	for i, line := range bytes.SplitAfter(b, []byte("\n")) {
		if i == 0 || !bytes.HasSuffix(line, []byte("\n")) {
			continue
		}
		var row eval.Row
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("line %d: %v: %q", i+1, err, line)
		}
		key := row.Task + row.Hash
		if seen[key] {
			t.Fatalf("%s, sample %d, is there twice", row.Task, row.N)
		}
		seen[key] = true
	}
	return len(seen)
}
