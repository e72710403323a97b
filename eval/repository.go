package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/edit"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/suite"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Repository is a task on a folder of files, in SWE-bench's shape. The folder is
// never written.
type Repository struct {
	// Dir is the repository's folder, slash-separated and relative to the
	// folder of the problems file.
	Dir string `json:"dir"`
	// Content is a hash of the folder's files.
	Content string `json:"content"`
	// TestPatch is a unified diff that brings the tests.
	TestPatch string `json:"test_patch,omitempty"`
	// Want names the tests that decide.
	Want suite.Want `json:"want"`

	language string
	open     func() (*checkout, error) // of Dir
	tested   func() (*workcopy.Copy, error)
}

// checkout is a repository's folder, unchanged.
type checkout struct {
	files   *workcopy.Copy
	content string
}

// Fault is a defect of a sample itself, such as a patch that does not apply:
// there is nothing to run.
type Fault struct{ Reason string }

func (f *Fault) Error() string { return f.Reason }

// repository reads a row {instance_id, repo_path, test_patch, FAIL_TO_PASS,
// PASS_TO_PASS}.
func (l *loader) repository(r row, p *Problem) error {
	dir, err1 := r.text("repo_path", "repo_dir")
	lang, err2 := r.text("language")
	test, err3 := r.text("test_patch")
	fail, err4 := r.list("FAIL_TO_PASS")
	pass, err5 := r.list("PASS_TO_PASS")
	if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	if dir == "" {
		return r.errorf("the row does not say where the repository is: repo_path names its folder, relative to the problems file")
	}
	clean, err := glovebox.CleanPath(dir)
	if err != nil {
		return r.errorf("field \"repo_path\": %w", err)
	}
	if lang != "" {
		known := language.ByName(lang)
		if known == nil {
			return r.errorf("language %q is not known; there are %s", lang, language.All().Names())
		}
		lang = known.Name
	}
	p.Kind, p.Language = KindRepository, lang
	p.Repo = &Repository{Dir: clean, TestPatch: test, Want: suite.Want{FailToPass: fail, PassToPass: pass}, language: lang}
	open := l.folders[clean]
	if open == nil {
		open = sync.OnceValues(func() (*checkout, error) { return checkOut(filepath.Dir(l.src.Problems), clean) })
		l.folders[clean] = open
	}
	there, err := open()
	if err != nil {
		return r.errorf("the repository %s: %w", clean, err)
	}
	p.Repo.Content, p.Repo.open = there.content, open
	p.Repo.tested = sync.OnceValues(p.Repo.withTests)
	return nil
}

// checkOut opens a folder below base. A link out of base is refused: the file
// with the problems may be anybody's.
func checkOut(base, dir string) (*checkout, error) {
	base, err1 := filepath.EvalSymlinks(cmp.Or(base, "."))
	full, err2 := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(dir)))
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(base, full); err != nil || !filepath.IsLocal(rel) {
		return nil, errors.New("it is outside of the folder of the problems file")
	}
	c, err := workcopy.Open(full, workcopy.Options{})
	if err != nil {
		return nil, err
	}
	files, err := c.Files(nil, suite.MaxBytes)
	if err != nil {
		return nil, err
	}
	return &checkout{files: c, content: Hash(files)}, nil
}

// withTests is the repository with its test patch.
func (r *Repository) withTests() (*workcopy.Copy, error) {
	there, err := r.open()
	if err != nil {
		return nil, err
	}
	c := there.files.Clone()
	if strings.TrimSpace(r.TestPatch) == "" {
		return c, nil
	}
	if err := patch(c, r.TestPatch); err != nil {
		return nil, fmt.Errorf("its test_patch: %w", err)
	}
	return c, nil
}

// patch makes the changes of a unified diff.
func patch(c *workcopy.Copy, text string) error {
	set, err := edit.ParsePatch([]byte(text))
	if err != nil {
		return err
	}
	return set.Apply(c, edit.Rules{})
}

// job makes the job that runs the tests on the repository with the sample's
// patch. The patch's changes to the tests' files are lost: these files come
// from the test patch, whole.
func (r *Repository) job(s *Sample, o Options) (glovebox.Job, error) {
	tested, err := r.tested()
	if err != nil {
		return glovebox.Job{}, err
	}
	there, err := r.open()
	if err != nil {
		return glovebox.Job{}, err
	}
	c := there.files.Clone()
	if s.Form != FormPatch {
		return glovebox.Job{}, fmt.Errorf("%s: a %s is no sample of a repository task, a patch is", s.Where, s.Form)
	}
	if err := patch(c, s.Text); err != nil {
		if len(edit.Problems(err)) > 0 {
			return glovebox.Job{}, &Fault{"The patch does not apply: " + words(err.Error())}
		}
		return glovebox.Job{}, err
	}
	for _, ch := range tested.Changes() {
		err := c.Delete(ch.Path)
		if ch.Kind != workcopy.Deleted {
			err = c.Write(ch.Path, ch.New)
		}
		if err == nil && ch.Kind != workcopy.Deleted {
			err = c.Chmod(ch.Path, ch.Executable)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return glovebox.Job{}, &Fault{"The patch stands in the way of the tests: " + words(err.Error())}
		}
	}
	tests := suite.Suite{Language: r.language, Tests: r.files(tested), From: tested, Limits: o.Limits, Tier: o.Tier}
	job, err := tests.Job(c)
	if err != nil {
		// The sample is at fault if the repository without it is fine.
		if _, err := tests.Job(tested); err != nil {
			return glovebox.Job{}, err
		}
		return glovebox.Job{}, &Fault{"The patched repository cannot be tested: " + words(err.Error())}
	}
	return job, nil
}

// files are the files of the deciding tests: the files changed by the test
// patch, and the files in tests' names, as in tests/test_x.py::test_y. If a
// name does not include its file, nil: all tests of the repository run.
func (r *Repository) files(c *workcopy.Copy) []string {
	var files []string
	for _, name := range slices.Concat(r.Want.FailToPass, r.Want.PassToPass) {
		file, _, ok := strings.Cut(name, "::")
		if ok {
			_, ok = c.Stat(path.Clean(file))
		}
		if !ok {
			return nil
		}
		files = append(files, path.Clean(file))
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// judge translates an observation of the job into the task's result: whether
// the deciding tests passed.
func (r *Repository) judge(row *Row, o *glovebox.Observation, required glovebox.Proof) {
	if o.Status != glovebox.StatusPass && o.Status != glovebox.StatusTestFailed {
		return
	}
	j := suite.Judge(o, r.Want)
	if j.Resolved {
		row.Status = glovebox.StatusPass
		if !o.Tests.Proof.Meets(required) {
			row.Status = glovebox.StatusUnproven
		}
		return
	}
	row.Status, row.Measured.Message = glovebox.StatusTestFailed, words(j.Reason)
	row.Measured.Failures = nil
	for _, v := range slices.Concat(j.FailToPass, j.PassToPass) {
		if v.Result != suite.Passed && len(row.Measured.Failures) < maxFailures {
			row.Measured.Failures = append(row.Measured.Failures,
				glovebox.TestCase{Name: words(v.Name), Status: "failed", Message: words(cmp.Or(v.Why, string(v.Result)))})
		}
	}
}
