// Package suite turns a repository, as a working copy, and its tests into a
// [glovebox.Job], and judges the results of the relevant tests by name.
//
// A Job has two sides, which the engine keeps apart: the program and its tests.
// On the side of the tests are the listed test files and the files they need:
//
//   - a folder of tests (tests, test, spec, __tests__) above a listed file, with
//     all its contents, helpers and data;
//   - testdata, fixtures, __snapshots__ and the like beside a listed file;
//   - every conftest.py, and in Go the other _test.go files of the package.
//
// Other test files in those folders are left out, unless a listed file imports
// them. All else is the program, also the files of a build.
package suite

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/workcopy"
)

// Suite is the tests of a repository and their settings.
type Suite struct {
	// Language is the name of a language of package language; empty means that
	// of [Discover].
	Language string
	// Tests are the paths of the test files to run; none means those of
	// [Discover].
	Tests []string
	// From is the source of the files on the tests' side; nil means the tested
	// copy. With the copy from before a candidate's edits, none of the
	// candidate's files is on the tests' side, and its files in a folder of
	// tests are on neither.
	From *workcopy.Copy
	// Main is the program's main file, where the tests need one.
	Main string
	// Skip are paths left out with all below them, by whole elements:
	// documents, pictures, files that no test reads.
	Skip []string
	// Limits are the Job's. Files and Disk are raised to the copy's needs, and
	// Memory, if not given, by the size of its files.
	Limits glovebox.Limits
	// Tier, Image, RequireProof and Env are the Job's.
	Tier         glovebox.TierName
	Image        string
	RequireProof glovebox.Proof
	Env          map[string]string
}

// Bounds of what a Job stages.
const (
	MaxFiles = 50_000
	MaxBytes = 512 << 20
)

// page is the unit of space for a file.
const page = 4 << 10

// Job makes the Job that runs the tests on c. The error names missing test
// files, or means that the copy is too large to be staged.
func (s Suite) Job(c *workcopy.Copy) (glovebox.Job, error) {
	from := s.From
	if from == nil {
		from = c
	}
	sides, lang, err := s.divide(from)
	if err != nil {
		return glovebox.Job{}, err
	}
	tests, err := from.Files(sides.test, MaxBytes)
	if err != nil {
		return glovebox.Job{}, err
	}
	program, err := c.Files(sides.program, MaxBytes)
	if err != nil {
		return glovebox.Job{}, fmt.Errorf("the program: %w; leave out what no test reads (Skip)", err)
	}
	if len(program) == 0 {
		return glovebox.Job{}, errors.New("there is no file beside the tests")
	}
	p := &glovebox.Program{Language: lang.Name, Files: program, Main: s.Main}
	if names, most := lang.Told(p); names > most {
		return glovebox.Job{}, fmt.Errorf("the program: its %d files have names of %d bytes together, at most %d can be staged: %w; leave out what no test reads (Skip)",
			len(program), names, most, workcopy.ErrTooLarge)
	}
	limits, err := s.limits(slices.Concat(program, tests))
	if err != nil {
		return glovebox.Job{}, err
	}
	return glovebox.Job{
		Program: p, Tests: tests, Limits: limits,
		Tier: s.Tier, Image: s.Image, RequireProof: s.RequireProof, Env: s.Env,
	}, nil
}

// Judges returns a function that reports whether a file of From, or a new file
// at the same path, is left out of the program as belonging to the tests' side.
// With a From, a candidate's changes to these files are in no Job, and no run
// reveals them.
func (s Suite) Judges() (func(path string) bool, error) {
	if s.From == nil {
		return nil, errors.New("the suite takes its tests from what is tested")
	}
	sides, _, err := s.divide(s.From)
	if err != nil {
		return nil, err
	}
	return func(p string) bool { return !sides.program(p) }, nil
}

// divide completes the suite's language and tests, and divides the files
// between the sides.
func (s Suite) divide(from *workcopy.Copy) (*sides, *language.Language, error) {
	if s.Language == "" || len(s.Tests) == 0 {
		lang, tests := Discover(from)
		if s.Language == "" {
			s.Language = lang
		}
		if len(s.Tests) == 0 {
			if lang != s.Language {
				tests = testsOf(from, byName(s.Language))
			}
			s.Tests = tests
		}
	}
	lang := byName(s.Language)
	if lang == nil {
		return nil, nil, fmt.Errorf("the language of the tests is not known: %q", s.Language)
	}
	if len(s.Tests) == 0 {
		return nil, nil, fmt.Errorf("there are no test files of %s", lang.Title)
	}
	d, err := s.sort(from, lang)
	return d, lang, err
}

