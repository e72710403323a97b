package eval

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Row is what came of one sample: a line of a [Results] file. Two runs of the
// same sample differ in Measured only.
type Row struct {
	Task string `json:"task"`
	// N is the sample's number, from 0.
	N int `json:"sample"`
	// Hash is the hash of the problem, the sample and the options.
	Hash     string             `json:"hash"`
	Language string             `json:"language,omitempty"`
	Status   glovebox.Status    `json:"status"`
	Phase    glovebox.Phase     `json:"phase,omitempty"`
	Limit    glovebox.LimitName `json:"limit,omitempty"`
	// Tests is nil where the tests did not run to their end.
	Tests *Tests `json:"tests,omitempty"`
	// Generated is nil where the sample was given.
	Generated *Generated `json:"generated,omitempty"`
	Measured  Measured   `json:"measured"`
}

// Tests counts a row's tests.
type Tests struct {
	Proof  glovebox.Proof `json:"proof"`
	Total  int            `json:"total"`
	Passed int            `json:"passed"`
	Failed int            `json:"failed"`
}

// Measured holds what may differ between two runs of the same sample: time,
// usage, and the words of the program.
type Measured struct {
	// DurationMS is from the request to the observation, in milliseconds, all
	// attempts together.
	DurationMS float64 `json:"duration_ms"`
	// CPUMS is the code's processor time in milliseconds.
	CPUMS           float64 `json:"cpu_ms"`
	MemoryPeakBytes int64   `json:"memory_peak_bytes"`
	ProcessesPeak   int64   `json:"processes_peak,omitempty"`
	Tier            string  `json:"tier,omitempty"`
	SandboxAttempts int     `json:"sandbox_attempts"`
	Message         string  `json:"message,omitempty"`
	// Failures are the first tests that failed, bounded. They are untrusted.
	Failures []glovebox.TestCase `json:"failures,omitempty"`
}

// Ratio is a number from 0 to 1. In JSON it always has a decimal point, and no
// more digits than addition leaves right: six of fifteen are 0.4.
type Ratio float64

// MarshalJSON implements [encoding/json.Marshaler].
func (r Ratio) MarshalJSON() ([]byte, error) {
	s := strconv.FormatFloat(float64(r), 'g', 12, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return []byte(s), nil
}

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  Ratio `json:"low"`
	High Ratio `json:"high"`
	// EffectiveN is the number of independent yes-or-no tasks with equal
	// information.
	EffectiveN float64 `json:"effective_n"`
}

// Summary is the result of all rows together. Its JSON form is the output of
// glovebox eval --json.
type Summary struct {
	// PassAtK holds the estimate of pass@k by k, for each k up to every task's
	// number of samples.
	PassAtK map[string]Ratio `json:"pass_at_k"`
	// Intervals holds the 95 % confidence intervals by k.
	Intervals map[string]Interval `json:"intervals"`
	// Unavailable holds the reason for each requested k without an estimate.
	Unavailable map[string]string `json:"unavailable,omitempty"`
	// Counts is how many samples ended with each status.
	Counts map[glovebox.Status]int `json:"counts"`
	// Proofs is how many passes have each proof.
	Proofs map[glovebox.Proof]int `json:"proofs,omitempty"`
	// Samples is how many were run; Missing how many have no verdict (yet).
	Samples int `json:"samples"`
	Missing int `json:"missing"`
	// Unrunnable is the number of samples left out of pass@k, since their tests
	// cannot run here (tests_unrunnable). A task with no further sample is left
	// out, too.
	Unrunnable int `json:"unrunnable,omitempty"`
	// Tasks are in the order of the problems file.
	Tasks []Task `json:"tasks"`
	// Languages are in the order of their first task.
	Languages []Group  `json:"languages"`
	Duration  Duration `json:"duration"`
	Usage     Usage    `json:"usage"`
}

// Task is the result of one task's rows.
type Task struct {
	Task     string `json:"task"`
	Language string `json:"language,omitempty"`
	// N counts the samples with a verdict on the code, Passed the passes among
	// them. Our own failures (sandbox_error) are in neither.
	N      int `json:"n"`
	Passed int `json:"passed"`
	// Unrunnable counts the samples whose tests cannot run here, with any code
	// (tests_unrunnable). They are in neither count above.
	Unrunnable int `json:"unrunnable,omitempty"`
	// Statuses is how many samples ended with each status.
	Statuses map[glovebox.Status]int `json:"statuses"`
}

