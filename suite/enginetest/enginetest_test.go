// Package enginetest runs suites in the engine. It is apart from the tests of
// package suite, whose fuzz targets cannot be linked with gVisor.
package enginetest

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/edit"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/suite"
	"github.com/gloveboxhq/glovebox/tier/gvisor/statictest"
	"github.com/gloveboxhq/glovebox/workcopy"
)

func TestMain(m *testing.M) { os.Exit(statictest.Main(m)) }

func copyOf(t testing.TB, pairs []string) *workcopy.Copy {
	t.Helper()
	var files []glovebox.File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, glovebox.File{Path: pairs[i], Data: []byte(pairs[i+1])})
	}
	c, err := workcopy.New(files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// task is one in SWE-bench's shape.
type task struct {
	lang *language.Language
	// files are the repository, with a bug.
	files []string
	want  suite.Want
	// repair is a reply that fixes it; regress is one that does too, and breaks
	// what passed.
	repair, regress string
}

var tasks = []task{
	{
		lang: language.Python,
		files: []string{
			"pyproject.toml", "[project]\nname = \"shop\"\n",
			"shop/__init__.py", "",
			"shop/cart.py", "from .money import cents\n\n\ndef total(items):\n    return sum(cents(i) for i in items[1:])\n",
			"shop/money.py", "def cents(x):\n    return round(x * 100)\n",
			"tests/__init__.py", "",
			"tests/helpers.py", "def same(a, b):\n    assert a == b, (a, b)\n",
			"tests/test_cart.py", "import unittest\nimport pytest\nfrom shop.cart import total\nfrom .helpers import same\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_total(n):\n    same(total([n, n]), 200 * n)\n\n\ndef test_empty():\n    same(total([]), 0)\n\n\nclass TestOne(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(total([1]), 100)\n",
			"tests/test_known_bug.py", "from shop import cart\n\n\ndef test_known():\n    assert cart.total([1]) == 1\n",
		},
		want: suite.Want{
			FailToPass: []string{"tests/test_cart.py::test_total[1]", "tests/test_cart.py::test_total[2]", "test_one (tests.test_cart.TestOne)"},
			PassToPass: []string{"tests/test_cart.py::test_empty"},
		},
		repair:  "shop/cart.py\n<<<<<<< SEARCH\n    return sum(cents(i) for i in items[1:])\n=======\n    return sum(cents(i) for i in items)\n>>>>>>> REPLACE\n",
		regress: "shop/cart.py\n<<<<<<< SEARCH\n    return sum(cents(i) for i in items[1:])\n=======\n    if not items:\n        raise ValueError\n    return sum(cents(i) for i in items)\n>>>>>>> REPLACE\n",
	},
	{
		lang: language.JavaScript,
		files: []string{
			"package.json", "{\"name\": \"shop\", \"type\": \"commonjs\"}\n",
			"src/cart.js", "const { cents } = require('./money');\n\nfunction total(items) {\n  return items.slice(1).reduce((sum, i) => sum + cents(i), 0);\n}\n\nmodule.exports = { total };\n",
			"src/money.js", "module.exports.cents = (x) => Math.round(x * 100);\n",
			"test/cart.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../src/cart');\n\ntest('adds', () => {\n  assert.strictEqual(total([1, 2]), 300);\n});\n\ntest('is nothing for none', () => {\n  assert.strictEqual(total([]), 0);\n});\n",
		},
		want:    suite.Want{FailToPass: []string{"adds"}, PassToPass: []string{"is nothing for none"}},
		repair:  "src/cart.js\n<<<<<<< SEARCH\n  return items.slice(1).reduce((sum, i) => sum + cents(i), 0);\n=======\n  return items.reduce((sum, i) => sum + cents(i), 0);\n>>>>>>> REPLACE\n",
		regress: "src/cart.js\n<<<<<<< SEARCH\n  return items.slice(1).reduce((sum, i) => sum + cents(i), 0);\n=======\n  return items.reduce((sum, i) => sum + cents(i));\n>>>>>>> REPLACE\n\nsrc/money.js\n```js\nmodule.exports.cents = (x) => x * 150;\n```\n",
	},
	{
		lang: language.Go,
		files: []string{
			"go.mod", "module example.com/shop\n\ngo 1.21\n",
			"cart/cart.go", "// Package cart adds up.\npackage cart\n\nimport \"example.com/shop/money\"\n\n// Total is the sum in cents.\nfunc Total(items []int) int {\n\tsum := 0\n\tfor _, i := range items[min(1, len(items)):] {\n\t\tsum += money.Cents(i)\n\t}\n\treturn sum\n}\n",
			"cart/cart_test.go", "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 300 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestNone(t *testing.T) {\n\tif got := Total(nil); got != 0 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
			"money/money.go", "// Package money counts.\npackage money\n\n// Cents converts.\nfunc Cents(x int) int { return x * 100 }\n",
		},
		want:    suite.Want{FailToPass: []string{"TestTotal"}, PassToPass: []string{"TestNone"}},
		repair:  "cart/cart.go\n<<<<<<< SEARCH\n\tfor _, i := range items[min(1, len(items)):] {\n=======\n\tfor _, i := range items {\n>>>>>>> REPLACE\n",
		regress: "cart/cart.go\n<<<<<<< SEARCH\n\tfor _, i := range items[min(1, len(items)):] {\n=======\n\tif items == nil {\n\t\treturn 1\n\t}\n\tfor _, i := range items {\n>>>>>>> REPLACE\n",
	},
}

// TestTasks: before the edit the tests fail, after it they pass and the others
// go on passing; one that breaks another resolves nothing.
func TestTasks(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, row := range tasks {
		t.Run(row.lang.Name, func(t *testing.T) {
			if _, err := e.Toolchain(t.Context(), row.lang); err != nil {
				t.Skipf("no %s here: %v", row.lang.Title, err)
			}
			before := copyOf(t, row.files)
			s := suite.Suite{From: before, Limits: glovebox.Limits{Wall: 2 * time.Minute, Memory: 2 * glovebox.GiB}}
			for _, turn := range []struct{ name, reply, failToPass, passToPass string }{
				{"before", "", "failed", "passed"},
				{"repaired", row.repair, "passed", "passed"},
				{"regressed", row.regress, "", "failed"},
			} {
				c := before.Clone()
				if turn.reply != "" {
					set, err := edit.Parse(turn.reply)
					if err != nil {
						t.Fatal(err)
					}
					if err := set.Apply(c, edit.Rules{Deny: s.Tests}); err != nil {
						t.Fatal(err)
					}
				}
				job, err := s.Job(c)
				if err != nil {
					t.Fatal(err)
				}
				o, err := e.Run(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				if o.Status == glovebox.StatusSandboxError {
					t.Skip(o.Message)
				}
				j := suite.Judge(o, row.want)
				if j.Resolved != (turn.name == "repaired") || turn.failToPass != "" && !all(j.FailToPass, turn.failToPass) || !all(j.PassToPass, turn.passToPass) {
					t.Errorf("%s: %+v\n%s\n%s", turn.name, j, o.Message, o.Feedback)
				}
			}
		})
	}
}

func all(list []suite.Verdict, want string) bool {
	for _, v := range list {
		if !strings.EqualFold(string(v.Result), want) {
			return false
		}
	}
	return true
}
