package language

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/sample"
)

// forgeSubject is what the programs of testdata/forge try to pass: the tests
// of add, which none of them gets right.
type forgeSubject struct {
	lang *Language
	dir  string
	// tests only call the program; more makes them need its interpreter.
	file, tests, more string
	// honest is right.
	honest string
	// succeed are the programs aimed at the harness itself that do pass where
	// they share an interpreter with it: why in_process is the weaker proof.
	succeed []string
}

var forgeSubjects = []forgeSubject{
	{
		lang: Go, dir: "golang", file: "main_test.go",
		tests:   "package main\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range [][3]int{{2, 3, 5}, {4, 4, 8}} {\n\t\tif got := add(c[0], c[1]); got != c[2] {\n\t\t\tt.Errorf(\"add(%d, %d) = %d\", c[0], c[1], got)\n\t\t}\n\t}\n}\n",
		more:    "\nfunc more(t *testing.T) { t.Setenv(\"A\", \"b\") }\n",
		honest:  "package main\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() {}\n",
		succeed: []string{"targeted_nonce"},
	},
	{
		lang: Ruby, dir: "ruby", file: "main_test.rb",
		tests:   "require 'test/unit'\nclass TestAdd < Test::Unit::TestCase\n  def test_add\n    assert_equal(5, add(2, 3))\n    assert_equal(8, add(4, 4))\n  end\nend\n",
		more:    "$stdout.sync = true\n",
		honest:  "def add(a, b) = a + b\n",
		succeed: []string{"targeted_nonce"},
	},
	{
		lang: Perl, dir: "perl", file: "main_test.t",
		tests:   "use Test::Deep;\nexit 1 unless eq_deeply(add(2, 3), 5);\nexit 1 unless eq_deeply(add(4, 4), 8);\nprint \"ok!\";\n",
		more:    "print *STDOUT if 0;\n",
		honest:  "sub add { $_[0] + $_[1] }\n",
		succeed: []string{"targeted_nonce", "targeted_event"},
	},
	{
		lang: Lua, dir: "lua", file: "main_test.lua",
		tests:   "lu = require('luaunit')\nfunction testAdd()\n  lu.assertEquals(add(2, 3), 5)\n  lu.assertEquals(add(4, 4), 8)\nend\nos.exit(lu.LuaUnit.run())\n",
		more:    "local trace = debug.traceback\n",
		honest:  "local function add(a, b) return a + b end\n",
		succeed: []string{"targeted_nonce"},
	},
}

// TestForgeNative: in Go, Ruby, Perl and Lua no trick passes where the tests
// have a process of their own, and none but those aimed at the harness where
// they have not.
func TestForgeNative(t *testing.T) {
	for _, s := range forgeSubjects {
		t.Run(s.lang.Name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("takes a minute")
			}
			rigTool(t, s.lang)
			for _, form := range []struct {
				proof glovebox.Proof
				tests string
			}{{glovebox.ProofOutOfProcess, s.tests}, {glovebox.ProofInProcess, s.tests + s.more}} {
				tests := Tests{Files: []glovebox.File{{Path: s.file, Data: []byte(form.tests)}}}
				if v := rigExam(t, s.lang, program(s.lang.Name, s.lang.Main, s.honest), tests); !v.pass || v.proof != form.proof {
					t.Fatalf("the honest program does not pass %s: %+v", form.proof, v)
				}
				files, err := filepath.Glob(filepath.Join(s.dir, "testdata", "forge", "*"))
				if err != nil || len(files) < 8 {
					t.Fatalf("%d programs: %v", len(files), err)
				}
				for _, f := range files {
					name := strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
					if !sample.Has(t, name+string(form.proof), 4) {
						continue
					}
					text, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					v := rigExam(t, s.lang, program(s.lang.Name, s.lang.Main, string(text)), tests)
					want := form.proof == glovebox.ProofInProcess && slices.Contains(s.succeed, name)
					if v.pass != want || v.proof != form.proof {
						t.Errorf("%s: %s: pass is %t: %s\nharness: %s%s\ncandidate: %s%s", form.proof, name, v.pass, v.why,
							v.harness.report, v.harness.stderr, v.candidate.report, v.candidate.stderr)
					}
					t.Logf("%s\t%s\t%s", form.proof, name, v.why)
				}
			}
		})
	}
}
