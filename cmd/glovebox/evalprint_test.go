package main

import (
	"io"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/eval"
)

// TestSharedCommand: a report does not hold the values of headers.
func TestSharedCommand(t *testing.T) {
	args := []string{"glovebox", "eval", "--header", "Authorization: Bearer abc", "--header=X-Key: def", "--header", "no form", "--json"}
	got := strings.Join(shared(args), "|")
	if want := "glovebox|eval|--header|Authorization: …|--header=X-Key: …|--header|no form: …|--json"; got != want {
		t.Errorf("%s", got)
	}
	if args[3] != "Authorization: Bearer abc" {
		t.Error("the command line itself was changed")
	}
}

// TestOurFailures: where Glovebox failed on samples, it says why.
func TestOurFailures(t *testing.T) {
	rows := []eval.Row{{Task: "T/1", Status: glovebox.StatusPass}, {Task: "T/2", Status: glovebox.StatusSandboxError}}
	rows[1].Measured.Message = "Go was not found\x1b[2J"
	r := &eval.Report{Rows: rows}
	r.Summary.Counts = map[glovebox.Status]int{glovebox.StatusPass: 1, glovebox.StatusSandboxError: 1}
	r.Summary.Samples = 2
	var b strings.Builder
	if err := printEval(&b, []int{1}, r); err != nil {
		t.Fatal(err)
	}
	want := "! Glovebox failed on 1 sample, not counted; run the command again to try again\n  T/2: Go was not found"
	if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%s", b.String())
	}
}

// TestFailUnder: the bound itself is not below it, however it was added up.
func TestFailUnder(t *testing.T) {
	for _, c := range []struct {
		bound float64
		pass  eval.Ratio
		want  int
	}{{0.4, 0.3999999999999999, exitPass}, {0.4, 0.4, exitPass}, {1, 1, exitPass}, {0.4, 0.3999, exitCode}, {0, 0, exitPass}} {
		cmd := &evalCmd{K: []int{1}, FailUnder: &c.bound}
		if got := cmd.exit(io.Discard, &eval.Summary{PassAtK: map[string]eval.Ratio{"1": c.pass}}); got != c.want {
			t.Errorf("%v under %v: exit status %d", float64(c.pass), c.bound, got)
		}
	}
}
