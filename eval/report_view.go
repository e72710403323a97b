package eval

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/observe"
)

// page is the template's data. Its texts are data and stay strings: only the
// style and the script, which are ours, pass unescaped.
type page struct {
	CSP          string
	CSS          template.CSS
	Kind         string
	Title, Date  string
	Facts, Notes []string
	Headline     *figure
	PassAtK      []whisker
	// Ran means that the page is about a run; a comparison has no tasks of its
	// own.
	Ran           bool
	Generation    *generationView
	Statuses      []bar
	Proofs        string
	Durations     *histogram
	Baseline      *comparisonView
	LanguageScore string
	Languages     []languageView
	Slowest       []slowView
	Groups        []taskGroup
	EvidenceNote  string
	Made          []fact
}

// figure is the one number to see first.
type figure struct {
	Label, Value, Unit, Note string
}

type fact struct {
	Name, Value string
	Code        bool
}

// bar is one line of a bar chart.
type bar struct {
	Name, Class string
	// Keyed means that the name bears the colour, as elsewhere on the page.
	Keyed bool
	Count int
	Share string
	Width percent
}

type statusCount struct {
	Status glovebox.Status
	Name   string
	Count  int
}

type generationView struct {
	Facts  []fact
	Repair []whisker
	Turns  []bar
}

type comparisonView struct {
	Sentence string
	Facts    []fact
	Counts   []bar
	Lists    []nameList
}

type nameList struct {
	Name        string
	IDs         []string
	Total, Left int
	Open        bool
}

type languageView struct {
	Name           string
	Tasks, Samples int
	Passed         int
	Score          whisker
}

type slowView struct {
	ID       string
	Status   statusCount
	Bar      bar
	Duration string
}

type taskGroup struct {
	Name        string
	Tasks       []taskView
	Total, Left int
	Open        bool
}

type taskView struct {
	ID              string
	Passed, Samples int
	Statuses        []statusCount
	Proof           string
	MedianMS        float64
	Median          string
	Evidence        *evidence
}

// evidence is why a task was not solved: a sample of each status.
type evidence struct {
	Line    string
	Samples []sampleEvidence
}

type sampleEvidence struct {
	N       int
	Status  statusCount
	Message string
	Cases   []glovebox.TestCase
}

func newPage(r *Report) *page {
	s := &r.Summary
	p := &page{
		Kind:       "eval",
		Ran:        true,
		Title:      clip(cmp.Or(r.Title, r.Header.Problems, "Evaluation"), maxShownTitle),
		Date:       date(r.Created),
		Facts:      runFacts(r),
		Notes:      runNotes(s),
		Statuses:   statusBars(s.Counts),
		Proofs:     proofText(s.Proofs),
		Generation: viewGeneration(r.Generation),
		Baseline:   viewComparison(r.Comparison),
		Made:       madeFacts(r),
	}
	for _, k := range sortedK(s.PassAtK) {
		i := s.Intervals[k]
		p.PassAtK = append(p.PassAtK, newWhisker("pass@"+clip(k, 20), float64(s.PassAtK[k]), float64(i.Low), float64(i.High)))
	}
	if len(p.PassAtK) > 0 {
		w := p.PassAtK[0]
		p.Headline = &figure{Label: w.Label, Value: strings.TrimSuffix(w.Value, " %"), Unit: "%"}
		if w.Range != "" {
			p.Headline.Note = "95 % interval " + w.Range
		}
	}
	p.LanguageScore, p.Languages = viewLanguages(s)

	var good, bad []float64
	byTask := map[string][]*Row{}
	for i := range r.Rows {
		row := &r.Rows[i]
		byTask[row.Task] = append(byTask[row.Task], row)
		if row.Status == glovebox.StatusPass {
			good = append(good, row.Measured.DurationMS)
		} else {
			bad = append(bad, row.Measured.DurationMS)
		}
	}
	p.Durations = newHistogram(good, bad)
	p.Slowest = slowest(byTask)
	p.Groups, p.EvidenceNote = groupTasks(s.Tasks, byTask)
	return p
}

