package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Caller is what neither a Job nor an Observation says.
type Caller struct {
	// Actor is who asked, in the operator's words.
	Actor string
	// Grant is the ID of the approval's grant that the run used.
	Grant string
	// Limits are those of the run where a policy filled in the Job's; nil means the Job's.
	Limits *glovebox.Limits
}

// Run is the data of an entry of [KindDecision] or [KindExecution]. Names that are not
// plain words are written as their SHA-256.
type Run struct {
	Run    string `json:"run,omitempty"`
	Actor  string `json:"actor,omitempty"`
	Tenant string `json:"tenant,omitempty"`
	// Job is the Job's digest.
	Job        string `json:"job"`
	Policy     string `json:"policy,omitempty"`
	PolicyHash string `json:"policy_hash,omitempty"`
	// Admission is "admitted", "denied" or "ask".
	Admission string      `json:"admission"`
	Denials   []RunDenial `json:"denials,omitempty"`
	Approval  string      `json:"approval,omitempty"`
	Grant     string      `json:"grant,omitempty"`
	Status    string      `json:"status"`
	Phase     string      `json:"phase,omitempty"`
	ExitCode  *int        `json:"exit_code,omitempty"`
	Signal    string      `json:"signal,omitempty"`
	Limit     string      `json:"limit,omitempty"`
	Partial   bool        `json:"partial,omitempty"`
	Language  string      `json:"language,omitempty"`
	Tier      string      `json:"tier,omitempty"`
	Warm      bool        `json:"warm,omitempty"`
	Controls  []Enforced  `json:"controls,omitempty"`
	// Image is the digest of the image, where the run had one by digest; ImageName is the
	// SHA-256 of its name.
	Image       string            `json:"image,omitempty"`
	ImageName   string            `json:"image_name_sha256,omitempty"`
	Limits      glovebox.Limits   `json:"limits"`
	Needs       []string          `json:"needs,omitempty"`
	Proof       string            `json:"proof,omitempty"`
	Tests       *RunTests         `json:"tests,omitempty"`
	Evidence    []RunEvidence     `json:"evidence,omitempty"`
	Findings    []RunFinding      `json:"findings,omitempty"`
	Usage       glovebox.Usage    `json:"usage"`
	Redactions  []RunRedaction    `json:"redactions,omitempty"`
	Artifacts   []RunArtifact     `json:"artifacts,omitempty"`
	Refused     int               `json:"refused,omitempty"`
	Digests     map[string]string `json:"digests,omitempty"`
	Receipt     string            `json:"receipt,omitempty"`
	Environment int               `json:"environment,omitempty"`
	Secrets     int               `json:"secrets,omitempty"`
}

// RunDenial is a rule that refused or asked.
type RunDenial struct {
	Rule  string `json:"rule"`
	Asked string `json:"asked_sha256"`
	Ask   bool   `json:"ask,omitempty"`
}

// Enforced is a control of the box.
type Enforced struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
}

// RunTests counts the tests.
type RunTests struct {
	Total    int  `json:"total"`
	Passed   int  `json:"passed"`
	Failed   int  `json:"failed"`
	Complete bool `json:"complete"`
}

// RunEvidence is who said it, and the SHA-256 of what was seen: a fact may quote output.
type RunEvidence struct {
	Source string `json:"source"`
	Fact   string `json:"fact_sha256"`
}

