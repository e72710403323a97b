package language

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// The tracks are public sets of exercises, each with an example solution, a stub
// and a test suite of the language's usual framework, as
// https://github.com/exercism has them. GLOVEBOX_TRACKS is a folder with a
// checkout of each, under the names of the table below. Each program runs here
// and beside that by itself, with the real framework, under plain bubblewrap.
//
// Beside the tracks there are small libraries with their own suites, as whole
// repositories: a checkout named library-<language> of the repository that the
// table names.
//
// GLOVEBOX_TRACK_EXERCISES is how many exercises of each track are taken (30),
// evenly spread; GLOVEBOX_TRACK_REPEAT how often each verdict is asked for (1).

// A track is one language's exercises and how they run by themselves.
type track struct {
	name string
	lang *Language
	// direct is the command line, run in a folder with the files of the
	// exercise; TESTS is replaced by the names of the test files.
	direct []string
	env    []string
	// wants are programs that the direct run needs.
	wants []string
	// modules is a folder beside the checkouts with node modules, if needed.
	modules string
	// fits reports whether the framework that is here can run an exercise's tests;
	// nil says that it can.
	fits func(exercise) bool
	// Of a library: its files, the files of its tests (whatever else is there
	// is left out), and the file that a stub empties and a mutant changes.
	files, suite *regexp.Regexp
	// skips matches what the tests skip themselves by, and leaves to the reader to
	// take away.
	skips  *regexp.Regexp
	change string
}

