package language

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier/wasm/assemble"
)

var moduleWasm = inModule(Wasm)

// TestWasm runs compiled modules as programs.
func TestWasm(t *testing.T) {
	build := func(code ...[]byte) string {
		m := &assemble.Module{}
		exit := m.Import(assemble.WASI, "proc_exit", "i", "")
		m.Code(append(code, assemble.I32(3), assemble.Call(exit))...)
		return string(m.Bytes())
	}
	for _, c := range []struct {
		name, text string
		exit       int
		events     []string
		failure    *glovebox.Failure
	}{
		{"ends", build(), 3, []string{"checked"}, nil},
		{"traps", build(assemble.Unreachable), -1, []string{"checked"}, &glovebox.Failure{Type: "wasm trap", Message: "unreachable"}},
		{"is no module", "(module)", 1, []string{"syntax"}, nil},
		{"is not valid", strings.Replace(build(), "\x41\x03\x10", "\x42\x03\x10", 1), 1, []string{"syntax"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := rigPlan(t, moduleWasm, one(moduleWasm, c.text), "")
			var events []string
			for _, e := range run.events {
				events = append(events, e.Type)
				if e.Type == "syntax" && (e.Syntax.File != "main.wasm" || e.Syntax.Message == "") {
					t.Errorf("%+v", e.Syntax)
				}
			}
			if run.exit != c.exit || !reflect.DeepEqual(events, c.events) || !reflect.DeepEqual(Wasm.ReadFailure([]byte(run.stderr)), c.failure) {
				t.Errorf("%+v", run)
			}
		})
	}
	if Wasm.Score(build()) != 100 || Wasm.Score("(module)") != 0 {
		t.Error("it does not know a module")
	}
	if _, err := Wasm.Find(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "tier wasm") {
		t.Error(err)
	}
}

func FuzzTrap(f *testing.F) {
	fuzzFailure(f, Wasm, "x\nwasm trap: unreachable\n", "wasm trap: ")
}
