package agent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/agent"
	"github.com/gloveboxhq/glovebox/model/modeltest"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// shop is a small repository with a fault: a total forgets the counts.
var shop = map[string]string{
	"README.md":             "# shop\n\nA cart with prices.\n",
	"shop/__init__.py":      "",
	"shop/cart.py":          "from shop.money import add\n\n\ndef total(items):\n    cost = 0\n    for price, count in items:\n        cost = add(cost, price)\n    return cost\n",
	"shop/money.py":         "def add(a, b):\n    return a + b\n",
	"shop/legacy/old.py":    "def total(items):\n    return sum(price for price, _ in items)\n",
	"tests/test_money.py":   "from shop.money import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
	"tests/test_cart.py":    "from shop.cart import total\n\ndef test_empty():\n    assert total([]) == 0\n",
	"docs/notes.txt":        "nothing\n",
	"shop/data/prices.json": "{}\n",
}

// counts is the task's test.
const counts = "from shop.cart import total\n\ndef test_counts():\n    assert total([(2, 3), (5, 1)]) == 11\n"

func replace(path, search, with string) string {
	return path + "\n```python\n<<<<<<< SEARCH\n" + search + "\n=======\n" + with + "\n>>>>>>> REPLACE\n```\n"
}

var (
	fixCart = replace("shop/cart.py", "        cost = add(cost, price)", "        cost = add(cost, price * count)")
	// breakMoney makes the task's test pass and another one fail.
	breakMoney = fixCart + replace("shop/money.py", "    return a + b", "    return a + b if a != 1 else 0")
)