// limits raises the limits to the files' needs beside those of a run itself.
func (s Suite) limits(files []glovebox.File) (glovebox.Limits, error) {
	l, d := s.Limits, glovebox.DefaultLimits
	if len(files) > MaxFiles {
		return l, fmt.Errorf("%d files, at most %d can be staged: %w; leave out what no test reads (Skip)", len(files), MaxFiles, workcopy.ErrTooLarge)
	}
	folders := map[string]bool{}
	var bytes int64
	for _, f := range files {
		bytes += (int64(len(f.Data)) + page - 1) / page * page
		for dir := path.Dir(f.Path); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	count := int64(len(files) + len(folders))
	if bytes > MaxBytes {
		return l, fmt.Errorf("%d bytes of files, at most %d can be staged: %w; leave out what no test reads (Skip)", bytes, MaxBytes, workcopy.ErrTooLarge)
	}
	l.Files = max(l.Files, d.Files+count)
	l.Disk = max(l.Disk, d.Disk+bytes)
	if l.Memory == 0 {
		l.Memory = d.Memory + bytes
	}
	return l, nil
}

// sides divides the files between the tests and the program.
type sides struct {
	listed  map[string]bool
	folders []string // whose files are on the tests' side
	beside  []string // folders that tests stand in
	python  bool
	golang  bool
	out     map[string]bool // test files that are not run
	skip    []string
}

// testFolders are names of folders for tests and their files.
var testFolders = []string{"tests", "test", "spec", "specs", "__tests__"}

// dataFolders are names of folders beside tests with the tests' data.
var dataFolders = []string{"testdata", "test_data", "test-data", "fixtures", "__fixtures__", "__snapshots__", "__mocks__"}

func (s Suite) sort(from *workcopy.Copy, lang *language.Language) (*sides, error) {
	d := &sides{listed: map[string]bool{}, out: map[string]bool{}, python: lang.Name == "python", golang: lang.Name == "go", skip: s.Skip}
	var missing []string
	for _, t := range s.Tests {
		clean, err := glovebox.CleanPath(t)
		if err != nil {
			return nil, err
		}
		if _, ok := from.Stat(clean); !ok {
			missing = append(missing, clean)
			continue
		}
		d.listed[clean] = true
		dir := path.Dir(clean)
		top := ""
		for up := dir; up != "."; up = path.Dir(up) {
			if slices.Contains(testFolders, path.Base(up)) {
				top = up
			}
		}
		if top != "" {
			d.folders = append(d.folders, top)
		}
		d.beside = append(d.beside, dir)
		for _, name := range dataFolders {
			d.folders = append(d.folders, path.Join(dir, name))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("there are no such test files: %s", strings.Join(missing[:min(len(missing), 10)], ", "))
	}
	slices.Sort(d.folders)
	d.folders = slices.Compact(d.folders)
	slices.Sort(d.beside)
	d.beside = slices.Compact(d.beside)
	return d, d.leaveOut(from, lang)
}

var (
	importLine = lazyre.New(`(?m)^.*\b(?:import|from|require)\b.*$`)
	word       = lazyre.New(`[\w-]+`)
)

// leaveOut finds the test files in the tests' folders neither listed nor
// imported on the tests' side.
func (d *sides) leaveOut(from *workcopy.Copy, lang *language.Language) error {
	var others []string
	imported := map[string]bool{}
	for _, p := range from.Paths() {
		if !d.inFolders(p) && !d.listed[p] {
			continue
		}
		if lang.IsTest(glovebox.File{Path: p}) && !d.listed[p] && !isHelper(p) {
			others = append(others, p)
			continue
		}
		if !lang.Owns(p) {
			continue
		}
		data, err := from.Read(p)
		if err != nil {
			return err
		}
		for _, line := range importLine().FindAll(data, -1) {
			for _, w := range word().FindAll(line, -1) {
				imported[string(w)] = true
			}
		}
	}
	for _, p := range others {
		stem, _, _ := strings.Cut(path.Base(p), ".")
		if !imported[stem] && !d.samePackage(p) {
			d.out[p] = true
		}
	}
	return nil
}

// isHelper reports whether a file named like tests holds none.
func isHelper(p string) bool { return path.Base(p) == "conftest.py" }

// samePackage reports whether p is a Go test in the package of a listed one:
// the tests of a package are compiled together.
func (d *sides) samePackage(p string) bool {
	if !d.golang || !strings.HasSuffix(p, "_test.go") {
		return false
	}
	_, found := slices.BinarySearch(d.beside, path.Dir(p))
	return found
}

// inFolders reports whether p is in a folder of the tests' side.
func (d *sides) inFolders(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, found := slices.BinarySearch(d.folders, dir); found {
			return true
		}
	}
	return false
}

// test reports whether a file is on the tests' side.
func (d *sides) test(p string) bool {
	switch {
	case d.listed[p]:
		return true
	case d.out[p] || d.skipped(p):
		return false
	}
	return d.inFolders(p) || d.python && isHelper(p) || d.samePackage(p)
}

// program reports whether a file is on the program's side. A file in the tests'
// folders never is.
func (d *sides) program(p string) bool {
	return !d.listed[p] && !d.inFolders(p) && !d.skipped(p) && !(d.python && isHelper(p)) && !(d.golang && strings.HasSuffix(p, "_test.go"))
}

func (d *sides) skipped(p string) bool {
	return slices.ContainsFunc(d.skip, func(s string) bool {
		s = path.Clean(s)
		return p == s || strings.HasPrefix(p, s+"/")
	})
}
