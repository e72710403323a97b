package glovebox

import "time"

// Status is the verdict of a run. The set is closed and append-only.
type Status string

// The statuses. Each has a distinct message for the model and a [NextAction].
const (
	// StatusPass: the tests passed with proof; without tests, the program ran
	// to its end with exit code 0.
	StatusPass Status = "pass"
	// StatusUnproven: the tests passed, but with less proof than required.
	StatusUnproven Status = "unproven"
	// StatusNoCode: the reply holds no code.
	StatusNoCode Status = "no_code"
	// StatusSyntaxError: the language's own parser (or compiler) refuses it.
	StatusSyntaxError Status = "syntax_error"
	// StatusTestFailed: a test failed, or the tests did not run to their end.
	StatusTestFailed Status = "test_failed"
	// StatusRuntimeError: the program ended with an error or a signal.
	StatusRuntimeError Status = "runtime_error"
	// StatusTimeout: wall clock or CPU time ran out.
	StatusTimeout Status = "timeout"
	// StatusMemoryLimit: the memory limit was hit.
	StatusMemoryLimit Status = "memory_limit"
	// StatusProcessLimit: the limit of processes and threads was hit.
	StatusProcessLimit Status = "process_limit"
	// StatusDiskLimit: the limit of bytes, of files or of file size was hit.
	StatusDiskLimit Status = "disk_limit"
	// StatusOutputLimit: stdout or stderr grew past its limit.
	StatusOutputLimit Status = "output_limit"
	// StatusDenied: the policy refused it.
	StatusDenied Status = "denied"
	// StatusApprovalRequired: the policy wants a person's answer first.
	StatusApprovalRequired Status = "approval_required"
	// StatusCancelled: the caller gave up.
	StatusCancelled Status = "cancelled"
	// StatusSandboxError: we failed, not the code. Safe to retry.
	StatusSandboxError Status = "sandbox_error"
	// StatusTestsUnrunnable: the tests cannot run here, whatever the program
	// is. They do not parse, there is no test in them, they are in another
	// language, or a framework or a module that they need is missing.
	StatusTestsUnrunnable Status = "tests_unrunnable"
)

// Statuses lists every status in the order of their declaration.
var Statuses = []Status{
	StatusPass, StatusUnproven, StatusNoCode, StatusSyntaxError, StatusTestFailed,
	StatusRuntimeError, StatusTimeout, StatusMemoryLimit, StatusProcessLimit, StatusDiskLimit,
	StatusOutputLimit, StatusDenied, StatusApprovalRequired, StatusCancelled, StatusSandboxError,
	StatusTestsUnrunnable,
}

// NextAction is what a loop should do after a run.
type NextAction string

// The next actions.
const (
	ActionDone       NextAction = "done"
	ActionFixCode    NextAction = "fix_code"
	ActionReduceWork NextAction = "reduce_work"
	ActionAskHuman   NextAction = "ask_human"
	ActionRetrySame  NextAction = "retry_same"
	ActionStop       NextAction = "stop"
)

// Next returns the action that follows from the status.
func (s Status) Next() NextAction {
	switch s {
	case StatusPass:
		return ActionDone
	case StatusNoCode, StatusSyntaxError, StatusTestFailed, StatusRuntimeError:
		return ActionFixCode
	case StatusTimeout, StatusMemoryLimit, StatusProcessLimit, StatusDiskLimit, StatusOutputLimit:
		return ActionReduceWork
	case StatusUnproven, StatusApprovalRequired, StatusTestsUnrunnable:
		return ActionAskHuman
	case StatusSandboxError:
		return ActionRetrySame
	default:
		return ActionStop
	}
}

// Phase is the step of a run that decided its status.
type Phase string

// The phases, in their order.
const (
	PhaseExtract Phase = "extract"
	PhaseInspect Phase = "inspect"
	PhaseAdmit   Phase = "admit"
	PhaseStage   Phase = "stage"
	PhaseCheck   Phase = "check"
	PhaseExecute Phase = "execute"
	PhaseTest    Phase = "test"
	PhaseRecord  Phase = "record"
)

// Cause is the reason for the end of a command in a box.
type Cause string

