package quickjs

import (
	"bytes"
	"strings"
	"testing"
)

func TestCompile(t *testing.T) {
	texts := map[string][]byte{"/b.jsc": Driver([]byte("exports.b = () => import('x');")), "/a.jsc": Part([]byte("// nothing"))}
	code, err := Compile(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(code) != 2 || !bytes.Contains(code["/b.jsc"], []byte("$import")) || len(code["/a.jsc"]) == 0 || bytes.Contains(code["/a.jsc"], []byte("nothing")) {
		t.Errorf("%q", code)
	}
	if _, err := Compile(t.Context(), map[string][]byte{"/a.jsc": Part([]byte("let let;"))}); err == nil || !strings.Contains(err.Error(), "SyntaxError") {
		t.Errorf("a text that does not parse: %v", err)
	}
}
