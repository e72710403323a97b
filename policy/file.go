package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// action is what a rule does with a Job.
type action string

const (
	actionAllow action = "allow"
	actionAsk   action = "ask"
	actionDeny  action = "deny"
)

var actions = []action{actionAllow, actionAsk, actionDeny}

// Level says whether something must be done.
type Level string

// The levels, weakest first.
const (
	LevelOff      Level = "off"
	LevelOptional Level = "optional"
	LevelRequired Level = "required"
)

var levels = []Level{LevelOff, LevelOptional, LevelRequired}

// Values with a written form. The schema knows each by its format.
type (
	duration string // a Go duration
	size     string // bytes
	money    string // US dollars
	date     string // RFC 3339 or a day
)

// document is the form of the file. The schema, so the loader, follows the types and tags.
type document struct {
	Version    int             `json:"version" jsonschema:"The version of this form: 1."`
	Name       string          `json:"name,omitempty" jsonschema:"The name of the policy, which each observation carries."`
	Limits     *limitsSection  `json:"limits,omitempty" jsonschema:"Limits of a run: what a job gets that names none, and the most that a job may ask for."`
	Tiers      *tiersSection   `json:"tiers,omitempty" jsonschema:"The ways to isolate a job."`
	Languages  []string        `json:"languages,omitempty" jsonschema:"The languages that programs may be in. With this list, commands are refused unless the field commands allows them."`
	Images     *imagesSection  `json:"images,omitempty" jsonschema:"The images that jobs may run in."`
	Env        *envSection     `json:"env,omitempty" jsonschema:"The environment variables that jobs may set, by name. A star stands for any characters."`
	Inputs     *inputsSection  `json:"inputs,omitempty" jsonschema:"The input files of a job."`
	Egress     []egressRule    `json:"egress,omitempty" jsonschema:"The hosts that programs may reach. This build has no egress door: a job that asks for a network is refused."`
	Packages   *packageSection `json:"packages,omitempty" jsonschema:"The packages that jobs may install. This build has no package door: a job that asks for packages is refused."`
	Secrets    []secretRule    `json:"secrets,omitempty" jsonschema:"The credentials that egress rules may inject. This build has no secret broker: a job that asks for a secret is refused."`
	Findings   []findingRule   `json:"findings,omitempty" jsonschema:"What findings of the inspection do. In a layer the first rule that fits a finding decides; of several layers the strictest does."`
	Output     *outputSection  `json:"output,omitempty" jsonschema:"The budget of what a program prints."`
	Artifacts  *artifactBudget `json:"artifacts,omitempty" jsonschema:"The budget of the files that a program leaves."`
	Commands   action          `json:"commands,omitempty" jsonschema:"Whether a job may be a bare command in place of a program."`
	Proof      string          `json:"proof,omitempty" jsonschema:"The weakest proof that makes a pass."`
	Approvals  *approvalRules  `json:"approvals,omitempty" jsonschema:"How a person answers what a rule asks."`
	Sessions   *sessionRules   `json:"sessions,omitempty" jsonschema:"The life of sessions. This build has no sessions: a job that asks for a session is refused."`
	Loop       *loopBudget     `json:"loop,omitempty" jsonschema:"The budget of a repair loop."`
	Audit      Level           `json:"audit,omitempty" jsonschema:"Whether each run must be in the audit log before its verdict is given out."`
	Receipts   Level           `json:"receipts,omitempty" jsonschema:"Whether each run must have a signed receipt."`
	Conditions []conditionRule `json:"conditions,omitempty" jsonschema:"CEL expressions that refuse a job or ask a person."`
}

type limitsSection struct {
	Default *limitSet `json:"default,omitempty" jsonschema:"The limits of a job that names none."`
	Max     *limitSet `json:"max,omitempty" jsonschema:"The largest limits that a job may ask for."`
}

