package command_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/policy/command"
)

// TestLoadFaults reads files with a fault: the error has its place and its cause.
func TestLoadFaults(t *testing.T) {
	const head = "version: 1\nprograms:\n  - "
	for _, c := range []struct{ text, place, want string }{
		{"", "1:1", "no document"},
		{"[]", "1:1", "is a map"},
		{"programs: [{name: ls}]", "1:1", "version"},
		{"version: 2\nprograms: [{name: ls}]", "1:10", "version: 1"},
		{"version: '1'\nprograms: [{name: ls}]", "1:10", "version: 1"},
		{"version: 1", "1:1", "programs is missing"},
		{"version: 1\nprograms: []", "1:1", "programs is missing"},
		{"version: 1\nprograms: ls", "2:11", "is a list"},
		{"version: 1\nprograms:", "2:1", "has no value"},
		{"version: 1\nprogram: []", "2:1", "no field"},
		{"version: 1\nversion: 1", "2:1", "twice"},
		{"version: 1\n---\nversion: 1", "1:1", "several"},
		{"version: &a 1", "1:10", "anchors"},
		{"version: 1\nprograms: *a", "2:11", "anchors"},
		{"version: !!int 1", "1:10", "tags"},
		{"version: \xff", "1:1", "UTF-8"},
		{"version: [", "", "YAML"},
		{strings.Repeat("[", 5000), "1:9", "too deep"},
		{strings.Repeat("- ", 5000), "1:17", "too deep"},
		{strings.Repeat(" ", 300<<10), "1:1", "at most"},
		{strings.Repeat("a: 1\n", 9000), "1:1", "tokens"},
		{head + "ls", "3:5", "is a map"},
		{head + "{}", "3:5", "name"},
		{head + "{name: /bin/ls}", "3:12", "without a path"},
		{head + "{name: ../ls}", "3:12", "without a path"},
		{head + "{name: ./../ls}", "3:12", "without a path"},
		{head + "{name: 'ls -l'}", "3:12", "without a path"},
		{head + "{name: -ls}", "3:12", "without a path"},
		{head + "{name: lѕ}", "3:12", "without a path"},
		{head + "{name: 1}", "3:12", "text is missing"},
		{head + "{name: ls}\n  - {name: ls}", "4:6", "first at tools.yaml:3:6"},
		{head + "{name: ls, validator: nope}", "3:27", "one of cat, curl"},
		{head + "{name: x, validator: git, args: any}", "3:37", "either a validator"},
		{head + "{name: x, validator: git, unsafe: true}", "3:39", "either a validator"},
		{head + "{name: bash, validator: cat}", "3:29", "only the program"},
		{head + "{name: git, validator: ls}", "3:28", "only the program"},
		{head + "{name: python3.12}", "3:6", "validator: python"},
		{head + "{name: git, args: any}", "3:6", "unsafe: true"},
		{head + "{name: git2, args: any}", "3:6", "unsafe: true"},
		{head + "{name: python3.12, args: any}", "3:6", "unsafe: true"},
		{head + "{name: env, args: any}", "3:6", "starts any other program"},
		{head + "{name: xargs}", "3:6", "starts any other program"},
		{head + "{name: bash}", "3:6", "shell runs any command"},
		{head + "{name: BASH}", "3:6", "shell runs any command"},
		{head + "{name: bash-5.2}", "3:6", "shell runs any command"},
		{head + "{name: ./bin/sh}", "3:6", "shell runs any command"},
		{head + "{name: sudo}", "3:6", "unsafe: true"},
		{head + "{name: nohup}", "3:6", "unsafe: true"},
		{head + "{name: timeout}", "3:6", "unsafe: true"},
		{head + "{name: watch}", "3:6", "unsafe: true"},
		{head + "{name: ssh}", "3:6", "unsafe: true"},
		{head + "{name: tar}", "3:6", "unsafe: true"},
		{head + "{name: awk}", "3:6", "unsafe: true"},
		{head + "{name: bash, unsafe: yes please}", "3:26", "true or false"},
		{head + "{name: x, flags: [v]}", "3:23", "does not fit"},
		{head + "{name: x, flags: ['-v nope']}", "", "the kinds are"},
		{head + "{name: x, flags: ['-v rev']}", "", "the kinds are"},
		{head + "{name: x, flags: ['--v[=word']}", "", "does not fit"},
		{head + "{name: x, flags: [-v, -v]}", "", "twice"},
		{head + "{name: x, args: script}", "3:21", "one of none, path"},
		{head + "{name: x, subcommands: [a]}", "3:28", "built-in validator"},
		{head + "{name: ls, subcommands: [a]}", "3:29", "not for this program"},
		{head + "{name: ls, code: true}", "3:22", "not for this program"},
		{head + "{name: git, subcommands: [bisect]}", "3:30", "no subcommand with rules"},
		{head + "{name: git, subcommands: []}", "3:30", "empty list"},
		{head + "{name: npm, scripts: ['a|b']}", "", "plain name"},
		{head + "{name: npm, scripts: ['--x']}", "", "plain name"},
		{head + "{name: ls}\nhosts: ['*']", "", "a host such as"},
		{head + "{name: ls}\nhosts: ['*.com']", "", "a host such as"},
		{head + "{name: ls}\nhosts: ['A.example']", "", "a host such as"},
		{head + "{name: ls}\nhosts: ['https://a.example']", "", "a host such as"},
		{head + "{name: ls}\nhosts: ['a.example:port']", "", "a host such as"},
		{head + "{name: ls}\nhosts: ['a..example']", "", "a host such as"},
	} {
		_, err := command.Load([]byte(c.text), "tools.yaml")
		name := c.text[:min(len(c.text), 80)]
		switch {
		case err == nil:
			t.Errorf("%q loads", name)
		case !strings.HasPrefix(err.Error(), "tools.yaml:"+c.place), c.place != "" && !strings.HasPrefix(err.Error(), "tools.yaml:"+c.place+": "), !strings.Contains(err.Error(), c.want):
			t.Errorf("%q: %v, want %s: %q", name, err, c.place, c.want)
		}
	}
}

