package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// decisions are policies with rows of "decision | job | rules".
var decisions = []struct {
	policy string
	rows   []string
}{
	{"name: empty", []string{
		"allow | {}", "allow | {language: python}", "allow | {command: [ls]}", "allow | {image: 'x:1'}", "allow | {tier: process}", "allow | {env: [A]}",
		"allow | {limits: {wall: 24h}}", "deny | {limits: {wall: 25h}} | limits.max.wall", "deny | {limits: {processes: 40000}} | limits.max.processes",
		"deny | {limits: {wall: 25h, memory: 2TiB}} | limits.max.wall limits.max.memory",
		"deny | {needs: [network]} | egress", "allow | {needs: [kernel_boundary]}", "deny | {packages: [requests]} | packages",
		"deny | {secrets: [token]} | secrets", "deny | {session: 5m} | sessions", "deny | {needs: [network], packages: [a], secrets: [b], session: 1s} | egress packages secrets sessions",
		"allow | {findings: [{rule: exec, severity: high}]}", "allow | {attempts: 1000, tokens: 1000000, cost: 99}",
	}},
	{"limits: {max: {wall: 60s, cpu: 30s, memory: 512MiB, processes: 10, open_files: 20}}", []string{
		"allow | {limits: {wall: 60s}}", "deny | {limits: {wall: 61s}} | limits.max.wall", "allow | {limits: {cpu: 30s}}", "deny | {limits: {cpu: 30001ms}} | limits.max.cpu",
		"allow | {limits: {memory: 512MiB}}", "deny | {limits: {memory: 513MiB}} | limits.max.memory", "allow | {limits: {processes: 10}}", "deny | {limits: {processes: 11}} | limits.max.processes",
		"allow | {limits: {open_files: 20}}", "deny | {limits: {open_files: 21}} | limits.max.open_files",
		"deny | {limits: {wall: 2m, cpu: 2m, memory: 1GiB, processes: 11, open_files: 21}} | limits.max.wall limits.max.cpu limits.max.memory limits.max.processes limits.max.open_files",
	}},
	{"limits: {max: {file_size: 1M, disk: 2M, files: 3, output: 4M, reply: 5M}}", []string{
		"allow | {limits: {file_size: 1MiB}}", "deny | {limits: {file_size: 2M}} | limits.max.file_size", "allow | {limits: {disk: 2M}}", "deny | {limits: {disk: 3M}} | limits.max.disk",
		"allow | {limits: {files: 3}}", "deny | {limits: {files: 4}} | limits.max.files", "allow | {limits: {output: 4M}}", "deny | {limits: {output: 5M}} | limits.max.output",
		"allow | {limits: {reply: 5242880}}", "deny | {limits: {reply: 5242881}} | limits.max.reply",
	}},
	{"limits: {default: {wall: 30s}}\nconditions: [{name: long, deny: job.limits.wall > duration('20s')}]", []string{
		"deny | {} | long", "allow | {limits: {wall: 20s}}", "deny | {limits: {wall: 21s}} | long",
	}},
	{"tiers: {allow: [gvisor, microvm]}", []string{
		"allow | {}", "allow | {tier: auto}", "allow | {tier: gvisor}", "allow | {tier: microvm}", "deny | {tier: process} | tiers.allow", "deny | {tier: wasm} | tiers.allow", "deny | {tier: GVISOR} | tiers.allow",
	}},
	{"tiers: {allow: []}", []string{"deny | {} | tiers.allow", "deny | {tier: gvisor} | tiers.allow"}},
	{"tiers: {needs: [kernel_boundary]}", []string{"allow | {}", "allow | {needs: [native_packages]}", "deny | {needs: [network]} | egress"}},
	{"tiers: {needs: [network]}", []string{"deny | {} | tiers.needs", "deny | {needs: [network]} | tiers.needs egress"}},
	{"languages: [python, go]", []string{
		"allow | {language: python}", "allow | {language: go}", "deny | {language: ruby} | languages", "deny | {language: Python} | languages", "deny | {} | languages", "deny | {command: [python3]} | commands",
		"deny | {language: python, command: [ls]} | commands",
	}},
	{"languages: [python]\ncommands: allow", []string{"allow | {command: [ls]}", "deny | {language: go} | languages"}},
	{"languages: []", []string{"deny | {language: python} | languages", "deny | {command: [ls]} | commands"}},
	{"commands: deny", []string{"allow | {language: python}", "deny | {command: [ls]} | commands"}},
	{"commands: ask", []string{"allow | {}", "ask | {command: [ls]} | commands"}},
	{"commands: allow", []string{"allow | {command: [ls]}"}},
	{"images: {allow: ['python:*', 'quay.io/team/*']}", []string{
		"allow | {}", "allow | {image: 'python:3.12'}", "allow | {image: python}", "allow | {image: 'docker.io/library/python:3'}", "allow | {image: 'index.docker.io/library/python:3'}", "allow | {image: 'library/python:3'}",
		"deny | {image: 'python2:3'} | images.allow", "deny | {image: 'evil/python:3'} | images.allow", "deny | {image: 'evil.example/python:3'} | images.allow", "allow | {image: 'quay.io/team/a:1'}",
		"allow | {image: 'QUAY.IO/team/a:1'}", "deny | {image: 'quay.io/other/a:1'} | images.allow", "deny | {image: 'quay.io.evil/team/a'} | images.allow", "deny | {image: 'ruby:3'} | images.allow",
	}},
	{"images: {deny: ['node', 'quay.io/bad/*', '*:latest']}", []string{
		"allow | {image: 'python:3'}", "deny | {image: node} | images.deny images.deny", "deny | {image: 'node:20'} | images.deny", "deny | {image: 'docker.io/library/node:20'} | images.deny",
		"deny | {image: 'INDEX.docker.io/node:20'} | images.deny", "deny | {image: 'registry-1.docker.io/library/node:20'} | images.deny", "deny | {image: 'node:20@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'} | images.deny",
		"deny | {image: 'quay.io/bad/x:1'} | images.deny", "allow | {image: 'quay.io/good/x:1'}", "deny | {image: python} | images.deny", "deny | {image: 'python:latest'} | images.deny", "allow | {image: 'nodes:20'}",
	}},
	{"images: {required: true}", []string{"deny | {} | images.required", "allow | {image: 'a:1'}"}},
	{"images: {require_digest: true}", []string{
		"allow | {}", "deny | {image: 'a:1'} | images.require_digest", "allow | {image: 'a@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}", "deny | {image: 'a@sha256:aaaa'} | images.require_digest",
		"deny | {image: 'a@sha256:AAAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'} | images.require_digest", "deny | {image: 'a@md5:aaaa'} | images.require_digest",
	}},
	{"images: {require_signature: true}", []string{"allow | {}", "deny | {image: 'a:1'} | images.require_signature"}},
	{"images: {require_signature: false, require_digest: false, required: false}", []string{"allow | {}", "allow | {image: 'a:1'}"}},
	{"images: {allow: ['a:*'], deny: ['a:1'], require_digest: true}", []string{"deny | {image: 'a:1'} | images.deny images.require_digest", "deny | {image: 'b:1'} | images.allow images.require_digest"}},
	{"env: {allow: [TZ, 'APP_*']}", []string{
		"allow | {}", "allow | {env: [TZ]}", "allow | {env: [APP_A, APP_]}", "deny | {env: [tz]} | env.allow", "deny | {env: [APP]} | env.allow", "deny | {env: [LD_PRELOAD, X]} | env.allow env.allow", "deny | {env: [TZ, X]} | env.allow",
	}},
	{"env: {deny: ['LD_*', '*TOKEN*']}", []string{
		"allow | {env: [A]}", "deny | {env: [LD_PRELOAD]} | env.deny", "deny | {env: [LD_A, LD_B]} | env.deny", "deny | {env: [MY_TOKEN_1]} | env.deny", "deny | {env: [LD_TOKEN]} | env.deny env.deny", "allow | {env: [TOKE]}",
	}},
	{"env: {allow: ['*'], deny: [A]}", []string{"allow | {env: [B]}", "deny | {env: [A]} | env.deny"}},
	{"env: {allow: []}", []string{"allow | {}", "deny | {env: [A]} | env.allow"}},
	{"inputs: {max_files: 1, max_bytes: 1KiB, types: [csv, JSON]}", []string{
		"allow | {}", "allow | {inputs: {a.csv: 1024}}", "deny | {inputs: {a.csv: 1025}} | inputs.max_bytes", "deny | {inputs: {a.csv: 1, b.csv: 1}} | inputs.max_files", "deny | {inputs: {a.exe: 1}} | inputs.types",
		"allow | {inputs: {a.CSV: 1}}", "allow | {inputs: {a.json: 1}}", "deny | {inputs: {a: 1}} | inputs.types", "deny | {inputs: {csv: 1}} | inputs.types", "deny | {inputs: {a.csv.sh: 1}} | inputs.types",
		"deny | {inputs: {a.x: 1MiB, b.y: 1}} | inputs.max_files inputs.max_bytes inputs.types inputs.types",
	}},
	{"inputs: {max_files: 0}", []string{"allow | {}", "deny | {inputs: {a: 0}} | inputs.max_files"}},
	{"output: {max_bytes: 1MiB}", []string{"allow | {}", "allow | {limits: {output: 1MiB}}", "deny | {limits: {output: 2MiB}} | output.max_bytes"}},
	{"proof: compared_outside", []string{
		"allow | {}", "allow | {proof: compared_outside}", "allow | {proof: out_of_process}", "deny | {proof: in_process} | proof", "deny | {proof: candidate_judged} | proof",
	}},
	{"proof: candidate_judged", []string{"allow | {proof: candidate_judged}", "deny | {proof: in_process} | proof"}},
	{"loop: {max_attempts: 3, max_tokens: 1000, max_cost: 2.50}", []string{
		"allow | {}", "allow | {attempts: 3}", "deny | {attempts: 4} | loop.max_attempts", "allow | {tokens: 1000}", "deny | {tokens: 1001} | loop.max_tokens", "allow | {cost: 2.5}", "deny | {cost: 2.51} | loop.max_cost",
	}},
	{"findings: [{rule: 'process.*', action: deny}, {severity: high, action: ask}]", []string{
		"allow | {}", "allow | {findings: [{rule: x, severity: low}]}", "deny | {findings: [{rule: process.spawn, severity: low}]} | findings[0]", "ask | {findings: [{rule: net.open, severity: high}]} | findings[1]",
		"deny | {findings: [{rule: process.spawn, severity: high}, {rule: net, severity: high}]} | findings[0]", "ask | {findings: [{rule: net}]} | findings[1]", "ask | {findings: [{rule: a, severity: high}, {rule: b, severity: high}]} | findings[1] findings[1]",
		"allow | {findings: [{rule: process, severity: low}]}",
	}},
	{"findings: [{rule: process.spawn, action: allow}, {rule: '*', severity: medium, action: deny}]", []string{
		"allow | {findings: [{rule: process.spawn, severity: high}]}", "deny | {findings: [{rule: other, severity: medium}]} | findings[1]", "deny | {findings: [{rule: other, severity: high}]} | findings[1]", "allow | {findings: [{rule: other, severity: low}]}", "allow | {findings: [{rule: other, severity: info}]}",
	}},
	{"egress: [{host: api.example.com, ports: [443]}]\nsecrets: [{name: t, from_env: T}]\npackages: {allow: ['pypi/*']}\nsessions: {max_life: 1h}", []string{
		"allow | {}", "deny | {needs: [network]} | egress", "deny | {secrets: [t]} | secrets", "deny | {packages: [pypi/a]} | packages", "deny | {session: 1m} | sessions",
	}},
	{"audit: required\nreceipts: required\nartifacts: {max_files: 1, max_bytes: 1, withhold: true}\napprovals: {request_life: 1h, grant_life: 2h, approvers: ['*@ops'], once: true}", []string{"allow | {}"}},
	{"conditions: [{name: no-net-names, deny: 'job.files.exists(p, p.contains(\"socket\"))', message: No sockets.}]", []string{
		"allow | {files: {main.py: 10}}", "deny | {files: {socket.py: 10}} | no-net-names", "allow | {}",
	}},
	{"conditions: [{name: acme, ask: job.tenant == 'acme'}, {name: big, deny: 'job.inputs.exists(p, job.inputs[p] > 100)'}]", []string{
		"ask | {tenant: acme} | acme", "allow | {tenant: other}", "deny | {tenant: acme, inputs: {a: 101}} | big", "deny | {inputs: {a: 101}} | big",
	}},
	{"conditions: [{name: args, deny: \"'--rm' in job.args\"}, {name: cmd, deny: \"job.command.size() > 0 && job.command[0] == 'sh'\"}, {name: vars, deny: \"'A' in job.env\"}]", []string{
		"allow | {args: [a]}", "deny | {args: [a, --rm]} | args", "deny | {command: [sh]} | cmd", "allow | {command: [ls]}", "deny | {env: [A], args: [--rm]} | args vars",
	}},
	{"conditions: [{name: fails, deny: \"job.files['main.py'] > 10\"}]", []string{"deny | {} | fails", "allow | {files: {main.py: 10}}", "deny | {files: {main.py: 11}} | fails"}},
	{"conditions: [{name: fails, ask: \"job.files['main.py'] > 10\"}]", []string{"deny | {} | fails", "ask | {files: {main.py: 11}} | fails"}},
	{"conditions: [{name: tier, deny: job.tier == 'auto'}, {name: img, deny: job.image == ''}, {name: lim, deny: job.limits.memory > 100}, {name: fnd, deny: \"findings.exists(f, f.rule == 'x' && f.severity == 'high')\"}]", []string{
		"deny | {} | tier img lim", "allow | {tier: gvisor, image: a, limits: {memory: 100}}", "deny | {tier: gvisor, image: a, limits: {memory: 100}, findings: [{rule: x, severity: high}]} | fnd",
	}},
}

