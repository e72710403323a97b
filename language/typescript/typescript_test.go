package typescript

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestStrip(t *testing.T) {
	for _, c := range []struct {
		name, file, src string
		has, lacks      string
		syntax          *glovebox.SyntaxError
	}{
		{"types go", "a.ts", "const a: number = 1 as number;", "const a = 1;", "number", nil},
		{"imports become require", "a.ts", "import fs from 'fs';\nexport const f = () => fs;", "\"use strict\";", "import fs", nil},
		{"top-level await stays a module", "a.ts", "import 'fs';\nawait 1;", "import \"fs\"", "require(", nil},
		{"mts is a module", "a.mts", "export const a = 1;", "export", "module.exports", nil},
		{"nothing is shaken off", "a.ts", "function unused(): void {}", "function unused()", "void", nil},
		{"map", "a.ts", "let a: string;", "//# sourceMappingURL=data:application/json;base64,", "", nil},
		{"cts cannot await", "a.cts", "await 1;", "", "", &glovebox.SyntaxError{File: "a.cts", Line: 1, Column: 1, Message: `Top-level await is currently not supported with the "cjs" output format`}},
		{"error", "lib/a.ts", "let a = 1;\nlet b: = 2;", "", "", &glovebox.SyntaxError{File: "lib/a.ts", Line: 2, Column: 8, Message: `Unexpected "="`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, syntax := Strip(c.file, c.src)
			if (syntax == nil) != (c.syntax == nil) || syntax != nil && *syntax != *c.syntax {
				t.Fatalf("syntax error %+v, want %+v", syntax, c.syntax)
			}
			if !strings.Contains(code, c.has) || c.lacks != "" && strings.Contains(code, c.lacks) {
				t.Errorf("%q: want %q and not %q", code, c.has, c.lacks)
			}
		})
	}
}

func TestPrepend(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"a();", "X;a();"},
		{"", "X;"},
		{"#!/usr/bin/node\na();", "#!/usr/bin/node\nX;a();"},
		{"'use strict';\na();", "'use strict';;X;\na();"},
		{"// c\n/* d\n */ \"use strict\"\na();", "// c\n/* d\n */ \"use strict\";X;\na();"},
		{"#!/x\n'use strict'\n", "#!/x\n'use strict';X;\n"},
		{"// 'use strict'\na();", "X;// 'use strict'\na();"},
		{"'use strict'", "'use strict';X;"},
	} {
		if got := Prepend(c.code, "X;"); got != c.want {
			t.Errorf("%q became %q, want %q", c.code, got, c.want)
		}
	}
}

func TestOutput(t *testing.T) {
	for name, want := range map[string]string{
		"a.ts": "a.js", "lib/a.mts": "lib/a.mjs", "a.cts": "a.cjs", "a.js": "a.js", "parts": "parts", "a.tsx": "a.tsx",
	} {
		if got := Output(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
