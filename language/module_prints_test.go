package language

import (
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestModulePrints: what programs print is the same on Node.js and on QuickJS.
func TestModulePrints(t *testing.T) {
	text, err := os.ReadFile("javascript/testdata/prints/values.js")
	if err != nil {
		t.Fatal(err)
	}
	want := rigPlan(t, JavaScript, one(JavaScript, string(text)), "")
	got := rigPlan(t, moduleJavaScript, one(moduleJavaScript, string(text)), "")
	if want.exit != 0 || got.exit != 0 {
		t.Fatalf("Node.js: %d %s\nQuickJS: %d %s", want.exit, want.stderr, got.exit, got.stderr)
	}
	a, b := strings.Split(want.stdout, "\n"), strings.Split(got.stdout, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d\nNode.js: %s\nQuickJS: %s", i+1, strings.Join(a[i:min(len(a), i+4)], "\n         "), strings.Join(b[i:min(len(b), i+4)], "\n         "))
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines, on Node.js %d", len(b), len(a))
	}
}

// TestModuleOwn runs our own programs of JavaScript and TypeScript in a module.
func TestModuleOwn(t *testing.T) {
	run := rigPlan(t, moduleJavaScript, JavaScript.Libraries, "")
	if run.exit != 0 || !strings.HasPrefix(run.stdout, "Node.js ") || !strings.Contains(run.stdout, "(built in) assert ") {
		t.Errorf("libraries: %+v", run)
	}
	for _, c := range []struct {
		lang       *Language
		file, text string
		exit       int
		stdout     string
	}{
		{moduleJavaScript, "a.js", "let a = 1;\n", LintClean, ""},
		{moduleJavaScript, "a.js", "let a = ;\n", LintFound, "a.js:1:9: Unexpected token ';'\n"},
		{moduleTypeScript, "a.ts", "let a: number = 1;\n", LintNothing, ""},
	} {
		tc, tree, err := moduleTool(c.lang)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := c.lang.Plan(tc, c.lang.Lint)
		if err != nil {
			t.Fatal(err)
		}
		plan.Run.Args = append(plan.Run.Args, c.file)
		r, w := rigPipe(t)
		report := rigReport(r)
		got := rigStart(t, t.Context(), tc, tree, plan.Run, append(plan.Files, glovebox.File{Path: c.file, Data: []byte(c.text)}), [3]*os.File{nil, nil, w})()
		report()
		if got.exit != c.exit || got.stdout != c.stdout {
			t.Errorf("%s: %+v", c.text, got)
		}
	}
}
