package policy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func load(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := Load(Source{"policy.yaml", LayerOperator, []byte(text)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// TestHostileFiles: each gets an error with line and column, in bounded memory.
func TestHostileFiles(t *testing.T) {
	repeat := strings.Repeat
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "policy.yaml:1:1: "},
		{"comment alone", "# nothing\n", "policy.yaml:1:1: "},
		{"scalar", "1", "policy.yaml:1:1: "},
		{"no version", "name: a", "policy.yaml:1:1: version: missing"},
		{"version 2", "version: 2", "policy.yaml:1:10: version: "},
		{"version text", "version: '1'", "policy.yaml:1:10: version: "},
		{"unknown field", "version: 1\nlimit: {}\n", "policy.yaml:2:1: limit: unknown field (did you mean limits?)"},
		{"unknown nested", "version: 1\nlimits:\n  max: {wal: 1s}\n", "policy.yaml:3:9: limits.max.wal: unknown field (did you mean wall?)"},
		{"duplicate key", "version: 1\nname: a\nname: b\n", "policy.yaml:3:1: name: this key is here twice, first at policy.yaml:2:1"},
		{"duplicate quoted key", "version: 1\nname: a\n'name': b\n", "policy.yaml:3:1: name: this key is here twice"},
		{"duplicate nested", "version: 1\nlimits: {max: {wall: 1s, wall: 2s}}\n", "policy.yaml:2:26: limits.max.wall: this key is here twice"},
		{"anchor", "version: 1\nlanguages: &a [python]\n", "policy.yaml:2:12: \"&\" is not allowed"},
		{"alias", "version: 1\nlanguages: *a\n", "policy.yaml:2:12: \"*\" is not allowed"},
		{"merge key", "version: 1\nlimits:\n  <<: {max: {wall: 1s}}\n", "policy.yaml:3:3: \"<<\" is not allowed"},
		{"tag", "version: !!int 1\n", "policy.yaml:1:10: "},
		{"complex key", "? [a]\n: 1\n", "policy.yaml:1:1: "},
		{"billion laughs", "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", "policy.yaml:1:4: "},
		{"two documents", "version: 1\n---\nversion: 1\n", "policy.yaml:2:1: the file has 2 documents"},
		{"tab", "version: 1\n\tname: a\n", "policy.yaml:2:"},
		{"control", "version: 1\nname: \"a\x01\"\n", "policy.yaml:2:9: the file has the control character U+0001"},
		{"NUL", "version: 1\x00", "policy.yaml:1:11: "},
		{"not UTF-8", "version: 1\nname: \xff\n", "policy.yaml:1:1: the file is not valid UTF-8"},
		{"unclosed", "version: 1\nlanguages: [python\n", "policy.yaml:2:"},
		{"unclosed quote", "version: 1\nname: \"x\n", "policy.yaml:2:"},
		{"duration", "version: 1\nlimits: {max: {wall: 10}}\n", "policy.yaml:2:22: limits.max.wall: write text, such as 10s"},
		{"negative duration", "version: 1\nlimits: {max: {wall: -10s}}\n", "policy.yaml:2:22: limits.max.wall: "},
		{"huge duration", "version: 1\nlimits: {max: {wall: 99999999999h}}\n", "policy.yaml:2:22: limits.max.wall: "},
		{"size", "version: 1\nlimits: {max: {memory: 1Q}}\n", "policy.yaml:2:24: limits.max.memory: \"1Q\" is not a size"},
		{"overflow", "version: 1\nlimits: {max: {memory: 99999999999999TiB}}\n", "policy.yaml:2:24: limits.max.memory: "},
		{"big integer", "version: 1\nlimits: {max: {files: 99999999999999999999}}\n", "policy.yaml:2:23: limits.max.files: "},
		{"zero", "version: 1\nlimits: {max: {memory: 0}}\n", "policy.yaml:2:24: limits.max.memory: a limit of 0"},
		{"null", "version: 1\nlimits:\n", "policy.yaml:2:9: limits: "},
		{"tier", "version: 1\ntiers: {allow: [gvisr]}\n", "policy.yaml:2:17: tiers.allow[0]: \"gvisr\" is not known (did you mean gvisor?)"},
		{"auto", "version: 1\ntiers: {allow: [auto]}\n", "policy.yaml:2:17: "},
		{"above built-in", "version: 1\nlimits: {max: {wall: 25h}}\n", "policy.yaml:2:22: limits.max.wall: 25h0m0s is more than the 24h0m0s"},
		{"default above max", "version: 1\nlimits: {default: {wall: 20s}, max: {wall: 10s}}\n", "policy.yaml:2:26: limits.default.wall: the default 20s is above the maximum 10s: write at most 10s (policy.yaml:2:44)"},
		{"image in flow", "version: 1\nimages: {allow: [python:3]}\n", "put a text that has a colon in quotes"},
		{"host", "version: 1\negress: [{host: 'http://x', ports: [1]}]\n", "policy.yaml:2:17: egress[0].host: "},
		{"host address", "version: 1\negress: [{host: 0x7f.1, ports: [1]}]\n", "policy.yaml:2:17: egress[0].host: "},
		{"port", "version: 1\negress: [{host: a.b, ports: [70000]}]\n", "policy.yaml:2:30: egress[0].ports[0]: "},
		{"egress example", "version: 1\negress: [{host: a.b, ports: [1], match: ['c.d:1']}]\n", "policy.yaml:2:42: egress[0].match[0]: the rule does not allow this target"},
		{"finding example", "version: 1\nfindings: [{rule: a, action: deny, not_match: [{rule: a}]}]\n", "policy.yaml:2:49: findings[0].not_match[0]: the rule fits this finding"},
		{"condition example", "version: 1\nconditions: [{name: a, deny: 'job.language == \"x\"', match: [{language: y}]}]\n", "policy.yaml:2:62: conditions[0].match[0]: the expression is false for this job: change the example or the expression (policy.yaml:2:30)"},
		{"condition type", "version: 1\nconditions: [{name: a, deny: 'job.language'}]\n", "policy.yaml:2:31: conditions[0].deny: the expression gives string"},
		{"condition unknown", "version: 1\nconditions: [{name: a, deny: 'true && job.lang == 1'}]\n", "policy.yaml:2:42: conditions[0].deny: not a CEL expression"},
		{"condition in a block", "version: 1\nconditions:\n  - name: a\n    deny: |\n      true &&\n      job.x\n", "policy.yaml:6:"},
		{"condition cost", "version: 1\nconditions: [{name: a, deny: 'job.env.all(a, job.env.all(b, job.env.all(c, job.env.all(d, a == b))))'}]\n", "can cost too much"},
		{"condition long", "version: 1\nconditions: [{name: a, deny: '" + repeat("true||", 1000) + "true'}]\n", "at most 4096"},
		{"condition deep", "version: 1\nconditions: [{name: a, deny: '" + repeat("(", 2000) + "true" + repeat(")", 2000) + "'}]\n", "policy.yaml:2:"},
		{"condition twice", "version: 1\nconditions: [{name: a, deny: 'false'}, {name: a, deny: 'true'}]\n", "policy.yaml:2:47: conditions[1].name: the name \"a\" is taken: rename one (policy.yaml:2:21)"},
		{"condition none", "version: 1\nconditions: [{name: a}]\n", "write either deny: EXPRESSION or ask: EXPRESSION"},
		{"condition both", "version: 1\nconditions: [{name: a, deny: 'true', ask: 'true'}]\n", "write either"},
		{"deep flow", "version: 1\nname: " + repeat("[", 5000), "policy.yaml:2:"},
		{"deep map", repeat("{a: ", 5000), "policy.yaml:1:"},
		{"deep block", deepBlock(200), "nested more than"},
		{"deep dashes", repeat("- ", 5000) + "a", "nested more than"},
		{"many keys", manyKeys(1<<20 - 100), "policy.yaml:"},
		{"long list", "version: 1\nlanguages: [" + repeat("a,", 10000) + "a]\n", "the list has 10001 entries: at most 2000"},
		{"long text", "version: 1\nname: " + repeat("a", 10000) + "\n", "at most 8192"},
		{"1 MiB and a byte", repeat("#", 1<<20+1), "policy.yaml:1:1: the file is 1048577 bytes long: at most 1048576"},
		{"1 MiB of brackets", repeat("[", 1<<20), "policy.yaml:1:"},
		{"1 MiB of questions", repeat("? ", 1<<19), "policy.yaml:1:"},
		{"1 MiB of quotes", repeat("'", 1<<20), "policy.yaml:1:"},
		{"1 MiB of stars", repeat("*", 1<<20), "policy.yaml:1:"},
		{"1 MiB of colons", repeat(": ", 1<<19), "policy.yaml:1:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Load(Source{"policy.yaml", LayerOperator, []byte(c.text)})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 512<<20 {
				t.Errorf("allocated %d MiB", used>>20)
			}
			var faults Faults
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) {
				text := fmt.Sprint(err)
				t.Fatalf("want %s, got %s", c.want, text[:min(len(text), 500)])
			}
			for _, f := range faults {
				if f.At.Line < 1 || f.At.Column < 1 {
					t.Errorf("no place: %v", f)
				}
			}
			if len(err.Error()) > 200_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func manyKeys(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	return b.String()
}

// TestMebibyteLoads: a file of nearly 1 MiB that is sound loads.
func TestMebibyteLoads(t *testing.T) {
	load(t, "version: 1\n"+strings.Repeat("# "+strings.Repeat("x", 1000)+"\n", 1040))
}

// TestAllFaultsAtOnce: also those of later steps and of other files.
func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Load(
		Source{"op.yaml", LayerOperator, []byte("version: 1\nlimts: {}\ntiers: {allow: [a, b]}\nlimits: {max: {wall: x}}\n")},
		Source{"tenant.yaml", LayerTenant, []byte("version: 1\nfoo: 1\n")})
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 5 {
		t.Errorf("want 5 faults, got %v", err)
	}
	_, err = Load(
		Source{"op.yaml", LayerOperator, []byte("version: 1\nlimits: {max: {wall: 5s}}\nconditions: [{name: a, deny: '1'}]\n")},
		Source{"tenant.yaml", LayerTenant, []byte("version: 1\nlimits: {max: {wall: 6s}}\n")})
	if !errors.As(err, &faults) || len(faults) != 2 {
		t.Errorf("want 2 faults, got %v", err)
	}
}

// TestWideningNamesBothLines has a layer that widens for each way of narrowing.
func TestWideningNamesBothLines(t *testing.T) {
	for _, c := range []struct{ upper, lower, field string }{
		{"limits: {max: {wall: 5s}}", "limits: {max: {wall: 6s}}", "limits.max.wall"},
		{"limits: {max: {wall: 5s}}", "limits: {default: {wall: 6s}}", "limits.default.wall"},
		{"tiers: {allow: [gvisor]}", "tiers: {allow: [gvisor, process]}", "tiers.allow"},
		{"languages: [python]", "languages: [ruby]", "languages"},
		{"languages: [python]", "commands: allow", "commands"},
		{"images: {allow: ['a:*']}", "images: {allow: ['*']}", "images.allow"},
		{"images: {allow: ['a:*']}", "images: {allow: ['a*']}", "images.allow"},
		{"images: {require_digest: true}", "images: {require_digest: false}", "images.require_digest"},
		{"env: {allow: ['A_*']}", "env: {allow: [B]}", "env.allow"},
		{"inputs: {max_bytes: 1M}", "inputs: {max_bytes: 2M}", "inputs.max_bytes"},
		{"packages: {min_age: 24h}", "packages: {min_age: 1h}", "packages.min_age"},
		{"commands: ask", "commands: allow", "commands"},
		{"proof: out_of_process", "proof: in_process", "proof"},
		{"audit: required", "audit: off", "audit"},
		{"receipts: required", "receipts: optional", "receipts"},
		{"approvals: {grant_life: 1h}", "approvals: {grant_life: 2h}", "approvals.grant_life"},
		{"approvals: {approvers: [a]}", "approvals: {approvers: ['*']}", "approvals.approvers"},
		{"loop: {max_cost: 1}", "loop: {max_cost: 1.5}", "loop.max_cost"},
		{"egress: [{host: '*.a.com', ports: [443]}]", "egress: [{host: a.com, ports: [443]}]", "egress[0]"},
		{"egress: [{host: a.com, ports: [443]}]", "egress: [{host: a.com, ports: [443, 80]}]", "egress[0]"},
		{"egress: [{host: a.com, ports: [443]}]", "egress: [{host: a.com, ports: [443], private: true}]", "egress[0]"},
		{"egress: [{host: a.com, ports: [443], methods: [GET]}]", "egress: [{host: a.com, ports: [443]}]", "egress[0]"},
		{"egress: [{host: a.com, ports: [443]}]", "egress: [{host: a.com, ports: [443], address: 1.2.3.4}]", "egress[0]"},
		{"name: x", "egress: [{host: a.com, ports: [443]}]", "egress"},
		{"name: x", "secrets: [{name: a, from_env: HOME}]", "secrets[0]"},
		{"secrets: [{name: a, from_env: A}]", "secrets: [{name: a, from_env: B}]", "secrets[0]"},
	} {
		_, err := Load(Source{"op.yaml", LayerOperator, []byte("version: 1\n" + c.upper)}, Source{"t.yaml", LayerTenant, []byte("version: 1\n" + c.lower)})
		if err == nil || !strings.Contains(err.Error(), ": "+c.field+": ") && !strings.Contains(err.Error(), ": "+c.field+"[") || !strings.HasPrefix(err.Error(), "t.yaml:2:") || !strings.Contains(err.Error(), "(op.yaml:") {
			t.Errorf("%s under %s: %v", c.lower, c.upper, err)
		}
	}
	for _, c := range [][2]string{
		{"egress: [{host: '*.a.com', ports: [443, 80]}]", "egress: [{host: x.a.com, ports: [443]}]"},
		{"proof: out_of_process", "proof: compared_outside"},
		{"images: {allow: ['docker.io/library/*']}", "images: {allow: ['python:3']}"},
		{"secrets: [{name: a, from_env: A}]", "secrets: [{name: a, from_env: A}]"},
		{"commands: ask", "commands: deny"},
	} {
		if _, err := Load(Source{"op.yaml", LayerOperator, []byte("version: 1\n" + c[0])}, Source{"t.yaml", LayerTenant, []byte("version: 1\n" + c[1])}); err != nil {
			t.Errorf("%s under %s: %v", c[1], c[0], err)
		}
	}
}

// TestSources: wrong layers, orders and names are faults.
func TestSources(t *testing.T) {
	ok := []byte("version: 1\n")
	for _, sources := range [][]Source{
		{{"a", "owner", ok}}, {{"a", LayerBuiltIn, ok}}, {{"a", LayerTenant, ok}, {"b", LayerOperator, ok}},
		{{"", LayerOperator, ok}}, {{"a\nb", LayerOperator, ok}}, {{"a", LayerOperator, ok}, {"a", LayerOperator, ok}},
	} {
		if _, err := Load(sources...); err == nil {
			t.Errorf("%v loads", sources)
		}
	}
}

// TestHash: the same files give the same hash; each byte and each name counts.
func TestHash(t *testing.T) {
	seen := map[string]string{}
	for _, s := range []Source{
		{"a", LayerOperator, []byte("version: 1\n")}, {"b", LayerOperator, []byte("version: 1\n")}, {"a", LayerTenant, []byte("version: 1\n")},
		{"a", LayerOperator, []byte("version: 1\n#\n")}, {"a", LayerOperator, []byte("version: 1\nname: x\n")},
	} {
		p, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		q, _ := Load(s)
		if p.Hash() != q.Hash() || len(p.Hash()) != 64 {
			t.Errorf("%s: %s and %s", s.Data, p.Hash(), q.Hash())
		}
		if before := seen[p.Hash()]; before != "" {
			t.Errorf("%q and %q have one hash", before, s.Data)
		}
		seen[p.Hash()] = string(s.Data) + s.Name
	}
	var none *Policy
	if none.Name() != "built-in" || len(none.Hash()) != 64 {
		t.Error("no policy has no name or hash")
	}
	d := none.Admit(Request{Job: &glovebox.Job{Needs: []glovebox.Need{glovebox.NeedNetwork}}})
	if d.Status() != glovebox.StatusDenied || d.Limits != glovebox.DefaultLimits {
		t.Errorf("no policy: %+v", d)
	}
}

// TestSourceIsCopied: a caller that changes its bytes does not change the policy.
func TestSourceIsCopied(t *testing.T) {
	data := []byte("version: 1\nlanguages: [go]\n")
	p, err := Load(Source{"a", LayerOperator, data})
	if err != nil {
		t.Fatal(err)
	}
	hash := p.Hash()
	copy(data, bytes.Repeat([]byte("x"), len(data)))
	if p.digest() != hash {
		t.Error("the policy changed")
	}
}

// TestSchemaIsPublished holds docs/schema/policy.json in step. UPDATE=1 writes the file.
func TestSchemaIsPublished(t *testing.T) {
	const file = "../docs/schema/policy.json"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(published, Schema()) {
		t.Errorf("%s is not what the types say (%v): UPDATE=1 writes the file", file, err)
	}
	for path, s := range schema().Properties {
		if s.Description == "" {
			t.Errorf("%s has no description", path)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(starter)
	f.Add([]byte("version: 1\nlimits: {max: {wall: 60s, memory: 512MiB}}\negress: [{host: api.example.com, ports: [443]}]\n"))
	f.Add([]byte("version: 1\nfindings: [{rule: a, action: deny, match: [{rule: a}]}]\nconditions: [{name: a, deny: 'job.env.size() > 1'}]\n"))
	f.Add([]byte("a: &a [*a]\n<<: *a\n? x\n: |\n y\n"))
	job := &glovebox.Job{Image: "a:1", Env: map[string]string{"A": ""}, Inputs: []glovebox.File{{Path: "a.csv"}}, Program: &glovebox.Program{Language: "python"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Load(Source{"policy.yaml", LayerOperator, data})
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("%T", err)
			}
			return
		}
		Check(p, Host{})
		d := p.Admit(Request{Job: job})
		for _, x := range append(d.Denials, d.Asks...) {
			if x.AllowWith == "" {
				continue
			}
			if _, err := p.Apply(x); err != nil {
				t.Fatalf("%v\n%s\n%s", err, x.AllowWith, data)
			}
		}
		// What a layer explains of itself reads back.
		if _, err := Load(Source{"policy.yaml", LayerOperator, p.layers[0].root.render()}); err != nil {
			t.Fatalf("%v\n%s\n%s", err, data, p.layers[0].root.render())
		}
	})
}

func FuzzCondition(f *testing.F) {
	for _, c := range menu {
		f.Add(c.text)
	}
	f.Add(`job.env.exists(e, e.matches("^(a|b)*$")) || findings.map(f, f.rule).size() > 2`)
	f.Fuzz(func(t *testing.T, text string) {
		c := &condition{text: text}
		if c.compile() != nil {
			return
		}
		c.constant()
		job := ExampleJob{Language: "go", Env: []string{"A", "B"}, Files: map[string]size{"a": "1"}}
		_, _ = c.eval(bindings(job.facts()))
	})
}
