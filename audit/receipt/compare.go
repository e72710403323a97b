package receipt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Group says what a difference means.
type Group string

// The groups.
const (
	// GroupInputs: the two statements are not of the same run.
	GroupInputs Group = "inputs"
	// GroupResult: the same run came out differently.
	GroupResult Group = "result"
)

// Cause is a possible reason why a program's output differs from run to run.
type Cause string

// The causes.
const (
	CauseTime        Cause = "time"
	CauseEntropy     Cause = "entropy"
	CauseEnvironment Cause = "environment"
	CauseAddresses   Cause = "addresses"
	CausePID         Cause = "pid"
	CauseParallelism Cause = "parallelism"
)

var causes = []Cause{CauseTime, CauseEntropy, CauseEnvironment, CauseAddresses, CausePID, CauseParallelism}

// Difference is one field in which two statements differ. Path is such as
// "result.exit_code"; Before and After are JSON, empty where there is no such field.
// Causes are the possible ones, where an output differs.
type Difference struct {
	Group  Group   `json:"group"`
	Path   string  `json:"path"`
	Before string  `json:"before"`
	After  string  `json:"after"`
	Causes []Cause `json:"causes,omitempty"`
}

// Compare returns how two statements differ, inputs first; none means "same". Times,
// usage and the rest of Context are not compared.
func Compare(before, after Statement) []Difference {
	diffs := compare(GroupInputs, "inputs", before.Predicate.Inputs, after.Predicate.Inputs)
	diffs = append(diffs, compare(GroupInputs, "under", before.Predicate.Under, after.Predicate.Under)...)
	results := compare(GroupResult, "result", before.Predicate.Result, after.Predicate.Result)
	for i, d := range results {
		if output().MatchString(d.Path) {
			results[i].Causes = slices.Clone(causes)
		}
	}
	return append(diffs, results...)
}

var output = lazyre.New(`^result\.(stdout|stderr|artifacts)\b`)

func compare(group Group, path string, before, after any) []Difference {
	b, a := map[string]string{}, map[string]string{}
	flatten(path, before, b)
	flatten(path, after, a)
	all := maps.Clone(b)
	maps.Copy(all, a)
	var diffs []Difference
	for _, p := range slices.Sorted(maps.Keys(all)) {
		if b[p] != a[p] {
			diffs = append(diffs, Difference{Group: group, Path: p, Before: b[p], After: a[p]})
		}
	}
	return diffs
}

// flatten writes each leaf of a value's JSON into leaves by path. A member of a list is
// found by its name where names are unique, so that one new file is one difference.
func flatten(path string, v any, leaves map[string]string) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		panic(err)
	}
	walk(path, tree, leaves)
}

func walk(path string, v any, leaves map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			walk(path+"."+name, member, leaves)
		}
	case []any:
		seen := map[string]int{}
		for i, member := range v {
			key := strconv.Itoa(i)
			if m, ok := member.(map[string]any); ok {
				if name, ok := m["name"].(string); ok {
					key = strconv.Quote(name)
					if seen[name]++; seen[name] > 1 {
						key += "#" + strconv.Itoa(seen[name])
					}
				}
			}
			walk(path+"["+key+"]", member, leaves)
		}
	default:
		data, _ := json.Marshal(v) // a string, number, boolean or null
		leaves[path] = string(data)
	}
}

// Replayed is what came of a replay.
type Replayed struct {
	Observation *glovebox.Observation
	Statement   Statement
	// Differences is empty where the run came out the same.
	Differences []Difference
}

// Replay runs a job again and compares the run with a statement. The job must be the one
// of the statement; otherwise the error names the first part that differs, and nothing
// runs. The program is the one that runs, as for [New].
func Replay(ctx context.Context, runner glovebox.Runner, old Statement, job glovebox.Job, program *glovebox.Program, facts Facts) (Replayed, error) {
	in, err := inputsOf(job, program)
	if err != nil {
		return Replayed{}, err
	}
	diffs := compare(GroupInputs, "inputs", old.Predicate.Inputs, in)
	// The job's digest differs with each part: name the part where there is one.
	if len(diffs) > 1 {
		diffs = slices.DeleteFunc(diffs, func(d Difference) bool { return d.Path == "inputs.job" })
	}
	if len(diffs) > 0 {
		return Replayed{}, fmt.Errorf("receipt: the job is not the one of the receipt: %s is %s, the receipt has %s", diffs[0].Path, orNone(diffs[0].After), orNone(diffs[0].Before))
	}
	facts.Started = time.Now()
	obs, err := runner.Run(ctx, job)
	if err != nil {
		return Replayed{}, err
	}
	if obs == nil {
		return Replayed{}, errors.New("receipt: the runner gave no observation")
	}
	facts.Finished = time.Now()
	s, err := New(job, program, obs, facts)
	if err != nil {
		return Replayed{}, err
	}
	return Replayed{obs, s, Compare(old, s)}, nil
}

func orNone(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}