func runFacts(r *Report) []string {
	s := &r.Summary
	facts := []string{plural(len(s.Tasks), "task"), plural(s.Samples, "sample")}
	tiers := r.Tiers()
	if asked := r.Header.Options.Tier; len(tiers) == 0 && asked != "" {
		tiers = []string{string(asked)}
	}
	for _, t := range first(tiers, 4) {
		facts = append(facts, clip(t, 40))
	}
	if d := s.Duration; d.WallMS > 0 {
		facts = append(facts, milliseconds(d.WallMS))
		if d.RunsPerSecond > 0 {
			facts = append(facts, fmt.Sprintf("%.1f runs a second", d.RunsPerSecond))
		}
	}
	return facts
}

// runNotes are notes to read before the figures.
func runNotes(s *Summary) []string {
	var notes []string
	if s.Missing > 0 {
		notes = append(notes, plural(s.Missing, "sample")+" without a verdict yet. The figures are about the others.")
	}
	if n := s.Counts[glovebox.StatusSandboxError]; n > 0 {
		notes = append(notes, plural(n, "sample")+" ended as sandbox_error: we failed there, not the code. They are in no estimate.")
	}
	if s.Unrunnable > 0 {
		notes = append(notes, "The tests of "+plural(s.Unrunnable, "sample")+" could not run here (tests_unrunnable). They say nothing about the code and are in no estimate.")
	}
	for _, k := range sortedK(s.Unavailable) {
		notes = append(notes, "pass@"+clip(k, 20)+" is not available: "+clip(s.Unavailable[k], maxShownLine))
	}
	return notes
}

func statusBars(counts map[glovebox.Status]int) []bar {
	total, most := 0, 0
	for _, n := range counts {
		total += n
		most = max(most, n)
	}
	var list []bar
	for _, s := range statusesOf(counts) {
		b := newBar(s.Name, class(s.Status), s.Count, most, total)
		b.Keyed = true
		list = append(list, b)
	}
	return list
}

func newBar(name, class string, count, most, total int) bar {
	b := bar{Name: name, Class: class, Count: count}
	if most > 0 {
		b.Width = percent(100 * float64(count) / float64(most))
	}
	if total > 0 {
		b.Share = share(float64(count) / float64(total))
	}
	return b
}

// statusesOf lists counts in the order of [glovebox.Statuses], with unknown
// statuses last.
func statusesOf(counts map[glovebox.Status]int) []statusCount {
	var list []statusCount
	for _, s := range glovebox.Statuses {
		if n := counts[s]; n > 0 {
			list = append(list, statusCount{s, string(s), n})
		}
	}
	for _, s := range first(slices.Sorted(maps.Keys(counts)), 100) {
		if n := counts[s]; n > 0 && !slices.Contains(glovebox.Statuses, s) {
			list = append(list, statusCount{s, clip(string(s), 40), n})
		}
	}
	return list
}

// class is the style of a status. The set is closed: a results file cannot add
// a class.
func class(s glovebox.Status) string {
	if slices.Contains(glovebox.Statuses, s) {
		return "s-" + string(s)
	}
	return "s-other"
}

func proofText(proofs map[glovebox.Proof]int) string {
	var list []string
	for _, p := range first(slices.Sorted(maps.Keys(proofs)), 8) {
		list = append(list, proofName(p)+" "+number(proofs[p]))
	}
	return strings.Join(list, ", ")
}

func proofName(p glovebox.Proof) string {
	if p == glovebox.ProofNone {
		return "no proof"
	}
	return strings.ReplaceAll(clip(string(p), 40), "_", " ")
}

// viewLanguages shows the estimate of each language for the smallest k, with an
// interval made like that of all tasks.
func viewLanguages(s *Summary) (score string, list []languageView) {
	var k int
	for _, g := range s.Languages {
		if ks := sortedK(g.PassAtK); len(ks) > 0 && score == "" {
			k, _ = strconv.Atoi(ks[0])
			score = "pass@" + clip(ks[0], 20)
		}
	}
	estimates := map[string][]float64{}
	for _, t := range s.Tasks {
		if t.N >= k && k > 0 {
			estimates[t.Language] = append(estimates[t.Language], PassAtK(t.N, t.Passed, k))
		}
	}
	for _, g := range first(s.Languages, maxShownLanguages) {
		v := languageView{Name: cmp.Or(clip(g.Language, 60), "unknown"), Tasks: g.Tasks, Samples: g.Samples, Passed: g.Passed}
		v.Score = whisker{Value: "–"}
		if p, ok := g.PassAtK[strconv.Itoa(k)]; ok {
			var i Interval
			if e := estimates[g.Language]; len(e) > 0 {
				_, i = interval(e, g.Samples)
			}
			v.Score = newWhisker("", float64(p), float64(i.Low), float64(i.High))
		}
		list = append(list, v)
	}
	return score, list
}

