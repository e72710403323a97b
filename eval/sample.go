package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// field is a field that holds a sample, or a list of them.
type field struct {
	name string
	form Form
	use  use
}

// use is the kind of row in which a field counts as a sample by default. The
// higher includes the lower.
type use int

const (
	// named: nowhere. These are solutions, or part of the task.
	named use = iota
	// inSamples: in a row of a samples file.
	inSamples
	// anywhere: in a row that is a problem too.
	anywhere
)

// fields are the possible names of samples, in order of preference.
var fields = []field{
	{"completion", FormCompletion, anywhere},
	{"completions", FormCompletion, anywhere},
	{"program", FormProgram, anywhere},
	{"model_patch", FormPatch, anywhere},
	{"reply", FormReply, anywhere},
	{"response", FormReply, anywhere},
	{"gpt_solution", FormReply, anywhere},
	{"solution", FormProgram, inSamples},
	{"text", FormReply, inSamples},
	{"canonical_solution", FormCompletion, named},
	{"buggy_solution", FormCompletion, named},
	{"code", FormProgram, named},
	{"correct", FormProgram, named},
	{"buggy", FormProgram, named},
	{"patch", FormPatch, named},
}

// taken returns the field of the row's sample.
func taken(r row, u use) (field, bool) {
	for _, f := range fields {
		// A null is a sample too: an empty patch is written so.
		if _, ok := r.fields[f.name]; ok && f.use >= u {
			return f, true
		}
	}
	return field{}, false
}

// ParseField reads the name of a field and, after a colon, the form of its
// contents, such as "canonical_solution" or "output:reply".
func ParseField(s string) (name string, form Form, err error) {
	name, of, given := strings.Cut(s, ":")
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	switch form = Form(of); {
	case name == "":
		return "", "", fmt.Errorf("%q names no field", s)
	case given && !slices.Contains([]Form{FormCompletion, FormProgram, FormReply, FormPatch}, form):
		return "", "", fmt.Errorf("%q is none of %s, %s, %s and %s", of, FormCompletion, FormProgram, FormReply, FormPatch)
	case !given && i < 0:
		return "", "", fmt.Errorf("what the field %q holds is not known: write it as %s:%s, :%s, :%s or :%s", name, name, FormCompletion, FormProgram, FormReply, FormPatch)
	case !given:
		form = fields[i].form
	}
	return name, form, nil
}

// Source names what [Load] reads.
type Source struct {
	// Problems and Samples are files: JSON lines or a JSON list, plain or
	// compressed with gzip. Without Samples, the rows of Problems hold the
	// samples.
	Problems, Samples string
	// Field is the field with the samples, in the form of [ParseField]; empty
	// means the first known one.
	Field string
	// Partial allows problems without a sample, and leaves them out. Otherwise
	// they are an error: a figure on part of a set is easily mistaken for a
	// figure on all.
	Partial bool
}

// Set is what was loaded.
type Set struct {
	// Problems are in the order of their file.
	Problems []*Problem
	// Samples are in the order of Problems, and for one problem in the order of
	// the file.
	Samples []*Sample
}

// Load reads problems and their samples. Errors name the file and the line.
func Load(src Source) (*Set, error) {
	l := newLoader(src)
	if src.Field != "" {
		var err error
		if l.field.name, l.field.form, err = ParseField(src.Field); err != nil {
			return nil, err
		}
	}
	if err := readFile(src.Problems, l.problem); err != nil {
		return nil, err
	}
	if len(l.set.Problems) == 0 {
		return nil, fmt.Errorf("%s: it has no rows", filepath.Base(src.Problems))
	}
	if src.Samples != "" {
		if err := readFile(src.Samples, l.sample); err != nil {
			return nil, err
		}
	}
	return l.finish()
}

// LoadProblems reads problems alone.
func LoadProblems(name string) ([]*Problem, error) {
	l := newLoader(Source{Problems: name})
	l.alone = true
	err := readFile(name, l.problem)
	return l.set.Problems, err
}

func readFile(name string, f func(row) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return readRows(name, file, f)
}

