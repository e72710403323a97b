package language

import (
	"strconv"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestGoPlan(t *testing.T) {
	run := rigPlan(t, Go, program("go", "main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hi\") }\n"), "")
	if run.stdout != "hi\n" || run.exit != 0 || run.report != "{\"type\":\"checked\"}\n" {
		t.Errorf("got %+v", run)
	}
}

func program(lang, main, text string) *glovebox.Program {
	return &glovebox.Program{Language: lang, Main: main, Files: []glovebox.File{{Path: main, Data: []byte(text)}}}
}

func number(n int) string { return strconv.Itoa(n) }