func viewComparison(c *Comparison) *comparisonView {
	if c == nil {
		return nil
	}
	v := &comparisonView{
		Sentence: fmt.Sprintf("On the %s that both runs have verdicts on, pass@1 went from %s in %s to %s in %s.",
			plural(c.Common, "task"), share(float64(c.A.PassAt1)), clip(c.A.Name, maxShownName), share(float64(c.B.PassAt1)), clip(c.B.Name, maxShownName)),
		Facts: []fact{
			{Name: "Difference", Value: fmt.Sprintf("%+.1f points", 100*c.Difference)},
			{Name: "McNemar’s exact test", Value: testText(c)},
		},
	}
	changes := []struct {
		name, class string
		n           int
	}{
		{"newly passing", "f-good", len(c.NewlyPassing)},
		{"newly failing", "f-bad", len(c.NewlyFailing)},
		{"solved more often", "f-good", len(c.Better)},
		{"solved less often", "f-bad", len(c.Worse)},
		{"solved alike", "f-same", c.SamePassing},
		{"solved in neither", "f-same", c.SameFailing},
	}
	most := 0
	for _, l := range changes {
		most = max(most, l.n)
	}
	for _, l := range changes {
		v.Counts = append(v.Counts, newBar(l.name, l.class, l.n, most, c.Common))
	}
	for _, l := range []struct {
		name string
		ids  []string
		open bool
	}{
		{"Newly failing", c.NewlyFailing, true},
		{"Newly passing", c.NewlyPassing, true},
		{"Solved less often", c.Worse, false},
		{"Solved more often", c.Better, false},
		{"Only in " + clip(c.A.Name, maxShownName), c.A.Only, false},
		{"Only in " + clip(c.B.Name, maxShownName), c.B.Only, false},
	} {
		if len(l.ids) == 0 {
			continue
		}
		n := nameList{Name: l.name, Total: len(l.ids), Left: max(0, len(l.ids)-maxShownNames), Open: l.open && len(l.ids) <= maxOpenNames}
		for _, id := range first(l.ids, maxShownNames) {
			n.IDs = append(n.IDs, clip(id, maxShownName))
		}
		v.Lists = append(v.Lists, n)
	}
	return v
}

// testText is the result of McNemar's test, or the reason why there is none.
func testText(c *Comparison) string {
	if c.P == nil {
		return clip(cmp.Or(c.PReason, "–"), maxShownLine)
	}
	return pValue(*c.P)
}

func pValue(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

func viewGeneration(g *Generation) *generationView {
	if g == nil {
		return nil
	}
	v := &generationView{Repair: []whisker{
		newWhisker("without", float64(g.First), float64(g.FirstInterval.Low), float64(g.FirstInterval.High)),
		newWhisker("with", float64(g.Repaired), float64(g.RepairedInterval.Low), float64(g.RepairedInterval.High)),
	}}
	add := func(name, value string) { v.Facts = append(v.Facts, fact{Name: name, Value: value}) }
	if g.Model != "" {
		add("Model", clip(g.Model, maxShownName))
	}
	if g.Tokens > 0 {
		add("Tokens", number(int(g.Tokens)))
	}
	if g.TokensPerSolved > 0 {
		add("Tokens per solved task", number(int(g.TokensPerSolved+0.5)))
	}
	add("Accepted by the gate", share(float64(g.Acceptance)))
	if g.PatchLines > 0 {
		add("Patch, median", fmt.Sprintf("%.0f lines", g.PatchLines))
	}
	total, most := 0, 0
	for _, n := range g.Turns {
		total += n
		most = max(most, n)
	}
	turns := slices.Sorted(maps.Keys(g.Turns))
	for _, t := range first(turns, maxShownTurns) {
		v.Turns = append(v.Turns, newBar(plural(t, "turn"), "f-good", g.Turns[t], most, total))
	}
	if len(turns) > maxShownTurns {
		rest := 0
		for _, t := range turns[maxShownTurns:] {
			rest += g.Turns[t]
		}
		v.Turns = append(v.Turns, newBar("more", "f-good", rest, most, total))
	}
	return v
}

// slowest lists the tasks with the longest single run.
func slowest(byTask map[string][]*Row) []slowView {
	var rows []*Row
	for _, list := range byTask {
		rows = append(rows, slices.MaxFunc(list, func(a, b *Row) int { return cmp.Compare(a.Measured.DurationMS, b.Measured.DurationMS) }))
	}
	slices.SortFunc(rows, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(b.Measured.DurationMS, a.Measured.DurationMS), cmp.Compare(a.Task, b.Task))
	})
	var list []slowView
	for _, r := range first(rows, maxSlowest) {
		if !(r.Measured.DurationMS > 0) {
			break
		}
		list = append(list, slowView{
			ID:       clip(r.Task, maxShownName),
			Status:   statusCount{r.Status, clip(string(r.Status), 40), 1},
			Duration: milliseconds(r.Measured.DurationMS),
			Bar:      bar{Class: class(r.Status), Width: percent(100 * r.Measured.DurationMS / rows[0].Measured.DurationMS)},
		})
	}
	return list
}