type limitSet struct {
	Wall      duration `json:"wall,omitempty" jsonschema:"Time from start to end."`
	CPU       duration `json:"cpu,omitempty" jsonschema:"Processor time of all processes together."`
	Memory    size     `json:"memory,omitempty" jsonschema:"Memory of all processes together."`
	Processes int64    `json:"processes,omitempty" jsonschema:"Processes and threads at once."`
	OpenFiles int64    `json:"open_files,omitempty" jsonschema:"Open descriptors of one process."`
	FileSize  size     `json:"file_size,omitempty" jsonschema:"Size of one file."`
	Disk      size     `json:"disk,omitempty" jsonschema:"Bytes in the workspace, and again in /tmp."`
	Files     int64    `json:"files,omitempty" jsonschema:"Files in the workspace, and again in /tmp."`
	Output    size     `json:"output,omitempty" jsonschema:"Bytes of each of stdout and stderr."`
	Reply     size     `json:"reply,omitempty" jsonschema:"Length of a reply, and of a single input file."`
}

type tiersSection struct {
	Allow []string `json:"allow,omitempty" jsonschema:"The tiers that jobs may run in, best first."`
	Needs []string `json:"needs,omitempty" jsonschema:"What the tier must give, whichever it is."`
}

type imagesSection struct {
	Allow            []string `json:"allow,omitempty" jsonschema:"Names or digests of images. A star stands for any characters."`
	Deny             []string `json:"deny,omitempty" jsonschema:"Names or digests of images that are refused in any spelling."`
	Required         bool     `json:"required,omitempty" jsonschema:"A job must name an image: the toolchain of the host is refused."`
	RequireDigest    bool     `json:"require_digest,omitempty" jsonschema:"An image must be named by its digest."`
	RequireSignature bool     `json:"require_signature,omitempty" jsonschema:"An image must be signed. This build cannot verify signatures: a job with an image is refused."`
}

type envSection struct {
	Allow []string `json:"allow,omitempty" jsonschema:"Names that jobs may set."`
	Deny  []string `json:"deny,omitempty" jsonschema:"Names that jobs may not set."`
}

type inputsSection struct {
	MaxFiles int64    `json:"max_files,omitempty" jsonschema:"Number of input files."`
	MaxBytes size     `json:"max_bytes,omitempty" jsonschema:"Bytes of all input files together."`
	Types    []string `json:"types,omitempty" jsonschema:"Endings of the names of input files, such as csv."`
}

type egressRule struct {
	Host     string   `json:"host" jsonschema:"A host name, or *.suffix for all names below it."`
	Ports    []int64  `json:"ports,omitempty" jsonschema:"TCP ports."`
	Address  string   `json:"address,omitempty" jsonschema:"The address of the host, in place of a look-up."`
	Private  bool     `json:"private,omitempty" jsonschema:"The address may be private or loopback."`
	Methods  []string `json:"methods,omitempty" jsonschema:"HTTP methods."`
	Paths    []string `json:"paths,omitempty" jsonschema:"Paths of requests. A star stands for any characters."`
	OpenTLS  bool     `json:"open_tls,omitempty" jsonschema:"TLS is opened, so that methods, paths and secrets can be enforced."`
	Secret   string   `json:"secret,omitempty" jsonschema:"The name of the secret that is injected."`
	Expires  date     `json:"expires,omitempty" jsonschema:"The rule ends then."`
	Match    []string `json:"match,omitempty" jsonschema:"host:port pairs that this rule allows. They are tested when the file is loaded."`
	NotMatch []string `json:"not_match,omitempty" jsonschema:"host:port pairs that this rule does not allow. They are tested when the file is loaded."`
}

type packageSection struct {
	Allow  []string `json:"allow,omitempty" jsonschema:"Names of packages, such as pypi/requests. A star stands for any characters."`
	Lock   bool     `json:"require_lock,omitempty" jsonschema:"Packages must come from a lock file with hashes."`
	MinAge duration `json:"min_age,omitempty" jsonschema:"The time since a version was published must be longer."`
}

type secretRule struct {
	Name    string `json:"name" jsonschema:"The name that egress rules use."`
	FromEnv string `json:"from_env,omitempty" jsonschema:"The variable of the operator's environment that holds the value."`
	File    string `json:"from_file,omitempty" jsonschema:"The operator's file that holds the value."`
	Expires date   `json:"expires,omitempty" jsonschema:"The grant ends then."`
}

type findingRule struct {
	Rule     string           `json:"rule,omitempty" jsonschema:"Name of a rule of the inspection. A star stands for any characters."`
	Severity string           `json:"severity,omitempty" jsonschema:"The finding is at least this severe."`
	Action   action           `json:"action" jsonschema:"What a finding does."`
	Match    []exampleFinding `json:"match,omitempty" jsonschema:"Findings that this rule fits. They are tested when the file is loaded."`
	NotMatch []exampleFinding `json:"not_match,omitempty" jsonschema:"Findings that this rule does not fit. They are tested when the file is loaded."`
}