// Group is the result of one language's rows.
type Group struct {
	Language string                  `json:"language"`
	Tasks    int                     `json:"tasks"`
	Samples  int                     `json:"samples"`
	Passed   int                     `json:"passed"`
	PassAtK  map[string]Ratio        `json:"pass_at_k"`
	Counts   map[glovebox.Status]int `json:"counts"`
}

// Duration says how long samples took, in milliseconds from the request to the
// observation.
type Duration struct {
	P50MS   float64 `json:"p50_ms"`
	P95MS   float64 `json:"p95_ms"`
	MaxMS   float64 `json:"max_ms"`
	TotalMS float64 `json:"total_ms"`
	// WallMS is the working time of this process; RunsPerSecond is the number
	// of samples run per second of this time. Both are 0 where nothing was left
	// to run.
	WallMS        float64 `json:"wall_ms"`
	RunsPerSecond float64 `json:"runs_per_second"`
}

// Usage is what all samples used together.
type Usage struct {
	CPUMS           float64 `json:"cpu_ms"`
	MemoryPeakBytes int64   `json:"memory_peak_bytes"` // of the hungriest
}

// Report holds all data about a run, for [WriteReport].
type Report struct {
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	Header  Header    `json:"header"`
	Summary Summary   `json:"summary"`
	// Rows are sorted by problem, then by sample.
	Rows []Row `json:"rows"`
	// Comparison is with a baseline, if given.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Provenance says how the run was made; nil where that is not known.
	Provenance *Provenance `json:"provenance,omitempty"`
	// Generation is set for a run whose samples a model wrote.
	Generation *Generation `json:"generation,omitempty"`
}

// Tiers are the tiers of the samples' runs, sorted.
func (r *Report) Tiers() []string {
	tiers := map[string]bool{}
	for i := range r.Rows {
		if t := r.Rows[i].Measured.Tier; t != "" {
			tiers[t] = true
		}
	}
	return slices.Sorted(maps.Keys(tiers))
}

// Header is the first line of a [Results] file: what its rows are of.
type Header struct {
	// Version is that of the format.
	Version int `json:"glovebox_eval"`
	// Hash is the hash of all problems, samples and options.
	Hash string `json:"hash"`
	// Problems and Samples are the names of the files, without folders.
	Problems string  `json:"problems"`
	Samples  string  `json:"samples,omitempty"`
	Options  Options `json:"options"`
	// Tasks and Total are the numbers of problems and samples.
	Tasks int `json:"tasks"`
	Total int `json:"total"`
}

// Comparison puts two runs beside each other, task by task.
type Comparison struct {
	// A is the older run, the baseline; B the newer one.
	A ComparisonSide `json:"a"`
	B ComparisonSide `json:"b"`
	// Common is how many tasks both have verdicts on. All that follows is about
	// these.
	Common int `json:"common"`
	// Difference is B's pass@1 minus A's on the common tasks.
	Difference float64 `json:"difference"`
	// NewlyPassing are tasks of which no sample passed in A and one does in B;
	// NewlyFailing the other way around.
	NewlyPassing []string `json:"newly_passing"`
	NewlyFailing []string `json:"newly_failing"`
	// Better and Worse are tasks solved in both runs, with a different share of
	// passing samples.
	Better []string `json:"better,omitempty"`
	Worse  []string `json:"worse,omitempty"`
	// SamePassing and SameFailing count the others.
	SamePassing int `json:"same_passing"`
	SameFailing int `json:"same_failing"`
	// P is the two-sided p value of McNemar's exact test; if nil, PReason
	// explains its absence.
	P       *float64 `json:"p_value,omitempty"`
	PReason string   `json:"p_value_unavailable,omitempty"`
}

// ComparisonSide is one of two runs.
type ComparisonSide struct {
	Name string `json:"name"`
	// PassAt1 is on the common tasks.
	PassAt1 Ratio `json:"pass_at_1"`
	// Only are tasks without a verdict in the other run.
	Only []string `json:"only,omitempty"`
}
