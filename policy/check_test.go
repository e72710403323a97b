package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// plants are faulty rules by class. Each is a section that no generated policy has.
var plants = []struct {
	class Class
	text  string
}{
	{ClassRefusedNetwork, "egress: [{host: 169.254.169.254, ports: [80], private: true}]"},
	{ClassRefusedNetwork, "egress: [{host: 127.0.0.1, ports: [80]}]"},
	{ClassRefusedNetwork, "egress: [{host: 10.1.0.0/16, ports: [80]}]"},
	{ClassRefusedNetwork, "egress: [{host: '::ffff:10.0.0.1', ports: [80], private: true}]"},
	{ClassRefusedNetwork, "egress: [{host: db.example.com, address: 192.168.1.2, ports: [80]}]"},
	{ClassRefusedNetwork, "egress: [{host: localhost, ports: [80]}]"},
	{ClassWildcardTLD, "egress: [{host: '*.com', ports: [443]}]"},
	{ClassWildcardTLD, "egress: [{host: '*.co.uk', ports: [443]}]"},
	{ClassNoPort, "egress: [{host: api.example.com}]"},
	{ClassNoPort, "egress: [{host: api.example.com, ports: []}]"},
	{ClassDuplicateEgress, "egress: [{host: a.example.com, ports: [443]}, {host: a.example.com, ports: [443]}]"},
	{ClassDuplicateEgress, "egress: [{host: a.example.com, ports: [443]}, {host: '*.example.com', ports: [443, 80]}]"},
	{ClassAboveMax, "sessions: {max_life: 1h, max_idle: 2h}"},
	{ClassAboveMax, "limits: {max: {output: 4MiB}}\noutput: {max_bytes: 1MiB}"},
	{ClassAboveMax, "limits: {default: {output: 4MiB}}\noutput: {max_bytes: 1MiB}"},
	{ClassTierUnproven, "tiers: {allow: [gvisor, microvm]}"},
	{ClassUnknownLanguage, "languages: [python, cobol]"},
	{ClassSecretNoRule, "secrets: [{name: s, from_env: S}]"},
	{ClassSecretNoSource, "secrets: [{name: s}]\negress: [{host: a.example.com, ports: [443], open_tls: true, secret: s}]"},
	{ClassUndefinedSecret, "egress: [{host: a.example.com, ports: [443], open_tls: true, secret: s}]"},
	{ClassSecretInClearText, "secrets: [{name: s, from_env: S}]\negress: [{host: a.example.com, ports: [443], secret: s}]"},
	{ClassExpired, "egress: [{host: a.example.com, ports: [443], expires: 2020-01-01}]"},
	{ClassExpired, "secrets: [{name: s, from_env: S, expires: 2020-01-01}]\negress: [{host: a.example.com, ports: [443], open_tls: true, secret: s}]"},
	{ClassExpired, "conditions: [{name: planted, deny: job.tenant == 'x', expires: 2020-01-01}]"},
	{ClassConstant, "conditions: [{name: planted, deny: 'true || job.tenant == \"x\"'}]"},
	{ClassConstant, "conditions: [{name: planted, ask: 'false'}]"},
	{ClassConstant, "conditions: [{name: planted, deny: '1 > 2 && job.tenant == \"x\"'}]"},
	{ClassShadowed, "conditions: [{name: planted, deny: job.tenant == 'x'}, {name: again, deny: 'job.tenant  ==  ''x'''}]"},
	{ClassAskDenied, "conditions: [{name: planted, deny: job.tenant == 'x'}, {name: again, ask: job.tenant == 'x'}]"},
	{ClassUnknownFinding, "findings: [{rule: no.such.rule, action: deny}]"},
	{ClassShadowed, "findings: [{rule: 'process.*', action: deny}, {rule: process.spawn, action: ask}]"},
	{ClassShadowed, "findings: [{severity: low, action: deny}, {severity: high, action: allow}]"},
	{ClassImpossibleImage, "images: {allow: ['Python:3']}"},
	{ClassImpossibleImage, "images: {allow: ['python@sha256:abc']}"},
	{ClassImpossibleImage, "images: {allow: ['python :3']}"},
	{ClassImpossibleImage, "images: {allow: ['python:3'], require_digest: true}"},
	{ClassContradiction, "images: {allow: ['python:3', 'node:*'], deny: ['python:*']}"},
	{ClassContradiction, "images: {allow: ['python:3'], deny: ['docker.io/library/python']}"},
	{ClassContradiction, "tiers: {allow: []}"},
	{ClassEnvRefused, "env: {allow: [LD_PRELOAD, A], deny: ['LD_*']}"},
	{ClassNoAuditKey, "receipts: required"},
	{ClassNoAuditKey, "audit: required"},
	{ClassNotEnforceable, "images: {require_signature: true}"},
	{ClassNotEnforceable, "tiers: {needs: [network]}"},
	{ClassNotEnforceable, "egress: [{host: a.example.com, ports: [443], methods: [GET]}]"},
}