// groupTasks puts the tasks that need attention first. Within a group they keep
// their order.
func groupTasks(tasks []Task, byTask map[string][]*Row) (groups []taskGroup, note string) {
	single := true
	for i := range tasks {
		single = single && tasks[i].N <= 1
	}
	groups = []taskGroup{{Name: "Not solved"}, {Name: "Solved by some samples"}, {Name: "Solved by every sample"}, {Name: "No verdict"}}
	if single {
		groups[2].Name = "Solved"
	}
	room, without := maxEvidence, 0
	for i := range tasks {
		t := &tasks[i]
		g := &groups[0]
		switch {
		case t.N == 0:
			g = &groups[3]
		case t.Passed >= t.N:
			g = &groups[2]
		case t.Passed > 0:
			g = &groups[1]
		}
		g.Total++
		if len(g.Tasks) == maxShownTasks {
			g.Left++
			continue
		}
		v := viewTask(t, byTask[t.Task])
		if t.Passed < t.N && room <= 0 {
			without++
		} else if v.Evidence = newEvidence(byTask[t.Task]); v.Evidence != nil {
			room -= v.Evidence.size()
		}
		g.Tasks = append(g.Tasks, v)
	}
	groups = slices.DeleteFunc(groups, func(g taskGroup) bool { return g.Total == 0 })
	for i := range groups {
		groups[i].Open = len(groups[i].Tasks) <= maxOpenTasks && (i == 0 || groups[i].Total <= maxOpenNames)
	}
	if without > 0 {
		note = fmt.Sprintf("To keep the page usable it holds %s of messages and values; those of %s are in the results file only.", bytesText(maxEvidence), plural(without, "task"))
	}
	return groups, note
}

func viewTask(t *Task, rows []*Row) taskView {
	v := taskView{ID: clip(t.Task, maxShownName), Passed: t.Passed, Samples: t.N, Statuses: statusesOf(t.Statuses)}
	var times []float64
	proofs := map[glovebox.Proof]bool{}
	for _, r := range rows {
		if r.Measured.DurationMS > 0 {
			times = append(times, r.Measured.DurationMS)
		}
		if r.Tests != nil {
			proofs[r.Tests.Proof] = true
		}
	}
	slices.Sort(times)
	v.MedianMS = percentile(times, 0.5)
	v.Median = milliseconds(v.MedianMS)
	var names []string
	for _, p := range first(slices.Sorted(maps.Keys(proofs)), 4) {
		names = append(names, proofName(p))
	}
	v.Proof = cmp.Or(strings.Join(names, ", "), "–")
	return v
}

// newEvidence takes the first sample of each status except pass.
func newEvidence(rows []*Row) *evidence {
	e := &evidence{}
	seen := map[glovebox.Status]bool{glovebox.StatusPass: true}
	for _, r := range rows {
		if seen[r.Status] || len(e.Samples) == maxShownStatuses {
			continue
		}
		seen[r.Status] = true
		s := sampleEvidence{N: r.N, Status: statusCount{r.Status, clip(string(r.Status), 40), 1}, Message: observe.Middle(r.Measured.Message, maxShownValue)}
		for _, c := range first(r.Measured.Failures, maxShownCases) {
			c.Name, c.Status = clip(c.Name, maxShownName), clip(c.Status, 40)
			c.Message = observe.Middle(c.Message, maxShownValue)
			c.Expected, c.Actual = observe.Middle(c.Expected, maxShownValue), observe.Middle(c.Actual, maxShownValue)
			s.Cases = append(s.Cases, c)
		}
		if s.Message == "" && len(s.Cases) == 0 {
			continue
		}
		e.Samples = append(e.Samples, s)
	}
	if len(e.Samples) == 0 {
		return nil
	}
	s := e.Samples[0]
	line := s.Message
	// A test is more informative than a count of tests.
	if len(s.Cases) > 0 {
		line = s.Cases[0].Name
		if m := s.Cases[0].Message; m != "" {
			line += ": " + m
		}
	}
	line, _, _ = strings.Cut(line, "\n")
	e.Line = cmp.Or(clip(line, maxShownLine), "Evidence")
	return e
}

