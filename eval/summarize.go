package eval

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gloveboxhq/glovebox"
)

// Summarize counts the rows of the work: pass@k for each k, statuses, languages,
// durations. ran says how fast this process was; it may be zero.
func Summarize(work []*Work, rows []Row, ks []int, ran Ran) Summary {
	s := Summary{
		Counts: map[glovebox.Status]int{}, Proofs: map[glovebox.Proof]int{},
		Samples: len(rows), Missing: len(work) - len(rows), Tasks: []Task{},
	}
	at := map[string]int{}
	for _, w := range work {
		if _, ok := at[w.Problem.ID]; !ok {
			at[w.Problem.ID] = len(s.Tasks)
			s.Tasks = append(s.Tasks, Task{Task: w.Problem.ID, Language: w.Problem.Language, Statuses: map[glovebox.Status]int{}})
		}
	}
	durations := make([]float64, 0, len(rows))
	for _, r := range rows {
		t := &s.Tasks[at[r.Task]]
		t.add(r)
		s.Counts[r.Status]++
		if r.Status == glovebox.StatusPass && r.Tests != nil {
			s.Proofs[r.Tests.Proof]++
		}
		durations = append(durations, r.Measured.DurationMS)
		s.Duration.TotalMS += r.Measured.DurationMS
		s.Usage.CPUMS += r.Measured.CPUMS
		s.Usage.MemoryPeakBytes = max(s.Usage.MemoryPeakBytes, r.Measured.MemoryPeakBytes)
	}
	slices.Sort(durations)
	s.Duration.P50MS, s.Duration.P95MS, s.Duration.MaxMS = percentile(durations, 0.5), percentile(durations, 0.95), percentile(durations, 1)
	if ran.Samples > 0 {
		s.Duration.WallMS = float64(ran.Took.Microseconds()) / 1000
		s.Duration.RunsPerSecond = float64(ran.Samples) / ran.Took.Seconds()
	}
	for _, t := range s.Tasks {
		s.Unrunnable += t.Unrunnable
	}
	s.PassAtK, s.Intervals, s.Unavailable = passAtKs(s.Tasks, ks)
	s.Languages = groups(s.Tasks, ks)
	return s
}

// add counts a row of the task.
func (t *Task) add(r Row) {
	t.Statuses[r.Status]++
	if t.Language == "" {
		t.Language = r.Language
	}
	switch r.Status {
	case glovebox.StatusSandboxError, glovebox.StatusCancelled:
		// No verdict on the code.
	case glovebox.StatusTestsUnrunnable:
		t.Unrunnable++
	case glovebox.StatusPass:
		t.Passed++
		t.N++
	default:
		t.N++
	}
}

// passAtKs estimates pass@k for each k. There is no estimate for a k above any
// task's number of samples: leaving the task out would give another figure.
func passAtKs(tasks []Task, ks []int) (pass map[string]Ratio, intervals map[string]Interval, unavailable map[string]string) {
	pass, intervals, unavailable = map[string]Ratio{}, map[string]Interval{}, map[string]string{}
	// A task with unrunnable tests carries no information about the samples.
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return t.N == 0 && t.Unrunnable > 0 })
	samples := 0
	for _, t := range tasks {
		samples += t.N
	}
	for _, k := range ks {
		name := strconv.Itoa(k)
		if len(tasks) == 0 {
			unavailable[name] = "no task has tests that can run here"
			continue
		}
		few := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return t.N >= k })
		if len(few) > 0 {
			unavailable[name] = fmt.Sprintf("%d of %d tasks have fewer than %d samples with a verdict: %s has %d", len(few), len(tasks), k, few[0].Task, few[0].N)
			continue
		}
		estimates := make([]float64, 0, len(tasks))
		for _, t := range tasks {
			estimates = append(estimates, PassAtK(t.N, t.Passed, k))
		}
		mean, i := interval(estimates, samples)
		pass[name], intervals[name] = Ratio(mean), i
	}
	return pass, intervals, unavailable
}

// groups counts by language.
func groups(tasks []Task, ks []int) []Group {
	list := []Group{}
	of := map[string][]Task{}
	for _, t := range tasks {
		if of[t.Language] == nil {
			list = append(list, Group{Language: t.Language, Counts: map[glovebox.Status]int{}})
		}
		of[t.Language] = append(of[t.Language], t)
	}
	for i := range list {
		g := &list[i]
		g.Tasks = len(of[g.Language])
		for _, t := range of[g.Language] {
			g.Passed += t.Passed
			for status, n := range t.Statuses {
				g.Counts[status] += n
				g.Samples += n
			}
		}
		g.PassAtK, _, _ = passAtKs(of[g.Language], ks)
	}
	return list
}