// TestOptions narrows and widens the built-in programs.
func TestOptions(t *testing.T) {
	p := load(t, `
version: 1
hosts: [a.example]
programs:
  - {name: git, subcommands: [status]}
  - {name: python3.12, validator: python, modules: [ruff, json.tool], code: true}
  - {name: npm, subcommands: [run], scripts: [any, path]}
  - {name: make, targets: [test, word]}
  - {name: bash, unsafe: true, args: any}
  - {name: env, unsafe: true, flags: [-i], args: word}
  - {name: ping, flags: ["-c number"], args: host}
  - {name: open, args: url}
  - {name: say, args: any}
  - {name: match, args: pattern}
  - {name: gotool, flags: ["-run word", -v]}
`)
	for line, runs := range map[string]bool{
		"ping a.example:80":              false,
		"ping -- -f":                     false,
		"git status":                     true,
		"git log":                        false,
		"python3.12 -c 'print(1)' $x":    false,
		"python3.12 -c 'print(1)' a":     true,
		"python3.12 -m ruff check --fix": true,
		"python3.12 -m pytest":           false,
		"python3.12 -m json.tool /x":     false,
		"python a.py":                    false,
		"npm run any":                    true,
		"npm run path":                   true,
		"npm run build":                  false,
		"npm test":                       false,
		"make":                           true,
		"make word":                      true,
		"make all":                       false,
		"bash -c 'id; id'":               true,
		"bash -c id; id":                 false,
		"env -i ls":                      true,
		"env -S ls":                      false,
		"env A=b":                        false,
		"ping -c 3 a.example":            true,
		"ping -f a.example":              false,
		"ping b.example":                 false,
		"open https://a.example/":        true,
		"open https://b.example/":        false,
		"say -v":                         false,
		"say -- -v '$(x)'":               true,
		"match 'a*'":                     true,
		"gotool -run x --run=y -v":       true,
		"gotool -vrun x":                 false,
		"gotool ---run x":                false,
		"gotool a":                       false,
	} {
		c, err := p.Parse(line)
		if (err == nil) != runs {
			t.Errorf("%q: %q, %v", line, c.Argv, err)
		}
	}
}

// TestAllowWith adds the change that a denial prints: the line is accepted then.
func TestAllowWith(t *testing.T) {
	base := "version: 1\nprograms: [{name: ls}, {name: curl}]\n"
	for line, allowed := range map[string]string{
		"git status":                     "version: 1\nprograms: [{name: ls}, {name: git}]\n",
		"curl https://A.example/x":       base + `hosts: ["a.example"]`,
		"curl http://a.example:8080/x":   base + `hosts: ["a.example:8080"]`,
		"curl https://a.example:80/":     base + `hosts: ["a.example:80"]`,
		"curl http://a.example:80/":      base + `hosts: ["a.example"]`,
		"curl https://evil.example./x/y": "",
		"curl http://b.example:8080/":    base + `hosts: ["*.b.example:8080", "b.example:8080"]`,
		"bash -c id":                     "",
	} {
		_, err := load(t, base).Parse(line)
		r, ok := err.(*command.Refusal)
		if !ok {
			t.Fatalf("%q: %v", line, err)
		}
		with := r.Denials()[0].AllowWith
		if allowed == "" {
			if with != "" {
				t.Errorf("%q would be allowed with %q", line, with)
			}
			continue
		}
		if _, entry, _ := strings.Cut(with, ": "); with == "" || !strings.Contains(allowed, strings.Trim(entry, "[]")) {
			t.Errorf("%q would be allowed with %q", line, with)
		}
		if _, err := load(t, allowed).Parse(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestPlace gives the line of the program's entry in a denial.
func TestPlace(t *testing.T) {
	_, err := load(t, "version: 1\nprograms:\n  - name: ls\n  - name: cat\n").Parse("cat é -Q")
	r, ok := err.(*command.Refusal)
	if !ok || r.Column != 7 {
		t.Fatalf("%v", err)
	}
	if d := r.Denials()[0]; d.Where != "tools.yaml:4:5" || d.Rule != "programs[cat]" {
		t.Errorf("%+v", d)
	}
}