// live are sections without a fault, by the field that a plant may not have as well.
var live = []string{
	"name: live",
	"limits: {default: {wall: 5s}, max: {wall: 60s, memory: 512MiB, output: 1MiB}}",
	"tiers: {allow: [gvisor, process], needs: [kernel_boundary]}",
	"languages: [python, go]",
	"images: {allow: ['python:*', 'docker.io/library/node:20', 'quay.io/*@sha256:*'], deny: ['*:latest'], require_digest: false}",
	"env: {allow: ['APP_*', TZ], deny: ['APP_SECRET*']}",
	"inputs: {max_files: 3, types: [csv]}",
	"egress: [{host: api.example.com, ports: [443]}, {host: '*.example.org', ports: [443, 80]}, {host: db.example.com, address: 10.0.0.1, private: true, ports: [5432]}, {host: w.example.com, ports: [443], methods: [GET], open_tls: true, secret: tok, expires: 2099-01-01}]\nsecrets: [{name: tok, from_file: /etc/tok}]",
	"findings: [{rule: process.spawn, action: allow}, {rule: 'process.*', action: deny}, {severity: high, action: ask}]",
	"output: {max_bytes: 2MiB}",
	"commands: ask",
	"proof: in_process",
	"approvals: {request_life: 1h, grant_life: 2h, approvers: ['*@ops']}",
	"sessions: {max_life: 1h, max_idle: 10m}",
	"loop: {max_attempts: 3}",
	"audit: optional",
	"receipts: off",
	"conditions: [{name: one, deny: job.tenant == 'evil'}, {name: two, ask: job.files.size() > 3 || job.limits.wall > duration('1m')}, {name: three, deny: \"findings.exists(f, f.rule.startsWith('net'))\", expires: 2099-01-01}]",
}

func heads(text string) map[string]bool {
	m := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		name, _, _ := strings.Cut(line, ":")
		m[name] = true
	}
	return m
}

// TestCheckFindsPlants plants each fault into generated policies: the class is found at
// the planted lines, and the policies without a plant have no fault.
func TestCheckFindsPlants(t *testing.T) {
	host := Host{
		Tiers: []glovebox.TierName{"gvisor", "process"}, Languages: []string{"python", "go"},
		FindingRules: []string{"process.spawn", "process.kill", "net.open"}, NoKey: true, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	rounds := 3
	if whole() {
		rounds = 20
	}
	classes := map[Class]bool{}
	for i, plant := range plants {
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(i), uint64(round)))
			used := heads(plant.text)
			var clean []string
			for _, section := range live {
				taken := false
				for h := range heads(section) {
					taken = taken || used[h]
				}
				if !taken && r.IntN(2) == 0 {
					clean = append(clean, section)
				}
			}
			r.Shuffle(len(clean), func(a, b int) { clean[a], clean[b] = clean[b], clean[a] })
			text := "version: 1\n" + strings.Join(clean, "\n") + "\n"
			p := load(t, text)
			if faults := Check(p, host); len(faults) > 0 {
				t.Fatalf("false alarms: %v\n%s", faults, text)
			}
			line := strings.Count(text, "\n")
			faults := Check(load(t, text+plant.text+"\n"), host)
			found := false
			for _, f := range faults {
				found = found || f.Class == plant.class && f.At.Line > line
				if f.At.Line <= line {
					t.Errorf("false alarm: %v\n%s", f, text+plant.text)
				}
			}
			if !found {
				t.Fatalf("%s not found in %s: %v", plant.class, plant.text, faults)
			}
			classes[plant.class] = true
		}
	}
	if len(classes) < 12 {
		t.Errorf("%d classes: at least 12", len(classes))
	}
	t.Logf("%d plants of %d classes in %d policies", len(plants), len(classes), len(plants)*rounds)
}