type outputSection struct {
	MaxBytes size `json:"max_bytes,omitempty" jsonschema:"Bytes of each of stdout and stderr."`
}

type artifactBudget struct {
	MaxFiles int64 `json:"max_files,omitempty" jsonschema:"Number of artifacts."`
	MaxBytes size  `json:"max_bytes,omitempty" jsonschema:"Bytes of all artifacts together."`
	Withhold bool  `json:"withhold,omitempty" jsonschema:"Artifacts are left out that hold a secret or cannot be looked into."`
}

type approvalRules struct {
	RequestLife duration `json:"request_life,omitempty" jsonschema:"How long a request waits for its answer."`
	GrantLife   duration `json:"grant_life,omitempty" jsonschema:"How long a grant lives."`
	Approvers   []string `json:"approvers,omitempty" jsonschema:"Who may approve. A star stands for any characters."`
	Once        bool     `json:"once,omitempty" jsonschema:"A grant is for one run."`
}

type sessionRules struct {
	MaxLife duration `json:"max_life,omitempty" jsonschema:"Life of a session."`
	MaxIdle duration `json:"max_idle,omitempty" jsonschema:"Time that a session may idle."`
}

type loopBudget struct {
	MaxAttempts int64 `json:"max_attempts,omitempty" jsonschema:"Attempts of a repair loop."`
	MaxTokens   int64 `json:"max_tokens,omitempty" jsonschema:"Tokens of a repair loop, in and out."`
	MaxCost     money `json:"max_cost,omitempty" jsonschema:"Cost of a repair loop in US dollars."`
}

type conditionRule struct {
	Name     string       `json:"name" jsonschema:"The name of the rule, which denials carry."`
	Deny     string       `json:"deny,omitempty" jsonschema:"A CEL expression: a job for which it is true is refused."`
	Ask      string       `json:"ask,omitempty" jsonschema:"A CEL expression: a job for which it is true needs a person's approval."`
	Message  string       `json:"message,omitempty" jsonschema:"A sentence for whoever is refused."`
	Expires  date         `json:"expires,omitempty" jsonschema:"A reminder: check reports the condition from then on. The condition goes on."`
	Except   []string     `json:"except,omitempty" jsonschema:"Digests of jobs that the condition leaves alone."`
	Match    []ExampleJob `json:"match,omitempty" jsonschema:"Jobs for which the expression is true. They are tested when the file is loaded."`
	NotMatch []ExampleJob `json:"not_match,omitempty" jsonschema:"Jobs for which the expression is false. They are tested when the file is loaded."`
}

// parseDuration reads a positive Go duration.
func parseDuration(text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration: write a number with a unit, such as 10s, 5m or 24h", clip(text))
	}
	return int64(d), nil
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40},
}

// parseSize reads bytes: a whole number, or one with a unit. K, M, G and T are powers of
// 1024, as in Docker.
func parseSize(text string) (int64, error) {
	digits, unit := text, int64(1)
	for _, u := range sizeUnits {
		if d, ok := strings.CutSuffix(text, u.name); ok {
			digits, unit = d, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size: write bytes, or a whole number with KiB, MiB or GiB, such as 512MiB", clip(text))
	}
	return n * unit, nil
}

// parseMoney reads dollars as millionths.
func parseMoney(text string) (int64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || v > 1e9 {
		return 0, fmt.Errorf("%q is not an amount: write US dollars, such as 2.50", clip(text))
	}
	return int64(math.Round(v * 1e6)), nil
}

// parseDate reads a day, which ends at its midnight in UTC, or a time of RFC 3339.
func parseDate(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.Add(24 * time.Hour), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%q is not a date: write 2026-12-31 or 2026-12-31T18:00:00Z", clip(text))
	}
	return t, nil
}

func formatSize(n int64) string {
	for _, u := range []int{3, 2, 1, 0} {
		if b := sizeUnits[u].bytes; n >= b && n%b == 0 {
			return strconv.FormatInt(n/b, 10) + sizeUnits[u].name
		}
	}
	return strconv.FormatInt(n, 10)
}

func formatMoney(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) }

// clip shortens hostile text for a message.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
