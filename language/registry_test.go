package language

import "testing"

func TestRegistry(t *testing.T) {
	for path, want := range map[string]*Language{
		"a.py": Python, "dir/A.PY": Python, "x.test.ts": TypeScript, "a.mjs": JavaScript, "lib/A.pm": Perl, "m.wasm": Wasm,
		".py": nil, "dir/.rb": nil, "py": nil, "": nil, "a.txt": nil, "a.py/b": nil,
	} {
		if got := All().ByPath(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
	for name, want := range map[string]*Language{"python": Python, " PY ": Python, "golang": Go, "sh": Bash, "": nil, "cobol": nil} {
		if got := ByName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if got := (Registry{Python, Go}).Names(); got != "python, go" {
		t.Error(got)
	}
}