// RunFinding counts the findings of one rule.
type RunFinding struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// RunRedaction counts what was taken out of all streams by one rule.
type RunRedaction struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// RunArtifact is a file that the run made; Name is the SHA-256 of its name.
type RunArtifact struct {
	Name   string `json:"name_sha256"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Execution returns the entry of a Job and its Observation: of [KindDecision] where the
// policy refused or asks, and of [KindExecution] otherwise. Names that the operator or
// this project gives (actor, tenant, policy, rules, controls) are in it as they are.
// What the caller, the model or the program wrote is hashed or counted.
func Execution(job *glovebox.Job, o *glovebox.Observation, by Caller) Entry {
	r := Run{
		Run: name(o.ID), Actor: name(by.Actor), Tenant: name(job.Tenant), Job: job.Digest(),
		Admission: "admitted", Grant: name(by.Grant),
		Status: one(o.Status, glovebox.Statuses...), Phase: one(o.Phase, phases...),
		ExitCode: o.ExitCode, Signal: matching(signal(), o.Signal), Limit: one(o.Limit, limitNames...),
		Partial: o.Partial, Language: one(o.Language, languages...),
		Tier: one(o.Tier, tiers...), Warm: o.Warm,
		Limits: job.Limits.WithDefaults(), Usage: o.Usage,
		Refused: len(o.Refused), Digests: digests(job, o), Receipt: digest(o.Receipt),
		Environment: len(job.Env), Secrets: len(job.Secrets),
	}
	if o.Policy != nil {
		r.Policy, r.PolicyHash = name(o.Policy.Name), digest(o.Policy.Hash)
	}
	if by.Limits != nil {
		r.Limits = by.Limits.WithDefaults()
	}
	kind := KindExecution
	switch o.Status {
	case glovebox.StatusDenied:
		kind, r.Admission = KindDecision, "denied"
	case glovebox.StatusApprovalRequired:
		kind, r.Admission = KindDecision, "ask"
	}
	for _, d := range bounded(o.Denials) {
		r.Denials = append(r.Denials, RunDenial{name(d.Rule), hashOf(d.Asked), d.Ask})
	}
	if o.Approval != nil {
		r.Approval = name(o.Approval.ID)
	}
	for _, c := range bounded(o.Isolation) {
		r.Controls = append(r.Controls, Enforced{name(c.Name), c.Enforced})
	}
	image := o.Image
	if image == "" {
		image = job.Image
	}
	if image != "" {
		r.Image, r.ImageName = matching(imageDigest(), image[strings.LastIndex(image, "@")+1:]), hashOf(image)
	}
	for _, n := range bounded(job.Needs) {
		if n.Validate() == nil && len(n) <= 40 {
			r.Needs = append(r.Needs, string(n))
		}
	}
	if t := o.Tests; t != nil {
		r.Proof = one(t.Proof, glovebox.Proofs...)
		r.Tests = &RunTests{t.Total, t.Passed, t.Failed, t.Complete}
	}
	for _, e := range bounded(o.Evidence) {
		r.Evidence = append(r.Evidence, RunEvidence{one(e.Source, sources...), hashOf(e.Fact)})
	}
	for rule, n := range counts(o.Findings, func(f glovebox.Finding) (string, int) { return f.Rule, 1 }) {
		r.Findings = append(r.Findings, RunFinding{rule, n})
	}
	for rule, n := range counts(o.Redactions, func(d glovebox.Redaction) (string, int) { return d.Rule, d.Count }) {
		r.Redactions = append(r.Redactions, RunRedaction{rule, n})
	}
	for _, a := range bounded(o.Artifacts) {
		r.Artifacts = append(r.Artifacts, RunArtifact{hashOf(a.Name), digest(a.SHA256), a.Size})
	}
	return Entry{kind, r}
}

// maxList bounds each list of an entry. The lists are bounded before; an entry that is
// too long would refuse the run.
const maxList = 500

func bounded[T any](list []T) []T { return list[:min(len(list), maxList)] }

// The closed sets.
var (
	phases = []glovebox.Phase{glovebox.PhaseExtract, glovebox.PhaseInspect, glovebox.PhaseAdmit, glovebox.PhaseStage,
		glovebox.PhaseCheck, glovebox.PhaseExecute, glovebox.PhaseTest, glovebox.PhaseRecord}
	limitNames = []glovebox.LimitName{glovebox.LimitWall, glovebox.LimitCPU, glovebox.LimitMemory, glovebox.LimitProcesses,
		glovebox.LimitOpenFiles, glovebox.LimitFileSize, glovebox.LimitDisk, glovebox.LimitFiles, glovebox.LimitOutput, glovebox.LimitReply}
	tiers = []glovebox.TierName{glovebox.TierAuto, glovebox.TierProcess, glovebox.TierContainer, glovebox.TierGVisor,
		glovebox.TierMicroVM, glovebox.TierWasm}
	sources   = []string{"kernel", "supervisor", "parser", "harness", "extractor", "policy"}
	languages = []string{"bash", "go", "javascript", "lua", "perl", "php", "python", "ruby", "typescript", "wasm"}
)

// The forms of names.
var (
	plain       = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,127}$`)
	signal      = lazyre.New(`^SIG[A-Z0-9]{1,10}$`)
	imageDigest = lazyre.New(`^sha256:[0-9a-f]{64}$`)
	hexDigest   = lazyre.New(`^(sha256:)?[0-9a-f]{64}$`)
)

// one returns v for a member of the set, an empty v as well, and "other" otherwise.
func one[T ~string](v T, set ...T) string {
	if v == "" || slices.Contains(set, v) {
		return string(v)
	}
	return "other"
}

func matching(form *regexp.Regexp, text string) string {
	if form.MatchString(text) {
		return text
	}
	return ""
}

// name returns a plain name as it is, and the hash of any other.
func name(text string) string {
	if text == "" || plain().MatchString(text) {
		return text
	}
	return "sha256:" + hashOf(text)
}

// digest returns a digest as it is, and the hash of what is none.
func digest(text string) string {
	if text == "" || hexDigest().MatchString(text) {
		return text
	}
	return "sha256:" + hashOf(text)
}

func hashOf[T ~string | ~[]byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// counts sums by rule, in the order of the rules' names.
func counts[T any](list []T, of func(T) (string, int)) func(yield func(string, int) bool) {
	sums := map[string]int{}
	for _, v := range list {
		rule, n := of(v)
		if rule = name(rule); len(sums) < maxList || sums[rule] != 0 {
			sums[rule] += n
		}
	}
	return func(yield func(string, int) bool) {
		for _, rule := range slices.Sorted(maps.Keys(sums)) {
			if !yield(rule, sums[rule]) {
				return
			}
		}
	}
}

// digests are of what the Job and the Observation hold.
func digests(job *glovebox.Job, o *glovebox.Observation) map[string]string {
	d := map[string]string{}
	text := func(name, text string) {
		if text != "" {
			d[name] = hashOf(text)
		}
	}
	files := func(name string, files []glovebox.File) {
		if len(files) > 0 {
			d[name] = hashFiles(files)
		}
	}
	text("reply", string(job.Reply))
	if job.Program != nil {
		files("program", job.Program.Files)
	}
	files("tests", job.Tests)
	files("inputs", job.Inputs)
	text("stdin", string(job.Stdin))
	text("stdout", o.Stdout)
	text("stderr", o.Stderr)
	return d
}

// hashFiles hashes paths and contents, each after its length in 8 bytes, big-endian.
func hashFiles(files []glovebox.File) string {
	h := sha256.New()
	for _, f := range files {
		for _, b := range [][]byte{[]byte(f.Path), f.Data} {
			_ = binary.Write(h, binary.BigEndian, int64(len(b))) // a hash never fails
			h.Write(b)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
