package command_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/policy/command"
)

// honest are command lines that an agent writes in good faith, with their vectors. A |
// separates the words.
var honest = []struct{ line, argv string }{
	{"ls", "ls"},
	{"ls -la", "ls|-la"},
	{"  ls   -l    src  ", "ls|-l|src"},
	{"ls -1 --color=never /workspace/src", "ls|-1|--color=never|/workspace/src"},
	{"ls -I '*.pyc' .", "ls|-I|*.pyc|."},
	{`ls "my file"`, "ls|my file"},
	{`ls my\ file`, "ls|my file"},
	{"ls -- src", "ls|--|src"},
	{"cat README.md", "cat|README.md"},
	{"cat -n src/main.py", "cat|-n|src/main.py"},
	{"cat './-n'", "cat|./-n"},
	{"cat a.txt -", "cat|a.txt|-"},
	{`cat 'it'"'"'s.txt'`, "cat|it's.txt"},
	{`c"at" 'REA'DME.md`, "cat|README.md"},
	{`\cat a\.txt`, "cat|a.txt"},
	{"cat données.csv", "cat|données.csv"},
	{"cat 'a#b' a#b", "cat|a#b|a#b"},
	{`grep -rn "func main" .`, "grep|-rn|func main|."},
	{"grep -E 'a|b' src/x.go", "grep|-E|a|b|src/x.go"},
	{"grep -A3 -B 2 TODO README.md", "grep|-A3|-B|2|TODO|README.md"},
	{"grep -e foo -e bar a b", "grep|-e|foo|-e|bar|a|b"},
	{`grep -c "^\$" a`, "grep|-c|^$|a"},
	{`grep "a\\b" a`, `grep|a\b|a`},
	{`grep 'a\.b*' a`, `grep|a\.b*|a`},
	{"grep --include='*.go' -r -l x .", "grep|--include=*.go|-r|-l|x|."},
	{"grep -5 x a", "grep|-5|x|a"},
	{"grep -f patterns.txt a", "grep|-f|patterns.txt|a"},
	{"grep -- -x a", "grep|--|-x|a"},
	{"grep -e-x a", "grep|-e-x|a"},
	{"grep '' a", "grep||a"},
	{"grep 'naïve – “text”' a", "grep|naïve – “text”|a"},
	{"find . -name '*.py'", "find|.|-name|*.py"},
	{"find src tests -type f -size +10k -print0", "find|src|tests|-type|f|-size|+10k|-print0"},
	{`find . \( -name a -o -name b \) -mtime -7`, "find|.|(|-name|a|-o|-name|b|)|-mtime|-7"},
	{"find . ! -name x -maxdepth 2", "find|.|!|-name|x|-maxdepth|2"},
	{"find . -path ./node_modules -prune -o -print", "find|.|-path|./node_modules|-prune|-o|-print"},
	{"find . -newer a.txt -perm -u+x", "find|.|-newer|a.txt|-perm|-u+x"},
	{"find", "find"},
	{"sed -n '1,5p' a", "sed|-n|1,5p|a"},
	{"sed 's/a/b/g' a", "sed|s/a/b/g|a"},
	{"sed -e '/^#/d' -e '$!d' a", "sed|-e|/^#/d|-e|$!d|a"},
	{"sed -E 's|([0-9]+)/x|\\1|; 10q' a", "sed|-E|s|([0-9]+)/x|\\1|; 10q|a"},
	{"sed -n '/begin/,/end/p;$=' a", "sed|-n|/begin/,/end/p;$=|a"},
	{"sed -n '5,+3p' a", "sed|-n|5,+3p|a"},
	{"sed 'y/abc/xyz/' a", "sed|y/abc/xyz/|a"},
	{"sed 's/[[:space:]]*$//' a", "sed|s/[[:space:]]*$//|a"},
	{"git status", "git|status"},
	{"git status -sb", "git|status|-sb"},
	{"git --no-pager log --oneline -n 5", "git|--no-pager|log|--oneline|-n|5"},
	{"git log -5 --format='%h %s' main..dev", "git|log|-5|--format=%h %s|main..dev"},
	{"git log --author 'A B' --since=2.weeks -- src", "git|log|--author|A B|--since=2.weeks|--|src"},
	{"git diff HEAD~1 HEAD -- a.go", "git|diff|HEAD~1|HEAD|--|a.go"},
	{"git diff --stat --cached", "git|diff|--stat|--cached"},
	{"git diff -U10 main...dev", "git|diff|-U10|main...dev"},
	{"git show 'HEAD@{1}':src/a.go", "git|show|HEAD@{1}:src/a.go"},
	{"git show HEAD^", "git|show|HEAD^"},
	{"git blame -L 10,20 src/a.go", "git|blame|-L|10,20|src/a.go"},
	{"git grep -n 'func Load' -- policy", "git|grep|-n|func Load|--|policy"},
	{"git branch --show-current", "git|branch|--show-current"},
	{"git rev-parse --short HEAD", "git|rev-parse|--short|HEAD"},
	{"git ls-files -o --exclude-standard", "git|ls-files|-o|--exclude-standard"},
	{"git commit -am 'Fix: a; b && c'", "git|commit|-am|Fix: a; b && c"},
	{"git add -A src", "git|add|-A|src"},
	{"python main.py", "python|main.py"},
	{"python3 -B main.py --in data.csv -x '1 2'", "python3|-B|main.py|--in|data.csv|-x|1 2"},
	{"python -m pytest -q tests/test_a.py::test_b -k 'a and not b'", "python|-m|pytest|-q|tests/test_a.py::test_b|-k|a and not b"},
	{"python -m unittest discover -s tests -p 'test_*.py'", "python|-m|unittest|discover|-s|tests|-p|test_*.py"},
	{"python --version", "python|--version"},
	{"pip list --format=json", "pip|list|--format=json"},
	{"pip show requests", "pip|show|requests"},
	{"npm test", "npm|test"},
	{"npm run build", "npm|run|build"},
	{"npm test -- --grep=login", "npm|test|--|--grep=login"},
	{"npm ls --depth=0", "npm|ls|--depth=0"},
	{"go build ./...", "go|build|./..."},
	{"go test -run 'TestA|TestB' -count=1 -v ./policy/...", "go|test|-run|TestA|TestB|-count=1|-v|./policy/..."},
	{"go test --race -timeout 30s .", "go|test|--race|-timeout|30s|."},
	{"go list -f '{{.Dir}}' net/http", "go|list|-f|{{.Dir}}|net/http"},
	{"go vet ./cmd/tool", "go|vet|./cmd/tool"},
	{"go env GOOS GOARCH", "go|env|GOOS|GOARCH"},
	{"go run ./cmd/tool --help", ""},
	{"make", "make"},
	{"make -j 4 test lint", "make|-j|4|test|lint"},
	{"make -C sub -f sub/build.mk all", "make|-C|sub|-f|sub/build.mk|all"},
	{"curl -sS https://api.example.com/v1/x?y=1#z", ""},
	{"curl -sS 'https://api.example.com/v1/x?y=1'", "curl|-sS|https://api.example.com/v1/x?y=1"},
	{"curl -X POST -H 'Accept: text/plain' -d 'a=1&b=2' https://api.example.com:443/", "curl|-X|POST|-H|Accept: text/plain|-d|a=1&b=2|https://api.example.com:443/"},
	{"curl -o out/x.json https://a.b.cdn.example.com/x", "curl|-o|out/x.json|https://a.b.cdn.example.com/x"},
	{"curl http://localhost:8080/health", "curl|http://localhost:8080/health"},
	{"mytool -vo out.txt --mode fast -n5 in.txt", "mytool|-vo|out.txt|--mode|fast|-n5|in.txt"},
	{"mytool --color --lines=3 a b", "mytool|--color|--lines=3|a|b"},
	{"./tools/gen.py v1.2", "./tools/gen.py|v1.2"},
}