// TestDecisions holds each row, by way of the form that policy test files have.
func TestDecisions(t *testing.T) {
	rows := 0
	allowing, refusing := map[string]bool{}, map[string]bool{}
	for _, d := range decisions {
		p, err := Load(Source{"policy.yaml", LayerOperator, []byte("version: 1\n" + d.policy + "\n")})
		if err != nil {
			t.Errorf("%s\n%v", d.policy, err)
			continue
		}
		var b strings.Builder
		b.WriteString("version: 1\ntests:\n")
		for i, row := range d.rows {
			part := strings.Split(row, " | ")
			rules := ""
			if len(part) > 2 {
				rules = "'" + strings.Join(strings.Fields(part[2]), "', '") + "'"
			}
			fmt.Fprintf(&b, "  - name: row %d\n    want: %s\n    job: %s\n    rules: [%s]\n", i, part[0], part[1], rules)
			rows++
		}
		results, err := p.Test("tests.yaml", []byte(b.String()))
		if err != nil {
			t.Errorf("%s\n%v", d.policy, err)
		}
		for i, r := range results {
			if !r.OK {
				t.Errorf("%s\n%s: %s", d.policy, d.rows[i], r.Message)
			}
			for path := range p.effective {
				if p.effective[path].at.Line == 0 {
					continue
				}
				if r.Got == "allow" {
					allowing[path] = true
				}
				if slices.ContainsFunc(r.Denials, func(d glovebox.Denial) bool { return d.Rule == path }) {
					refusing[path] = true
				}
			}
		}
	}
	if rows < 150 {
		t.Errorf("%d rows: at least 150", rows)
	}
	for _, f := range fields {
		// These bound or describe a run and refuse no job.
		quiet := f.rule == fallback || slices.ContainsFunc([]string{"packages.", "artifacts.", "approvals.", "sessions.", "audit", "receipts"}, func(s string) bool { return strings.HasPrefix(f.path, s) })
		if !quiet && (!allowing[f.path] || !refusing[f.path]) {
			t.Errorf("%s: allows in a row %v, refuses in a row %v", f.path, allowing[f.path], refusing[f.path])
		}
	}
	t.Logf("%d rows", rows)
}
