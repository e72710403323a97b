package language

import (
	"context"
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Ruby is CRuby.
var Ruby = &Language{
	Name:       "ruby",
	Title:      "Ruby",
	Aliases:    []string{"ruby", "rb", "irb"},
	Extensions: []string{".rb"},
	Main:       "main.rb",
	Comment:    "#",
	Score:      rubySigns.score,
	IsTest:     isRubyTest,
	Find:       findRuby,
	Plan:       planRuby,
	Exam:       examRuby,
	ReadSyntax: readRubySyntax,

	ReadFailure: readRubyFailure,
	Libraries:   ownProgram("ruby", "libraries.rb", "libraries.rb"),
	Lint:        ownProgram("ruby", "lint.rb", "lint.rb"),
	Install:     installRuby,
}

const installRuby = "install Ruby 3.0 or later (Debian: apt-get install ruby)"

//go:embed ruby/*.rb
var rubyDrivers embed.FS

// rubyHome is the directory of our drivers in a box.
const rubyHome = "/opt/glovebox/ruby/"

// rubyLibrary are the names with which tests require the testing libraries. Our own
// library replaces all of them.
var rubyLibrary = []string{
	"test/unit", "test-unit", "test/unit/testcase", "minitest", "minitest/autorun", "minitest/test", "minitest/unit", "minitest/spec",
}

var rubySigns = signs{
	signed(90, `^#!.*\bruby\b`),
	signed(40, `^\s*def\s+(?:self\.)?\w+[?!]?\s*(?:\([^)]*\))?\s*(?:#.*)?$`),
	signed(25, `^\s*end(?:\.\w+.*)?\s*(?:#.*)?$`),
	signed(30, `\bdo\s*\|[^|]+\|\s*$|\{\s*\|[^|]+\|`),
	signed(30, `^\s*require(?:_relative)?\s+['"]`),
	signed(25, `^\s*(?:puts|p|pp)\s+\S`),
	signed(20, `^\s*(?:elsif|unless|attr_(?:reader|writer|accessor)|module\s+[A-Z])\b`),
	signed(20, `\.(?:each|map|select|reject|inject|nil\?|empty\?)\b`),
	signed(20, `^\s*class\s+[A-Z]\w*(?:\s*<\s*[A-Z][\w:]*)?\s*$`),
	signed(15, `(?:^|\s)@{1,2}[a-z_]\w*\s*(?:\|\|)?=`),
	signed(-50, `^\s*(?:def|class|if|for|while)\b.*:\s*(?:#.*)?$`),
	signed(-50, `^\s*local\s+\w+|\bthen\s*$|\bfunction\b`),
	signed(-50, `^\s*(?:my|use|sub)\s+|<\?php\b`),
	signed(-30, `[;{]\s*$`),
}

var rubyTestName = lazyre.New(`(?i)(?:^test_.*|.*_(?:test|spec)|^tests?)\.rb$`)

func isRubyTest(f glovebox.File) bool {
	return rubyTestName().MatchString(path.Base(f.Path))
}

// rubyAsk prints the facts needed by findRuby, one per line.
const rubyAsk = `c = RbConfig::CONFIG
puts RUBY_VERSION, c["prefix"], c["rubylibdir"], c["rubyarchdir"], c["vendordir"], [Gem.default_dir, *Gem.path].uniq.join(":")`

func findRuby(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("ruby", "ruby3.4", "ruby3.3", "ruby3.2", "ruby3.1", "ruby3.0")
	if err != nil {
		return nil, fmt.Errorf("Ruby was not found (%w): %s", err, installRuby)
	}
	out, err := h.Ask(ctx, exe, "-e", rubyAsk)
	if err != nil {
		return nil, err
	}
	said := strings.Split(strings.TrimSpace(out), "\n")
	if len(said) != 6 {
		return nil, fmt.Errorf("%s does not say where its library is: %s", exe, installRuby)
	}
	version, prefix, lib, arch, vendor := said[0], said[1], said[2], said[3], said[4]
	if major, _, _ := strings.Cut(version, "."); major < "3" {
		return nil, fmt.Errorf("Ruby %s is too old: %s", version, installRuby)
	}
	r := relocation{from: prefix, to: prefix}
	if !systemPrefix(prefix) {
		r.to = "/usr/local"
	}
	tc := &Toolchain{Language: "ruby", Version: version, Exe: "/usr/bin/ruby", Path: "/usr/local/bin:/usr/bin:/bin", Root: rootfs.Base()}
	tc.Root.Add(rootfs.Entry{Path: tc.Exe, Source: exe, Linked: true})
	elfs := []string{exe}
	dirs := []string{lib, arch, vendor}
	for _, d := range filepath.SplitList(said[5]) {
		// Gems of a user do not belong in the box.
		if strings.HasPrefix(d, prefix+"/") {
			dirs = append(dirs, filepath.Join(d, "specifications"), filepath.Join(d, "gems"), filepath.Join(d, "extensions"))
		}
	}
	var taken []string
	for _, d := range dirs {
		if info, err := h.Stat(d); err != nil || !info.IsDir() || slices.ContainsFunc(taken, func(t string) bool { return strings.HasPrefix(d+"/", t+"/") }) {
			continue
		}
		taken = append(taken, d)
		tc.Root.Add(rootfs.Entry{Path: r.path(d), Source: d})
		modules, err := h.ELFs(d)
		if err != nil {
			return nil, err
		}
		elfs = append(elfs, modules...)
	}
	libs, err := optionalLibraries(h, elfs)
	if err != nil {
		return nil, err
	}
	tc.Root.Add(rootfs.Libraries(libs)...)
	if r.to != r.from {
		tc.Env = []string{"RUBYLIB=" + r.path(lib) + ":" + r.path(arch), "GEM_PATH=" + r.path(filepath.Join(filepath.Dir(lib), "gems", filepath.Base(lib)))}
	}
	if err := addDrivers(&tc.Root, rubyDrivers, "ruby", rubyHome); err != nil {
		return nil, err
	}
	for _, name := range rubyLibrary {
		tc.Root.Add(rootfs.Entry{Path: rubyHome + "lib/" + name + ".rb", Data: []byte("require \"" + rubyHome + "unit.rb\"\n")})
	}
	return tc, nil
}

// rubyCommand starts Ruby without the features that slow its start; see check.rb.
func rubyCommand(tc *Toolchain, args ...string) []string {
	slow := "--disable=gems,did_you_mean"
	for _, f := range []struct{ since, name string }{{"3.1", "error_highlight"}, {"3.2", "syntax_suggest"}} {
		if tc.Version >= f.since {
			slow += "," + f.name
		}
	}
	return append([]string{tc.Exe, slow}, args...)
}

func planRuby(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{Files: slices.Clone(p.Files), Run: Step{Args: rubyCommand(tc, "-r"+rubyHome+"check.rb", p.Main)}}, nil
}

// examRuby runs tests out of process. The harness reads their text with Ruby's own
// parser. Before receiving any data from the program, the harness reports whether
// the tests need the program in their own process.
func examRuby(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	staged, _ := stageTests(t.Files, ".rb")
	names := startedNames(staged, isRubyTest, ".rb")
	if len(names) == 0 {
		return nil, &Unrunnable{Reason: "the tests have no file of Ruby"}
	}
	var helpers []string
	for _, f := range staged {
		if path.Ext(f.Path) == ".rb" && !slices.Contains(names, f.Path) {
			helpers = append(helpers, f.Path)
		}
	}
	p, tree := startTree(p, ".rb", "")
	together := func() (*Exam, error) {
		return &Exam{
			Proof:     glovebox.ProofInProcess,
			Files:     withoutFiles(p.Files, slices.Concat(names, helpers)),
			Candidate: Step{Args: rubyCommand(tc, slices.Concat([]string{rubyHome + "together.rb", p.Main}, names, []string{"--"}, helpers, []string{"--"})...), Files: staged},
		}, nil
	}
	if tree {
		x, err := together()
		x.Reason = "the tests use " + inTree
		return x, err
	}
	args := []string{rubyHome + "harness.rb", p.Main}
	for _, f := range p.Files {
		if path.Ext(f.Path) == ".rb" && f.Path != p.Main {
			args = append(args, f.Path)
		}
	}
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     slices.Clone(p.Files),
		Candidate: Step{Args: rubyCommand(tc, rubyHome+"candidate.rb", p.Main)},
		Harness:   &Step{Args: rubyCommand(tc, append(append(args, "--"), names...)...), Files: staged},
		Fallback:  together,
	}, nil
}

var rubySyntaxLine = lazyre.New(`(?m)^([^:\n]+):(\d+): (?:syntax errors? found.*|(.+))`)

// readRubySyntax reads the output of ruby -c.
func readRubySyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 {
		return nil
	}
	m := rubySyntaxLine().FindSubmatch(out.Stderr)
	if m == nil {
		return nil
	}
	e := &glovebox.SyntaxError{File: string(m[1]), Message: string(m[3])}
	e.Line, _ = strconv.Atoi(string(m[2]))
	return e
}

var (
	rubyError = lazyre.New(`(?m)^(?:([^:\s][^:\n]*):(\d+):in [^:\n]*: )?(.*) \(([A-Z][\w:]*)\)$`)
	rubyPlace = lazyre.New(`^(?:/workspace/|\./)?([^/].*)$`)
)

// readRubyFailure reads an exception that was not rescued.
func readRubyFailure(stderr []byte) *glovebox.Failure {
	all := rubyError().FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	f := &glovebox.Failure{Type: string(m[4]), Message: string(m[3])}
	if at := rubyPlace().FindSubmatch(m[1]); at != nil {
		f.File = string(at[1])
		f.Line, _ = strconv.Atoi(string(m[2]))
	}
	return f
}