// loader puts problems and samples together.
type loader struct {
	src      Source
	field    field // that was asked for; its name may be empty
	set      Set
	problems map[string]*Problem
	samples  map[string][]*Sample
	folders  map[string]func() (*checkout, error) // of repositories
	alone    bool                                 // problems without samples
	count    int
	without  *row // the first problem without a sample of its own
}

func newLoader(src Source) *loader {
	return &loader{src: src, problems: map[string]*Problem{}, samples: map[string][]*Sample{}, folders: map[string]func() (*checkout, error){}}
}

// problem takes a row of the problems file. A task may have several rows, one
// for each sample.
func (l *loader) problem(r row) error {
	p, err := l.readProblem(r)
	if err != nil {
		return err
	}
	if old := l.problems[p.ID]; old == nil {
		l.problems[p.ID] = p
		l.set.Problems = append(l.set.Problems, p)
	} else if l.src.Samples != "" || !same(old, p) {
		return r.errorf("there is another problem named %q at %s", p.ID, old.Where)
	}
	if l.src.Samples != "" || l.alone {
		return nil
	}
	f := l.field
	if f.name == "" {
		var ok bool
		if f, ok = taken(r, anywhere); !ok {
			if l.without == nil {
				l.without = &r
			}
			return nil
		}
	} else if !r.has(f.name) {
		return r.errorf("the row has no field %q; it has %s", f.name, r.names())
	}
	return l.take(r, p.ID, f)
}

// same reports whether two rows are the same problem.
func same(a, b *Problem) bool { return Hash(a) == Hash(b) }

// sample takes a row of the samples file.
func (l *loader) sample(r row) error {
	id, err := r.id(append([]string{"problem"}, idFields...)...)
	if err != nil {
		return err
	}
	if id == "" {
		return r.errorf("the row does not name its problem: none of the fields %s", strings.Join(idFields, ", "))
	}
	p := l.problems[id]
	if p == nil {
		return r.errorf("there is no problem named %q in %s", id, filepath.Base(l.src.Problems))
	}
	f := l.field
	if f.name == "" {
		var ok bool
		if f, ok = taken(r, inSamples); !ok {
			return r.errorf("the row holds no sample. It has %s; --sample-field names the one to take", r.names())
		}
	} else if _, ok := r.fields[f.name]; !ok {
		return r.errorf("the row has no field %q; it has %s", f.name, r.names())
	}
	return l.take(r, id, f)
}

// take adds the samples of a row's field: a text or a list of texts.
func (l *loader) take(r row, id string, f field) error {
	var texts []string
	if raw := r.fields[f.name]; len(raw) > 0 && raw[0] == '[' {
		if err := json.Unmarshal(raw, &texts); err != nil {
			return r.errorf("field %q is not a list of strings", f.name)
		}
	} else {
		s, err := r.text(f.name)
		if err != nil {
			return err
		}
		texts = []string{s}
	}
	for _, s := range texts {
		if err := r.bound(f.name, s); err != nil {
			return err
		}
		if l.count++; l.count > maxRows {
			return r.errorf("there are more than %d samples", maxRows)
		}
		l.samples[id] = append(l.samples[id], &Sample{Problem: id, N: len(l.samples[id]), Form: f.form, Text: s, Where: r.where})
	}
	return nil
}

// finish sorts the samples and looks for problems without any.
func (l *loader) finish() (*Set, error) {
	if l.without != nil && l.count == 0 {
		return nil, fmt.Errorf("%s: there is no samples file, and the rows hold no samples of their own. A field can be named with --sample-field; the row has %s", l.without.where, l.without.names())
	}
	var missing []string
	problems := l.set.Problems
	l.set.Problems = nil
	for _, p := range problems {
		if len(l.samples[p.ID]) == 0 {
			missing = append(missing, p.ID)
			continue
		}
		l.set.Problems = append(l.set.Problems, p)
		l.set.Samples = append(l.set.Samples, l.samples[p.ID]...)
	}
	if len(missing) > 0 && !l.src.Partial {
		return nil, fmt.Errorf("%d of %d problems have no sample, such as %s; --partial counts only those that have", len(missing), len(problems), missing[0])
	}
	if l.count == 0 {
		return nil, fmt.Errorf("%s: it has no samples", filepath.Base(l.src.Samples))
	}
	return &l.set, nil
}