// TestCheckAcrossLayers: a rule that a layer above makes useless names both files.
func TestCheckAcrossLayers(t *testing.T) {
	for _, c := range []struct {
		upper, lower string
		class        Class
	}{
		{"findings: [{rule: 'a*', action: deny}]", "findings: [{rule: ab, action: allow}]", ClassShadowed},
		{"findings: [{rule: 'a*', action: deny}]", "findings: [{rule: ab, action: ask}]", ClassAskDenied},
		{"findings: [{rule: 'a*', action: ask}]", "findings: [{rule: ab, action: deny}]", ""},
		{"findings: [{rule: abc, action: allow}, {rule: 'a*', action: deny}]", "findings: [{rule: ab*, action: ask}]", ""},
		{"env: {deny: ['A*']}", "env: {allow: [AB]}", ClassEnvRefused},
		{"images: {deny: ['a:*']}", "images: {allow: ['a:1']}", ClassContradiction},
		{"images: {deny: ['a:*']}", "images: {allow: ['b:1']}", ""},
		{"output: {max_bytes: 1M}", "limits: {max: {output: 2M}}", ClassAboveMax},
		{"conditions: [{name: a, deny: job.tenant == 'x'}]", "conditions: [{name: b, ask: job.tenant == 'x'}]", ClassAskDenied},
		{"conditions: [{name: a, ask: job.tenant == 'x'}]", "conditions: [{name: b, deny: job.tenant == 'x'}]", ClassAskDenied},
	} {
		p, err := Load(Source{"op.yaml", LayerOperator, []byte("version: 1\n" + c.upper)}, Source{"t.yaml", LayerTenant, []byte("version: 1\n" + c.lower)})
		if err != nil {
			t.Fatal(err)
		}
		faults := Check(p, Host{})
		switch {
		case c.class == "" && len(faults) > 0:
			t.Errorf("%s under %s: %v", c.lower, c.upper, faults)
		case c.class != "" && (len(faults) != 1 || faults[0].Class != c.class || faults[0].Other == nil || faults[0].Other.File == faults[0].At.File):
			t.Errorf("%s under %s: %v", c.lower, c.upper, faults)
		}
	}
}

// TestInitIsClean: the file to start from loads, without a fault, and decides.
func TestInitIsClean(t *testing.T) {
	p := load(t, string(Init()))
	if faults := Check(p, Host{Tiers: namedTiers}); len(faults) > 0 {
		t.Error(faults)
	}
	results, err := p.Test("t.yaml", []byte("version: 1\ntests:\n- {name: a, job: {language: python}, want: allow}\n- {name: b, job: {language: ruby}, want: allow}\n- {name: c, job: {language: ruby}, want: deny, rules: [commands]}\n"))
	if err != nil || len(results) != 3 || !results[0].OK || results[1].OK || results[2].OK {
		t.Errorf("%+v, %v", results, err)
	}
	if _, err := p.Test("t.yaml", []byte("version: 1\ntests:\n- {name: a, job: {langage: python}, want: allow}\n")); err == nil || !strings.HasPrefix(err.Error(), "t.yaml:3:19: tests[0].job.langage: unknown field") {
		t.Error(err)
	}
}

