package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// A naive model of policies, written from the documentation: layers as plain maps, and an
// evaluator that asks each layer about each rule. Nothing here calls the code under test.

type modelLayer struct {
	layer    Layer
	numbers  map[string]int64
	lists    map[string][]string
	words    map[string]string
	findings []modelFinding
	rules    []modelRule
}

type modelFinding struct{ rule, severity, action string }

// modelRule is a condition as CEL and as Go.
type modelRule struct {
	name, text string
	ask        bool
	is         func(j *glovebox.Job, l glovebox.Limits, f []glovebox.Finding) bool
}

var menu = []modelRule{
	{text: "job.language == 'ruby'", is: func(j *glovebox.Job, _ glovebox.Limits, _ []glovebox.Finding) bool {
		return j.Program.Language == "ruby"
	}},
	{text: "job.files.exists(p, job.files[p] > 100)", is: func(j *glovebox.Job, _ glovebox.Limits, _ []glovebox.Finding) bool {
		return slices.ContainsFunc(j.Program.Files, func(f glovebox.File) bool { return len(f.Data) > 100 })
	}},
	{text: "findings.exists(f, f.severity == 'high')", is: func(_ *glovebox.Job, _ glovebox.Limits, fs []glovebox.Finding) bool {
		return slices.ContainsFunc(fs, func(f glovebox.Finding) bool { return f.Severity == glovebox.SeverityHigh })
	}},
	{text: "job.limits.wall > duration('20s')", is: func(_ *glovebox.Job, l glovebox.Limits, _ []glovebox.Finding) bool { return l.Wall > 20*time.Second }},
	{text: "'A' in job.env && job.tenant != 'acme'", is: func(j *glovebox.Job, _ glovebox.Limits, _ []glovebox.Finding) bool {
		_, ok := j.Env["A"]
		return ok && j.Tenant != "acme"
	}},
	{text: "job.args.size() > 1 || job.image.startsWith('python')", is: func(j *glovebox.Job, _ glovebox.Limits, _ []glovebox.Finding) bool {
		return len(j.Args) > 1 || strings.HasPrefix(j.Image, "python")
	}},
	// An expression that fails refuses: a map without the key.
	{text: "job.files['absent'] > 1", is: nil},
}

var pools = map[string][]string{
	"tiers.allow":  {"gvisor", "process", "wasm", "container"},
	"languages":    {"python", "ruby", "go", "bash"},
	"images.allow": {"python:3", "python:2", "quay.io/a/b:1", "node:20"},
	"images.deny":  {"python:2", "quay.io/*", "node"},
	"env.allow":    {"A", "B", "C_1", "C_2"},
	"env.deny":     {"C_*", "A", "*_2"},
	"inputs.types": {"csv", "txt", "json"},
}

var ceilings = []struct {
	path  string
	scale int64
}{
	{"limits.max.wall", int64(time.Second)}, {"limits.max.cpu", int64(time.Second)}, {"limits.max.memory", 16 << 20},
	{"limits.max.processes", 1}, {"limits.max.output", 1 << 20}, {"output.max_bytes", 1 << 20},
	{"inputs.max_files", 1}, {"inputs.max_bytes", 20}, {"loop.max_attempts", 1}, {"loop.max_tokens", 1}, {"loop.max_cost", 1e6},
}

