package language

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox"
)

func TestPythonFailure(t *testing.T) {
	const head = "Traceback (most recent call last):\n"
	frame := func(file, line string) string {
		return `  File "` + file + `", line ` + line + ", in f\n    code()\n    ^^^^^^\n"
	}
	for _, c := range []struct {
		name, stderr string
		want         *glovebox.Failure
	}{
		{"nothing", "", nil},
		{"talk", "WARNING: low\nError: not really\n", nil},
		{"plain", head + frame("/workspace/main.py", "3") + "ValueError: no\n",
			&glovebox.Failure{Type: "ValueError", Message: "no", File: "main.py", Line: 3}},
		{"no message", head + frame("/workspace/main.py", "3") + "MemoryError\n",
			&glovebox.Failure{Type: "MemoryError", File: "main.py", Line: 3}},
		{"interrupt", head + frame("/workspace/main.py", "9") + "KeyboardInterrupt\n",
			&glovebox.Failure{Type: "KeyboardInterrupt", File: "main.py", Line: 9}},
		{"in the library", head + frame("/workspace/a/b.py", "7") + frame("/usr/lib/python3.11/json/decoder.py", "355") + "json.decoder.JSONDecodeError: Expecting value: line 1\n",
			&glovebox.Failure{Type: "json.decoder.JSONDecodeError", Message: "Expecting value: line 1", File: "a/b.py", Line: 7}},
		{"chained", head + frame("/workspace/main.py", "3") + "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			head + frame("/workspace/main.py", "5") + "RuntimeError: b\n",
			&glovebox.Failure{Type: "RuntimeError", Message: "b", File: "main.py", Line: 5}},
		{"recursion", head + frame("/workspace/main.py", "2") + "  [Previous line repeated 996 more times]\nRecursionError: maximum recursion depth exceeded\n",
			&glovebox.Failure{Type: "RecursionError", Message: "maximum recursion depth exceeded", File: "main.py", Line: 2}},
		{"two lines", head + frame("/workspace/main.py", "2") + "ValueError: one\ntwo\n",
			&glovebox.Failure{Type: "ValueError", Message: "one\ntwo", File: "main.py", Line: 2}},
		{"syntax error while parsing", "  File \"/workspace/main.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
			&glovebox.Failure{Type: "SyntaxError", Message: "invalid syntax", File: "main.py", Line: 1}},
		{"syntax error while running", head + frame("/workspace/main.py", "4") + "  File \"/workspace/other.py\", line 2\n    x =\n       ^\nSyntaxError: invalid syntax\n",
			&glovebox.Failure{Type: "SyntaxError", Message: "invalid syntax", File: "other.py", Line: 2}},
		{"what a finalizer said comes last", head + frame("/workspace/main.py", "3") + "ValueError: no\n" +
			"Exception ignored in: <function D.__del__ at 0x7f>\n" + head + frame("/workspace/main.py", "8") + "TypeError: x\n",
			&glovebox.Failure{Type: "ValueError", Message: "no", File: "main.py", Line: 3}},
		{"a thread alone", "Exception in thread Thread-1 (f):\n" + head + frame("/workspace/main.py", "8") + "TypeError: x\n",
			&glovebox.Failure{Type: "TypeError", Message: "x", File: "main.py", Line: 8}},
		{"a group", "  + Exception Group " + head + "  |   File \"/workspace/main.py\", line 1, in <module>\n  |     raise g\n  | ExceptionGroup: g (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | ValueError: 1\n    +------------------------------------\n",
			&glovebox.Failure{Type: "ExceptionGroup", Message: "g (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | ValueError: 1\n    +------------------------------------", File: "main.py", Line: 1}},
		{"cut short", head + frame("/workspace/main.py", "3"), nil},
		{"after other output", strings.Repeat("noise\n", 50000) + head + frame("/workspace/main.py", "3") + "ValueError: no\n",
			&glovebox.Failure{Type: "ValueError", Message: "no", File: "main.py", Line: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readPythonFailure([]byte(c.stderr))
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzPythonFailure(f *testing.F) {
	f.Add([]byte("Traceback (most recent call last):\n  File \"/workspace/main.py\", line 3, in f\n    x\nValueError: no\n"))
	f.Add([]byte("  File \"/workspace/main.py\", line 99999999999999999999\nSyntaxError: \xff\n"))
	f.Add([]byte("Exception ignored in: x\nTraceback (most recent call last):\nE\nTraceback (most recent call last):"))
	f.Fuzz(func(t *testing.T, stderr []byte) {
		got := readPythonFailure(stderr)
		if got == nil {
			return
		}
		if got.Type == "" || got.Line < 0 || len(got.Message) > failureMessage || !utf8.ValidString(got.Message+got.File+got.Type) {
			t.Errorf("%+v", got)
		}
	})
}