// TestRepository ends each kind of task in the right disposition.
func TestRepository(t *testing.T) {
	e := newEngine(t)
	tests := []struct {
		name    string
		allow   []string
		tests   string // of the task; empty for the repository's own
		spoil   map[string]string
		replies []string
		want    agent.Disposition
		stop    agent.Stop
		turns   int
		reason  string   // in the reasons
		changed []string // in the patch
	}{
		{"one edit", nil, counts, nil, []string{fixCart}, agent.Candidate, agent.StopProven, 1, "", []string{"shop/cart.py"}},
		{"an edit of two files", nil, counts, nil,
			[]string{replace("shop/cart.py", "        cost = add(cost, price)", "        cost = add(cost, times(price, count))") +
				replace("shop/cart.py", "from shop.money import add", "from shop.money import add, times") +
				replace("shop/money.py", "    return a + b", "    return a + b\n\n\ndef times(a, n):\n    return a * n")},
			agent.Candidate, agent.StopProven, 1, "", []string{"shop/cart.py", "shop/money.py"}},
		{"a new file", nil, counts, nil,
			[]string{"shop/lines.py\n```python\ndef line(price, count):\n    return price * count\n```\n" +
				replace("shop/cart.py", "        cost = add(cost, price)", "        cost = add(cost, line(price, count))") +
				replace("shop/cart.py", "from shop.money import add", "from shop.lines import line\nfrom shop.money import add")},
			agent.Candidate, agent.StopProven, 1, "", []string{"shop/cart.py", "shop/lines.py"}},
		{"repaired in the second turn", nil, counts, nil,
			[]string{replace("shop/cart.py", "        cost = add(cost, price)", "        cost = add(cost, count)"),
				replace("shop/cart.py", "        cost = add(cost, count)", "        cost = add(cost, price * count)")},
			agent.Candidate, agent.StopProven, 2, "", []string{"shop/cart.py"}},
		{"a search that does not fit, then one that does", nil, counts, nil,
			[]string{replace("shop/cart.py", "        cost = add(costs, price)", "        pass"), fixCart},
			agent.Candidate, agent.StopProven, 2, "", []string{"shop/cart.py"}},
		{"a forbidden path", []string{"shop/legacy"}, counts, nil, []string{fixCart, fixCart, fixCart},
			agent.Blocked, agent.StopBreaker, 3, "shop/cart.py", nil},
		{"the tests themselves", nil, counts, nil,
			[]string{"tests/test_counts.py\n```python\ndef test_counts():\n    pass\n```\n"},
			agent.Blocked, agent.StopModel, 1, "tests/test_counts.py", nil},
		{"a regression", nil, counts, nil, []string{breakMoney},
			agent.Blocked, agent.StopModel, 1, "it passed before the change", []string{"shop/cart.py", "shop/money.py"}},
		{"a regression that is repaired", nil, counts, nil,
			[]string{breakMoney, replace("shop/money.py", "    return a + b if a != 1 else 0", "    return a + b")},
			agent.Candidate, agent.StopProven, 2, "", []string{"shop/cart.py"}},
		{"lint", nil, counts, nil,
			[]string{replace("shop/cart.py", "    return cost", "    return cost\n\n\ndef unused():\n    return undefined_name") + fixCart},
			agent.Blocked, agent.StopModel, 1, "undefined_name", []string{"shop/cart.py"}},
		{"a secret", nil, counts, nil,
			[]string{fixCart + "shop/key.py\n```python\nTOKEN = '" + secret + "'\n```\n"},
			agent.Blocked, agent.StopModel, 1, "secret", []string{"shop/cart.py", "shop/key.py"}},
		{"the repository's own failing test", nil, "", map[string]string{"tests/test_counts.py": counts}, []string{fixCart},
			agent.Candidate, agent.StopProven, 1, "", []string{"shop/cart.py"}},
		{"a test that failed before may fail still", nil, counts,
			map[string]string{"tests/test_broken.py": "def test_broken():\n    assert False\n"}, []string{fixCart},
			agent.Candidate, agent.StopProven, 1, "", []string{"shop/cart.py"}},
		{"nothing to do", nil, "from shop.cart import total\n\ndef test_empty():\n    assert total([]) == 0\n", nil, nil,
			agent.Blocked, agent.StopNothing, 0, "before anything", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, files := range []map[string]string{shop, test.spoil} {
				for name, text := range files {
					write(t, filepath.Join(dir, name), text)
				}
			}
			repo, err := workcopy.Open(dir, workcopy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			task := agent.Task{Text: "A total forgets the counts.", Repository: repo, Allow: test.allow, Tier: glovebox.TierProcess}
			if test.tests != "" {
				task.Tests = []glovebox.File{{Path: "tests/test_counts.py", Data: []byte(test.tests)}}
			}
			r, s := solve(t, agent.Config{Runner: e, NoPlan: true}, task, modeltest.Texts(test.replies...))
			turns := 0
			for _, a := range r.Attempts {
				turns += len(a.Turns)
			}
			if r.Disposition != test.want || r.Stop != test.stop || turns != test.turns {
				t.Errorf("%s, %s (%s), %d turns; %s\n%q", r.Disposition, r.Stop, r.StopReason, turns, signals(r.Signals), r.Reasons)
				for _, c := range s.Calls()[min(1, len(s.Calls())):] {
					t.Logf("%s", c.Last())
				}
			}
			if r.Baseline == nil || r.Stop != agent.StopNothing && r.Baseline.Status == glovebox.StatusPass {
				t.Errorf("the failure was not reproduced: %+v", r.Baseline)
			}
			if !strings.Contains(strings.Join(r.Reasons, "\n"), test.reason) || test.want == agent.Candidate && len(r.Reasons) > 0 {
				t.Errorf("reasons %q", r.Reasons)
			}
			checkPatch(t, dir, r.Patch, test.changed)
			for name, text := range shop {
				if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != text {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}

// checkPatch lets git say what a patch changes.
func checkPatch(t *testing.T, dir, patch string, want []string) {
	t.Helper()
	if patch == "" {
		if len(want) > 0 {
			t.Errorf("no patch; want changes of %q", want)
		}
		return
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	cmd := exec.Command(git, "apply", "--numstat", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, patch)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 {
			got = append(got, f[2])
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the patch changes %q, want %q", got, want)
	}
	cmd = exec.Command(git, "apply", "--check", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the patch does not apply: %s", out)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