// TestExplain: each value names its layer and line, and the text is a policy.
func TestExplain(t *testing.T) {
	p, err := Load(
		Source{"op.yaml", LayerOperator, []byte("version: 1\nlimits: {max: {wall: 60s, memory: 1GiB}}\nlanguages: [python, go]\nfindings: [{rule: a, action: deny}]\n")},
		Source{"t.yaml", LayerTenant, []byte("version: 1\nlimits:\n  max: {wall: 30s}\nenv: {deny: [B]}\n")})
	if err != nil {
		t.Fatal(err)
	}
	text := string(p.Explain())
	for _, want := range []string{
		"    wall: 30s  # tenant t.yaml:3:15\n", "    memory: 1GiB  # operator op.yaml:2:35\n", "    disk: 1TiB  # built-in\n",
		"languages: [python, go]  # operator op.yaml:3:12\n", "commands: deny  # operator op.yaml:3:12, because languages are listed\n", "  - {rule: a, action: deny}  # operator op.yaml:4:13\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	load(t, text)
}

// TestDiff: the sentence and the effect of each kind of change.
func TestDiff(t *testing.T) {
	for _, c := range []struct {
		before, after string
		effect        Effect
		message       string
	}{
		{"limits: {max: {wall: 5s}}", "limits: {max: {wall: 6s}}", EffectAllows, "limits.max.wall was 5s and is 6s."},
		{"limits: {max: {wall: 5s}}", "limits: {max: {wall: 4s}}", EffectRefuses, "limits.max.wall was 5s and is 4s."},
		{"limits: {default: {wall: 5s}}", "limits: {default: {wall: 4s}}", EffectChanges, "limits.default.wall was 5s and is 4s."},
		{"languages: [go]\ncommands: deny", "languages: [go, python]\ncommands: deny", EffectAllows, "languages now allows python."},
		{"tiers: {allow: [gvisor]}", "name: policy.yaml", EffectAllows, "tiers.allow was [gvisor] and has no list now: everything is allowed."},
		{"env: {deny: [A]}", "env: {deny: []}", EffectAllows, "env.deny now allows A."},
		{"env: {deny: [A]}", "env: {deny: [B]}", EffectChanges, "env.deny now allows A and refuses B."},
		{"commands: allow", "commands: deny", EffectRefuses, "commands was allow and is deny."},
		{"audit: off", "audit: required", EffectChanges, "audit was off and is required."},
		{"conditions: []", "conditions: [{name: a, deny: 'false'}]", EffectRefuses, "conditions now has {name: a, deny: 'false'}."},
		{"inputs: {max_files: 0}", "inputs: {max_files: 1}", EffectAllows, "inputs.max_files was 0 and is 1."},
		{"packages: {min_age: 1h}", "packages: {min_age: 2h}", EffectRefuses, "packages.min_age was 1h0m0s and is 2h0m0s."},
		{"findings: [{rule: a, action: deny}, {rule: b, action: ask}]", "findings: [{rule: b, action: ask}, {rule: a, action: deny}]", EffectChanges, "The findings rules have another order, so another one may decide first."},
	} {
		changes := Diff(load(t, "version: 1\n"+c.before), load(t, "version: 1\n"+c.after))
		if len(changes) != 1 || changes[0].Effect != c.effect || changes[0].Message != c.message {
			t.Errorf("%s → %s: %+v", c.before, c.after, changes)
		}
	}
	p := load(t, string(Init()))
	if changes := Diff(p, p); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
	if len(Diff(nil, p)) == 0 {
		t.Error("a policy is no different from none")
	}
}

// TestDecisionFillsIn: what bounds and describes a run reaches the Decision.
func TestDecisionFillsIn(t *testing.T) {
	p := load(t, "version: 1\nname: full\nlimits: {default: {wall: 3s}, max: {wall: 5s, cpu: 4s}}\ntiers: {allow: [process, gvisor], needs: [kernel_boundary]}\nproof: candidate_judged\nartifacts: {max_files: 2, max_bytes: 3, withhold: true}\napprovals: {request_life: 1h, grant_life: 2h, approvers: [a], once: true}\nloop: {max_attempts: 2, max_tokens: 3, max_cost: 1.5}\naudit: required\nreceipts: optional\n")
	d := p.Admit(Request{Job: &glovebox.Job{}})
	got := fmt.Sprint(d.Policy.Name, d.Limits.Wall, d.Limits.CPU, d.Tier, d.Tiers, d.Needs, d.RequireProof, d.ArtifactFiles, d.ArtifactBytes, d.Withhold, d.RequestLife, d.GrantLife, d.Approvers, d.Once, p.Loop(), d.Audit, d.Receipts)
	if want := fmt.Sprint("full", "3s", "4s", "auto", "[process gvisor]", "[kernel_boundary]", "candidate_judged", 2, 3, true, "1h0m0s", "2h0m0s", "[a]", true, Loop{2, 3, 1.5}, "required", "optional"); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d = p.Admit(Request{Job: &glovebox.Job{}, Tiers: []glovebox.TierName{"wasm", "gvisor"}})
	if d.Tier != "gvisor" || d.Status() != "" {
		t.Errorf("tier %s of a host that gives one: %v", d.Tier, d.Denials)
	}
	d = p.Admit(Request{Job: &glovebox.Job{}, Tiers: []glovebox.TierName{"wasm"}})
	if d.Status() != glovebox.StatusDenied || d.Tiers == nil {
		t.Errorf("a host that gives none: %+v", d)
	}
	if d := p.Admit(Request{}); d.Status() != glovebox.StatusDenied {
		t.Error("a request without a job is admitted")
	}
}

// TestHostileJob: hostile names and huge jobs are bounded and refused by conditions.
func TestHostileJob(t *testing.T) {
	p := load(t, "version: 1\nenv: {allow: []}\nconditions: [{name: any, deny: job.tenant == 'x'}]\n")
	env := map[string]string{"\x1b[31m\u202eA": "", strings.Repeat("a", 1<<20): ""}
	for i := range 10_000 {
		env[fmt.Sprint("V", i)] = ""
	}
	d := p.Admit(Request{Job: &glovebox.Job{Env: env, Limits: glovebox.Limits{Wall: -1}}})
	if len(d.Denials) != maxDenials {
		t.Errorf("%d denials", len(d.Denials))
	}
	for _, x := range d.Denials {
		if strings.ContainsAny(x.Asked+x.Message, "\x1b\u202e") || len(x.Asked) > 400 || len(x.Message) > 800 {
			t.Errorf("%+v", x)
		}
	}
	load := func(files int) Decision {
		prog := &glovebox.Program{Files: make([]glovebox.File, files)}
		return load(t, "version: 1\nconditions: [{name: any, ask: job.tenant == 'x'}]\n").Admit(Request{Job: &glovebox.Job{Program: prog}})
	}
	if d := load(maxListed + 1); d.Status() != glovebox.StatusDenied {
		t.Errorf("a job that a condition cannot see: %+v", d)
	}
	if d := load(maxListed); d.Status() != "" {
		t.Errorf("%+v", d.Denials)
	}
}

// TestConditionCost: an expression that costs too much at run time refuses.
func TestConditionCost(t *testing.T) {
	p := load(t, "version: 1\nconditions: [{name: pairs, ask: 'job.env.exists(a, job.env.exists(b, a + b == \"x\"))'}]\n")
	env := map[string]string{}
	for i := range 4000 {
		env[fmt.Sprint("V", i)] = ""
	}
	d := p.Admit(Request{Job: &glovebox.Job{Env: env}})
	if len(d.Denials) != 1 || !strings.Contains(d.Denials[0].Message, "cost") {
		t.Errorf("%+v", d)
	}
}