var tracks = []track{
	{name: "python", lang: Python, direct: []string{"python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "TESTS"}, wants: []string{"python3"}},
	{name: "javascript", lang: JavaScript, direct: []string{"node", "node_modules/jest/bin/jest.js", "--ci", "--runInBand", "TESTS"}, wants: []string{"node"}, modules: "node_modules.javascript"},
	{name: "typescript", lang: TypeScript, direct: []string{"node", "node_modules/jest/bin/jest.js", "--ci", "--runInBand", "TESTS"}, wants: []string{"node"}, modules: "node_modules.typescript"},
	{name: "go", lang: Go, direct: []string{"go", "test", "./..."}, env: []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOCACHE=/srv/gocache"}, wants: []string{"go"}},
	{name: "ruby", lang: Ruby, direct: []string{"sh", "-c", `for t in "$@"; do ruby -I. "$t" || exit 1; done`, "sh", "TESTS"}, wants: []string{"ruby"}, skips: regexp.MustCompile(`(?m)^ +skip$`)},
	{name: "php", lang: PHP, direct: []string{"phpunit", "--do-not-cache-result", "TESTS"}, wants: []string{"phpunit"}, fits: fitsPHPUnit9},
	{name: "lua", lang: Lua, direct: []string{"busted", "-p", "_spec", "."}, wants: []string{"busted"}},
	{name: "perl5", lang: Perl, direct: []string{"prove", "-Ilib", "TESTS"}, wants: []string{"prove"}},
	{name: "bash", lang: Bash, direct: []string{"bats", "TESTS"}, env: []string{"BATS_RUN_SKIPPED=true"}, wants: []string{"bats"}},
}

// libraries are at their newest commits: pytoolz/toolz, visionmedia/bytes.js, vercel/ms,
// google/uuid, ruby/prettyprint, erusev/parsedown, kikito/semver.lua,
// moose/Role-Tiny, bats-core/bats-assert.
var libraries = []track{
	{name: "library-python", lang: Python, direct: []string{"python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"}, wants: []string{"python3"},
		files: regexp.MustCompile(`^(?:toolz|tlz)/(?:[^t/].*|sandbox/\w+)\.py$`), suite: regexp.MustCompile(`^toolz/tests/(?:__init__|test_[^p])`), change: "toolz/itertoolz.py"}, // test_package.py asks for an installed package,
	{name: "library-javascript", lang: JavaScript, direct: []string{"mocha", "test"}, wants: []string{"mocha"},
		files: regexp.MustCompile(`^(?:index\.js|package\.json)$`), suite: regexp.MustCompile(`^test/.*\.js$`), change: "index.js"},
	{name: "library-typescript", lang: TypeScript, direct: []string{"node", "node_modules/jest/bin/jest.js", "--ci", "--runInBand", "--config",
		`{"rootDir": "/mnt", "testEnvironment": "node", "transform": {"\\.ts$": ["/mnt/node_modules/babel-jest", {"presets": [["/mnt/node_modules/@babel/preset-env", {"targets": {"node": "current"}}], "/mnt/node_modules/@babel/preset-typescript"]}]}}`},
		wants: []string{"node"}, modules: "node_modules.typescript",
		files: regexp.MustCompile(`^src/index\.ts$`), suite: regexp.MustCompile(`\.test\.ts$`), change: "src/index.ts"},
	{name: "library-go", lang: Go, direct: []string{"go", "test", "./..."}, env: []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOCACHE=/srv/gocache"}, wants: []string{"go"},
		files: regexp.MustCompile(`^[a-z0-9_]+\.go$|^go\.mod$`), suite: regexp.MustCompile(`_test\.go$`), change: "version4.go"},
	{name: "library-ruby", lang: Ruby, direct: []string{"ruby", "-Ilib", "test/test_prettyprint.rb"}, wants: []string{"ruby"},
		files: regexp.MustCompile(`^lib/`), suite: regexp.MustCompile(`^test/`), change: "lib/prettyprint.rb"},
	{name: "library-php", lang: PHP, direct: []string{"sh", "-c", `echo '<?php spl_autoload_register(function ($c) { foreach (["", "test/"] as $d) if (is_file($f = "/mnt/$d$c.php")) require $f; });' >/tmp/load.php && phpunit --no-configuration --do-not-cache-result --bootstrap /tmp/load.php test/ParsedownTest.php`}, wants: []string{"phpunit"},
		files: regexp.MustCompile(`^\w+\.php$|^composer\.json$`), suite: regexp.MustCompile(`^test/`), change: "Parsedown.php"},
	{name: "library-lua", lang: Lua, direct: []string{"busted"}, wants: []string{"busted"},
		files: regexp.MustCompile(`^semver\.lua$`), suite: regexp.MustCompile(`^spec/`), change: "semver.lua"},
	{name: "library-perl", lang: Perl, direct: []string{"prove", "-Ilib", "-r", "t"}, wants: []string{"prove"},
		files: regexp.MustCompile(`^lib/`), suite: regexp.MustCompile(`^t/`), change: "lib/Role/Tiny.pm"},
	{name: "library-bash", lang: Bash, direct: []string{"bats", "test"}, wants: []string{"bats"},
		files: regexp.MustCompile(`^(?:src/|load\.bash)`), suite: regexp.MustCompile(`^test/`), change: "src/assert_equal.bash"},
}

// trackWall is how long a suite may take, here and by itself.
const trackWall = 5 * time.Minute

// TestTracks compares verdicts on exercises with the real frameworks' own.
func TestTracks(t *testing.T) {
	root := os.Getenv("GLOVEBOX_TRACKS")
	if root == "" {
		t.Skip("GLOVEBOX_TRACKS names no folder with checkouts of exercise tracks")
	}
	rigWall = trackWall
	for _, tr := range slices.Concat(tracks, libraries) {
		t.Run(tr.name, func(t *testing.T) {
			rigTool(t, tr.lang)
			if _, err := os.Stat(filepath.Join(root, tr.name)); err != nil {
				t.Skipf("no checkout of this track: %v", err)
			}
			for _, w := range tr.wants {
				if _, err := exec.LookPath(w); err != nil {
					t.Skipf("%s is not installed", w)
				}
			}
			tr.run(t, root)
		})
	}
}

// An exercise is one folder of a track.
type exercise struct {
	name                         string
	solution, stub, tests, extra []glovebox.File
}

func (tr track) run(t *testing.T, root string) {
	want, repeat := 30, 1
	if n, err := strconv.Atoi(os.Getenv("GLOVEBOX_TRACK_EXERCISES")); err == nil {
		want = n
	}
	if n, err := strconv.Atoi(os.Getenv("GLOVEBOX_TRACK_REPEAT")); err == nil {
		repeat = n
	}
	all := tr.exercises(t, filepath.Join(root, tr.name))
	step := max(1, len(all)/want)
	var (
		mu     sync.Mutex
		counts = map[string]int{}
		slots  = make(chan bool, runtime.NumCPU())
		wait   sync.WaitGroup
	)
	count := func(what ...string) {
		mu.Lock()
		defer mu.Unlock()
		for _, w := range what {
			counts[w]++
		}
	}
	for i := 0; i < len(all) && i/step < want; i += step {
		e := all[i]
		for kind, solution := range map[string][]glovebox.File{"right": e.solution, "stub": e.stub, "mutant": mutate(e.solution)} {
			slots <- true
			wait.Go(func() {
				defer func() { <-slots }()
				direct, said := tr.alone(t, root, e, solution)
				if kind == "right" && !direct {
					t.Logf("%s: the example does not pass by itself: %s", e.name, said)
				}
				for range repeat {
					v := tr.here(t, e, solution)
					what := "failed"
					switch {
					case v.pass:
						what = "pass " + string(v.worth())
					case strings.HasPrefix(v.why, "unrunnable"):
						what = "unrunnable"
					}
					switch {
					case v.pass == direct:
						count("agree", kind+": "+what)
					case what == "unrunnable":
						count("refused", kind+": "+what)
						t.Logf("%s (%s): %s", e.name, kind, v.why)
					case v.pass:
						count("FALSE PASS")
						t.Errorf("%s (%s): a false pass (%s); by itself: %s", e.name, kind, v.worth(), said)
					default:
						count("false fail")
						t.Logf("%s (%s): passes by itself, and here: %s\n%s", e.name, kind, v.why, v.harness.stderr+v.candidate.stderr)
					}
				}
			})
		}
	}
	wait.Wait()
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %-40s %d", tr.name, k, counts[k])
	}
}

// exercises reads a checkout.
func (tr track) exercises(t *testing.T, dir string) []exercise {
	t.Helper()
	if tr.files != nil {
		return tr.library(t, dir)
	}
	configs, err := filepath.Glob(filepath.Join(dir, "exercises", "practice", "*", ".meta", "config.json"))
	if err != nil || len(configs) == 0 {
		t.Skipf("no exercises in %s: %v", dir, err)
	}
	var found []exercise
	for _, c := range configs {
		data, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		var config struct {
			Files struct{ Solution, Test, Example, Editor []string }
		}
		if json.Unmarshal(data, &config) != nil {
			continue // a few have a comma too many
		}
		f, folder := config.Files, filepath.Dir(filepath.Dir(c))
		if len(f.Solution) != len(f.Example) || len(f.Solution) == 0 || len(f.Test) == 0 {
			continue
		}
		e := exercise{name: path.Base(folder)}
		ok := true
		read := func(from, as string) (file glovebox.File) {
			data, err := os.ReadFile(filepath.Join(folder, from))
			ok = ok && err == nil
			return glovebox.File{Path: as, Data: data}
		}
		for i, name := range f.Solution {
			e.solution = append(e.solution, read(f.Example[i], name))
			e.stub = append(e.stub, read(name, name))
		}
		for _, name := range f.Test {
			file := read(name, name)
			if tr.skips != nil {
				file.Data = tr.skips.ReplaceAll(file.Data, nil)
			}
			e.tests = append(e.tests, file)
		}
		for _, name := range f.Editor {
			file := read(name, name)
			if tr.lang == Go && !Go.IsTest(file) { // the rest of the program's package
				e.solution, e.stub = append(e.solution, file), append(e.stub, file)
			} else {
				e.tests = append(e.tests, file)
			}
		}
		// What stands beside is what the tests load, but for settings.
		beside, _ := os.ReadDir(folder)
		for _, b := range beside {
			known := slices.Contains(slices.Concat(f.Solution, f.Test, f.Editor), b.Name())
			helps := path.Ext(b.Name()) == ".bash" || slices.Contains(tr.lang.Extensions, path.Ext(b.Name()))
			if b.Type().IsRegular() && helps && !known && !strings.Contains(b.Name(), "config") {
				e.tests = append(e.tests, read(b.Name(), b.Name()))
			}
		}
		for _, name := range []string{"go.mod", "babel.config.js", "babel.config.cjs", "jest.config.js", "jest.config.cjs", "package.json", ".busted"} {
			if data, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
				e.extra = append(e.extra, glovebox.File{Path: name, Data: data})
			}
		}
		switch {
		case ok && tr.fits != nil && !tr.fits(e):
			t.Logf("%s: the framework that is here cannot run its tests", e.name)
		case ok:
			found = append(found, e)
		}
	}
	return found
}

// fitsPHPUnit9 is false for tests with attributes that PHPUnit 9 does not know.
func fitsPHPUnit9(e exercise) bool {
	for _, f := range e.tests {
		if _, ten := readPHP([][]byte{f.Data}).unitNeeds(); ten {
			return false
		}
	}
	return true
}

// library reads a checkout of a library, as one exercise.
func (tr track) library(t *testing.T, dir string) []exercise {
	t.Helper()
	e := exercise{name: tr.name}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f := glovebox.File{Path: rel, Data: data}
		switch {
		case tr.suite.MatchString(rel):
			e.tests = append(e.tests, f)
		case !tr.files.MatchString(rel):
		case rel == tr.change: // first: see mutate
			e.solution = append([]glovebox.File{f}, e.solution...)
			e.stub = append([]glovebox.File{{Path: rel, Data: nil}}, e.stub...)
		default:
			e.solution, e.stub = append(e.solution, f), append(e.stub, f)
		}
		return nil
	})
	if err != nil || len(e.solution) == 0 || len(e.tests) == 0 {
		t.Skipf("%s is no checkout of this library: %v", dir, err)
	}
	return []exercise{e}
}