// size is about how many bytes the evidence takes on the page.
func (e *evidence) size() int {
	const markup = 250 // of a sample or a case
	n := shownSize(e.Line)
	for _, s := range e.Samples {
		n += markup + shownSize(s.Message)
		for _, c := range s.Cases {
			n += markup + shownSize(c.Name) + shownSize(c.Message) + shownSize(c.Expected) + shownSize(c.Actual)
		}
	}
	return n
}

func madeFacts(r *Report) []fact {
	var list []fact
	add := func(name, value string) {
		if value != "" {
			list = append(list, fact{Name: name, Value: clip(value, maxShownValue)})
		}
	}
	code := func(name, value string) {
		if value != "" {
			list = append(list, fact{Name: name, Value: clip(value, maxShownValue), Code: true})
		}
	}
	h := &r.Header
	made := r.Provenance
	if made == nil {
		made = &Provenance{}
	}
	code("Command", commandLine(made.Command))
	code("Problems", h.Problems)
	code("Samples", h.Samples)
	code("Hash of the inputs", h.Hash)
	add("Tier", cmp.Or(string(h.Options.Tier), string(glovebox.TierAuto)))
	if h.Options.RequireProof != "" {
		add("Required proof", proofName(h.Options.RequireProof))
	}
	add("Limits", limitsText(h.Options.Limits))
	add("Isolation", isolationText(made.Isolation))
	var versions []string
	for _, name := range first(slices.Sorted(maps.Keys(made.Versions)), 40) {
		versions = append(versions, clip(name, 40)+" "+clip(made.Versions[name], 80))
	}
	add("Versions", strings.Join(versions, ", "))
	if u := r.Summary.Usage; u.CPUMS > 0 {
		add("Processor time", milliseconds(u.CPUMS))
	}
	if m := r.Summary.Usage.MemoryPeakBytes; m > 0 {
		add("Most memory", bytesText(m))
	}
	add("Date", date(r.Created))
	return list
}

// commandLine quotes words that a shell would split or change, and leaves out
// the values of flags that hold secrets.
func commandLine(args []string) string {
	var b strings.Builder
	secret := false
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		name, _, valued := strings.Cut(a, "=")
		isFlag := strings.HasPrefix(a, "-")
		switch {
		case secret && !isFlag:
			b.WriteString("…")
			secret = false
			continue
		case isFlag && namesSecret(name) && valued:
			b.WriteString(name + "=…")
			continue
		}
		secret = isFlag && namesSecret(name)
		b.WriteString(shellQuote(a))
	}
	return b.String()
}

func namesSecret(flag string) bool {
	flag = strings.ToLower(flag)
	return slices.ContainsFunc([]string{"key", "token", "secret", "password"}, func(end string) bool { return strings.HasSuffix(flag, end) })
}

func shellQuote(arg string) string {
	if arg != "" && !strings.ContainsFunc(arg, func(r rune) bool {
		return !strings.ContainsRune("-_=./:,@%+", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func limitsText(l glovebox.Limits) string {
	l = l.WithDefaults()
	return fmt.Sprintf("%v wall clock, %v processor time, %s of memory, %s, %s of output, %s of disk",
		l.Wall, l.CPU, bytesText(l.Memory), plural(int(l.Processes), "process"), bytesText(l.Output), bytesText(l.Disk))
}

func isolationText(controls []glovebox.Control) string {
	var list []string
	for _, c := range first(controls, 60) {
		name := clip(c.Name, 60)
		if !c.Enforced {
			name += " (not enforced)"
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// sortedK returns the keys of a map by k in the order of their numbers.
func sortedK[V any](m map[string]V) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return cmp.Compare(x, y)
	})
	return keys
}

func first[T any](list []T, n int) []T { return list[:min(len(list), n)] }