// The causes. Each is told by the kernel or by the supervisor, never guessed
// from an exit code.
const (
	// CauseExit: the command ended by itself, with ExitCode or Signal.
	CauseExit Cause = "exit"
	// CauseWall: our deadline passed.
	CauseWall Cause = "wall"
	// CauseCPU: the processor time was used up (SIGXCPU, or our own meter).
	CauseCPU Cause = "cpu"
	// CauseMemory: the kernel's OOM kill, or our own meter.
	CauseMemory Cause = "memory"
	// CauseOutput: a stream grew past its limit.
	CauseOutput Cause = "output"
	// CauseCancelled: the caller's context ended.
	CauseCancelled Cause = "cancelled"
	// CauseBox: the box itself broke; never the code's fault.
	CauseBox Cause = "box"
)

// Outcome holds the physical facts of one command in a box. The streams go to
// the command's writers.
type Outcome struct {
	Cause    Cause
	ExitCode int    // -1 when a signal ended it
	Signal   string // such as "SIGSEGV"; empty when it exited
	Usage    Usage
	// Hits are the limits touched by the run, with the evidence, also those that
	// did not end the run: a refused fork, a full disk, a refused allocation.
	Hits []Hit
	// Started reports whether the command was executed at all.
	Started bool
	// Err is the fault of the box, where Cause is CauseBox.
	Err error
}

// Hit is a limit touched by a run.
type Hit struct {
	Limit    LimitName
	Evidence Evidence
}

// LimitName names a field of [Limits].
type LimitName string

// The names of the limits, as the JSON form of [Limits] spells them.
const (
	LimitWall      LimitName = "wall"
	LimitCPU       LimitName = "cpu"
	LimitMemory    LimitName = "memory"
	LimitProcesses LimitName = "processes"
	LimitOpenFiles LimitName = "open_files"
	LimitFileSize  LimitName = "file_size"
	LimitDisk      LimitName = "disk"
	LimitFiles     LimitName = "files"
	LimitOutput    LimitName = "output"
	LimitReply     LimitName = "reply"
)

// Usage is the consumption of a run. Zero means unknown.
type Usage struct {
	Duration   time.Duration `json:"-"`
	CPU        time.Duration `json:"-"`
	DurationMS float64       `json:"duration_ms"`
	CPUMS      float64       `json:"cpu_ms"`
	// MemoryPeak is the most memory at once, in bytes.
	MemoryPeak int64 `json:"memory_peak_bytes"`
	// ProcessesPeak is the most processes and threads at once.
	ProcessesPeak int64 `json:"processes_peak,omitempty"`
}

// Evidence is a reason for a verdict.
type Evidence struct {
	// Source is the witness: "kernel", "supervisor", "parser", "harness",
	// "extractor", "policy".
	Source string `json:"source"`
	// Fact is the observed fact, such as "memory cgroup: oom_kill 1".
	Fact string `json:"fact"`
}

// Denial is a demand of a Job that a policy refused, or that needs a person's approval.
type Denial struct {
	// Rule is the deciding rule: its path in the policy, such as "limits.max.wall",
	// or the name of a condition.
	Rule string `json:"rule"`
	// Where is the place of the rule, such as "policy.yaml:12:5"; empty for a rule
	// outside of files, such as a default.
	Where string `json:"where,omitempty"`
	// Asked is the Job's demand, such as "limits.wall: 2m0s".
	Asked string `json:"asked"`
	// Message is the refusal with the reason, in one sentence.
	Message string `json:"message"`
	// AllowWith is the smallest change of the policy that would allow the demand, as
	// YAML; empty where no change would.
	AllowWith string `json:"allow_with,omitempty"`
	// ByCode: other code would be allowed, so the model can repair the program.
	ByCode bool `json:"by_code,omitempty"`
	// Ask: a person's approval allows the demand.
	Ask bool `json:"ask,omitempty"`
}

// Severity is a Finding's weight against running the code.
type Severity string

// The severities, weakest first.
const (
	SeverityInfo   Severity = "info"
	SeverityLow    Severity = "low"
	SeverityMedium Severity = "medium"
	SeverityHigh   Severity = "high"
)