// here is the verdict of the exam.
func (tr track) here(t *testing.T, e exercise, solution []glovebox.File) rigVerdict {
	if tr.files != nil {
		return rigExam(t, tr.lang, &glovebox.Program{Language: tr.lang.Name, Files: solution}, Tests{Files: e.tests})
	}
	return rigExam(t, tr.lang, &glovebox.Program{Language: tr.lang.Name, Main: solution[0].Path, Files: solution}, Tests{Files: e.tests})
}

// alone runs the exercise with the real framework.
func (tr track) alone(t *testing.T, root string, e exercise, solution []glovebox.File) (pass bool, said string) {
	t.Helper()
	ws := t.TempDir()
	for _, f := range slices.Concat(e.extra, e.tests, solution) {
		p := filepath.Join(ws, filepath.FromSlash(f.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, f.Data, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), trackWall)
	defer cancel()
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
		"--tmpfs", "/tmp", "--bind", ws, "/mnt", "--chdir", "/mnt", "--setenv", "HOME", "/tmp"}
	if tr.modules != "" {
		if err := os.Mkdir(filepath.Join(ws, "node_modules"), 0o755); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--ro-bind", filepath.Join(root, tr.modules), "/mnt/node_modules")
	}
	if tr.lang == Go {
		cache := filepath.Join(root, "gocache")
		if err := os.MkdirAll(cache, 0o755); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--tmpfs", "/srv", "--bind", cache, "/srv/gocache")
	}
	for _, v := range tr.env {
		name, value, _ := strings.Cut(v, "=")
		args = append(args, "--setenv", name, value)
	}
	args = append(args, "--")
	for _, a := range tr.direct {
		if a != "TESTS" {
			args = append(args, a)
			continue
		}
		for _, f := range e.tests {
			if tr.lang.IsTest(f) || strings.HasSuffix(f.Path, ".bats") {
				args = append(args, f.Path)
			}
		}
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "bwrap", args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	endGroup(cmd)
	err := cmd.Run()
	text := out.String()
	return err == nil, text[max(0, len(text)-600):]
}

// mutations are small faults, the first that fits is made.
var mutations = []struct{ from, to string }{
	{` < `, ` <= `}, {` > `, ` >= `}, {` == `, ` != `}, {` === `, ` !== `}, {` + 1`, ` + 2`}, {` - 1`, ` - 2`},
	{` % `, ` * `}, {` + `, ` - `}, {` * `, ` + `}, {` and `, ` or `}, {` && `, ` || `},
}

var mutableNumber = regexp.MustCompile(`\b([1-9]\d*)\b`)

// mutate makes one small fault in a solution, behind its first third, where the
// code mostly is.
func mutate(solution []glovebox.File) []glovebox.File {
	mutant := slices.Clone(solution)
	src := string(mutant[0].Data)
	begin := len(src) / 3
	head, tail := src[:begin], src[begin:]
	for _, m := range mutations {
		if strings.Contains(tail, m.from) {
			mutant[0].Data = []byte(head + strings.Replace(tail, m.from, m.to, 1))
			return mutant
		}
	}
	done := false
	tail = mutableNumber.ReplaceAllStringFunc(tail, func(n string) string {
		if done {
			return n
		}
		done = true
		i, _ := strconv.Atoi(n)
		return fmt.Sprint(i + 1)
	})
	mutant[0].Data = []byte(head + tail)
	return mutant
}
