package inspect

import (
	"context"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// found are the names of the rules with a finding in a program of one file.
func found(language, code string) []string {
	l := languages()[language]
	p := &glovebox.Program{Language: language, Main: "main" + l.Extensions[0], Files: []glovebox.File{{Path: "main" + l.Extensions[0], Data: []byte(code)}}}
	var names []string
	for _, f := range Program(context.Background(), p) {
		names = append(names, f.Rule)
	}
	return names
}

// TestRules runs the examples of each rule.
func TestRules(t *testing.T) {
	for name, l := range languages() {
		for _, r := range l.Rules {
			if len(r.Match) == 0 || len(r.NotMatch) == 0 || r.Message == "" || weight(r.Severity) < 0 {
				t.Errorf("%s: %s lacks examples, a message or a severity", name, r.Name)
			}
			for _, code := range r.Match {
				if got := found(name, code); !slices.Contains(got, r.Name) {
					t.Errorf("%s: %s does not match %q: %v", name, r.Name, code, got)
				}
			}
			for _, code := range r.NotMatch {
				if got := found(name, code); slices.Contains(got, r.Name) {
					t.Errorf("%s: %s matches %q", name, r.Name, code)
				}
			}
		}
	}
}
