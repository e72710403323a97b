package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// idFields are the possible names of a problem's ID.
var idFields = []string{"task_id", "instance_id", "name", "id"}

// format is a shape of problems.
type format struct {
	name   string
	fields []string // all of these make a row one of it
	read   func(*loader, row, *Problem) error
}

// has reports whether the row has this shape.
func (f format) has(r row) bool {
	return !slices.ContainsFunc(f.fields, func(name string) bool { return !r.has(name) })
}

// formats are the known shapes, in the order of trial.
var formats = []format{
	{"repository task, as SWE-bench's", []string{"instance_id"}, (*loader).repository},
	{"input/output cases", []string{"cases"}, (*loader).cases},
	{"MBPP", []string{"test_list"}, (*loader).mbpp},
	{"MultiPL-E", []string{"language", "tests"}, (*loader).multiPLE},
	{"HumanEval", []string{"test", "entry_point"}, (*loader).humanEval},
}

// known lists the known shapes of problems.
func known() string {
	var b strings.Builder
	for i, f := range formats {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s (%s)", f.name, strings.Join(f.fields, ", "))
	}
	return b.String()
}

// readProblem makes a problem of a row.
func (l *loader) readProblem(r row) (*Problem, error) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.has(r) })
	if i < 0 {
		return nil, r.errorf("the row is no problem of a known shape. It has the fields %s. Known are: %s", r.names(), known())
	}
	id, err1 := r.id(idFields...)
	prompt, err2 := r.text("prompt", "problem_statement", "text", "question")
	wall, err3 := r.seconds("timeout")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	if id == "" {
		return nil, r.errorf("the row has no name: none of the fields %s", strings.Join(idFields, ", "))
	}
	p := &Problem{ID: id, Prompt: prompt, Wall: wall, Own: map[string]string{}, Where: r.where}
	for _, f := range fields {
		if s, err := r.text(f.name); err == nil && s != "" {
			p.Own[f.name] = s
		}
	}
	return p, formats[i].read(l, r, p)
}

// humanEval reads a row {task_id, prompt, entry_point, test}, and those of
// HumanEvalPack, where solutions go on after the declaration.
func (*loader) humanEval(r row, p *Problem) error {
	var err error
	if p.Entry, err = r.text("entry_point"); err != nil {
		return err
	}
	if p.Before, err = r.text("prompt"); err != nil {
		return err
	}
	test, err := r.text("test")
	if err != nil {
		return err
	}
	if r.has("declaration") {
		// HumanEvalPack has a problem in six languages by the same fields.
		if of, _, ok := strings.Cut(p.ID, "/"); ok && !slices.Contains([]string{"python", "humaneval"}, strings.ToLower(of)) {
			return r.errorf("HumanEvalPack in %s is not known: in Python only", of)
		}
		if r.has("buggy_solution") {
			if p.Before, err = r.text("declaration"); err != nil {
				return err
			}
		}
	}
	p.Kind, p.Language = KindHumanEval, language.Python.Name
	p.After = "\n"
	p.Tests = []glovebox.File{{Path: "test_humaneval.py", Data: []byte(test)}}
	return nil
}

// mbpp reads both shapes of MBPP: {task_id, text, code, test_list,
// test_setup_code} and, sanitized, {task_id, prompt, code, test_list,
// test_imports}. Like the reference it leaves challenge_test_list out.
func (*loader) mbpp(r row, p *Problem) error {
	setup, err1 := r.text("test_setup_code")
	imports, err2 := r.list("test_imports")
	list, err3 := r.list("test_list")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return err
	}
	if len(list) == 0 {
		return r.errorf("field \"test_list\" is empty: nothing would be tested")
	}
	p.Kind, p.Language = KindMBPP, language.Python.Name
	parts := slices.Concat(imports, []string{setup}, list)
	p.Tests = []glovebox.File{{Path: "test_mbpp.py", Data: []byte(strings.Join(parts, "\n") + "\n")}}
	return nil
}

// Job makes the job that judges the sample: the program for a box, with the
// tests beside it.
//
// An error of type [*Fault] is the sample's; any other is the problem's.
func (p *Problem) Job(s *Sample, o Options) (glovebox.Job, error) {
	if p.Wall > 0 {
		o.Limits.Wall = time.Duration(p.Wall * float64(time.Second))
		o.Limits.CPU = max(o.Limits.CPU, o.Limits.Wall)
	}
	if p.Repo != nil {
		return p.Repo.job(s, o)
	}
	job := glovebox.Job{
		Language: p.Language, Entry: p.Entry, Tests: p.Tests, Cases: p.Cases,
		Limits: o.Limits, Tier: o.Tier, Image: o.Image, RequireProof: o.RequireProof,
	}
	code := s.Text
	switch s.Form {
	case FormReply:
		job.Reply = glovebox.Reply(s.Text)
		return job, nil
	case FormCompletion:
		code = p.Before + s.Text + p.After
	case FormProgram:
	default:
		return job, fmt.Errorf("%s: a %s is no sample of a %s problem", s.Where, s.Form, p.Kind)
	}
	l := language.ByName(p.Language)
	if l == nil {
		if l = looksLike(code); l == nil {
			return job, fmt.Errorf("%s: the language of the program cannot be told; name it in the field \"language\" of %s", s.Where, p.ID)
		}
	}
	job.Language = l.Name
	job.Program = &glovebox.Program{Language: l.Name, Main: l.Main, Files: []glovebox.File{{Path: l.Main, Data: []byte(code)}}}
	return job, nil
}

// looksLike tells the language by the look of the code, or nil.
func looksLike(code string) *language.Language {
	var best *language.Language
	score := 0
	for _, l := range language.All() {
		if s := l.Score(code); s > score {
			best, score = l, s
		}
	}
	return best
}