func some(r *rand.Rand, l []string) []string {
	out := []string{}
	for _, s := range l {
		if r.IntN(3) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func one[T any](r *rand.Rand, l []T) T { return l[r.IntN(len(l))] }

// newModel makes one to three layers that narrow.
func newModel(r *rand.Rand) []*modelLayer {
	var layers []*modelLayer
	rare := one(r, []int{1, 3, 8}) // how seldom a layer has a field
	for i := range 1 + r.IntN(3) {
		m := &modelLayer{layer: layerOrder[i+1], numbers: map[string]int64{}, lists: map[string][]string{}, words: map[string]string{}}
		upperNumber := func(path string) (v int64) {
			v = 1 << 62
			for _, u := range layers {
				if n, ok := u.numbers[path]; ok {
					v = n
				}
			}
			return v
		}
		for _, c := range ceilings {
			if r.IntN(2*rare) == 0 {
				v := min(c.scale*int64(1+r.IntN(60)), upperNumber(c.path))
				m.numbers[c.path] = v
			}
		}
		for _, n := range []string{"wall", "cpu", "memory", "processes", "output"} {
			if r.IntN(2*rare) == 0 {
				scale := int64(1)
				for _, c := range ceilings {
					if c.path == "limits.max."+n {
						scale = c.scale
					}
				}
				most := min(upperNumber("limits.max."+n), orMax(m.numbers, "limits.max."+n))
				m.numbers["limits.default."+n] = min(scale*int64(1+r.IntN(30)), most)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(pools)) {
			if r.IntN(2*rare) > 0 {
				continue
			}
			pool := pools[path]
			if !strings.HasSuffix(path, "deny") {
				for _, u := range layers {
					if l, ok := u.lists[path]; ok {
						pool = l
					}
				}
			}
			m.lists[path] = some(r, pool)
		}
		word := func(path string, order []string) {
			from := 0
			for _, u := range layers {
				if w, ok := u.words[path]; ok {
					from = max(from, slices.Index(order, w))
				}
				if _, ok := u.lists["languages"]; ok && path == "commands" && u.words["commands"] == "" {
					from = 2
				}
			}
			if r.IntN(2*rare) == 0 {
				m.words[path] = order[from+r.IntN(len(order)-from)]
			}
		}
		word("commands", []string{"allow", "ask", "deny"})
		word("images.required", []string{"false", "true"})
		word("images.require_digest", []string{"false", "true"})
		word("images.require_signature", []string{"false", "true"})
		word("proof", []string{"in_process", "candidate_judged", "compared_outside", "out_of_process"})
		for range r.IntN(1 + 4/rare) {
			f := modelFinding{rule: one(r, []string{"exec", "net*", "eval", "*", ""}), severity: one(r, []string{"", "low", "high"}), action: one(r, []string{"allow", "ask", "deny"})}
			if f.rule != "" || f.severity != "" {
				m.findings = append(m.findings, f)
			}
		}
		for k := range r.IntN(1 + 4/rare) {
			rule := one(r, menu)
			rule.name, rule.ask = fmt.Sprintf("c%d-%d", i, k), r.IntN(2) == 0
			m.rules = append(m.rules, rule)
		}
		layers = append(layers, m)
	}
	return layers
}

func orMax(m map[string]int64, key string) int64 {
	if v, ok := m[key]; ok {
		return v
	}
	return 1 << 62
}

// source writes the layer as JSON, which is YAML.
func (m *modelLayer) source() Source {
	root := map[string]any{"version": 1}
	put := func(path string, v any) {
		at := root
		keys := strings.Split(path, ".")
		for _, k := range keys[:len(keys)-1] {
			if at[k] == nil {
				at[k] = map[string]any{}
			}
			at = at[k].(map[string]any)
		}
		at[keys[len(keys)-1]] = v
	}
	for path, v := range m.numbers {
		switch {
		case strings.HasSuffix(path, "wall"), strings.HasSuffix(path, "cpu"):
			put(path, time.Duration(v).String())
		case path == "loop.max_cost":
			put(path, float64(v)/1e6)
		default:
			put(path, v)
		}
	}
	for path, l := range m.lists {
		put(path, l)
	}
	for path, w := range m.words {
		if w == "true" || w == "false" {
			put(path, w == "true")
		} else {
			put(path, w)
		}
	}
	var findings []any
	for _, f := range m.findings {
		e := map[string]any{"action": f.action}
		if f.rule != "" {
			e["rule"] = f.rule
		}
		if f.severity != "" {
			e["severity"] = f.severity
		}
		findings = append(findings, e)
	}
	if findings != nil {
		root["findings"] = findings
	}
	var rules []any
	for _, c := range m.rules {
		key := "deny"
		if c.ask {
			key = "ask"
		}
		rules = append(rules, map[string]any{"name": c.name, key: c.text})
	}
	if rules != nil {
		root["conditions"] = rules
	}
	data, _ := json.MarshalIndent(root, "", " ")
	return Source{Name: string(m.layer) + ".yaml", Layer: m.layer, Data: data}
}

func sourcesOf(layers []*modelLayer) (all []Source) {
	for _, m := range layers {
		all = append(all, m.source())
	}
	return all
}

// newRequest makes a random request.
func newRequest(r *rand.Rand) Request {
	mild := one(r, []int{1, 4}) // how seldom the job asks for more
	j := &glovebox.Job{Tenant: one(r, []string{"", "acme", "other"}), Env: map[string]string{}}
	j.Program = &glovebox.Program{Language: one(r, []string{"python", "ruby", "go", "bash", "perl"}), Main: "m"}
	for i := range 1 + r.IntN(3) {
		j.Program.Files = append(j.Program.Files, glovebox.File{Path: fmt.Sprintf("f%d", i), Data: make([]byte, r.IntN(150))})
	}
	if r.IntN(4*mild) == 0 {
		j.Command = []string{"ls"}
	}
	for _, n := range []string{"A", "B", "C_1", "C_2", "D"} {
		if r.IntN(4*mild) == 0 {
			j.Env[n] = "v"
		}
	}
	for i := range r.IntN(1 + 4/mild) {
		j.Inputs = append(j.Inputs, glovebox.File{Path: fmt.Sprintf("i%d.%s", i, one(r, []string{"csv", "txt", "json", "bin", "CSV"})), Data: make([]byte, r.IntN(400))})
	}
	j.Image = one(r, []string{"", "", "python:3", "python:2", "docker.io/library/python:3", "quay.io/a/b:1", "node:20", "ruby", "python:3@sha256:" + strings.Repeat("a", 64)})
	j.Tier = glovebox.TierName(one(r, []string{"", "auto", "gvisor", "process", "microvm"}))
	j.RequireProof = one(r, []glovebox.Proof{"", "", glovebox.ProofInProcess, glovebox.ProofCandidateJudged, glovebox.ProofComparedOutside, glovebox.ProofOutOfProcess})
	limit := func(scale int64) int64 {
		if r.IntN(mild+1) > 0 {
			return 0
		}
		return scale * int64(1+r.IntN(60))
	}
	j.Limits = glovebox.Limits{Wall: time.Duration(limit(1e9)), CPU: time.Duration(limit(1e9)), Memory: limit(16 << 20), Processes: limit(1), Output: limit(1 << 20)}
	for range r.IntN(3) {
		j.Args = append(j.Args, "a")
	}
	if r.IntN(8*mild) == 0 {
		j.Needs = append(j.Needs, glovebox.NeedNetwork)
	}
	req := Request{Job: j, Program: j.Program, Attempts: int64(r.IntN(30 / mild)), Tokens: int64(r.IntN(30 / mild)), Cost: float64(r.IntN(30 / mild))}
	for range r.IntN(3) / mild * 2 {
		req.Findings = append(req.Findings, glovebox.Finding{Rule: one(r, []string{"exec", "net-open", "eval", "other"}), Severity: one(r, severities)})
	}
	if r.IntN(10*mild) == 0 {
		req.Secrets = []string{"s"}
	}
	return req
}

// naiveGlob is a glob by recursion.
func naiveGlob(p, s string) bool {
	if p == "" {
		return s == ""
	}
	if p[0] == '*' {
		return naiveGlob(p[1:], s) || s != "" && naiveGlob(p, s[1:])
	}
	return s != "" && p[0] == s[0] && naiveGlob(p[1:], s[1:])
}

// spelled are the spellings of the images that newRequest makes.
func spelled(image string) []string {
	switch image {
	case "docker.io/library/python:3":
		return []string{image, "python:3"}
	case "ruby":
		return []string{"ruby", "ruby:latest"}
	}
	return []string{image}
}

// naive decides as the documentation says. The keys are rule and asked.
func naive(layers []*modelLayer, req Request) (deny, ask map[string]int, limits glovebox.Limits) {
	deny, ask = map[string]int{}, map[string]int{}
	j := req.Job
	lowestNumber := func(path string) (v int64, ok bool) {
		for _, m := range layers {
			if n, set := m.numbers[path]; set {
				v, ok = n, true
			}
		}
		return v, ok
	}
	var inputBytes int64
	for _, f := range j.Inputs {
		inputBytes += int64(len(f.Data))
	}
	asked := map[string]int64{
		"limits.max.wall": int64(j.Limits.Wall), "limits.max.cpu": int64(j.Limits.CPU), "limits.max.memory": j.Limits.Memory, "limits.max.processes": j.Limits.Processes,
		"limits.max.output": j.Limits.Output, "output.max_bytes": j.Limits.Output, "inputs.max_files": int64(len(j.Inputs)), "inputs.max_bytes": inputBytes,
		"loop.max_attempts": req.Attempts, "loop.max_tokens": req.Tokens, "loop.max_cost": int64(req.Cost * 1e6),
	}
	for path, got := range asked {
		if most, ok := lowestNumber(path); ok && got > most {
			deny[path]++
		}
	}
	lowestList := func(path string) (l []string, ok bool) {
		for _, m := range layers {
			if v, set := m.lists[path]; set {
				l, ok = v, true
			}
		}
		return l, ok
	}
	in := func(path string, spellings ...string) {
		if l, ok := lowestList(path); ok && !slices.ContainsFunc(l, func(p string) bool { return slices.Contains(spellings, p) }) {
			deny[path]++
		}
	}
	if j.Tier == "" || j.Tier == "auto" {
		if l, ok := lowestList("tiers.allow"); ok && len(l) == 0 {
			deny["tiers.allow"]++
		}
	} else {
		in("tiers.allow", string(j.Tier))
	}
	strictest := func(path string, order ...string) int {
		rank := 0
		for _, m := range layers {
			if w, ok := m.words[path]; ok {
				rank = max(rank, slices.Index(order, w))
			} else if _, listed := m.lists["languages"]; listed && path == "commands" {
				rank = 2
			}
		}
		return rank
	}
	if len(j.Command) == 0 {
		in("languages", j.Program.Language)
	} else {
		switch strictest("commands", "allow", "ask", "deny") {
		case 1:
			ask["commands"]++
		case 2:
			deny["commands"]++
		}
	}
	if j.Image == "" {
		deny["images.required"] += strictest("images.required", "false", "true")
	} else {
		in("images.allow", spelled(j.Image)...)
		for _, m := range layers {
			for _, p := range m.lists["images.deny"] {
				bad := slices.ContainsFunc(spelled(j.Image), func(s string) bool {
					name, _, _ := strings.Cut(s, "@")
					repo := name
					if i := strings.LastIndexByte(name, ':'); i > 0 {
						repo = name[:i]
					}
					return naiveGlob(p, s) || naiveGlob(p, name) || naiveGlob(p, repo)
				})
				if bad {
					deny["images.deny"]++
				}
			}
		}
		if !strings.Contains(j.Image, "@") {
			deny["images.require_digest"] += strictest("images.require_digest", "false", "true")
		}
		deny["images.require_signature"] += strictest("images.require_signature", "false", "true")
	}
	proofs := []string{"in_process", "candidate_judged", "compared_outside", "out_of_process"}
	worth := []int{1, 2, 3, 3}
	for _, m := range layers[max(0, lowestWord(layers, "proof")):] {
		if w, ok := m.words["proof"]; ok && j.RequireProof != "" && worth[slices.Index(proofs, string(j.RequireProof))] < worth[slices.Index(proofs, w)] {
			deny["proof"]++
		}
	}
	for name := range j.Env {
		in("env.allow", name)
	}
	for _, m := range layers {
		for _, p := range m.lists["env.deny"] {
			for name := range j.Env {
				if naiveGlob(p, name) {
					deny["env.deny"]++
					break
				}
			}
		}
	}
	endings := map[string]bool{}
	for _, f := range j.Inputs {
		_, ending, _ := strings.Cut(f.Path, ".")
		endings[strings.ToLower(ending)] = true
	}
	for ending := range endings {
		in("inputs.types", ending)
	}
	if slices.Contains(j.Needs, glovebox.NeedNetwork) {
		deny["egress"]++
	}
	if len(req.Secrets) > 0 {
		deny["secrets"]++
	}
	worst := map[string]int{}
	for _, f := range req.Findings {
		for _, m := range layers {
			for _, rule := range m.findings {
				if rule.rule != "" && !naiveGlob(rule.rule, f.Rule) || rule.severity != "" && slices.Index(severities, f.Severity) < slices.Index(severities, glovebox.Severity(rule.severity)) {
					continue
				}
				worst[f.Rule] = max(worst[f.Rule], slices.Index([]string{"allow", "ask", "deny"}, rule.action))
				break
			}
		}
	}
	for name, w := range worst {
		switch w {
		case 1:
			ask["finding "+name]++
		case 2:
			deny["finding "+name]++
		}
	}
	// Each layer fills in limits with what it and those above say.
	limits = naiveLimits(layers, j.Limits, true)
	for i := range layers {
		limits := naiveLimits(layers[:i+1], j.Limits, false)
		for _, c := range layers[i].rules {
			switch {
			case c.is == nil:
				deny[c.name]++
			case !c.is(j, limits, req.Findings):
			case c.ask:
				ask[c.name]++
			default:
				deny[c.name]++
			}
		}
	}
	maps.DeleteFunc(deny, func(_ string, n int) bool { return n == 0 })
	return deny, ask, limits
}

// lowestWord returns the index of the lowest layer with a word, or -1.
func lowestWord(layers []*modelLayer, path string) int {
	for i := len(layers) - 1; i >= 0; i-- {
		if _, ok := layers[i].words[path]; ok {
			return i
		}
	}
	return -1
}

// naiveLimits fills in limits; with cut those asked for are cut to the ceilings too.
func naiveLimits(layers []*modelLayer, l glovebox.Limits, cut bool) glovebox.Limits {
	get := func(path string) int64 {
		for i := len(layers) - 1; i >= 0; i-- {
			if v, ok := layers[i].numbers[path]; ok {
				return v
			}
		}
		return 0
	}
	fill := func(name string, asked, standard int64) int64 {
		switch {
		case asked != 0 && !cut:
			return asked
		case asked == 0:
			if asked = get("limits.default." + name); asked == 0 {
				asked = standard
			}
		}
		if most := get("limits.max." + name); most > 0 {
			asked = min(asked, most)
		}
		return asked
	}
	noCPU := l.CPU == 0
	l.Wall = time.Duration(fill("wall", int64(l.Wall), 10e9))
	l.CPU = time.Duration(fill("cpu", int64(l.CPU), 10e9))
	if noCPU && l.CPU < l.Wall {
		l.CPU = l.Wall
		if most := get("limits.max.cpu"); most > 0 {
			l.CPU = min(l.CPU, time.Duration(most))
		}
	}
	l.Memory = fill("memory", l.Memory, 512<<20)
	l.Processes = fill("processes", l.Processes, 64)
	askedOutput := l.Output != 0
	l.Output = fill("output", l.Output, 8<<20)
	if most := get("output.max_bytes"); most > 0 && (cut || !askedOutput) {
		l.Output = min(l.Output, most)
	}
	l.OpenFiles, l.FileSize, l.Disk, l.Files, l.Reply = 256, 64<<20, 64<<20, 4096, 16<<20
	return l
}

// tally counts denials as naive names them.
func tally(denials []glovebox.Denial) map[string]int {
	m := map[string]int{}
	for _, d := range denials {
		if strings.HasPrefix(d.Rule, "findings") {
			m[d.Asked]++
		} else {
			m[d.Rule]++
		}
	}
	return m
}

func whole() bool { return os.Getenv("GLOVEBOX_SAMPLE") == "all" }

// TestNaiveEvaluatorAgrees compares rules, status and limits. The whole set is 200
// policies and 2,000 jobs each.
func TestNaiveEvaluatorAgrees(t *testing.T) {
	jobs := 10
	if whole() {
		jobs = 2000
	}
	counts := map[glovebox.Status]int{}
	for i := range 200 {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		layers := newModel(r)
		p, err := Load(sourcesOf(layers)...)
		if err != nil {
			t.Fatalf("policy %d: %v\n%s", i, err, sourcesOf(layers))
		}
		for k := range jobs {
			req := newRequest(r)
			d := p.Admit(req)
			deny, ask, limits := naive(layers, req)
			if !maps.Equal(deny, tally(d.Denials)) || !maps.Equal(ask, tally(d.Asks)) || d.Limits != limits {
				t.Fatalf("policy %d job %d:\n got %v, ask %v, %+v\nwant %v, ask %v, %+v\njob %+v\n%s", i, k, tally(d.Denials), tally(d.Asks), d.Limits, deny, ask, limits, req.Job, sourcesOf(layers))
			}
			counts[d.Status()]++
		}
	}
	t.Logf("decisions: %v", counts)
	if counts[glovebox.StatusDenied] == 0 || counts[""] == 0 || counts[glovebox.StatusApprovalRequired] == 0 {
		t.Errorf("the set does not have each decision: %v", counts)
	}
}

// TestLowerLayerAdmitsSubset: what all layers admit, the layers above admit alone. The
// whole set is 10^6 jobs.
func TestLowerLayerAdmitsSubset(t *testing.T) {
	policies, jobs := 60, 40
	if whole() {
		policies, jobs = 1000, 1000
	}
	strict := map[glovebox.Status]int{"": 0, glovebox.StatusApprovalRequired: 1, glovebox.StatusDenied: 2}
	admitted := 0
	for i := range policies {
		r := rand.New(rand.NewPCG(17, uint64(i)))
		sources := sourcesOf(newModel(r))
		lower, err := Load(sources...)
		if err != nil {
			t.Fatal(err)
		}
		upper, err := Load(sources[:r.IntN(len(sources))]...)
		if err != nil {
			t.Fatal(err)
		}
		for range jobs {
			req := newRequest(r)
			l, u := lower.Admit(req), upper.Admit(req)
			if strict[u.Status()] > strict[l.Status()] {
				t.Fatalf("upper says %q, lower %q: %+v\n%s", u.Status(), l.Status(), req.Job, sources)
			}
			if l.Status() == "" {
				admitted++
			}
		}
	}
	t.Logf("%d jobs, %d admitted", policies*jobs, admitted)
}

// TestAllowWithFlipsOneDenial applies each printed change.
func TestAllowWithFlipsOneDenial(t *testing.T) {
	policies, jobs := 40, 2
	if whole() {
		policies, jobs = 200, 40
	}
	applied, none := 0, map[string]int{}
	for i := range policies {
		r := rand.New(rand.NewPCG(19, uint64(i)))
		sources := sourcesOf(newModel(r))
		p, err := Load(sources...)
		if err != nil {
			t.Fatal(err)
		}
		for range jobs {
			req := newRequest(r)
			before := p.Admit(req)
			all := slices.Concat(before.Denials, before.Asks)
			for _, d := range all {
				if d.AllowWith == "" {
					none[d.Rule]++
					continue
				}
				q, err := p.Apply(d)
				if err != nil {
					t.Fatalf("%+v: %v\n%s", d, err, sources)
				}
				applied++
				after := q.Admit(req)
				want := keys(all)
				if want[key(d)]--; want[key(d)] == 0 {
					delete(want, key(d))
				}
				if got := keys(slices.Concat(after.Denials, after.Asks)); !maps.Equal(got, want) {
					t.Fatalf("applying\n%s\nof %+v\n got %v\nwant %v\njob %+v\n%s", d.AllowWith, d, got, want, req.Job, sources)
				}
			}
		}
	}
	for rule := range none {
		if !slices.Contains([]string{"egress", "secrets", "tiers.allow", "inputs.types"}, rule) {
			t.Errorf("%d denials of %s have no allow_with", none[rule], rule)
		}
	}
	t.Logf("%d changes applied, without one: %v", applied, none)
}

func key(d glovebox.Denial) string {
	rule, _, _ := strings.Cut(d.Rule, "[")
	return fmt.Sprintf("%s|%s|%v", rule, d.Asked, d.Ask)
}

func keys(denials []glovebox.Denial) map[string]int {
	m := map[string]int{}
	for _, d := range denials {
		m[key(d)]++
	}
	return m
}
