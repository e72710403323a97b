package language

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/rootfs"
)

// Perl is Perl 5.
var Perl = &Language{
	Name:       "perl",
	Title:      "Perl",
	Aliases:    []string{"perl", "pl", "perl5"},
	Extensions: []string{".pl", ".pm", ".t"},
	Main:       "main.pl",
	Comment:    "#",
	Score:      perlSigns.score,
	IsTest:     isPerlTest,
	Find:       findPerl,
	Plan:       planPerl,
	Exam:       examPerl,
	ReadSyntax: readPerlSyntax,

	ReadFailure: readPerlFailure,
	Libraries:   ownProgram("perl", "libraries.pl", "libraries.pl"),
	Lint:        ownProgram("perl", "lint.pl", "lint.pl"),
	Install:     installPerl,
}

const installPerl = "install Perl 5.26 or later with its standard modules (Debian: apt-get install perl)"

//go:embed perl/*.pm perl/*.pl
var perlDrivers embed.FS

// perlHome is where our drivers are in a box.
const perlHome = "/opt/glovebox/perl/"

var perlSigns = signs{
	signed(90, `^#!.*\bperl\b`),
	signed(60, `^\s*use\s+(?:strict|warnings|v?5[\d._]*)\b.*;`),
	signed(50, `^\s*sub\s+\w+\s*(?:\([^)]*\)\s*)?\{`),
	signed(50, `^\s*(?:my|our)\s*\(?\s*[$@%]\w+`),
	signed(30, `\bmy\s*\([^)]*\)\s*=\s*@_;|\bshift(?:\s*@_)?;`),
	signed(30, `[$@%]\{?\$\w+|\$\w+->[\[{]`),
	signed(25, `=~\s*(?:m|s|tr|y|qr)?[/{]`),
	signed(20, `\b(?:elsif|unless|foreach\s+my|qw\s*\(|print\s+STDERR)\b`),
	signed(15, `^\s*(?:print|printf|say|push|return)\b.*[$@%]\w+.*;`),
	signed(-80, `<\?php\b`),
	signed(-50, `^\s*(?:def|end|fi|done|esac)\b|\bfunction\s+\w+\s*\(`),
}

var perlTestName = lazyre.New(`(?i)\.t$|(?:^test_.*|.*_test|^tests?)\.p[lm]$`)

func isPerlTest(f glovebox.File) bool {
	return perlTestName().MatchString(path.Base(f.Path))
}

// perlAsk prints what findPerl needs to know, a line each; it fails where the
// standard modules are not installed.
const perlAsk = `use JSON::PP (); use Config; print join "\n", $Config{version}, $Config{prefixexp}, $Config{privlibexp}, $Config{archlibexp}, @INC`

func findPerl(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("perl")
	if err != nil {
		return nil, fmt.Errorf("Perl was not found (%w): %s", err, installPerl)
	}
	out, err := h.Ask(ctx, exe, "-e", perlAsk)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, installPerl)
	}
	said := strings.Split(strings.TrimSpace(out), "\n")
	if len(said) < 4 {
		return nil, fmt.Errorf("%s does not say where its library is: %s", exe, installPerl)
	}
	version, prefix := said[0], said[1]
	if minor, _ := strconv.Atoi(strings.Split(version+".0", ".")[1]); minor < 26 {
		return nil, fmt.Errorf("Perl %s is too old: %s", version, installPerl)
	}
	r := relocation{from: prefix, to: prefix}
	if !systemPrefix(prefix) {
		r.to = "/usr/local"
	}
	tc := &Toolchain{Language: "perl", Version: version, Exe: "/usr/bin/perl", Path: "/usr/local/bin:/usr/bin:/bin", Root: rootfs.Base()}
	tc.Root.Add(rootfs.Entry{Path: tc.Exe, Source: exe, Linked: true})
	dirs := said[2:4]
	for _, d := range said[4:] {
		if path.Base(d) == "perl-base" { // Debian's own split of the library
			dirs = append(dirs, d)
		}
	}
	elfs := []string{exe}
	var search []string
	for _, d := range dirs {
		if info, err := h.Stat(d); err != nil || !info.IsDir() {
			continue
		}
		search = append(search, r.path(d))
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
		tc.Env = []string{"PERL5LIB=" + strings.Join(search, ":")}
	}
	if err := addDrivers(&tc.Root, perlDrivers, "perl", perlHome); err != nil {
		return nil, err
	}
	deep, err := perlDrivers.ReadFile("perl/Deep.pm")
	tc.Root.Add(rootfs.Entry{Path: perlHome + "lib/Test/Deep.pm", Data: deep})
	return tc, err
}

