package language

import (
	"os"
	"strings"
	"testing"
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