// vectors returns the honest lines that are accepted, with the vector of each.
func vectors(t testing.TB) (lines []string, argvs [][]string) {
	p := load(t, wide)
	for _, h := range honest {
		c, err := p.Parse(h.line)
		if h.argv == "" { // the refusal is the price of a rule
			if err == nil {
				t.Errorf("%q runs %q", h.line, c.Argv)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", h.line, err)
			continue
		}
		if got := strings.Join(c.Argv, "|"); got != h.argv {
			t.Errorf("%q runs %q, want %q", h.line, got, h.argv)
		}
		lines, argvs = append(lines, h.line), append(argvs, c.Argv)
	}
	return lines, argvs
}

func TestHonestLines(t *testing.T) {
	if lines, _ := vectors(t); len(lines) < 60 {
		t.Errorf("%d lines pass", len(lines))
	}
}

// TestShellAgrees splits each honest line by the system's shell as well. The line is an
// argument of the builtin set there, so nothing of the line is run.
func TestShellAgrees(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	lines, argvs := vectors(t)
	for i, line := range lines {
		cmd := exec.Command(sh, "-c", "set -- "+line+"\nprintf '%s\\0' \"$@\"")
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", line, err, out)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if !slices.Equal(got, argvs[i]) {
			t.Errorf("%q: a shell makes %q of the line, we make %q", line, got, argvs[i])
		}
	}
}

// requote writes a vector as a line of single-quoted words.
func requote(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// checkAccepted tests what holds for each accepted line.
func checkAccepted(t testing.TB, p *command.Policy, line string, argv []string) {
	t.Helper()
	if len(argv) == 0 || !slices.Contains(p.Programs(), argv[0]) {
		t.Fatalf("%q runs %q", line, argv)
	}
	if meta := unquotedMeta(line); meta != "" {
		t.Fatalf("%q has an unquoted %s and runs %q", line, meta, argv)
	}
	again, err := p.Parse(requote(argv))
	if err != nil || !slices.Equal(again.Argv, argv) {
		t.Fatalf("%q runs %q; quoted again, %q runs %q: %v", line, argv, requote(argv), again.Argv, err)
	}
}

// unquotedMeta scans a line by the quoting rules of POSIX alone, and returns a character
// that a shell would act on.
func unquotedMeta(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c < ' ' || c == 0x7f:
			return "control character"
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case quote == '"':
			if c == '"' {
				quote = 0
			} else if c == '$' || c == '`' {
				return string(c)
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte("|&;<>()$`*?[{}", c) >= 0:
			return string(c)
		}
	}
	if quote != 0 {
		return "quote"
	}
	return ""
}

func TestAcceptedLines(t *testing.T) {
	p := load(t, wide)
	lines, argvs := vectors(t)
	for i, line := range lines {
		checkAccepted(t, p, line, argvs[i])
	}
}