func planPerl(tc *Toolchain, p *glovebox.Program) (*Plan, error) {
	return &Plan{
		Files: slices.Clone(p.Files),
		Run:   Step{Args: []string{tc.Exe, "-I" + perlHome, "-MGloveboxCheck", p.Main}},
	}, nil
}

// perlMore finds what tests need beyond calls, out of their text alone.
var perlMore = testMarks{
	{lazyre.New(`\bTest::(?:Mock\w*|Output|Trap)\b|\bCapture::Tiny\b|(?:^|\W)\*STD(?:OUT|IN|ERR)\b|\bopen\b[^;]*\bSTD(?:OUT|IN|ERR)\b`), "the program's streams, or mocks"},
	{lazyre.New(`\*\{?["']?[\w:]*\w["']?\}?\s*=\s*(?:sub\b|\\&)`), "subs that replace the program's"},
	{lazyre.New(`\buse\s+(?:parent|base)\b|@ISA\b`), "the program's packages as a base"},
	{lazyre.New(`\$(?:main)?::\w+|\bour\s+[$@%]`), "the program's variables"},
	{lazyre.New(`\bqx\b|\bsystem\s*\(|\bopen\s*\(|\$ENV\{`), "files, commands or the environment"},
}

func examPerl(tc *Toolchain, p *glovebox.Program, t Tests) (*Exam, error) {
	staged, names := stageTests(t.Files, ".t")
	more := perlMore.find(t.Files)
	p, tree := startTree(p, ".pl", "1;\n")
	if tree {
		if names = startedNames(staged, isPerlTest, ".t", ".pl"); len(names) == 0 {
			return nil, fmt.Errorf("%shave a file of Perl", TestsAtFault)
		}
		more = inTree
	}
	if more != "" {
		return &Exam{
			Proof:     glovebox.ProofInProcess,
			Files:     withoutFiles(p.Files, names),
			Candidate: Step{Args: append([]string{tc.Exe, perlHome + "together.pl", p.Main}, append(names, "--")...), Files: staged},
			Reason:    "the tests use " + more,
		}, nil
	}
	if !slices.Contains(names, p.Main) {
		// Tests that require the program find it here already.
		staged = append(staged, glovebox.File{Path: p.Main, Data: []byte("1;\n"), ReadOnly: true})
	}
	return &Exam{
		Proof:     glovebox.ProofOutOfProcess,
		Files:     slices.Clone(p.Files),
		Candidate: Step{Args: []string{tc.Exe, perlHome + "candidate.pl", p.Main}},
		Harness:   &Step{Args: append([]string{tc.Exe, perlHome + "harness.pl"}, names...), Files: staged},
	}, nil
}

var (
	perlMessage = lazyre.New(`(?m)^(.+?) at (\S+) line (\d+)(?:, (near .*)|, <\w*> (?:line|chunk) \d+)?\.?$`)
	perlFailed  = lazyre.New(`(?m)^\S+ had compilation errors\.|^Execution of \S+ aborted due to compilation errors\.`)
	perlBegin   = lazyre.New(`(?m)^BEGIN failed--`)
)

// readPerlSyntax reads what perl -c prints. A BEGIN block that died is no
// syntax error: it ran.
func readPerlSyntax(out CheckOutput) *glovebox.SyntaxError {
	if out.ExitCode == 0 || perlBegin().Match(out.Stderr) || !perlFailed().Match(out.Stderr) {
		return nil
	}
	m := perlMessage().FindSubmatch(out.Stderr)
	if m == nil {
		return nil
	}
	e := &glovebox.SyntaxError{File: string(m[2]), Message: string(m[1])}
	if len(m[4]) > 0 {
		e.Message += ", " + string(m[4])
	}
	e.Line, _ = strconv.Atoi(string(m[3]))
	return e
}

// readPerlFailure reads the last message of a die.
func readPerlFailure(stderr []byte) *glovebox.Failure {
	all := perlMessage().FindAllSubmatch(stderr, -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	f := &glovebox.Failure{Type: "die", Message: string(m[1])}
	if !strings.HasPrefix(string(m[2]), perlHome) {
		f.File = strings.TrimPrefix(string(m[2]), "/workspace/")
		f.Line, _ = strconv.Atoi(string(m[3]))
	}
	return f
}