// Finding is a notice of an inspection, which reads the code without running it.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity,omitempty"`
	File     string   `json:"file,omitempty"`
	// Line and Column count from 1; 0 means unknown. Column counts bytes.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	// Excerpt is the code in question, at most 200 bytes of one line.
	Excerpt string `json:"excerpt,omitempty"`
	// Package is the package of an import, by the name in the package's registry.
	Package string `json:"package,omitempty"`
}

// ApprovalRequest is the question that a policy puts to a person before a Job may run.
type ApprovalRequest struct {
	ID string `json:"id"`
	// Job is the [Job.Digest] of the Job that waits; a grant is for these bytes alone.
	Job string `json:"job"`
	// Policy is the hash of the policy that asked.
	Policy string `json:"policy"`
	// Asked are the rules that ask, and for what.
	Asked []Denial `json:"asked"`
	// Requested is the time of the first question, Expires the end of the request.
	Requested time.Time `json:"requested"`
	Expires   time.Time `json:"expires"`
}

// AuditEntry is a run's place in the audit log.
type AuditEntry struct {
	// ID is the entry's; Index is its number in the log, from 0.
	ID    string `json:"id"`
	Index int64  `json:"index"`
	// Checkpoint is the newest signed head of the log with the entry, as a C2SP
	// checkpoint. A kept checkpoint shows later whether the log was cut or rewritten.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// Artifact is a file produced by a run. The content is fetched by ID.
type Artifact struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	MIME   string `json:"mime"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	URI    string `json:"uri,omitempty"`
	// Secrets names the redaction rules that found a secret in the content. The
	// secret is still in the content: only text can be redacted.
	Secrets []string `json:"secrets,omitempty"`
	// Unscanned: a part of the content is encrypted, damaged or too large to
	// unpack, and was not looked at for secrets.
	Unscanned bool `json:"unscanned,omitempty"`
}

// Refusal is a file of the workspace that was not taken as an artifact.
type Refusal struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// SyntaxError is where a parser stopped. Line and Column count from 1; 0 means
// unknown.
type SyntaxError struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// Failure is the error that ended a program, read from the program's output. The
// program's own word explains, and never decides.
type Failure struct {
	Type    string `json:"type,omitempty"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

// TestReport is the result of the tests.
type TestReport struct {
	// Proof is the weakest proof of the tests that passed.
	Proof Proof `json:"proof"`
	// Framework ran the tests, with its version where it is not ours, such as
	// "pytest 9.0.1". Empty where the language needs none.
	Framework string `json:"framework,omitempty"`
	Total     int    `json:"total"`
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	// Complete reports whether every test reported and the harness ended.
	Complete bool       `json:"complete"`
	Cases    []TestCase `json:"cases,omitempty"`
	// Reason says why the proof is no stronger, or why the tests are not
	// complete.
	Reason string `json:"reason,omitempty"`
	// Missing names the tests' needs that the box lacks, such as "lodash", where
	// the status is tests_unrunnable.
	Missing []string `json:"missing,omitempty"`
}

// TestCase is one test or one input/output case.
type TestCase struct {
	Name string `json:"name"`
	// Status is "passed", "failed", "error" or "skipped".
	Status string `json:"status"`
	// Proof is the worth of a pass of this test; empty for other results.
	Proof    Proof  `json:"proof,omitempty"`
	Message  string `json:"message,omitempty"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// Truncation says how much of a stream an Observation holds.
type Truncation struct {
	TotalBytes int64 `json:"total_bytes"`
	KeptBytes  int64 `json:"kept_bytes"`
	// Artifact is the ID of the whole stream.
	Artifact string `json:"artifact,omitempty"`
}

// Redaction counts the removals by one rule from one stream.
type Redaction struct {
	Rule   string `json:"rule"`
	Stream string `json:"stream"`
	Count  int    `json:"count"`
}

// Extraction lists the pieces of a reply that were taken and those that were left.
type Extraction struct {
	// Format is the form of the code in the reply, such as "fence" or "json".
	Format string `json:"format"`
	// Taken and Left list the pieces of the reply.
	Taken []Piece `json:"taken"`
	Left  []Piece `json:"left,omitempty"`
	// Truncated: the reply ends in the middle of the code.
	Truncated bool `json:"truncated,omitempty"`
	// Notes are short sentences about the choices of extraction.
	Notes []string `json:"notes,omitempty"`
}

// Piece is a part of a reply.
type Piece struct {
	File     string `json:"file,omitempty"`
	Language string `json:"language,omitempty"`
	// Line is the first line in the reply, from 1.
	Line int `json:"line"`
	// Lines is the number of lines.
	Lines  int    `json:"lines"`
	Reason string `json:"reason,omitempty"`
}

// Control is a means of isolation, as one box enforced it.
type Control struct {
	Name string `json:"name"`
	// Enforced reports whether the control held for the box. How is the means, or
	// the reason against.
	Enforced bool   `json:"enforced"`
	How      string `json:"how,omitempty"`
}

// Policy names the policy that admitted a run.
type Policy struct {
	Name string `json:"name"`
	Hash string `json:"hash,omitempty"`
}

// Timings are the durations of the steps in milliseconds.
type Timings struct {
	Extract  float64 `json:"extract"`
	Boot     float64 `json:"boot"`
	Check    float64 `json:"check"`
	Execute  float64 `json:"execute"`
	Redact   float64 `json:"redact"`
	Teardown float64 `json:"teardown"`
	Total    float64 `json:"total"`
}

// Observation is the result of a Job: classified, redacted and bounded, and the
// same from every surface. All output of the program in an Observation is untrusted
// data.
type Observation struct {
	ID         string     `json:"id"`
	Status     Status     `json:"status"`
	Phase      Phase      `json:"phase"`
	NextAction NextAction `json:"next_action"`
	// Message is the result in one sentence.
	Message  string `json:"message"`
	ExitCode *int   `json:"exit_code"`
	Signal   string `json:"signal,omitempty"`
	// Limit is the limit behind the status; for a timeout "wall" or "cpu".
	Limit    LimitName  `json:"limit,omitempty"`
	Evidence []Evidence `json:"evidence"`
	Stdout   string     `json:"stdout"`
	Stderr   string     `json:"stderr"`
	// Encoding is the form of a stream with bytes other than UTF-8: "escaped" means
	// \xNN, with every literal backslash doubled.
	Encoding  map[string]string     `json:"encoding,omitempty"`
	Truncated map[string]Truncation `json:"truncated,omitempty"`
	// Partial: the run was ended from outside, and the streams are incomplete.
	Partial bool         `json:"partial"`
	Syntax  *SyntaxError `json:"syntax,omitempty"`
	Failure *Failure     `json:"failure,omitempty"`
	Tests   *TestReport  `json:"tests,omitempty"`
	Denials []Denial     `json:"denials,omitempty"`
	// Approval is the request to a person, where the status is approval_required.
	Approval   *ApprovalRequest `json:"approval,omitempty"`
	Findings   []Finding        `json:"findings,omitempty"`
	Redactions []Redaction      `json:"redactions,omitempty"`
	Artifacts  []Artifact       `json:"artifacts,omitempty"`
	Refused    []Refusal        `json:"refused,omitempty"`
	Extraction *Extraction      `json:"extraction,omitempty"`
	Language   string           `json:"language,omitempty"`
	Usage      Usage            `json:"usage"`
	Timings    Timings          `json:"timings"`
	Tier       TierName         `json:"tier,omitempty"`
	// Warm: the box and its interpreter were made ready before the run came, or
	// copied from a ready box. Like any box, a warm box serves one run alone.
	Warm bool `json:"warm,omitempty"`
	// TierReason is the reason for the choice of the tier.
	TierReason string    `json:"tier_reason,omitempty"`
	Isolation  []Control `json:"isolation,omitempty"`
	Policy     *Policy   `json:"policy,omitempty"`
	Image      string    `json:"image,omitempty"`
	Session    string    `json:"session,omitempty"`
	// Hints are sentences of ours that explain a failure by the contents of the box:
	// no network, a missing module. Hints rest on the program's output, and decide
	// nothing.
	Hints []string `json:"hints,omitempty"`
	// Feedback is the text for the model; empty for a pass.
	Feedback string `json:"feedback"`
	TraceID  string `json:"trace_id,omitempty"`
	// Receipt is the SHA-256 of the run's receipt, in hexadecimal.
	Receipt string `json:"receipt,omitempty"`
	// Audit is the run's entry in the audit log.
	Audit *AuditEntry `json:"audit,omitempty"`
}
