package eval

import (
	"path/filepath"
)

// Compare puts the tasks of two runs beside each other: a, the older one, and
// b. The names are those of their files.
func Compare(nameA string, a []Task, nameB string, b []Task) Comparison {
	c := Comparison{
		A:            ComparisonSide{Name: filepath.Base(nameA)},
		B:            ComparisonSide{Name: filepath.Base(nameB)},
		NewlyPassing: []string{}, NewlyFailing: []string{},
	}
	inB := map[string]Task{}
	for _, t := range b {
		if t.N > 0 {
			inB[t.Task] = t
		}
	}
	paired := true
	var rateA, rateB float64
	for _, x := range a {
		if x.N == 0 {
			continue
		}
		y, ok := inB[x.Task]
		if !ok {
			c.A.Only = append(c.A.Only, x.Task)
			continue
		}
		delete(inB, x.Task)
		c.Common++
		paired = paired && x.N == 1 && y.N == 1
		px, py := PassAtK(x.N, x.Passed, 1), PassAtK(y.N, y.Passed, 1)
		rateA, rateB = rateA+px, rateB+py
		switch {
		case px == 0 && py > 0:
			c.NewlyPassing = append(c.NewlyPassing, x.Task)
		case px > 0 && py == 0:
			c.NewlyFailing = append(c.NewlyFailing, x.Task)
		case px == 0:
			c.SameFailing++
		case px < py:
			c.Better = append(c.Better, x.Task)
		case px > py:
			c.Worse = append(c.Worse, x.Task)
		default:
			c.SamePassing++
		}
	}
	for _, t := range b {
		if _, left := inB[t.Task]; left {
			c.B.Only = append(c.B.Only, t.Task)
		}
	}
	if c.Common > 0 {
		n := float64(c.Common)
		c.A.PassAt1, c.B.PassAt1, c.Difference = Ratio(rateA/n), Ratio(rateB/n), (rateB-rateA)/n
	}
	switch {
	case c.Common == 0:
		c.PReason = "the runs have no task in common"
	case !paired:
		c.PReason = "McNemar's test needs one sample of each task in both runs"
	default:
		p := McNemar(len(c.NewlyPassing), len(c.NewlyFailing))
		c.P = &p
	}
	return c
}

// TasksOf counts the rows of a results file by task, in their order.
func TasksOf(rows []Row) []Task {
	var work []*Work
	for _, r := range rows {
		work = append(work, &Work{Problem: &Problem{ID: r.Task, Language: r.Language}})
	}
	return Summarize(work, rows, nil, Ran{}).Tasks
}
