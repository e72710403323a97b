package command

import (
	goflag "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write the rules into docs/shell.md")

const (
	docFile  = "../../docs/shell.md"
	docStart = "<!-- rules: go test ./policy/command -run TestDocs -update -->\n"
	docEnd   = "<!-- end of rules -->\n"
)

// TestDocs keeps the list of rules in the docs in step with the rules.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), docStart)
	_, after, ok2 := strings.Cut(rest, docEnd)
	if !ok || !ok2 {
		t.Fatal("the markers are missing")
	}
	want := before + docStart + document() + docEnd + after
	if *update {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Errorf("%s is behind the rules: run go test -run TestDocs -update", docFile)
	}
}

// TestDocsExample loads the tool policy of the docs and runs its lines.
func TestDocsExample(t *testing.T) {
	data, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	p, err := Load([]byte(text), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"git commit -m 'a b'", "npm run build", "make test", "python3.12 -m ruff", "curl https://api.example.com/", "mytool -n 3 a.txt", "./tools/gen.py x"} {
		if _, err := p.Parse(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func document() string {
	var b strings.Builder
	line := func(name string, r *rules) {
		fmt.Fprintf(&b, "- `%s`", name)
		var operands []string
		for _, k := range []kind{r.first, r.rest} {
			if k != "" && k != kindNone {
				operands = append(operands, string(k))
			}
		}
		if r.literal != "" {
			operands = append(operands, "-- "+string(r.literal))
		}
		if len(operands) > 0 {
			fmt.Fprintf(&b, " *%s*", strings.Join(operands, " "))
		}
		for i, f := range r.flags {
			sep := ", "
			if i == 0 {
				sep = ": "
			}
			fmt.Fprintf(&b, "%s`%s`", sep, f)
		}
		b.WriteString("\n")
	}
	for _, name := range builtinNames() {
		x := builtins[name]
		switch {
		case name == "find":
			line("find", &rules{rest: kindPath, flags: append([]string{"-H", "-L", "-P"}, findNames()...)})
		case name == "python":
			line("python", &rules{first: kindPath, rest: kindAny, flags: pythonFlags})
			for _, m := range defaultModules {
				line("python -m "+m, pythonModules[m])
			}
		case x.subs == nil:
			line(name, x.rules)
		}
		if len(x.global) > 0 {
			line(name, &rules{flags: x.global})
		}
		for i, s := range x.subs {
			title := name + " " + s.name
			if name == "npm" && s.name == "run" {
				title += " " + strings.Join(defaultScripts, "|")
			}
			if s.extra {
				title += " (if listed)"
			}
			line(title, &x.subs[i].rules)
		}
	}
	return b.String()
}

// TestRules reads each specification of the built-in rules.
func TestRules(t *testing.T) {
	named := slices.Concat(fileKinds, []kind{kindRev, kindPackage, kindArg, kindFormat, kindHeader, kindData, kindScript, kindTarget})
	check := func(name string, r *rules) {
		for _, spec := range r.flags {
			names, f, err := parseFlag(spec)
			if err != nil || f.kind != "" && !slices.Contains(named, f.kind) && !strings.Contains(string(f.kind), "|") {
				t.Errorf("%s: %s: %v", name, spec, err)
			}
			for _, n := range names {
				if short := len(n) == 2; !r.long && !short && !strings.HasPrefix(n, "--") && n != "-NUMBER" {
					t.Errorf("%s: %s can never be met", name, n)
				}
			}
		}
		for _, k := range []kind{r.first, r.rest, r.literal} {
			if k != "" && !slices.Contains(named, k) {
				t.Errorf("%s: kind %s", name, k)
			}
		}
	}
	for name, b := range builtins {
		if b.rules != nil {
			check(name, b.rules)
		}
		for i, s := range b.subs {
			check(name+" "+s.name, &b.subs[i].rules)
		}
	}
	for m, r := range pythonModules {
		check(m, r)
	}
	for _, m := range defaultModules {
		if pythonModules[m] == nil {
			t.Errorf("the module %s has no rules", m)
		}
	}
	for name := range dangers {
		if program, _, ok := strings.Cut(name, " "); ok && builtins[program] == nil {
			t.Errorf("a danger of %s, which has no rules", program)
		}
	}
}
