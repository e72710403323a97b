package policy

import (
	"maps"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Request is a Job to decide on, with what is known of it. Only Job is required.
type Request struct {
	// Job is the Job as submitted: its zero limits are those the policy fills in.
	Job *glovebox.Job
	// Program is the code that was found in the Job's reply, or the Job's own.
	Program *glovebox.Program
	// Findings are what an inspection saw in the code.
	Findings []glovebox.Finding
	// Tiers are the host's usable tiers; nil means unknown.
	Tiers []glovebox.TierName
	// Packages, Secrets, Session, Attempts, Tokens and Cost are what the front end asks
	// for beside the Job: packages to install, names of secrets, the life of a session,
	// and the budget of a repair loop, Cost in US dollars.
	Packages []string
	Secrets  []string
	Session  time.Duration
	Attempts int64
	Tokens   int64
	Cost     float64
}

// sized is a file's path with its length in bytes.
type sized struct {
	path string
	size int64
}

// facts are what rules look at. They hold no content of files.
type facts struct {
	language string
	command  []string
	args     []string
	env      []string
	files    []sized
	tests    []sized
	inputs   []sized
	image    string
	tier     glovebox.TierName
	tenant   string
	limits   glovebox.Limits
	needs    []glovebox.Need
	proof    glovebox.Proof
	findings []glovebox.Finding
	host     []glovebox.TierName
	packages []string
	secrets  []string
	session  time.Duration
	attempts int64
	tokens   int64
	cost     int64 // millionths of a dollar
	digest   func() string
}

func (r *Request) facts() *facts {
	j := r.Job
	f := &facts{
		language: j.Language, command: j.Command, args: j.Args, env: slices.Sorted(maps.Keys(j.Env)),
		tests: sizes(j.Tests), inputs: sizes(j.Inputs),
		image: j.Image, tier: j.Tier, tenant: j.Tenant, limits: j.Limits, needs: j.Needs, proof: j.RequireProof,
		findings: r.Findings, host: r.Tiers,
		packages: r.Packages, secrets: r.Secrets, session: r.Session,
		attempts: r.Attempts, tokens: r.Tokens, cost: dollars(r.Cost), digest: j.Digest,
	}
	if p := cmpOr(r.Program, j.Program); p != nil {
		f.language, f.files = p.Language, sizes(p.Files)
	}
	return f
}

func cmpOr(a, b *glovebox.Program) *glovebox.Program {
	if a != nil {
		return a
	}
	return b
}

// dollars converts to millionths. What is not a number counts as more than any budget.
func dollars(v float64) int64 {
	if !(v >= 0 && v < 1e12) {
		return 1e18
	}
	return int64(v*1e6 + 0.5)
}

func sizes(files []glovebox.File) []sized {
	all := make([]sized, len(files))
	for i := range files {
		all[i] = sized{files[i].Path, int64(len(files[i].Data))}
	}
	return all
}

// ExampleJob is a Job in the small form that examples and test files have. Files, Tests
// and Inputs map a path to a size, such as {main.py: 2KiB}.
type ExampleJob struct {
	Language string            `json:"language,omitempty" jsonschema:"The language of the program."`
	Command  []string          `json:"command,omitempty" jsonschema:"An argument vector in place of a program."`
	Args     []string          `json:"args,omitempty" jsonschema:"Command-line arguments."`
	Env      []string          `json:"env,omitempty" jsonschema:"Names of environment variables."`
	Files    map[string]size   `json:"files,omitempty" jsonschema:"Sizes of the program's files, by path."`
	Tests    map[string]size   `json:"tests,omitempty" jsonschema:"Sizes of the test files, by path."`
	Inputs   map[string]size   `json:"inputs,omitempty" jsonschema:"Sizes of the input files, by path."`
	Image    string            `json:"image,omitempty" jsonschema:"The image."`
	Tier     glovebox.TierName `json:"tier,omitempty" jsonschema:"The wished tier."`
	Tenant   string            `json:"tenant,omitempty" jsonschema:"On whose behalf the job runs."`
	Limits   *limitSet         `json:"limits,omitempty" jsonschema:"The limits that the job names."`
	Needs    []string          `json:"needs,omitempty" jsonschema:"What the job needs of the tier, such as network."`
	Proof    string            `json:"proof,omitempty" jsonschema:"The weakest proof that makes a pass."`
	Findings []exampleFinding  `json:"findings,omitempty" jsonschema:"What the inspection found."`
	Packages []string          `json:"packages,omitempty" jsonschema:"Packages to install."`
	Secrets  []string          `json:"secrets,omitempty" jsonschema:"Names of secrets."`
	Session  duration          `json:"session,omitempty" jsonschema:"Life of the session that is asked for."`
	Attempts int64             `json:"attempts,omitempty" jsonschema:"Attempts of a repair loop."`
	Tokens   int64             `json:"tokens,omitempty" jsonschema:"Tokens of a repair loop."`
	Cost     money             `json:"cost,omitempty" jsonschema:"Cost of a repair loop in US dollars."`
}

type exampleFinding struct {
	Rule     string `json:"rule" jsonschema:"Name of the inspection's rule."`
	Severity string `json:"severity,omitempty" jsonschema:"info, low, medium or high."`
	File     string `json:"file,omitempty" jsonschema:"Path of the file."`
	Package  string `json:"package,omitempty" jsonschema:"The package of an import."`
}

func (e exampleFinding) finding() glovebox.Finding {
	return glovebox.Finding{Rule: e.Rule, Severity: glovebox.Severity(e.Severity), File: e.File, Package: e.Package}
}

// facts returns what rules see of the example. The schema has checked each value.
func (e *ExampleJob) facts() *facts {
	number := func(text string, parse func(string) (int64, error)) int64 {
		n, _ := parse(text) // empty is 0
		return n
	}
	files := func(m map[string]size) (all []sized) {
		for _, path := range slices.Sorted(maps.Keys(m)) {
			all = append(all, sized{path, number(string(m[path]), parseSize)})
		}
		return all
	}
	f := &facts{
		language: e.Language, command: e.Command, args: e.Args, env: slices.Sorted(slices.Values(e.Env)),
		files: files(e.Files), tests: files(e.Tests), inputs: files(e.Inputs),
		image: e.Image, tier: e.Tier, tenant: e.Tenant, proof: glovebox.Proof(e.Proof),
		packages: e.Packages, secrets: e.Secrets, session: time.Duration(number(string(e.Session), parseDuration)),
		attempts: e.Attempts, tokens: e.Tokens, cost: number(string(e.Cost), parseMoney),
		digest: func() string { return "" },
	}
	for _, n := range e.Needs {
		f.needs = append(f.needs, glovebox.Need(n))
	}
	for _, x := range e.Findings {
		f.findings = append(f.findings, x.finding())
	}
	if l := e.Limits; l != nil {
		f.limits = glovebox.Limits{
			Wall: time.Duration(number(string(l.Wall), parseDuration)), CPU: time.Duration(number(string(l.CPU), parseDuration)),
			Memory: number(string(l.Memory), parseSize), Processes: l.Processes, OpenFiles: l.OpenFiles,
			FileSize: number(string(l.FileSize), parseSize), Disk: number(string(l.Disk), parseSize), Files: l.Files,
			Output: number(string(l.Output), parseSize), Reply: number(string(l.Reply), parseSize),
		}
	}
	return f
}

// fits reports whether a rule is about a finding.
func (r *findingRule) fits(f glovebox.Finding) bool {
	if r.Rule != "" && !matches(r.Rule, f.Rule) {
		return false
	}
	// A finding without a known severity counts as the most severe.
	rank := rankOf(severities, f.Severity)
	if rank < 0 {
		rank = len(severities)
	}
	return r.Severity == "" || rank >= rankOf(severities, glovebox.Severity(r.Severity))
}
